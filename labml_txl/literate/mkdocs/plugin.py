"""# The MkDocs plugin

MkDocs builds the site in the language of its pages, which we call its source, and calls
the plugin for each event. After these pages have been written, the plugin builds every
other language with the same `Content`. Only this package imports MkDocs or Material.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache
from markupsafe import Markup
from mkdocs.commands.build import build
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.utils import is_error_template

from labml_txl.literate.equations.math import Typesetter
from labml_txl.literate.i18n.languages import Language
from labml_txl.literate.mkdocs import pages, reuse, search, settings
from labml_txl.literate.mkdocs.serving import Preview
from labml_txl.literate.project.annotate import annotate
from labml_txl.literate.project.cache import Cache, project_cache
from labml_txl.literate.project.files import files_of, write
from labml_txl.literate.project.localized import LocalizedProject
from labml_txl.literate.project.publication import Publication
from labml_txl.literate.render.html import set_language
from labml_txl.literate.security.policy import add_policy
from labml_txl.literate.theme.sheets import shrink_sheets
from labml_txl.literate.theme.templates import Words, escapes, finish_page, route_of

_LOG = logging.getLogger("mkdocs")


class LiteratePlugin(BasePlugin[settings.LiterateConfig]):
    """Adds annotated modules, tutorials and translations to a MkDocs site."""

    localized: LocalizedProject

    def __init__(self) -> None:
        self.serving = False
        # The language that is built, unless it is that of the pages.
        self.language: Language | None = None
        self.publication = Publication(_LOG)
        self.typesetter = Typesetter()
        self._cache: Cache | None = None
        self._source: LocalizedProject | None = None
        self._navigation = Navigation([], [])
        # The pages of the last build, if this one may take pages from there.
        self._last: reuse.LastBuild | None = None
        # The keys of the pages that the templates make, and the files of all others.
        self._keys: dict[str, str] = {}
        self._known: dict[str, Path] = {}
        # The folder of the compiled templates, shared by all languages and rebuilds.
        self._compiled = TemporaryDirectory()

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Remember whether this is a preview.

        Because this method exists, MkDocs reuses the plugin object for all builds.
        """
        self.serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Read the settings, and add the extensions and files that the pages need.

        All languages of a build share its `Content`. The first build writes to the
        temporary folder of the publication.
        """
        with settings.plugin_errors():
            if self.language is None or self._source is None:
                project = settings.project_of(self.config, config)
                self._cache = self._cache or project_cache(project.root)
                self._source = annotate(project, cache=self._cache)
            self.localized = self._source.select_language(
                self.language or self._source.language
            )
            settings.apply(config, self.localized, self.typesetter)
            if self.language is None:
                search.use_separator(config, self.localized.language)
                self.publication.begin(Path(config.site_dir))
                config.site_dir = str(self.publication.partial)
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add generated pages and the files of KaTeX."""
        files = settings.remove_hidden(files, self.localized.project)
        with settings.plugin_errors():
            pages.add_pages(files, self.localized, config)
        return files

    def on_nav(
        self, nav: Navigation, *, config: MkDocsConfig, files: Files
    ) -> Navigation:
        """Set the hash of the settings and files that the HTML of a page depends on."""
        self._navigation = nav
        given = pages.settings_hash(files, config, self.localized)
        for file in files.documentation_pages():
            if isinstance(file.page, pages.CachedPage):
                file.page.settings = given
        return nav

    def on_page_read_source(self, *, page: Any, config: MkDocsConfig) -> str | None:
        """Return the Markdown of a page, generated or translated by the engine.

        For pages of other plugins, return None: MkDocs then reads the file.
        """
        with settings.plugin_errors():
            if page.file.src_uri in self.localized.site_pages:
                return self.localized.entry(page.file.src_uri).markdown
        return None

    @event_priority(-100)
    def on_page_content(
        self, html: str, *, page: Any, config: MkDocsConfig, files: Files
    ) -> str:
        """Exclude a page from Material's indexer if we have cached its search entries.

        This is not possible if another plugin has changed the HTML.
        """
        if isinstance(page, pages.CachedPage) and html == page.content:
            page.meta["search"] = {**(page.meta.get("search") or {}), "exclude": True}
        else:
            page.entries = ()
        return html

    def on_env(
        self, env: Environment, *, config: MkDocsConfig, files: Files
    ) -> Environment:
        """Report faults, and write the other files of the site.

        At this event, all pages have been converted to HTML, but none has been written.
        """
        words = Words(self.localized)
        env.globals["lit"] = words.site
        env.autoescape = escapes
        # A letter of Japanese or Chinese as `\u3042` would take twice its space.
        env.policies["json.dumps_kwargs"] = {"sort_keys": True, "ensure_ascii": False}
        env.bytecode_cache = FileSystemBytecodeCache(self._compiled.name)
        with settings.plugin_errors():
            shown = [f.page for f in files.documentation_pages() if f.page is not None]
            route = route_of({page.file.src_uri: page for page in shown})
            # The links at the foot of a stop lead where those of the route lead.
            if route.stops:
                pages.link(route.order(self._navigation.pages))
            for page in shown:
                url, edit = page.url, page.edit_url or ""
                given = words.page(page.file.src_uri, url, edit)
                page.meta["lit"] = {**given, "route": route.at(page.url)}
                page.edit_url = given["edit"]
            # A file of the same path in `docs` takes precedence.
            own = {f.dest_uri for f in files if not f.is_documentation_page()}
            for path, content in files_of(self.localized):
                if path not in own:
                    write(Path(config.site_dir, path), content)
            found = [file.page for file in files.documentation_pages()]
            made = [page for page in found if isinstance(page, pages.CachedPage)]
            of_pages = (fault for page in made for fault in page.faults)
            self.publication.report([*self.localized.faults, *of_pages])
        search.fill_index(made, config)
        self._recall(made, words.site, env, config)
        return env

    def _recall(
        self,
        made: list[pages.CachedPage],
        words: Mapping[str, Any],
        env: Environment,
        config: MkDocsConfig,
    ) -> None:
        """Find the pages that are as they were, which need no template."""
        self._keys, self._known, self._last = {}, {}, None
        if not reuse.is_possible(config, self):
            return
        language, cache = self.localized.language, self.localized.content.cache
        around = (language, self.serving, reuse.around(config, self._navigation))
        published = self.publication.goal / language.folder
        self._last = reuse.LastBuild(published, cache, words, *around)
        for page in made:
            key, path = self._last.key(page), page.file.src_uri
            if file := self._last.find(page, key):
                self._known[path] = file
                page.meta["template"] = env.from_string("")
            else:
                self._keys[path] = key

    @event_priority(-100)
    def on_page_context(self, context: Any, /, *, page: Any, **given: Any) -> Any:
        """Mark the content as HTML, since our templates escape everything else."""
        page.content = Markup(page.content or "")
        return {**context, "lit": page.meta["lit"]}

    @event_priority(-100)
    def on_post_page(self, output: str, *, page: Any, config: MkDocsConfig) -> str:
        """Post-process the HTML of a page, and add its Content Security Policy."""
        content, page.content = page.content or "", ""
        path = page.file.src_uri
        if known := self._known.get(path):
            with settings.plugin_errors():
                return known.read_text(encoding="utf-8")
        given = (output.replace(content, "", 1), self.localized, path)
        finished = finish_page(output, *given, preview=self.serving)
        if self._last and path in self._keys:
            self._last.store(self._keys[path], finished)
        return finished

    def on_template_context(
        self, context: Any, *, template_name: str, config: MkDocsConfig
    ) -> Any:
        """Let the links on the error page start at the root of the server.

        A server shows this page at any URL, so relative links would not work.
        """
        if is_error_template(template_name):
            context["base_url"] = self.localized.home
        return context

    def on_post_template(
        self, output: str, *, template_name: str, config: MkDocsConfig
    ) -> str:
        """Add the language tag and the Content Security Policy to the error page."""
        if not template_name.endswith(".html"):
            return output
        named = set_language(output, self.localized.language)
        trusted = self.localized.project.trusted
        return add_policy(named, output, trusted=trusted, preview=self.serving)

    @event_priority(-100)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Build the other languages, and replace the published site.

        A preview builds them later, on request. A strict build with warnings does not
        replace the site.
        """
        if self.language is not None:
            return
        others = self.localized.languages[1:]
        for language in () if self.serving else others:
            self._build(language, self.publication.partial / language.code)
        site = self.publication
        if not self.serving:
            self.localized.check_sources()
            shrink_sheets(site.partial)
        if not (config.strict and site.messages):
            site.finish(keep=[each.code for each in others] if self.serving else [])
        site.end()
        config.site_dir = str(site.goal)
        self.localized.content.cache.save()

    def _build(self, language: Language, folder: Path) -> None:
        """Build another language into a folder."""
        project = self.localized.project
        # The plugin in the new configuration is `self`, because of `on_startup`.
        _, config = settings.load(project.root / project.settings)
        config.site_dir, config.strict = str(folder), False
        # `mkdocs serve` and its options have changed these in the first configuration.
        config.site_url = project.url or None
        config.use_directory_urls = project.directory_urls
        if found := search.search_plugin(config):
            search.check_languages(language, config)
            found.config.lang = [*language.search] or None
            found.config.separator = language.separator or None
            found.config.pipeline = None
        serve_url = (
            self.localized.select_language(language).url if self.serving else None
        )
        self.language = language
        try:
            with self.publication.in_language():
                build(config, serve_url=serve_url)
        finally:
            self.language = None
            self.localized = self.localized.select_language(
                self.localized.content.language
            )

    @event_priority(-100)
    def on_build_error(self, *, error: Exception) -> None:
        """Delete what a failed build has written.

        Raises `Abort` for an error that users can correct, such as a full disk, which
        MkDocs then reports in one line.
        """
        if self.language is None:
            self.publication.discard()
            self.publication.end()
        if message := settings.explain(error):
            raise Abort(message) from None

    def on_serve(
        self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Any
    ) -> LiveReloadServer:
        """Rebuild each language on request."""
        given = (lambda: self.localized, self._forget, self._rebuild)
        Preview(server, *given, self.publication.files)
        return server

    def _forget(self) -> None:
        self._source = None

    def _rebuild(self, language: Language) -> None:
        self.publication.place(language.code, lambda to: self._build(language, to))
        self.localized.content.cache.save()

    def on_shutdown(self) -> None:
        """Stop the process of KaTeX, and delete the compiled templates."""
        self.typesetter.close()
        self._compiled.cleanup()
