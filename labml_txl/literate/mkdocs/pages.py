r"""# What the engine has made, as files and pages of MkDocs"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from labml_txl.literate.build.cache import digest
from labml_txl.literate.build.edition import Edition
from labml_txl.literate.build.publishing.rebuilding import Remembered
from labml_txl.literate.build.reading import document
from labml_txl.literate.equations.extension import typesetter_of
from labml_txl.literate.equations.math import assets, located
from labml_txl.literate.export.picture import cleaned
from labml_txl.literate.mkdocs.navigation import with_pages
from labml_txl.literate.mkdocs.templates import alone, made_of, say_plainly
from labml_txl.literate.render.finished.links import dead_links
from labml_txl.literate.sources.source import LiterateError


class Made(Remembered, File):
    """A file whose text is made when it is asked for: all at once take much room."""

    @property
    def _content(self) -> Any:
        with self.kept.noting(self.asked):
            return self._make()

    @_content.setter
    def _content(self, given: Any) -> None:
        self.kept, self._make = given
        self.asked = set[str]()

    def is_modified(self) -> bool:
        """Whether it is to be written: what MkDocs asks if not all is built anew."""
        return not self.same


class KeptPage(Remembered, Page):
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
        self.kept, self.asked = edition.kept, set()

    def take_over(self, before: Any) -> None:
        """Be the page of the last build, which need not be read again."""
        super().take_over(before)
        self.markdown = self.content = ""

    def render(self, config: MkDocsConfig, files: Files) -> None:
        """Convert the Markdown, or take what came of the same Markdown before.

        Titles come as HTML; what templates are given is their words.
        """
        given = settings_of(files, config)
        key = digest("page", self.file.src_uri, self.markdown, *given)
        kept, self.key = self.kept, key
        self.asked.add(key)
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
    LASTING = (*_RESULT, "key", "meta", "read", "ends")

    def unpack(self) -> str:
        """The content, also where it does not stand in its place."""
        return self.content or self.kept.get(digest("content", self.key)) or ""


def settings_of(files: Files, config: MkDocsConfig) -> tuple[object, object]:
    """What each page depends on as it becomes HTML."""
    settings = (config.markdown_extensions, config.mdx_configs)
    return settings, (config.use_directory_urls, _names(files, len(files)))


@lru_cache(maxsize=1)
def _names(files: Files, count: int) -> str:
    return digest(sorted(files.src_uris))


def arrange(files: Files, edition: Edition, config: MkDocsConfig) -> None:
    """Add the pages that are written from source files, and KaTeX's own files."""
    made = edition.pages()
    for path in made:
        if not files.get_file_from_path(path):
            make: Any = (edition.kept, partial(made.__getitem__, path))
            files.append(Made.generated(config, path, content=make))
        elif path != "index.md":  # Another plugin may write the front page.
            raise PluginError(f"{path}: the engine makes this page: rename yours")
    config.nav = with_pages(config.nav, edition.pages())
    for file in files:
        if file.src_uri.endswith(".md"):
            KeptPage(edition.given_title(file.src_uri), file, config, edition)
    for path, asset in assets().items():
        files.append(File.generated(config, path, content=asset))
    for file in [file for file in files if file.src_uri.endswith(".svg")]:
        if file.abs_src_path:
            drawing = Path(file.abs_src_path).read_text("utf-8", "replace")
            files.remove(file)
            clean = File.generated(config, file.src_uri, content=cleaned(drawing))
            files.append(clean)


def add_forms(
    files: Files, edition: Edition, config: MkDocsConfig
) -> Mapping[str, File]:
    """Add the other forms of the pages; a file that the author wrote is better."""
    forms, added = edition.files(), dict[str, File]()
    for path in forms:
        if not files.get_file_from_path(path) or path.endswith(".md"):
            # MkDocs publishes it as it is, whatever its ending.
            make: Any = (edition.kept, partial(forms.__getitem__, path))
            file = Made.generated(config, f"{path}.txt", content=make)
            file.dest_uri = path
            files.append(file)
            added[path] = file
    return added


def faults(
    files: Files, edition: Edition, config: MkDocsConfig
) -> Iterator[LiterateError]:
    """All that is wrong with the finished pages."""
    yield from edition.faults
    pages = [file.page for file in files.documentation_pages()]
    yield from (fault for page in pages for fault in getattr(page, "faults", ()))
    static = {unquote(file.url) for file in files if not file.is_documentation_page()}
    documents = (document(page, edition, made_of(page, config)) for page in pages)
    yield from dead_links(documents, static)
