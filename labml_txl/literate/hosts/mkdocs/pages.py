r"""# Files and pages

What the engine has made, as the files and pages of MkDocs.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from labml_txl.literate.edition.cache import digest
from labml_txl.literate.edition.edition import Edition
from labml_txl.literate.equations.math import MathError, located
from labml_txl.literate.equations.node import package
from labml_txl.literate.hosts.mkdocs.navigation import named
from labml_txl.literate.hosts.mkdocs.settings import root_of, told
from labml_txl.literate.pages.links import Document, check_links
from labml_txl.literate.sources.source import Source


class KeptPage(Page):
    """A page that is made HTML anew only if something of it has changed.

    Of all that happens in a build, this takes the longest. What a page becomes depends
    on its Markdown, on the settings and, for its links, on which files there are.
    """

    def __init__(
        self, title: str | None, file: File, config: MkDocsConfig, edition: Edition
    ) -> None:
        super().__init__(title, file, config)
        self._edition = edition

    def render(self, config: MkDocsConfig, files: Files) -> None:
        """Convert the Markdown, or take what came of the same Markdown before."""
        settings = (config.markdown_extensions, config.mdx_configs)
        around = (config.use_directory_urls, sorted(files.src_uris))
        key = digest("page", self.file.src_uri, self.markdown, settings, around)
        result = self._edition.kept.get(key)
        if result is None:
            try:
                super().render(config, files)
            except MathError as error:
                sources = self._edition.sources(self.file.src_uri)
                raise PluginError(str(located(error, sources))) from None
            result = {name: getattr(self, name) for name in self._RESULT}
            self._edition.kept.keep(key, result)
        for name, value in result.items():
            setattr(self, name, value)

    _RESULT = (
        "content",
        "toc",
        "_title_from_render",
        "present_anchor_ids",
    )


def leave_out_translations(files: Files, edition: Edition) -> None:
    """Translations are read, not published."""
    locale = edition.root / edition.project.locale
    for file in [*files]:
        if file.abs_src_path and locale in Path(file.abs_src_path).parents:
            files.remove(file)


def add_pages(files: Files, edition: Edition, config: MkDocsConfig) -> None:
    """Add the pages that are written from source files."""
    for path, markdown in edition.pages().items():
        if other := files.get_file_from_path(path):
            given = edition.sources(path)[:1]
            name = (
                given[0].path if path in edition.made else "the registry of equations"
            )
            message = f"{other.src_uri} and {name} make the same page: rename one"
            raise PluginError(message)
        files.append(File.generated(config, path, content=markdown))


def keep_pages(files: Files, edition: Edition, config: MkDocsConfig) -> None:
    """Let each page of the site be one that is kept from build to build."""
    titles = dict(named(config.nav))
    for file in files:
        if file.src_uri.endswith(".md"):
            KeptPage(titles.get(file.src_uri), file, config, edition)


def add_forms(files: Files, edition: Edition, config: MkDocsConfig) -> None:
    """Add the other forms of the pages; a file that the author wrote is better."""
    for path, content in edition.files().items():
        if not files.get_file_from_path(path) or path.endswith(".md"):
            # MkDocs publishes it as it is, whatever its ending.
            file = File.generated(config, f"{path}.txt", content=content)
            file.dest_uri = path
            files.append(file)


def check(files: Files, edition: Edition, config: MkDocsConfig) -> None:
    """Look up every link of the finished pages."""
    pages = files.documentation_pages()
    static = {unquote(file.url) for file in files if not file.is_documentation_page()}
    with told():
        check_links((_document(file, edition, config) for file in pages), static)


def _document(file: File, edition: Edition, config: MkDocsConfig) -> Document:
    content = (file.page.content if file.page else "") or ""
    source = edition.made.get(file.src_uri)
    if source is None:
        path = Path(file.abs_src_path or file.src_uri)
        root = root_of(config)
        below = file.generated_by is None and path.is_relative_to(root)
        name = path.relative_to(root).as_posix() if below else file.src_uri
        source = Source(name, file.content_string)
    # The address of the start page is empty in MkDocs, and so it is here.
    return Document(source, unquote(file.url.removeprefix("./")), content)


def katex_files(config: MkDocsConfig) -> Iterator[File]:
    """KaTeX's style sheet and its fonts, in the one format that browsers need."""
    with told():
        folder = package("katex") / "dist"
    sheet = (folder / "katex.min.css").read_text(encoding="utf-8")
    sheet = re.sub(r',url\([^)]*\.(?:woff|ttf)\) format\("[^"]*"\)', "", sheet)
    yield File.generated(config, "assets/katex/katex.min.css", content=sheet)
    for font in sorted((folder / "fonts").glob("*.woff2")):
        path = posixpath.join("assets/katex/fonts", font.name)
        yield File.generated(config, path, abs_src_path=str(font))
