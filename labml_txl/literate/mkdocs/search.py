"""# The search index

Material's search indexes the HTML of a page. For pages of the engine, we give it
simplified HTML, and cache the resulting entries.

Chinese is written without blanks, so its words must be segmented. Material uses the
package `jieba` for this, which has no binary wheels. We segment the entries ourselves
with `rjieba`, which gives the same words and has wheels.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any

import nh3
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import TableOfContents

from labml_txl.literate.i18n.languages import SETTINGS, Language
from labml_txl.literate.mkdocs.settings import read_given
from labml_txl.literate.project.localized import LocalizedProject
from labml_txl.literate.render.html import simplify_for_search

# The elements in a title that search results may contain.
_SHOWN = {"code", "sub", "sup"}
# Han characters, and the marks that repeat or replace one.
_HAN = re.compile("[々〇㐀-䶿一-鿿豈-﫿\U00020000-\U0003ffff]+")
# Invisible, and a separator of words.
_GAP = "\N{ZERO WIDTH SPACE}"


def search_plugin(config: MkDocsConfig) -> Any:
    """The search plugin of Material, or None if the site uses another one."""
    return config.plugins.get("material/search")


def use_separator(config: MkDocsConfig, language: Language) -> None:
    """Divide words as the language of the pages does, unless the site says how."""
    search = search_plugin(config)
    given = read_given(search.config) if search else []
    if search and language.separator and not any("separator" in one for one in given):
        search.config.separator = language.separator
        search.search_index.config["separator"] = language.separator


def check_languages(language: Language, config: MkDocsConfig) -> None:
    """Raise `PluginError` if the search has no stemmer for a language of the search.

    In the browser, the script of the search would stop without a message.
    """
    folders = (Path(one, "assets/javascripts/lunr/min") for one in config.theme.dirs)
    files = [file.name for folder in folders for file in folder.glob("lunr.*.min.js")]
    known = sorted({"en", *(name.split(".")[1] for name in files if len(name) == 14)})
    for code in language.search:
        if files and code not in known:
            wanted = f"use {', '.join(known)}, or leave `languages` out"
            raise PluginError(
                f"{language.code}/{SETTINGS}: no stemmer for {code}: {wanted}"
            )


def entries_of(
    page: Page, html: str, localized: LocalizedProject, config: MkDocsConfig
) -> list[dict[str, Any]]:
    """The search entries of a page, one for each section; empty without a search."""
    search = search_plugin(config)
    made = localized.site_pages.get(page.file.src_uri)
    if search is None:
        return []
    read = type(search.search_index)(**search.config)
    content, toc = page.content, page.toc
    page.content = simplify_for_search(html, has_rows=bool(made and made.has_rows))
    # The indexer would search the whole table of contents for each section, without a
    # use for the result.
    page.toc = TableOfContents([])
    read.add_entry_from_context(page)
    page.content, page.toc = content, toc
    # What the page is about comes first, so a result of which no sentence has the words
    # shows it. Often it is the beginning of the page.
    if read.entries and (about := escape(page.meta.get("description") or "")):
        first = read.entries[0]
        if about.removesuffix("…").rstrip() not in first["text"]:
            first["text"] = f"<p>{about}</p> {first['text']}"
    improved = [_improve(entry, localized) for entry in read.entries]
    # Tags and keywords belong to the page: we add them to its first entry only, since
    # in each section they would outweigh its text.
    keywords, path = keywords_of(config), page.file.src_uri
    tags = [
        *(page.meta.get("tags") or ()),
        *map(str, page.meta.get("keywords") or ()),
        *keywords.get(path, ()),
        *keywords.get(f"{localized.language.code}/{path}", ()),
    ]
    for entry in improved:
        entry.pop("tags", None)
    if improved and tags:
        separator = re.compile(search.config.separator)
        # The search inserts tags as HTML, too.
        shown = (_strip_separators(escape(tag, quote=False), separator) for tag in tags)
        improved[0]["tags"] = [*filter(None, shown)]
    return improved


def _strip_separators(tag: str, separator: re.Pattern[str]) -> str:
    """A tag without separators in front of its first word.

    The theme takes a word that is not at the beginning of its text for one of the text
    before, and would mark the letters of another tag.
    """
    while (found := separator.match(tag)) and found.end():
        tag = tag[found.end() :]
    return tag


def keywords_of(config: MkDocsConfig) -> dict[str, list[str]]:
    """Additional search terms for pages, by their paths.

    They are those in `extra` of `mkdocs.yml`, for pages without a file. The others have
    their own, in the front matter of the page. Those of a single language have its code
    before the path, as in `ja/index.md`.
    """
    keywords = config.extra.get("keywords") or {}
    # A number is a number in YAML, but the search only knows how to mark texts.
    return {path: [str(word) for word in words] for path, words in keywords.items()}


def _improve(entry: dict[str, Any], localized: LocalizedProject) -> dict[str, Any]:
    """Sanitise the title of a search entry, and segment Chinese text."""
    # The search inserts the title as HTML, but it may be unescaped plain text.
    title = nh3.clean(entry["title"], tags=_SHOWN, attributes={})
    words = entry["text"]
    if "zh" in localized.language.search:
        title, words = chinese_words(title), chinese_words(words)
    return {**entry, "title": title, "text": words}


def chinese_words(text: str) -> str:
    """Insert a zero-width space between the Chinese words of a text.

    Without the package `rjieba`, the text is returned unchanged.
    """
    with suppress(ImportError):
        # Importing the package loads its dictionary, which only Chinese needs.
        import rjieba

        return _HAN.sub(
            lambda run: f"{_GAP}{_GAP.join(rjieba.cut(run[0]))}{_GAP}", text
        ).strip(_GAP)
    return text


def fill_index(pages: Iterable[Any], config: MkDocsConfig) -> None:
    """Insert the entries of all pages at the beginning of Material's search index."""
    if search := search_plugin(config):
        read = search.search_index.entries
        read[:] = [entry for page in pages for entry in page.entries] + read
