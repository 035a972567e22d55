r"""# The site while somebody writes

English is built at every save. Another language is built when one of its files is
saved, or when one of its pages is asked for and is not up to date.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.livereload import LiveReloadServer

from labml_txl.literate.edition.edition import Edition
from labml_txl.literate.edition.publishing import Publication
from labml_txl.literate.translation.languages import ENGLISH, saved


class Preview:
    """Builds what a save has changed, and what a reader asks for."""

    def __init__(
        self,
        edition: Edition,
        site: Publication,
        server: LiveReloadServer,
        config: MkDocsConfig,
    ) -> None:
        self._edition, self._site = edition, site
        self.server, self._config = server, config
        self._languages = {language.code for language in edition.languages}
        self._build_english = server.builder
        self._answer = server.serve_request
        self._lock = threading.RLock()
        self._seen = self._saved()
        self._stale = self._languages - {ENGLISH.code}
        server.builder = self.build
        server.set_app(self.answer)

    def build(self, *arguments: Any) -> None:
        """Build what a save has changed."""
        with self._lock:
            before, self._seen = self._seen, self._saved()
            changed = {
                code
                for code in {*before, *self._seen} - {""}
                if before.get(code) != self._seen.get(code)
            }
            if changed and before.get("") == self._seen.get(""):
                # The page that tells how much is translated is English too.
                self._stale |= {*changed, ENGLISH.code}
                for code in changed:
                    self._freshen(code)
                return
            self._stale = self._languages - {ENGLISH.code}
            self._english(*arguments)

    def answer(self, environ: Any, start_response: Any) -> Any:
        """Answer a request, after the language that it asks for is up to date."""
        path = environ["PATH_INFO"].removeprefix(self.server.mount_path)
        code = path.partition("/")[0]
        page = path.endswith(("/", ".html", ".json")) or not path
        if page and not environ["PATH_INFO"].startswith("/livereload/"):
            with self._lock:
                self._freshen(code if code in self._languages else ENGLISH.code)
        return self._answer(environ, start_response)

    def _freshen(self, code: str) -> None:
        if code in self._stale:
            self._stale.discard(code)
            if code == ENGLISH.code:
                self._english()
            else:
                self._site.freshen(self._edition, code, Path(self.server.root))

    def _english(self, *arguments: Any) -> None:
        self._stale.discard(ENGLISH.code)
        try:
            self._build_english(*arguments)
        except Abort as error:
            logging.getLogger("mkdocs").error("%s", error)

    def _saved(self) -> Mapping[str, object]:
        locale = self._edition.root / self._edition.project.locale
        watched = {self._config.docs_dir, *self._config.watch, str(locale)}
        return saved(map(Path, watched), locale)
