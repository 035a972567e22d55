r"""# The MkDocs plugin

Tells the engine what MkDocs asks, and MkDocs what the engine answers. Nothing is made
here: whoever builds the site with another program replaces this room and no other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from labml_txl.literate.edition.cache import Cache
from labml_txl.literate.edition.edition import Edition
from labml_txl.literate.equations.math import Typesetter
from labml_txl.literate.hosts.mkdocs import pages, search, settings
from labml_txl.literate.hosts.mkdocs.languages import Site
from labml_txl.literate.hosts.mkdocs.navigation import with_pages
from labml_txl.literate.hosts.mkdocs.preview import Preview
from labml_txl.literate.hosts.mkdocs.words import Words
from labml_txl.literate.pages.html import finished, in_language
from labml_txl.literate.translation.languages import ENGLISH


class LiteratePlugin(BasePlugin[settings.LiterateConfig]):
    """Annotated source files as pages of a MkDocs site."""

    def __init__(self) -> None:
        self.language = ENGLISH
        self._site = Site()
        self._typesetter = Typesetter()
        self._kept: Cache | None = None
        self._edition: Edition
        self._reading: search.Reading

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Tell MkDocs to keep this object, and so KaTeX, from build to build."""
        self._site.serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Read the settings, and add what the pages need."""
        self._kept = self._kept or settings.cache(config, self.language)
        project = settings.project(self.config, config)
        self._edition = Edition(project, self.language, self._kept)
        with settings.told():
            settings.apply(config, self._edition, self._typesetter)
        search.prepare(self.language)
        if self.language == ENGLISH:
            self._site.begin(config)
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add the pages that are written from source files, and KaTeX's own files."""
        edition = self._edition
        if self.language == ENGLISH:
            others = edition.languages[1:]
            self._site.start_all(config, edition.url, others)
        pages.leave_out_translations(files, edition)
        search.mend(files)
        prose = [f.src_uri for f in files.documentation_pages()]
        project = replace(edition.project, prose=tuple(prose))
        self._edition = edition = replace(edition, project=project)
        with settings.told():
            pages.add_pages(files, edition, config)
        config.nav = with_pages(config.nav, edition.pages())
        pages.keep_pages(files, edition, config)
        for file in pages.katex_files(config):
            files.append(file)
        return files

    def on_page_read_source(self, *, page: Page, config: MkDocsConfig) -> str | None:
        """A page that is written by hand, in the language and with its links."""
        if page.file.generated_by is not None:
            return None
        with settings.told():
            return self._edition.prose(page.file.src_uri)

    def on_env(
        self, env: Environment, *, config: MkDocsConfig, files: Files
    ) -> Environment:
        """All pages are HTML now and none is written: check links, add other forms."""
        with settings.told():
            pages.add_forms(files, self._edition, config)
        env.globals["lit"] = Words(self._edition, files)
        env.bytecode_cache = settings.templates(config)
        pages.check(files, self._edition, config)
        return env

    def _before_search(
        self, context: Any, *, page: Page, config: MkDocsConfig, nav: Any
    ) -> Any:
        boxes = page.file.src_uri in self._edition.annotated.markdown
        kept = self._edition.kept
        self._reading = search.Reading(page, config, kept, boxes=boxes)
        return context

    def _after_search(
        self, context: Any, *, page: Page, config: MkDocsConfig, nav: Any
    ) -> Any:
        self._reading.end()
        page.edit_url = self._edition.edit_url(page.file.src_uri) or page.edit_url
        return context

    on_page_context = CombinedEvent(
        event_priority(100)(_before_search), event_priority(-100)(_after_search)
    )

    @event_priority(-100)
    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """Put in what is no text to be searched."""
        return finished(output, self._edition.translation)

    def on_post_template(
        self, output: str, *, template_name: str, config: MkDocsConfig
    ) -> str:
        """Say which language the page for lost readers is in."""
        html = template_name.endswith(".html")
        return in_language(output, self.language) if html else output

    @event_priority(-100)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Every page is whole."""
        self._edition.kept.save(write=not self._site.serving)
        if self.language == ENGLISH:
            self._site.finish(config, self._edition.languages[1:])

    def on_build_error(self, *, error: Exception) -> None:
        """Leave no half of a site."""
        if self.language == ENGLISH:
            self._site.fail()

    def on_serve(
        self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Any
    ) -> LiveReloadServer:
        """Keep the site as it is saved."""
        preview = Preview(self._edition, self._site, server, config)
        server.builder = preview.build
        server.set_app(preview.answer)
        return server

    def on_shutdown(self) -> None:
        """End KaTeX and the builds of other languages."""
        self._typesetter.close()
        self._site.end()
