r"""# The engine's pages, as pages of MkDocs"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from markupsafe import Markup
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink, TableOfContents

from labml_txl.literate.build.cache import hash_of
from labml_txl.literate.build.localized import LocalizedProject
from labml_txl.literate.build.pages import INDEX
from labml_txl.literate.equations.extension import as_title, typesetter_of
from labml_txl.literate.equations.math import Typesetter, assets, located
from labml_txl.literate.export.picture import cleaned
from labml_txl.literate.mkdocs.navigation import with_pages
from labml_txl.literate.mkdocs.search import PageIndex
from labml_txl.literate.render.finished.links import Document, Ends, dead_links
from labml_txl.literate.sources.source import LiterateError, Source


@dataclass(frozen=True)
class PageHtml:
    """What MkDocs makes of the Markdown of a page, as the cache holds it.

    - `toc`: its contents, as lists of title, anchor, level, title as HTML, and parts;
    - `title`: the page's own;
    - `faults`: the file and the line of each fault, and what is wrong.
    """

    content: str
    toc: Sequence[Sequence[Any]]
    title: str
    anchors: Sequence[str]
    faults: Sequence[tuple[str, int, str]]


class CachedPage(Page):
    """A page that becomes HTML once: as long as its Markdown is the same.

    That needs the same settings and, for links, the same files. While nobody asks for
    the HTML of a page, only the cache holds it.
    """

    def __init__(
        self,
        title: str | None,
        file: File,
        config: MkDocsConfig,
        localized: LocalizedProject,
    ) -> None:
        self._cache, self._key = localized.content.cache, ""
        self._content: str | None = None
        self._rendered: str | None = None
        super().__init__(title, file, config)
        self._localized, self._nav_title = localized, title
        # The hash of what the conversion depends on, set when all files are known.
        self.settings = ""
        self.faults: Sequence[LiterateError] = ()
        self.index = PageIndex()

    @property
    def content(self) -> str | None:
        """The HTML of the page without the templates."""
        if self._content is None and self._key:
            return str(self._cache.get(self._key)["content"])
        return self._content

    @content.setter
    def content(self, given: str | None) -> None:
        # Plugins may have changed it; if not, the cache holds it.
        self._content = None if given is self._rendered else given
        self._rendered = None

    def render(self, config: MkDocsConfig, files: Files) -> None:
        """Make HTML of the Markdown, or take what was made of it before."""
        given = (self.markdown, self._nav_title, self.meta.get("title"))
        self._key = hash_of("html", self.settings, self.file.src_uri, *given)
        make = partial(self._converted, config, files)
        found = self._cache.made(self._key, PageHtml, make)
        self.title = self._nav_title or found.title
        self.toc = TableOfContents([_anchor_link(entry) for entry in found.toc])
        self.present_anchor_ids = set(found.anchors)
        self.faults = [LiterateError(*fault) for fault in found.faults]
        self._content = self._rendered = found.content

    def _converted(self, config: MkDocsConfig, files: Files) -> PageHtml:
        typesetter = typesetter_of(config.markdown_extensions)
        typesetter.faults.clear()
        super().render(config, files)
        sources = self._localized.sources(self.file.src_uri)
        faults = [located(error, sources) for error in typesetter.faults]
        # Titles come as HTML; what templates are given is their words.
        title = self.meta.get("title") or unescape(self.title or "")
        return PageHtml(
            content=self._content or "",
            toc=[_toc_entry(entry, typesetter) for entry in self.toc],
            title=title,
            anchors=sorted(self.present_anchor_ids or ()),
            faults=[(fault.path, fault.line, fault.message) for fault in faults],
        )


def _toc_entry(entry: AnchorLink, typesetter: Typesetter) -> Sequence[Any]:
    words = unescape(entry.title)
    plain = words.replace("\\(", "").replace("\\)", "")
    below = [_toc_entry(child, typesetter) for child in entry.children]
    return (plain, entry.id, entry.level, as_title(words, typesetter), below)


def _anchor_link(entry: Sequence[Any]) -> AnchorLink:
    title, anchor, level, html, below = entry
    link = AnchorLink(title, anchor, level)
    link.children = [_anchor_link(child) for child in below]
    if html:
        theme: Any = link
        theme.typeset = {"title": Markup(html)}
    return link


def settings_hash(files: Files, config: MkDocsConfig) -> str:
    """The hash of what each page depends on as it becomes HTML."""
    settings = (config.markdown_extensions, config.mdx_configs)
    return hash_of(*settings, config.use_directory_urls, sorted(files.src_uris))


def add_pages(
    files: Files, localized: LocalizedProject, config: MkDocsConfig
) -> frozenset[str]:
    """Add the pages that are made of other files, and KaTeX's own files.

    The result are the paths of the pages that were added.
    """
    added = set[str]()
    for path in localized.paths:
        if not files.get_file_from_path(path):
            files.append(File.generated(config, path, content=""))
            added.add(path)
        elif path != INDEX:  # Another plugin may write the front page.
            raise PluginError(f"{path}: the engine makes this page: rename yours")
    config.nav = with_pages(config.nav, localized.paths)
    for file in files:
        if file.src_uri.endswith(".md"):
            CachedPage(localized.nav_title(file.src_uri), file, config, localized)
    for path, asset in assets().items():
        files.append(File.generated(config, path, content=asset))
    for file in [file for file in files if file.src_uri.endswith(".svg")]:
        if file.abs_src_path:
            drawing = Path(file.abs_src_path).read_text("utf-8", "replace")
            files.remove(file)
            clean = File.generated(config, file.src_uri, content=cleaned(drawing))
            files.append(clean)
    return frozenset(added)


def faults_of(
    files: Files, localized: LocalizedProject, others: Iterable[str]
) -> Iterator[LiterateError]:
    """All that is wrong with the pages, now that they are HTML.

    `others` are the files that are written beside those of MkDocs.
    """
    yield from localized.faults
    pages: list[Any] = [file.page for file in files.documentation_pages()]
    yield from (fault for page in pages for fault in page.faults)
    static = {unquote(file.url) for file in files if not file.is_documentation_page()}
    documents = (_document(page, localized) for page in pages)
    yield from dead_links(documents, static | {*others})


def _document(page: Any, localized: LocalizedProject) -> Document:
    """What links of a page lead to."""
    path, index = page.file.src_uri, page.index
    known = path in localized.paths or path in localized.project.prose
    source = next(iter(localized.sources(path)), None) if known else None
    source = source or Source(path, page.file.content_string)
    ends = Ends(frozenset(index.anchors), tuple(index.links), tuple(index.pictures))
    # The address of the start page is empty.
    return Document(source, unquote(page.file.url.removeprefix("./")), ends)
