r"""# What the engine has made, as files and pages of MkDocs"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache, partial
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from labml_txl.literate.edition.cache import digest
from labml_txl.literate.edition.edition import Edition
from labml_txl.literate.edition.reading import content_of
from labml_txl.literate.equations.extension import typesetter_of
from labml_txl.literate.equations.math import assets, located
from labml_txl.literate.hosts.navigation import with_pages
from labml_txl.literate.hosts.templates import say_plainly
from labml_txl.literate.pages.finished.links import Document, dead_links, ends
from labml_txl.literate.sources.source import LiterateError, Source


class Made(File):
    """A file whose text is made when it is asked for: all at once take much room."""

    @property
    def _content(self) -> Any:
        return self._make()

    @_content.setter
    def _content(self, given: Any) -> None:
        self._make = given if callable(given) else lambda: given


class KeptPage(Page):
    """A page that is made HTML anew only if something of it has changed.

    That is its Markdown, the settings or, for its links, which files there are. Its
    content is empty while nobody asks for it, unless other plugins may want it.
    """

    def __init__(
        self, title: str | None, file: File, config: MkDocsConfig, edition: Edition
    ) -> None:
        super().__init__(title, file, config)
        self._edition, self.key, self.scripts = edition, "", False
        self.faults: tuple[LiterateError, ...] = ()

    def render(self, config: MkDocsConfig, files: Files) -> None:
        """Convert the Markdown, or take what came of the same Markdown before.

        Titles come as HTML; what templates are given is their words.
        """
        settings = (config.markdown_extensions, config.mdx_configs)
        around = (config.use_directory_urls, _names(files, len(files)))
        key = digest("page", self.file.src_uri, self.markdown, settings, around)
        kept, self.key = self._edition.kept, key
        result = kept.get(key)
        if result is None:
            (typesetter := typesetter_of(config.markdown_extensions)).faults.clear()
            super().render(config, files)
            sources = self._edition.sources(self.file.src_uri)
            self.faults = tuple(located(error, sources) for error in typesetter.faults)
            self._title_from_render = unescape(self._title_from_render or "") or None
            say_plainly(self.toc, typesetter)
            self.scripts = "<script" in (self.content or "").lower()
            kept.keep(content := digest("content", key), self.content)
            result = {name: getattr(self, name) for name in self._RESULT}
            kept.keep(key, result, [content])
        for name, value in result.items():
            setattr(self, name, value)
        self.content = ""
        if alone(config):
            self.markdown = ""
        else:
            self.content = self.unpack()

    _RESULT = ("toc", "_title_from_render", "present_anchor_ids", "faults", "scripts")

    def unpack(self) -> str:
        """The content, also where it does not stand in its place."""
        kept = self._edition.kept
        return self.content or kept.get(digest("content", self.key)) or ""


def made_of(page: Any, config: MkDocsConfig) -> str:
    """A name for the content of a page."""
    return page.key if alone(config) else digest(page.content)


def alone(config: MkDocsConfig) -> bool:
    """Whether nobody else changes pages: no other plugin, and no other templates."""
    others = set(config.plugins) - {"literate", "search", "material/search"}
    return not (others or config.hooks or config.theme.custom_dir)


@lru_cache(maxsize=1)
def _names(files: Files, count: int) -> str:
    return digest(sorted(files.src_uris))


def arrange(files: Files, edition: Edition, config: MkDocsConfig) -> None:
    """Add the pages that are written from source files, and KaTeX's own files."""
    made = edition.pages()
    for path in made:
        if not files.get_file_from_path(path):
            make: Any = partial(made.__getitem__, path)
            files.append(Made.generated(config, path, content=make))
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
    forms = edition.files()
    for path in forms:
        if not files.get_file_from_path(path) or path.endswith(".md"):
            # MkDocs publishes it as it is, whatever its ending.
            make: Any = partial(forms.__getitem__, path)
            file = Made.generated(config, f"{path}.txt", content=make)
            file.dest_uri = path
            files.append(file)


def faults(
    files: Files, edition: Edition, config: MkDocsConfig
) -> Iterator[LiterateError]:
    """All that is wrong with the finished pages."""
    yield from edition.faults
    pages = files.documentation_pages()
    for file in pages:
        yield from getattr(file.page, "faults", ())
    static = {unquote(file.url) for file in files if not file.is_documentation_page()}
    documents = (_document(file, edition, config) for file in pages)
    yield from dead_links(documents, static)


def _document(file: File, edition: Edition, config: MkDocsConfig) -> Document:
    key = digest("ends", made_of(file.page, config))
    found = edition.kept.made(key, lambda: ends(content_of(file.page)))
    prose = file.src_uri in edition.project.prose
    name = f"{edition.project.docs}/{file.src_uri}" if prose else file.src_uri
    source = edition.made.get(file.src_uri) or Source(name, file.content_string)
    # The address of the start page is empty in MkDocs, and so it is here.
    return Document(source, unquote(file.url.removeprefix("./")), found)
