r"""# The MkDocs plugin

Tells the engine what MkDocs asks, and MkDocs what the engine answers. Nothing is made
here: whoever builds the site with another program replaces this room and no other.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from labml_txl.literate.edition.cache import Cache
from labml_txl.literate.edition.edition import Edition
from labml_txl.literate.equations.math import Typesetter
from labml_txl.literate.hosts.mkdocs import pages, search, settings
from labml_txl.literate.hosts.mkdocs.languages import publication
from labml_txl.literate.hosts.mkdocs.preview import Preview
from labml_txl.literate.hosts.words import Words
from labml_txl.literate.pages.html import finished, in_language
from labml_txl.literate.translation.languages import ENGLISH


class LiteratePlugin(BasePlugin[settings.LiterateConfig]):
    """Annotated source files as pages of a MkDocs site."""

    def __init__(self) -> None:
        self.language = ENGLISH
        self._site = publication()
        self._typesetter = Typesetter()
        self._kept: Cache | None = None
        self.edition: Edition
        self.reading: search.Reading

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Tell MkDocs to keep this object, and so KaTeX, from build to build."""
        self._site.serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Read the settings, and add what the pages need."""
        self._kept = self._kept or settings.cache(config, self.language)
        project = settings.project(self.config, config)
        self.edition = Edition(project, self.language, self._kept)
        with settings.told():
            settings.apply(config, self.edition, self._typesetter)
        search.prepare(self.language)
        if self.language == ENGLISH:
            self._site.begin(Path(config.site_dir))
            config.site_dir = str(self._site.partial)
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add the pages that are written from source files, and KaTeX's own files."""
        if self.language == ENGLISH:
            self._site.start(self.edition)
        self.edition = pages.by_hand(files, self.edition, config)
        with settings.told():
            pages.arrange(files, self.edition, config)
        return search.mended(files)

    def on_page_read_source(self, *, page: Page, config: MkDocsConfig) -> str | None:
        """A page that is written by hand, in the language and with its links."""
        with settings.told():
            return self.edition.prose(page.file.src_uri)

    def on_env(
        self, env: Environment, *, config: MkDocsConfig, files: Files
    ) -> Environment:
        """All pages are HTML now and none is written: check links, add other forms."""
        env.globals["lit"] = Words(self.edition, files)
        if folder := self.edition.kept.folder("templates"):
            env.bytecode_cache = FileSystemBytecodeCache(str(folder))
        with settings.told():
            pages.add_forms(files, self.edition, config)
            pages.check(files, self.edition)
        return env

    on_page_context = search.AROUND

    @event_priority(-100)
    def on_post_page(self, output: str, **given: Any) -> str:
        """Put in what is no text to be searched."""
        return finished(output, self.edition.translation)

    def on_post_template(self, output: str, **given: Any) -> str:
        """Say which language the page for lost readers is in."""
        return in_language(output, self.language)

    @event_priority(-100)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Every page is whole."""
        self.edition.kept.save(write=not self._site.serving)
        if self.language == ENGLISH:
            with settings.told():
                goal = self._site.finish(self.edition, strict=config.strict)
            config.site_dir = str(goal)

    def on_build_error(self, *, error: Exception) -> None:
        """Leave no half of a site."""
        if self.language == ENGLISH:
            self._site.fail()

    def on_serve(
        self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Any
    ) -> LiveReloadServer:
        """Keep the site as it is saved."""
        return Preview(self.edition, self._site, server, config).server

    def on_shutdown(self) -> None:
        """End KaTeX and the builds of other languages."""
        self._typesetter.close()
        self._site.end()
