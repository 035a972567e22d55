"""# The engine's pages, as pages of MkDocs"""

from __future__ import annotations

import logging
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

from markupsafe import Markup
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink, TableOfContents
from mkdocs.utils import CountHandler

from labml_txl.literate.equations.extension import typeset_title, typesetter_of
from labml_txl.literate.equations.math import Typesetter, assets, locate
from labml_txl.literate.export.picture import sanitise
from labml_txl.literate.mkdocs.search import (
    entries_of,
    keywords_of,
    search_plugin,
)
from labml_txl.literate.project.cache import hash_of
from labml_txl.literate.project.localized import LocalizedProject
from labml_txl.literate.project.slow import name_if_slow
from labml_txl.literate.sources.source import LiterateError
from labml_txl.literate.theme.navigation import expand_folders
from labml_txl.literate.theme.templates import SHEET, THEME, style_sheet

_LOG = logging.getLogger("mkdocs")


@dataclass(frozen=True)
class PageHtml:
    """The HTML that MkDocs makes of a page, as the cache stores it.

    - `content`: the HTML without the templates;
    - `toc`: the table of contents, as lists of title, anchor, level, title as HTML, and
      the entries below;
    - `title`: the title, without regard to the navigation;
    - `anchors`: the anchors on the page, and `links`: its links to anchors, each as the
      path of a page, the anchor, and the link as written;
    - `entries`: the entries of the search index;
    - `faults`: the file, the line and the message of each fault.
    """

    content: str
    toc: Sequence[Sequence[Any]]
    title: str
    anchors: Sequence[str]
    links: Sequence[tuple[str, str, str]]
    entries: Sequence[dict[str, Any]]
    faults: Sequence[tuple[str, int, str]]


class CachedPage(Page):
    """A page of MkDocs whose HTML is cached.

    The key of the cache entry is a hash of the Markdown, the metadata and `settings`,
    which covers the configuration and, because of links, the paths of all files.
    """

    def __init__(
        self,
        title: str | None,
        file: File,
        config: MkDocsConfig,
        localized: LocalizedProject,
    ) -> None:
        self._html: str | bytes | None = None
        # Whether the page was converted, and not taken from the cache.
        self._is_new = False
        super().__init__(title, file, config)
        self._localized, self._nav_title = localized, title
        # The result of `settings_hash`, set as soon as all files are known.
        self.settings = ""
        # The key of the HTML in the cache.
        self.html_key = ""
        self.faults: Sequence[LiterateError] = ()
        # The entries of the page in the search index.
        self.entries: Sequence[dict[str, Any]] = ()

    @property
    def content(self) -> str | None:
        """The HTML of the page without the templates.

        MkDocs holds that of all pages until the last is written. A build that converts
        pages needs most memory, so there it is compressed, at a few seconds for 1,000.
        """
        if isinstance(self._html, bytes):
            return zlib.decompress(self._html).decode()
        return self._html

    @content.setter
    def content(self, html: str | None) -> None:
        # `Markup`, a kind of text, is only that of the page that is being written.
        if self._is_new and type(html) is str:
            self._html = zlib.compress(html.encode(), level=1)
        else:
            self._html = html

    def render(self, config: MkDocsConfig, files: Files) -> None:
        """Convert the Markdown to HTML, or take the result from the cache."""
        given = (self.settings, self.file.src_uri, self.markdown, self._nav_title)
        cache, key = self._localized.content.cache, hash_of("html", *given, self.meta)
        self.html_key = key
        if known := cache.get(key):
            found = PageHtml(**known)
        else:
            self._is_new = True
            # We do not cache a page for which MkDocs logs warnings, so that the next
            # build logs them again.
            warnings = CountHandler(level=logging.WARNING)
            _LOG.addHandler(warnings)
            try:
                with name_if_slow(self.file.src_uri):
                    found = self._convert(config, files)
            finally:
                _LOG.removeHandler(warnings)
            if not warnings.get_counts():
                cache.put(key, vars(found))
        self.title = self._nav_title or found.title
        self.toc = TableOfContents([_anchor_link(entry) for entry in found.toc])
        self.present_anchor_ids = set(found.anchors)
        self.links_to_anchors = {}
        for path, anchor, link in found.links:
            if goal := files.get_file_from_path(path):
                self.links_to_anchors.setdefault(goal, {})[anchor] = link
        self.faults = [LiterateError(*fault) for fault in found.faults]
        self.entries = found.entries
        self.content = found.content

    def _convert(self, config: MkDocsConfig, files: Files) -> PageHtml:
        typesetter = typesetter_of(config.markdown_extensions)
        typesetter.faults.clear()
        super().render(config, files)
        html = self.content or ""
        links = (self.links_to_anchors or {}).items()
        sources = self._localized.sources(self.file.src_uri)
        faults = [locate(error, sources) for error in typesetter.faults]
        # MkDocs has escaped the title; templates expect plain text.
        title = self.meta.get("title") or unescape(self.title or "")
        self.title = self._nav_title or title
        # MkDocs does not find the anchors in HTML that the engine writes.
        present = {*(self.present_anchor_ids or ())}
        present.update(re.findall(r'\bid="([^"]+)"', html))
        if page := self._localized.site_pages.get(self.file.src_uri):
            faults += page.find_missing_rows(present)
        return PageHtml(
            content=html,
            toc=[_toc_entry(entry, typesetter) for entry in self.toc],
            title=title,
            anchors=sorted(present),
            links=[
                (goal.src_uri, anchor, link)
                for goal, anchors in links
                for anchor, link in anchors.items()
            ],
            entries=entries_of(self, html, self._localized, config),
            faults=[fault.fields for fault in faults],
        )


