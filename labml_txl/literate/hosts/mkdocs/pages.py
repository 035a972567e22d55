r"""# What the engine has made, as files and pages of MkDocs"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from html import unescape
from pathlib import Path
from urllib.parse import unquote

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from labml_txl.literate.edition.cache import digest
from labml_txl.literate.edition.edition import Edition
from labml_txl.literate.equations.extension import typesetter_of
from labml_txl.literate.equations.math import assets, located
from labml_txl.literate.hosts.navigation import with_pages
from labml_txl.literate.hosts.templates import say_plainly
from labml_txl.literate.pages.finished.links import Document, dead_links, ends
from labml_txl.literate.sources.source import LiterateError, Source


class KeptPage(Page):
    """A page that is made HTML anew only if something of it has changed.

    That is its Markdown, the settings or, for its links, which files there are.
    """

    def __init__(
        self, title: str | None, file: File, config: MkDocsConfig, edition: Edition
    ) -> None:
        super().__init__(title, file, config)
        self._edition = edition
        self.faults: tuple[LiterateError, ...] = ()

    def render(self, config: MkDocsConfig, files: Files) -> None:
        """Convert the Markdown, or take what came of the same Markdown before.

        Titles come as HTML; what templates are given is their words.
        """
        settings = (config.markdown_extensions, config.mdx_configs)
        around = (config.use_directory_urls, _names(files, len(files)))
        key = digest("page", self.file.src_uri, self.markdown, settings, around)
        result = self._edition.kept.get(key)
        if result is None:
            (typesetter := typesetter_of(config.markdown_extensions)).faults.clear()
            super().render(config, files)
            sources = self._edition.sources(self.file.src_uri)
            self.faults = tuple(located(error, sources) for error in typesetter.faults)
            self._title_from_render = unescape(self._title_from_render or "") or None
            say_plainly(self.toc, typesetter)
            result = {name: getattr(self, name) for name in self._RESULT}
            self._edition.kept.keep(key, result)
        for name, value in result.items():
            setattr(self, name, value)

    _RESULT = ("content", "toc", "_title_from_render", "present_anchor_ids", "faults")


@lru_cache(maxsize=1)
def _names(files: Files, count: int) -> str:
    return digest(sorted(files.src_uris))


def arrange(files: Files, edition: Edition, config: MkDocsConfig) -> None:
    """Add the pages that are written from source files, and KaTeX's own files."""
    for path, markdown in edition.pages().items():
        if not files.get_file_from_path(path):
            files.append(File.generated(config, path, content=markdown))
        elif path != "index.md":  # Another plugin may write the front page.
            raise PluginError(f"{path}: the engine makes this page: rename yours")
    config.nav = with_pages(config.nav, edition.pages())
    for file in files:
        if file.src_uri.endswith(".md"):
            KeptPage(edition.given_title(file.src_uri), file, config, edition)
    for path, asset in assets().items():
        files.append(File.generated(config, path, content=asset))


def by_hand(files: Files, edition: Edition, config: MkDocsConfig) -> Edition:
    """The edition, knowing its pages; what it reads beside them is not published."""
    unseen, docs = edition.project.unseen, Path(config.docs_dir)
    for file in [*files]:
        if not unseen.isdisjoint(Path(file.abs_src_path or "").parents):
            files.remove(file)
    # What another plugin has made is none of ours.
    prose = tuple(
        file.src_uri
        for file in files.documentation_pages()
        if Path(file.abs_src_path or "") == docs / file.src_uri
    )
    return replace(edition, project=replace(edition.project, prose=prose))


def add_forms(files: Files, edition: Edition, config: MkDocsConfig) -> None:
    """Add the other forms of the pages; a file that the author wrote is better."""
    for path, content in edition.files().items():
        if not files.get_file_from_path(path) or path.endswith(".md"):
            # MkDocs publishes it as it is, whatever its ending.
            file = File.generated(config, f"{path}.txt", content=content)
            file.dest_uri = path
            files.append(file)


def faults(files: Files, edition: Edition) -> Iterator[LiterateError]:
    """All that is wrong with the finished pages."""
    yield from edition.faults
    pages = files.documentation_pages()
    for file in pages:
        yield from getattr(file.page, "faults", ())
    static = {unquote(file.url) for file in files if not file.is_documentation_page()}
    yield from dead_links((_document(file, edition) for file in pages), static)


def _document(file: File, edition: Edition) -> Document:
    content = (file.page.content if file.page else "") or ""
    # Another plugin may have changed what the engine has kept.
    found = edition.kept.made(digest("ends", content), lambda: ends(content))
    prose = file.src_uri in edition.project.prose
    name = f"{edition.project.docs}/{file.src_uri}" if prose else file.src_uri
    source = edition.made.get(file.src_uri) or Source(name, file.content_string)
    # The address of the start page is empty in MkDocs, and so it is here.
    return Document(source, unquote(file.url.removeprefix("./")), found)
