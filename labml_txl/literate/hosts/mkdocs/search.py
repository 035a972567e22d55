r"""# The search

Material makes the index of the search. It reads a page as it is shown, so here a page
is put before it in another form, and what it read in an earlier build is given back.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import nh3
from markupsafe import Markup
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import CombinedEvent, event_priority
from mkdocs.structure.pages import Page

from labml_txl.literate.edition.cache import digest
from labml_txl.literate.edition.edition import Edition
from labml_txl.literate.hosts.chinese import chinese_words
from labml_txl.literate.pages.finished.html import searched
from labml_txl.literate.translation.languages import Language


def prepare(language: Language) -> None:
    """Let the search divide into words only those languages that want it.

    Material divides every run of Han letters into Chinese words as soon as it finds a
    dictionary. In Japanese, that hides words; in other languages nobody types them.
    """
    with suppress(ImportError):
        from material.plugins.search import plugin as search

        search.jieba = chinese_words() if "zh" in language.search else None


class Reading:
    """A page while the index reads it."""

    def __init__(self, page: Page, config: MkDocsConfig, edition: Edition) -> None:
        """Put the page before the index, unless it has read it before."""
        kept = edition.kept
        self._page, self._kept, self._whole = page, kept, page.content
        self._index = _index(config)
        if page.file.src_uri in edition.annotated.markdown:
            page.content = searched(page.content or "")
        self._meta = page.meta.get("search")
        # The settings say whether Chinese is divided into words.
        meta = (self._meta, page.meta.get("tags"), _settings(config))
        self._key = digest("search", page.url, str(page.title), page.content, meta)
        self._found = kept.get(self._key) if self._index is not None else None
        self._before = len(self._index or ())
        if self._found is not None and self._index is not None:
            self._index.extend(self._found)
            page.meta["search"] = {"exclude": True}

    def end(self) -> None:
        """Put the page back, and keep what the index has read."""
        # The host has made it of Markdown: it is the one HTML that a template is given.
        self._page.content = Markup(self._whole or "")
        if self._found is not None:
            self._page.meta["search"] = self._meta
            if self._meta is None:
                del self._page.meta["search"]
        elif self._index is not None:
            for entry in (read := self._index[self._before :]):
                # A search shows it as HTML, and it may have come as words.
                entry["title"] = nh3.clean(entry["title"], tags=_SHOWN, attributes={})
            self._kept.keep(self._key, read)


# What a search shows of the elements of a title.
_SHOWN = {"code", "sub", "sup"}


def _settings(config: MkDocsConfig) -> dict[str, Any]:
    return dict(getattr(config.plugins.get("material/search"), "config", {}))


def _index(config: MkDocsConfig) -> list[dict[str, Any]] | None:
    """The entries of the search index of Material, where it is used."""
    search = getattr(config.plugins.get("material/search"), "search_index", None)
    return getattr(search, "entries", None)


def _before(plugin: Any, context: Any, /, *, page: Page, **given: Any) -> Any:
    plugin.reading = Reading(page, given["config"], plugin.edition)
    return context


def _after(plugin: Any, context: Any, /, *, page: Page, **given: Any) -> Any:
    plugin.reading.end()
    return {**context, "lit": page.meta["lit"]}


# What a plugin does before and after the index reads a page.
AROUND: Any = CombinedEvent(event_priority(100)(_before), event_priority(-100)(_after))
