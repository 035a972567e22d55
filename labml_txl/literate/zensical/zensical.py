"""# Zensical

Zensical is the successor of Material, by the same authors. It reads pages, templates
and settings from a temporary folder, which we delete after the build. Its templates are
those of Material, but they are rendered by a program that is not written in Python, so
their variables must be plain values.
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

from labml_txl.errors import UserError
from labml_txl.literate.equations.math import locate, open_typesetter
from labml_txl.literate.markdown.host import EXTENSIONS
from labml_txl.literate.mkdocs.settings import open_project, read_settings
from labml_txl.literate.project.cache import project_cache
from labml_txl.literate.project.files import write
from labml_txl.literate.project.localized import LocalizedProject
from labml_txl.literate.project.publication import Publication
from labml_txl.literate.sources.source import LiterateError
from labml_txl.literate.theme.navigation import expand_folders, translate_nav
from labml_txl.literate.theme.sheets import shrink_sheets
from labml_txl.literate.theme.templates import Words, theme_of
from labml_txl.literate.zensical import tree

_LOG = logging.getLogger("zensical")
# Templates of ours that are not used, as Zensical has its own search and site map.
_NOT_OURS = ("search.html", "sitemap.xml")
# Settings that are HTML or URLs, and are therefore neither escaped nor translated.
_AS_GIVEN = ("repo_url", "repo_name", "site_author", "copyright")
_TEMPLATES = Path(zensical.__file__).parent / "templates"
# Prepended to the base template, to define `lit` in every template.
_WORDS = "{%- set lit = page.meta and page.meta.lit or config.extra.lit -%}\n"


def publish(settings: Path, goal: Path, *, strict: bool = False) -> Path:
    """Build the site in all languages, replace the folder `goal`, and return it.

    The replacement is atomic: an error leaves the old site unchanged, and if `strict`,
    a warning does too. Raises `UserError` in these cases.
    """
    # Zensical replaces links to Markdown files in HTML by their URLs.
    localized = open_project(settings, files_in_html=True)
    localized.content.cache = project_cache(localized.root)
    site, log = Publication(_LOG), logging.StreamHandler()
    _LOG.addHandler(log)
    site.begin(goal)
    try:
        for language in localized.languages:
            folder = site.partial / language.folder
            _build(localized.select_language(language), folder, site)
        if strict and site.messages:
            raise UserError(f"{goal} was not replaced: the strict build had warnings")
        shrink_sheets(site.partial)
        site.finish()
        return goal
    finally:
        site.discard()
        site.end()
        _LOG.removeHandler(log)
        localized.content.cache.save()


def _build(localized: LocalizedProject, goal: Path, site: Publication) -> None:
    """Build one language, and copy it to the folder `goal`.

    Raises `LiterateError` if Zensical fails.
    """
    with TemporaryDirectory() as folder:
        root, words = Path(folder).resolve(), Words(localized)
        given = read_settings(localized.root / localized.project.settings)
        theme = given.get("theme")
        theme = dict(theme) if isinstance(theme, dict) else {}
        own = localized.root / theme["custom_dir"] if "custom_dir" in theme else None
        tree.write_docs(localized, words, root / "docs")
        letters = localized.site.registry.letters
        tree.write_theme(root / "theme", own, _NOT_OURS, letters)
        base = (_TEMPLATES / "base.html").read_text(encoding="utf-8")
        write(root / "theme" / "base.html", _WORDS + base)
        given = _settings(localized, words, given, theme)
        write(root / "site.yml", json.dumps(given, ensure_ascii=False))
        open_typesetter().faults.clear()
        try:
            zensical.build(str(root / "site.yml"), {"clean": True, "strict": False})
        except (ConfigurationError, RuntimeError) as error:
            why = str(error).partition("\n")[0]
            raise LiterateError(localized.project.settings, 1, why) from None
        finally:
            open_typesetter().close()
        tree.finish(localized, root / "site")
        site.report([*localized.faults, *_formulas(localized)])
        shutil.copytree(root / "site", goal, dirs_exist_ok=True)


def _formulas(localized: LocalizedProject) -> Iterator[LiterateError]:
    """Yield the errors of KaTeX. We locate them, because Zensical does not."""
    pages = localized.site_pages
    sources = tuple(source for page in pages for source in localized.sources(page))
    yield from (locate(fault, sources) for fault in open_typesetter().faults)


def _settings(
    localized: LocalizedProject, words: Words, given: Any, theme: Any
) -> dict[str, Any]:
    """The settings of Zensical for one language.

    Texts are escaped, because Zensical's templates insert them as HTML.
    """

    def say(text: str) -> str:
        return (
            escape(localized.translation.translate_words(text, "site")) if text else ""
        )

    language, project = localized.language, localized.project
    palettes = theme.get("palette") or []
    for palette in palettes if isinstance(palettes, list) else ():
        if "toggle" in palette:
            palette["toggle"]["name"] = say(palette["toggle"].get("name", ""))
    nav = expand_folders(given.get("nav") or [], localized.paths)
    ours = {"name": "material", "variant": "classic", "custom_dir": "theme"}
    words_of = theme_of(language.theme, [str(_TEMPLATES)])
    in_language = {"language": words_of, "direction": language.direction}
    return {
        "site_name": say(given["site_name"]),
        "site_description": say(given.get("site_description", "")),
        "site_url": localized.url or None,
        **{name: given[name] for name in _AS_GIVEN if name in given},
        "use_directory_urls": project.directory_urls,
        "theme": {"font": False, **theme, **ours, **in_language},
        "nav": translate_nav(nav, say),
        "extra": {**given.get("extra", {}), "lit": tree.escape_variables(words.site)},
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
            {
                "labml_txl.literate.equations.extension": {
                    "macros": dict(project.macros)
                }
            },
        ],
        "plugins": [{"search": _search(localized, given.get("plugins", ()))}],
        # MkDocs checks the links of the same Markdown.
        "validation": False,
    }


def _search(localized: LocalizedProject, plugins: Any) -> dict[str, Any]:
    """The options of the search: the separators of the language or of the project."""
    own = (p["search"] for p in plugins if isinstance(p, dict) and "search" in p)
    separator = localized.language.separator or (next(own, None) or {}).get("separator")
    return {"separator": separator} if separator else {}
