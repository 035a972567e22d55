r"""# What is looked up in a page: words and links

Material's search reads a page as it is shown. Here it is given another form of the
engine's own pages, and what it found is kept beside the links of a page, as long as its
HTML is the same.

Chinese is written without blanks, so somebody must tell where a word ends. Material
asks the package `jieba`, which each machine would have to build; `rjieba` cuts the same
words and comes ready to use. So the entries of a Chinese index are cut here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from pathlib import PurePosixPath
from typing import Any

import nh3
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import TableOfContents

from labml_txl.literate.build.cache import hash_of
from labml_txl.literate.build.localized import LocalizedProject
from labml_txl.literate.render.finished.html import searched
from labml_txl.literate.render.finished.links import ends

# What a search shows of the elements of a title.
_SHOWN = {"code", "sub", "sup"}
# Han letters, and the marks that repeat one or stand for one.
_HAN = re.compile("[々〇㐀-䶿一-鿿豈-﫿\U00020000-\U0003ffff]+")
# Shown as nothing, and a word ends there.
_GAP = "\N{ZERO WIDTH SPACE}"


@dataclass(frozen=True)
class PageIndex:
    """What the HTML of a page holds, as the cache has it.

    - `entries`: those of the search;
    - `anchors`, `links`, `pictures`: as in `Ends`.
    """

    entries: Sequence[dict[str, Any]] = ()
    anchors: Sequence[str] = ()
    links: Sequence[str] = ()
    pictures: Sequence[str] = ()


def search_plugin(config: MkDocsConfig) -> Any:
    """The search of Material, or None where another one is used."""
    return config.plugins.get("material/search")


def index_of(
    page: Page, html: str, localized: LocalizedProject, config: MkDocsConfig
) -> PageIndex:
    """What the HTML of a page holds; the page is left out of what the search reads."""
    search, path = search_plugin(config), page.file.src_uri
    # Pages of rows: their boxes are no sections.
    rows = path in localized.content.by_path or path == localized.site.equations
    settings = dict(search.config) if search else {}
    given = (rows, localized.language, localized.project.modules, settings)
    meta = (page.meta.get("search"), page.meta.get("tags"), page.meta.get("colab_url"))

    def make() -> PageIndex:
        entries: list[dict[str, Any]] = []
        if search:
            read = type(search.search_index)(**search.config)
            content, page.content = page.content, searched(html) if rows else html
            toc = page.toc
            if rows:  # For each section, all of it would be gone through in vain.
                page.toc = TableOfContents([])
            read.add_entry_from_context(page)
            page.content, page.toc = content, toc
            entries = [_improved(entry, page, localized) for entry in read.entries]
        found = ends(html)
        return PageIndex(entries, sorted(found.anchors), found.links, found.pictures)

    key = hash_of("index", page.url, str(page.title), html, given, meta)
    found = localized.content.cache.made(key, PageIndex, make)
    if search:
        page.meta["search"] = {**(page.meta.get("search") or {}), "exclude": True}
    return found


def _improved(
    entry: dict[str, Any], page: Page, localized: LocalizedProject
) -> dict[str, Any]:
    """An entry of the search, its title safe to show and its words apart."""
    # A search shows it as HTML, and it may have come as words.
    title = nh3.clean(entry["title"], tags=_SHOWN, attributes={})
    words = entry["text"]
    tutorial = page.meta.get("template") == "notebook.html"
    if "#" not in entry["location"] and tutorial and "colab_url" in page.meta:
        # The ways to run it stand beside its text, and are looked for.
        words += f"<p>{escape(localized.translation.labels('colab'))}</p>"
    if "zh" in localized.language.search:
        title, words = chinese_words(title), chinese_words(words)
    improved = {**entry, "title": title, "text": words}
    # What a project names first is what its readers look for first.
    folder = PurePosixPath(page.file.src_uri).parts[0].removesuffix(".md")
    folders = [PurePosixPath(module).stem for module in localized.project.modules]
    if folder in folders[1:]:
        improved["boost"] = entry.get("boost", 1) / 3 ** folders.index(folder)
    return improved


def chinese_words(text: str) -> str:
    """A text with a gap of no width between its Chinese words."""
    with suppress(ImportError):
        # Only a build in Chinese needs the dictionary, which is read here.
        import rjieba

        return _HAN.sub(
            lambda run: f"{_GAP}{_GAP.join(rjieba.cut(run[0]))}{_GAP}", text
        ).strip(_GAP)
    return text


def fill_index(pages: Iterable[Any], config: MkDocsConfig) -> None:
    """Give Material's search the entries of all pages, in their order."""
    if search := search_plugin(config):
        read = search.search_index.entries
        read[:] = [entry for page in pages for entry in page.index.entries] + read