def _toc_entry(entry: AnchorLink, typesetter: Typesetter) -> Sequence[Any]:
    words = unescape(entry.title)
    plain = words.replace("\\(", "").replace("\\)", "")
    below = [_toc_entry(child, typesetter) for child in entry.children]
    return (plain, entry.id, entry.level, typeset_title(words, typesetter), below)


def _anchor_link(entry: Sequence[Any]) -> AnchorLink:
    title, anchor, level, html, below = entry
    link = AnchorLink(title, anchor, level)
    link.children = [_anchor_link(child) for child in below]
    if html:
        theme: Any = link
        theme.typeset = {"title": Markup(html)}
    return link


def settings_hash(
    files: Files, config: MkDocsConfig, localized: LocalizedProject
) -> str:
    """A hash of everything but the page itself that its HTML depends on."""
    settings = (config.markdown_extensions, config.mdx_configs)
    search = search_plugin(config)
    named = (localized.language, localized.project.modules)
    searched = (*named, search and search.config, keywords_of(config))
    addresses = (config.use_directory_urls, sorted(files.src_uris))
    return hash_of(*settings, *searched, *addresses)


def link(order: Sequence[Page]) -> None:
    """Let each page lead to the one after it, and back."""
    around = [None, *order, None]
    for before, page, after in zip(around, order, around[2:], strict=False):
        page.previous_page, page.next_page = before, after


def add_pages(files: Files, localized: LocalizedProject, config: MkDocsConfig) -> None:
    """Add generated pages and the files of KaTeX to `files`, and sanitise drawings.

    Also replaces the pages of `files` by `CachedPage` and expands the navigation.
    """
    for path in localized.paths:
        files.append(File.generated(config, path, content=""))
    config.nav = expand_folders(config.nav, localized.paths)
    for file in files:
        if file.src_uri.endswith(".md"):
            CachedPage(localized.nav_title(file.src_uri), file, config, localized)
    sheet = files.get_file_from_path(SHEET)
    if sheet and Path(sheet.abs_src_path or "").is_relative_to(THEME):
        files.remove(sheet)
        rules = style_sheet(localized.site.registry.letters)
        files.append(File.generated(config, SHEET, content=rules))
    for path, asset in assets().items():
        files.append(File.generated(config, path, content=asset))
    known = set(files.src_uris)
    for path, picture in dict(localized.content.pictures).items():
        if path not in known:
            data: str | bytes = picture.read_bytes()
            if path.endswith(".svg"):
                data = sanitise(picture.read_text("utf-8", "replace"))
            files.append(File.generated(config, path, content=data))
    for file in [file for file in files if file.src_uri.endswith(".svg")]:
        if file.abs_src_path:
            drawing = Path(file.abs_src_path).read_text("utf-8", "replace")
            files.remove(file)
            clean = File.generated(config, file.src_uri, content=sanitise(drawing))
            files.append(clean)
