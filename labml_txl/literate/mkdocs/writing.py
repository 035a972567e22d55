r"""# While MkDocs writes pages

All pages are HTML now. Templates are told what they ask for, links are looked up, and
each page gets its last step and the rule for what it may run.
"""

from __future__ import annotations

import logging
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils import is_error_template

from labml_txl.literate.build.cache import digest
from labml_txl.literate.build.edition import Edition
from labml_txl.literate.build.publishing.rebuilding import Built
from labml_txl.literate.build.publishing.site import report
from labml_txl.literate.build.reading import Reading
from labml_txl.literate.mkdocs import pages, search, settings
from labml_txl.literate.mkdocs.policy import sealed, secured
from labml_txl.literate.mkdocs.templates import Filled, Words, alone, escapes, frame
from labml_txl.literate.render.finished.html import in_language


class Writing(BasePlugin[settings.LiterateConfig]):
    """What MkDocs asks while it writes the pages of an edition."""

    edition: Edition
    reading: Reading
    nav: Navigation
    frame: str
    building: Built
    built: Built | None = None  # as it stands in the site

    def on_nav(self, nav: Navigation, **given: Any) -> Navigation:
        """Know what stands around a page."""
        self.nav = nav
        return nav

    def on_env(
        self, env: Environment, *, config: MkDocsConfig, files: Files
    ) -> Environment:
        """All pages are HTML now and none is written: check links, add other forms."""
        words = Words(self.edition)
        env.globals["lit"] = words.site
        self.frame = frame(config, self.nav) if alone(config) else ""
        around = digest(self.frame, words.site)
        self.building = self.building.within(around, self.built)
        changed = (file for file in files.documentation_pages() if file.is_modified())
        for page in (file.page for file in changed if file.page):
            told = words.page(page.file.src_uri, page.url, page.edit_url or "")
            page.meta["lit"], page.edit_url = told, told["edit"]
        env.autoescape = escapes
        if folder := self.edition.kept.folder("escaped"):
            env.bytecode_cache = FileSystemBytecodeCache(str(folder))
        with settings.told():
            forms = pages.add_forms(files, self.edition, config)
            self.building.take_over_forms(forms, self.built)
            faults = pages.faults(files, self.edition, config)
            report(logging.getLogger("mkdocs"), faults)
        env.template_class = Filled
        return env

    on_page_context = search.AROUND

    @event_priority(-100)
    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """Put in what is no text to be searched, and the rule for what may run."""
        if self.reading.whole:
            return output
        path, content = page.file.src_uri, page.content or ""
        return self.reading.keep(sealed(output, content, self.edition, path))

    def on_template_context(
        self, context: Any, *, template_name: str, config: MkDocsConfig
    ) -> Any:
        """Lead lost readers home, wherever they are: from the root of the host."""
        if is_error_template(template_name):
            context["base_url"] = self.edition.home
        return context

    def on_post_template(
        self, output: str, *, template_name: str, config: MkDocsConfig
    ) -> str:
        """Say which language the page for lost readers is in."""
        if not template_name.endswith(".html"):
            return output
        named = in_language(output, self.edition.language)
        return secured(named, output, trusted=self.edition.project.trusted)
