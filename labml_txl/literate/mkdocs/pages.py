r"""# The engine's pages, as pages of MkDocs"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

from markupsafe import Markup
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink, TableOfContents
from mkdocs.utils import CountHandler

from labml_txl.literate.build.cache import hash_of
from labml_txl.literate.build.localized import LocalizedProject
from labml_txl.literate.equations.extension import as_title, typesetter_of
from labml_txl.literate.equations.math import Typesetter, assets, located
from labml_txl.literate.export.picture import cleaned
from labml_txl.literate.mkdocs.navigation import with_pages
from labml_txl.literate.mkdocs.search import (
    entries_of,
    keywords_of,
    search_plugin,
)
from labml_txl.literate.sources.source import LiterateError

_LOG = logging.getLogger("mkdocs")


@dataclass(frozen=True)
class PageHtml:
    """What MkDocs makes of the Markdown of a page, as the cache holds it.

    - `toc`: its contents, as lists of title, anchor, level, title as HTML, and parts;
    - `title`: the page's own;
    - `anchors`: where links to the page may lead, and `links`: its own links to
      anchors, as the path of a page, the anchor, and the link as it is written;
    - `entries`: those of the search;
    - `faults`: the file and the line of each fault, and what is wrong.
    """

    content: str
    toc: Sequence[Sequence[Any]]
    title: str
    anchors: Sequence[str]
    links: Sequence[tuple[str, str, str]]
    entries: Sequence[dict[str, Any]]
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
        # What was made of the Markdown, until the plugins have had it.
        self.rendered: str | None = None
        super().__init__(title, file, config)
        self._localized, self._nav_title = localized, title
        # The hash of what the conversion depends on, set when all files are known.
        self.settings = ""
        self.faults: Sequence[LiterateError] = ()
        # What the search has of the page.
        self.entries: Sequence[dict[str, Any]] = ()

    @property
    def content(self) -> str | None:
        """The HTML of the page without the templates."""
        if self._content is None and self._key:
            return str(self._cache.get(self._key)["content"])
        return self._content

    @content.setter
    def content(self, given: str | None) -> None:
        # Plugins may have changed it; if not, the cache holds it.
        self._content = None if self._key and given is self.rendered else given
        self.rendered = None

    def render(self, config: MkDocsConfig, files: Files) -> None:
        """Make HTML of the Markdown, or take what was made of it before."""
        given = (self.settings, self.file.src_uri, self.markdown, self._nav_title)
        key = hash_of("html", *given, self.meta)
        known = self._cache.get(key)
        if known is not None:
            found = PageHtml(**known)
        else:
            # A page of which MkDocs warns is made anew, so that it warns again.
            warnings = CountHandler(level=logging.WARNING)
            _LOG.addHandler(warnings)
            try:
                found = self._converted(config, files)
            finally:
                _LOG.removeHandler(warnings)
            if not warnings.get_counts():
                known = vars(found)
                self._cache.put(key, known)
        self._key = key if known else ""
        self.title = self._nav_title or found.title
        self.toc = TableOfContents([_anchor_link(entry) for entry in found.toc])
        self.present_anchor_ids = set(found.anchors)
        self.links_to_anchors = {}
        for path, anchor, link in found.links:
            if goal := files.get_file_from_path(path):
                self.links_to_anchors.setdefault(goal, {})[anchor] = link
        self.faults = [LiterateError(*fault) for fault in found.faults]
        self.entries = found.entries
        self._content = self.rendered = found.content

    def _converted(self, config: MkDocsConfig, files: Files) -> PageHtml:
        typesetter = typesetter_of(config.markdown_extensions)
        typesetter.faults.clear()
        super().render(config, files)
        html = self._content or ""
        links = (self.links_to_anchors or {}).items()
        sources = self._localized.sources(self.file.src_uri)
        faults = [located(error, sources) for error in typesetter.faults]
        # Titles come as HTML; what templates are given is their words.
        title = self.meta.get("title") or unescape(self.title or "")
        self.title = self._nav_title or title
        return PageHtml(
            content=html,
            toc=[_toc_entry(entry, typesetter) for entry in self.toc],
            title=title,
            # MkDocs does not see those in HTML that the engine writes.
            anchors=sorted(
                {*(self.present_anchor_ids or ()), *re.findall(r'\bid="([^"]+)"', html)}
            ),
            links=[
                (goal.src_uri, anchor, link)
                for goal, anchors in links
                for anchor, link in anchors.items()
            ],
            entries=entries_of(self, html, self._localized, config),
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


def settings_hash(
    files: Files, config: MkDocsConfig, localized: LocalizedProject
) -> str:
    """The hash of what each page depends on as it becomes HTML."""
    settings = (config.markdown_extensions, config.mdx_configs)
    search = search_plugin(config)
    named = (localized.language, localized.project.modules)
    searched = (*named, search and search.config, keywords_of(config))
    addresses = (config.use_directory_urls, sorted(files.src_uris))
    return hash_of(*settings, *searched, *addresses)


def add_pages(files: Files, localized: LocalizedProject, config: MkDocsConfig) -> None:
    """Add the pages that are made of other files, and KaTeX's own files."""
    docs = Path(config.docs_dir)
    folders = (docs.resolve(), localized.project.root.resolve())
    for file in files:
        place = Path(file.abs_src_path or "")
        if place.is_relative_to(docs) and not any(
            map(place.resolve().is_relative_to, folders)
        ):
            message = "this is a link to a file outside of the project: copy it"
            raise PluginError(f"{file.src_uri}: {message}")
    for path in localized.paths:
        files.append(File.generated(config, path, content=""))
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
