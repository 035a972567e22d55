r"""# What the search has of a page

Material's search reads a page as it is shown. Here it is given another form of the
engine's own pages.

Chinese is written without blanks, so somebody must tell where a word ends. Material
asks the package `jieba`, which each machine would have to build; `rjieba` cuts the same
words and comes ready to use. So the entries of a Chinese index are cut here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import nh3
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import TableOfContents

from labml_txl.literate.build.localized import LocalizedProject
from labml_txl.literate.render.html import searched

# What a search shows of the elements of a title.
_SHOWN = {"code", "sub", "sup"}
# Han letters, and the marks that repeat one or stand for one.
_HAN = re.compile("[々〇㐀-䶿一-鿿豈-﫿\U00020000-\U0003ffff]+")
# Shown as nothing, and a word ends there.
_GAP = "\N{ZERO WIDTH SPACE}"


def search_plugin(config: MkDocsConfig) -> Any:
    """The search of Material, or None where another one is used."""
    return config.plugins.get("material/search")


def entries_of(
    page: Page, html: str, localized: LocalizedProject, config: MkDocsConfig
) -> list[dict[str, Any]]:
    """What the search has of a page: an entry for each of its sections."""
    search, path = search_plugin(config), page.file.src_uri
    if search is None:
        return []
    read = type(search.search_index)(**search.config)
    content, toc = page.content, page.toc
    # Pages of rows: their boxes are no sections.
    if path in localized.content.by_path or path == localized.site.equations:
        # For each section, all of the contents would be gone through in vain.
        page.content, page.toc = searched(html), TableOfContents([])
    read.add_entry_from_context(page)
    page.content, page.toc = content, toc
    improved = [_improved(entry, localized) for entry in read.entries]
    # Tags are those of the page: in each section, they would outweigh its words.
    tags = [*(page.meta.get("tags") or ()), *keywords_of(config).get(path, ())]
    for entry in improved:
        entry.pop("tags", None)
    if improved and tags:
        improved[0]["tags"] = tags
    return improved


def keywords_of(config: MkDocsConfig) -> dict[str, list[str]]:
    """The words by which a page is found besides its own, by its path.

    They are in `extra` of `mkdocs.yml`, because a module has no metadata.
    """
    return dict(config.extra.get("keywords") or {})


def _improved(entry: dict[str, Any], localized: LocalizedProject) -> dict[str, Any]:
    """An entry of the search, its title safe to show and its words apart."""
    # A search shows it as HTML, and it may have come as words.
    title = nh3.clean(entry["title"], tags=_SHOWN, attributes={})
    words = entry["text"]
    if "zh" in localized.language.search:
        title, words = chinese_words(title), chinese_words(words)
    return {**entry, "title": title, "text": words}


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
        read[:] = [entry for page in pages for entry in page.entries] + read
