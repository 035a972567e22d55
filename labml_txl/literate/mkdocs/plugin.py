r"""# The MkDocs plugin

MkDocs builds English and asks the plugin at each step. When all English pages are
written, each other language is built in the same way, from the same content. Only this
package imports MkDocs or Material.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache
from markupsafe import Markup
from mkdocs.commands.build import build
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.utils import is_error_template

from labml_txl.literate.build.cache import Cache, project_cache
from labml_txl.literate.build.content import Content
from labml_txl.literate.build.files import files_of, write
from labml_txl.literate.build.localized import LocalizedProject
from labml_txl.literate.build.publication import Publication
from labml_txl.literate.equations.math import Typesetter
from labml_txl.literate.i18n.languages import ENGLISH, Language
from labml_txl.literate.mkdocs import pages, search, settings
from labml_txl.literate.mkdocs.navigation import prose_of
from labml_txl.literate.mkdocs.policy import sealed, secured
from labml_txl.literate.mkdocs.serving import Preview
from labml_txl.literate.mkdocs.templates import Words, escapes
from labml_txl.literate.render.html import in_language

_LOG = logging.getLogger("mkdocs")


class LiteratePlugin(BasePlugin[settings.LiterateConfig]):
    """Annotated source files as pages of a MkDocs site."""

    localized: LocalizedProject

    def __init__(self) -> None:
        self.serving = False
        self.language = ENGLISH
        self.publication = Publication(_LOG)
        self.typesetter = Typesetter()
        self._cache: Cache | None = None
        # The templates of the theme, compiled once for all languages and rebuilds.
        self._compiled = TemporaryDirectory()

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Tell MkDocs to keep this object from build to build."""
        self.serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Read the settings, and add what the pages need."""
        with settings.plugin_errors():
            if self.language == ENGLISH:
                project = settings.project_of(self.config, config)
                self._cache = self._cache or project_cache(project.root)
                self.localized = LocalizedProject(Content(project, self._cache))
            settings.apply(config, self.localized, self.typesetter)
        if self.language == ENGLISH:
            self.publication.begin(Path(config.site_dir))
            config.site_dir = str(self.publication.partial)
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add the pages that are made of source files, and KaTeX's own files."""
        project = self.localized.project
        prose = prose_of(files, project, Path(config.docs_dir))
        if self.language == ENGLISH:
            content = Content(replace(project, prose=prose), self._cache)
            self.localized = LocalizedProject(content)
        with settings.plugin_errors():
            pages.add_pages(files, self.localized, config)
        return files

    def on_nav(
        self, nav: Navigation, *, config: MkDocsConfig, files: Files
    ) -> Navigation:
        """Tell the pages on which other files their HTML depends."""
        given = pages.settings_hash(files, config, self.localized)
        for file in files.documentation_pages():
            if isinstance(file.page, pages.CachedPage):
                file.page.settings = given
        return nav

    def on_page_read_source(self, *, page: Any, config: MkDocsConfig) -> str | None:
        """The Markdown of a page: made of source files, or written by hand."""
        path, localized = page.file.src_uri, self.localized
        if path in localized.paths or path in localized.project.prose:
            with settings.plugin_errors():
                return localized.entry(path).markdown
        return None

    @event_priority(-100)
    def on_page_content(
        self, html: str, *, page: Any, config: MkDocsConfig, files: Files
    ) -> str:
        """Keep Material's search from reading a page that no other plugin changed."""
        if isinstance(page, pages.CachedPage) and html is page.rendered:
            page.meta["search"] = {**(page.meta.get("search") or {}), "exclude": True}
        else:
            page.entries = ()
        return html

    def on_env(
        self, env: Environment, *, config: MkDocsConfig, files: Files
    ) -> Environment:
        """All pages are HTML, and none is written: report faults, write other files."""
        words = Words(self.localized)
        env.globals["lit"] = words.site
        env.autoescape = escapes
        env.bytecode_cache = FileSystemBytecodeCache(self._compiled.name)
        with settings.plugin_errors():
            for page in (file.page for file in files.documentation_pages()):
                if page is not None:
                    url, edit = page.url, page.edit_url or ""
                    page.meta["lit"] = given = words.page(page.file.src_uri, url, edit)
                    page.edit_url = given["edit"]
            # A file that the author wrote is better.
            others = files_of(self.localized)
            own = {f.dest_uri for f in files if not f.is_documentation_page()}
            for path, make in others.items():
                if path not in own:
                    write(Path(config.site_dir, path), make())
            found = [file.page for file in files.documentation_pages()]
            made = [page for page in found if isinstance(page, pages.CachedPage)]
            of_pages = (fault for page in made for fault in page.faults)
            self.publication.report([*self.localized.faults, *of_pages])
        search.fill_index(made, config)
        return env

    @event_priority(-100)
    def on_page_context(self, context: Any, /, *, page: Any, **given: Any) -> Any:
        """Say which part of a page is HTML: its content alone."""
        page.content = Markup(page.content or "")
        return {**context, "lit": page.meta["lit"]}

    @event_priority(-100)
    def on_post_page(self, output: str, *, page: Any, config: MkDocsConfig) -> str:
        """Put in what is no text to be searched, and the rule for what may run."""
        content, page.content = page.content or "", ""
        given = (output.replace(content, "", 1), self.localized, page.file.src_uri)
        return sealed(output, *given, preview=self.serving)

    def on_template_context(
        self, context: Any, *, template_name: str, config: MkDocsConfig
    ) -> Any:
        """Lead lost readers home, wherever they are: from the root of the host."""
        if is_error_template(template_name):
            context["base_url"] = self.localized.home
        return context

    def on_post_template(
        self, output: str, *, template_name: str, config: MkDocsConfig
    ) -> str:
        """Say which language the page for lost readers is in."""
        if not template_name.endswith(".html"):
            return output
        named = in_language(output, self.language)
        trusted = self.localized.project.trusted
        return secured(named, output, trusted=trusted, preview=self.serving)

    @event_priority(-100)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Build the other languages, and put the site into its place."""
        if self.language != ENGLISH:
            return
        others = self.localized.languages[1:]
        for language in () if self.serving else others:
            self._build(language, self.publication.partial / language.code)
        site = self.publication
        if not (config.strict and site.messages):
            site.finish(keep=[each.code for each in others] if self.serving else [])
        site.end()
        config.site_dir = str(site.goal)
        self.localized.content.cache.save()

    def _build(self, language: Language, folder: Path) -> None:
        """Build another language of the last English build into a folder."""
        english, project = self.localized, self.localized.project
        # MkDocs keeps plugins that want to hear of its start: this is the same object.
        _, config = settings.load(project.root / project.settings)
        config.site_dir, config.strict = str(folder), False
        config.use_directory_urls = project.directory_urls
        if found := search.search_plugin(config):
            found.config.lang = [*language.search] or None
            found.config.separator = language.separator or None
            found.config.pipeline = None
        self.language, self.localized = language, english.into(language)
        try:
            with self.publication.in_language():
                build(config, serve_url=self.localized.url if self.serving else None)
        finally:
            self.language, self.localized = ENGLISH, english

    def on_build_error(self, *, error: Exception) -> None:
        """Leave no half of a site."""
        if self.language == ENGLISH:
            self.publication.discard()
            self.publication.end()

    def on_serve(
        self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Any
    ) -> LiveReloadServer:
        """Build at each save what has changed, and a language when it is asked for."""
        Preview(server, config, lambda: self.localized, self._rebuild)
        return server

    def _rebuild(self, language: Language) -> None:
        self.publication.place(language.code, lambda to: self._build(language, to))
        self.localized.content.cache.save()

    def on_shutdown(self) -> None:
        """End KaTeX."""
        self.typesetter.close()
        self._compiled.cleanup()
