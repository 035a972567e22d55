r"""# The search

Material makes the index of the search. It reads a page as it is shown, so here a page
is put before it in another form, and what it read in an earlier build is given back.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from markupsafe import Markup
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import CombinedEvent, event_priority
from mkdocs.structure.pages import Page

from labml_txl.literate.build.publishing.rebuilding import all_read
from labml_txl.literate.build.reading import Reading
from labml_txl.literate.i18n.languages import Language
from labml_txl.literate.mkdocs.chinese import chinese_words
from labml_txl.literate.mkdocs.templates import alone, made_of


def prepare(language: Language) -> None:
    """Let the search divide into words only those languages that want it.

    Material divides every run of Han letters into Chinese words as soon as it finds a
    dictionary. In Japanese, that hides words; in other languages nobody types them.
    """
    with suppress(ImportError):
        from material.plugins.search import plugin as search

        search.jieba = chinese_words() if "zh" in language.search else None


def _settings(config: MkDocsConfig) -> dict[str, Any]:
    return dict(getattr(config.plugins.get("material/search"), "config", {}))


def _index(config: MkDocsConfig) -> list[dict[str, Any]] | None:
    """The entries of the search index of Material, where it is used."""
    search = getattr(config.plugins.get("material/search"), "search_index", None)
    return getattr(search, "entries", None)


def _before(plugin: Any, context: Any, /, *, page: Page, nav: Any, config: Any) -> Any:
    known = (plugin.frame, made_of(page, config), _settings(config))
    plugin.reading = Reading(page, plugin.edition, _index(config), *known)
    return context


def _after(plugin: Any, context: Any, /, *, page: Any, **given: Any) -> Any:
    page.read = plugin.reading.end()
    # The content is the one HTML that a template is given.
    page.content = Markup(page.content or "")
    return {**context, "lit": page.meta["lit"], "whole": plugin.reading.whole}


@event_priority(100)
def gather(plugin: Any, /, *, config: MkDocsConfig) -> None:
    """Let the index know all pages, in their order: a build may read but a few."""
    if (index := _index(config)) is not None and alone(config):
        index[:] = all_read(plugin.building.files.values())


# What a plugin does before and after the index reads a page.
AROUND: Any = CombinedEvent(event_priority(100)(_before), event_priority(-100)(_after))
