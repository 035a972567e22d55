r"""# The preview

`mkdocs serve` rebuilds English at every save. Another language is rebuilt when one of
its pages is requested for the first time after a save.
"""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Callable
from typing import Any

from mkdocs.exceptions import Abort
from mkdocs.livereload import LiveReloadServer

from labml_txl.literate.build.localized import LocalizedProject
from labml_txl.literate.i18n.languages import Language

_LOG = logging.getLogger("mkdocs")


class Preview:
    """Rebuilds English after a save, and other languages before a request.

    Replaces the builder and the request handler of MkDocs' server. `localized` returns
    the project of the last English build, and `build_language` builds another language
    of it.
    """

    def __init__(
        self,
        server: LiveReloadServer,
        localized: Callable[[], LocalizedProject],
        build_language: Callable[[Language], None],
    ) -> None:
        self._build_english, self._build_language = server.builder, build_language
        self._localized, self._serve = localized, server.serve_request
        self._mount = server.mount_path
        self._lock = threading.RLock()
        # The languages that have not been built since the last save, by their codes.
        self._stale = self._languages()
        server.builder = self.build
        server.set_app(self.answer)

    def build(self, *arguments: Any) -> None:
        """Rebuild English after a save; MkDocs calls this as its builder."""
        with self._lock:
            self._run(self._build_english, *arguments)
            self._stale = self._languages()

    def answer(self, environ: Any, start_response: Any) -> Any:
        """Handle a request, and before it rebuild the requested language if stale."""
        path = environ["PATH_INFO"].removeprefix(self._mount)
        if path.endswith(("/", ".html", ".json")) or not path:
            with self._lock:
                if language := self._stale.pop(path.partition("/")[0], None):
                    self._run(self._build_language, language)
        return self._serve(environ, start_response)

    def _run(self, build: Callable[..., object], *arguments: Any) -> None:
        """Build a language; if that fails, its old pages remain."""
        try:
            build(*arguments)
        except Abort as error:
            _LOG.error("%s", error)
        # Pages and navigation form reference cycles that contain the text of the whole
        # site, so we do not wait for the garbage collector.
        gc.collect()

    def _languages(self) -> dict[str, Language]:
        """All languages except English, by their codes."""
        return {each.code: each for each in self._localized().languages[1:]}
