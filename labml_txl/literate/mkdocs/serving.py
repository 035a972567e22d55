"""# The preview

After a save, `mkdocs serve` rebuilds a language when one of its pages is requested,
which an open browser does at once.
"""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from mkdocs.exceptions import Abort
from mkdocs.livereload import LiveReloadServer

from labml_txl.literate.i18n.languages import ENGLISH, Language
from labml_txl.literate.project.localized import LocalizedProject
from labml_txl.literate.sources.source import LiterateError

_LOG = logging.getLogger("mkdocs")


class Preview:
    """Rebuilds a language before the first request after a save.

    Replaces the builder and the request handler of MkDocs' server. `localized` returns
    the project of the last build, `forget` is called after a save, and `build_language`
    builds a language other than English.
    """

    def __init__(
        self,
        server: LiveReloadServer,
        localized: Callable[[], LocalizedProject],
        forget: Callable[[], None],
        build_language: Callable[[Language], None],
    ) -> None:
        self._build_english, self._build_language = server.builder, build_language
        self._localized, self._forget = localized, forget
        self._serve, self._mount = server.serve_request, server.mount_path
        self._lock = threading.RLock()
        # The languages that have been built since the last save, by their codes.
        self._fresh = {ENGLISH.code}
        server.builder = self.saved
        server.set_app(self.answer)

    def saved(self) -> None:
        """Forget what was built before a save; MkDocs calls this as its builder."""
        with self._lock:
            self._fresh.clear()
            self._forget()

    def answer(self, environ: Any, start_response: Any) -> Any:
        """Handle a request, and before it rebuild the requested language if needed."""
        path = environ["PATH_INFO"].removeprefix(self._mount)
        if path.endswith(("/", ".html", ".json")) or not path:
            with self._lock:
                language = ENGLISH
                # If the settings of a language are not valid, the build reports it.
                with suppress(LiterateError):
                    languages = {one.code: one for one in self._localized().languages}
                    language = languages.get(path.partition("/")[0], ENGLISH)
                if language.code not in self._fresh:
                    self._fresh.add(language.code)
                    self._build(language)
        return self._serve(environ, start_response)

    def _build(self, language: Language) -> None:
        """Build a language; if that fails, its old pages remain."""
        try:
            if language == ENGLISH:
                self._build_english()
            else:
                self._build_language(language)
        except Abort as error:
            _LOG.error("%s", error)
        # Pages and navigation form reference cycles that contain the text of the whole
        # site, so we do not wait for the garbage collector.
        gc.collect()
