r"""# Zensical

The successor of Material, by the same authors. It is given pages, templates and
settings in a folder that is thrown away when the site is built. Its templates are those
of Material, written by a program that is not Python: they get plain values.
"""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Iterator
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import zensical
from zensical.config import ConfigurationError

from labml_txl.literate.build.edition import Edition
from labml_txl.literate.build.publishing.site import (
    Publication,
    UnfinishedError,
    answered,
    report,
)
from labml_txl.literate.build.publishing.workers import Request, serve
from labml_txl.literate.equations.math import located, typesetter
from labml_txl.literate.mkdocs.navigation import check_pages, translated, with_pages
from labml_txl.literate.mkdocs.project import edition_of, for_host, settings_of
from labml_txl.literate.mkdocs.templates import Words, check_themes
from labml_txl.literate.render.render import EXTENSIONS
from labml_txl.literate.sources.source import LiterateError
from labml_txl.literate.zensical import tree

_LOG = logging.getLogger("zensical")
# Zensical has a search and a map of the site of its own.
_NOT_OURS = ("search.html", "sitemap.xml")
# What the owner of a site has written as HTML, or as an address.
_AS_GIVEN = ("repo_url", "repo_name", "site_author", "copyright")
_TEMPLATES = Path(zensical.__file__).parent / "templates"
# Where every template finds what it asks for.
_WORDS = "{%- set lit = page.meta and page.meta.lit or config.extra.lit -%}\n"


def publish(settings: Path, goal: Path, *, strict: bool = False) -> Path:
    """Build the site in all its languages, whole or not at all.

    Where the build is strict, a fault leaves the old site.
    """
    edition = for_host(edition_of(settings), "zensical")
    site = Publication(f"from {__name__} import build_languages as b; b()", _LOG)
    told = logging.StreamHandler()
    _LOG.addHandler(told)
    site.begin(goal)
    try:
        site.start(edition)
        _build(edition, site.partial)
        place = site.finish(edition, strict=strict)
        if strict and site.faults:
            raise UnfinishedError(f"{goal} stays as it was, for want of a whole site")
        return place
    except BaseException:
        site.fail()
        raise
    finally:
        _LOG.removeHandler(told)
        edition.kept.save()


def build_languages() -> None:
    """Build a language, as often as the build of English asks: what a process runs."""
    _LOG.propagate = False
    serve(lambda asked: answered(lambda: _language(asked), _LOG, (LiterateError,)))


def _language(asked: Request) -> bool:
    english = edition_of(Path(asked["settings"]))
    language = next(x for x in english.languages if x.code == asked["language"])
    edition = for_host(english.into(language), "zensical")
    _build(edition, Path(asked["site_dir"]))
    edition.kept.save()
    return True


def _build(edition: Edition, goal: Path) -> None:
    """Build one language into a folder."""
    with TemporaryDirectory() as folder:
        root, words = Path(folder).resolve(), Words(edition)
        given = settings_of(edition.root / edition.project.settings)
        theme = given.get("theme")
        theme = dict(theme) if isinstance(theme, dict) else {}
        own = edition.root / theme["custom_dir"] if "custom_dir" in theme else None
        tree.write_docs(edition, words, root / "docs")
        tree.write_theme(root / "theme", own, without=_NOT_OURS)
        base = (_TEMPLATES / "base.html").read_text(encoding="utf-8")
        tree.put(root / "theme" / "base.html", _WORDS + base)
        told = _settings(edition, words, given, theme)
        tree.put(root / "site.yml", json.dumps(told))
        typesetter().faults.clear()
        try:
            zensical.build(str(root / "site.yml"), {"clean": True, "strict": False})
        except (ConfigurationError, RuntimeError) as error:
            why = str(error).partition("\n")[0]
            raise LiterateError(edition.project.settings, 1, why) from None
        finally:
            typesetter().close()
        faults = tree.finish(edition, root / "site")
        report(_LOG, [*faults, *_formulas(edition)])
        shutil.copytree(root / "site", goal, dirs_exist_ok=True)


def _formulas(edition: Edition) -> Iterator[LiterateError]:
    """The formulas that could not be set: Zensical does not say where they stand."""
    pages = (*edition.pages(), *edition.project.prose)
    sources = tuple(source for page in pages for source in edition.sources(page))
    yield from (located(fault, sources) for fault in typesetter().faults)


def _settings(edition: Edition, words: Words, given: Any, theme: Any) -> dict[str, Any]:
    """The settings of the site in the language: its templates write words as HTML."""

    def say(text: str) -> str:
        return escape(edition.translation.words(text, "site")) if text else ""

    language, project = edition.language, edition.project
    check_themes(edition, [str(_TEMPLATES)])
    palettes = theme.get("palette") or []
    for palette in palettes if isinstance(palettes, list) else ():
        if "toggle" in palette:
            palette["toggle"]["name"] = say(palette["toggle"].get("name", ""))
    nav = with_pages(given.get("nav") or [], edition.pages())
    check_pages(nav, {*edition.pages(), *project.prose}, project.settings)
    ours = {"name": "material", "variant": "classic", "custom_dir": "theme"}
    in_language = {"language": language.theme, "direction": language.direction}
    return {
        "site_name": say(given["site_name"]),
        "site_description": say(given.get("site_description", "")),
        "site_url": edition.url or None,
        **{name: given[name] for name in _AS_GIVEN if name in given},
        "use_directory_urls": project.directory_urls,
        "theme": {**theme, **ours, **in_language},
        "nav": translated(nav, say),
        "extra": {**given.get("extra", {}), "lit": tree.as_html(words.site)},
        "extra_css": [
            *("assets/katex/katex.min.css", "assets/literate.css"),
            *given.get("extra_css", ()),
        ],
        "extra_javascript": [
            *given.get("extra_javascript", ()),
            {"path": "assets/literate.js", "defer": True},
        ],
        "markdown_extensions": [
            *({name: options} for name, options in EXTENSIONS.items()),
            *given.get("markdown_extensions", ()),
            "labml_txl.literate.equations.extension",
        ],
        "plugins": [{"search": _search(edition, given.get("plugins", ()))}],
        # Links are looked up by the engine, with the line that they stand in.
        "validation": False,
    }


def _search(edition: Edition, plugins: Any) -> dict[str, Any]:
    """The signs that end a word in the search: those of the language or the project."""
    own = (p["search"] for p in plugins if isinstance(p, dict) and "search" in p)
    separator = edition.language.separator or (next(own, None) or {}).get("separator")
    return {"separator": separator} if separator else {}
