r"""# The MkDocs plugin

Tells the engine what MkDocs asks, and MkDocs what the engine answers. Nothing is made
here: whoever builds the site with another program replaces this room and no other.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import CombinedEvent, event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from labml_txl.literate.build.cache import Cache, digest
from labml_txl.literate.build.edition import Edition
from labml_txl.literate.build.publishing.rebuilding import Built
from labml_txl.literate.equations.math import Typesetter
from labml_txl.literate.i18n.languages import ENGLISH
from labml_txl.literate.mkdocs import pages, search, settings
from labml_txl.literate.mkdocs.chinese import corrected
from labml_txl.literate.mkdocs.languages import publication
from labml_txl.literate.mkdocs.navigation import by_hand
from labml_txl.literate.mkdocs.serving import previewed
from labml_txl.literate.mkdocs.templates import alone
from labml_txl.literate.mkdocs.writing import Writing


class LiteratePlugin(Writing):
    """Annotated source files as pages of a MkDocs site."""

    def __init__(self) -> None:
        self.language = ENGLISH
        self._site = publication()
        self._typesetter = Typesetter()
        self._kept: Cache | None = None

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Tell MkDocs to keep this object, and so KaTeX, from build to build."""
        self._site.serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Read the settings, and add what the pages need."""
        self._kept = self._kept or settings.cache(config, self.language)
        with settings.told():
            given = settings.project(self.config, config)
            self.edition = Edition(given, self.language, self._kept)
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
        self.edition = by_hand(files, self.edition, Path(config.docs_dir))
        with settings.told():
            pages.arrange(files, self.edition, config)
            made_with = digest(*pages.settings_of(files, config))
            self.building = Built(self.edition, files.src_uris, made_with)
            self.building.take_over(self.built)
            self._site.stop_at_unreadable(self.edition)
        return corrected(files)

    def on_page_read_source(self, *, page: Page, config: MkDocsConfig) -> str | None:
        """A page that is written by hand, in the language and with its links."""
        with settings.told():
            return self.edition.prose(page.file.src_uri)

    @event_priority(-100)
    def _finish(self, *, config: MkDocsConfig) -> None:
        try:
            if self.language == ENGLISH:
                given, whole = (self.edition, config.strict), self.building.is_whole
                with settings.told():
                    config.site_dir = str(self._site.finish(*given, whole=whole))
            spoilt = config.strict and self._site.faults
            if self._site.serving and alone(config) and not spoilt:
                self.built = self.building
        finally:
            self.edition.kept.save(write=not self._site.serving)

    # Every page is whole.
    on_post_build: Any = CombinedEvent(search.gather, _finish)

    def on_build_error(self, *, error: Exception) -> None:
        """Leave no half of a site."""
        if self.language == ENGLISH:
            self._site.fail()

    def on_serve(
        self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Any
    ) -> LiveReloadServer:
        """Keep the site as it is saved."""
        return previewed(server, config, lambda: self.edition, self._site)

    def on_shutdown(self) -> None:
        """End KaTeX and the builds of other languages."""
        self._typesetter.close()
        self._site.end()
