"""# The preview

After a save, `mkdocs serve` rebuilds a language when one of its pages is requested,
which an open browser does at once. The build runs in a thread of its own. The first
request waits for it, unless it takes long; all others get the old page, with a header
that lets the browser load the page again.
"""

from __future__ import annotations

import ctypes
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

# How many seconds the first request after a save waits for the new page, and after how
# many seconds a browser loads an old page again.
PATIENCE = 10.0
AGAIN = 1
# How many connections the system keeps while Python is busy with a build.
WAITING = 512


class Preview:
    """Rebuilds a language after a save as soon as one of its pages is requested.

    Replaces the builder and the request handler of MkDocs' server. `localized` returns
    the project of the last build, `forget` is called before the first build after a
    save, and `build_language` builds another language than that of the pages. `files`
    is held while files of the site are replaced.
    """

    def __init__(
        self,
        server: LiveReloadServer,
        localized: Callable[[], LocalizedProject],
        forget: Callable[[], None],
        build_language: Callable[[Language], None],
        files: threading.Lock,
    ) -> None:
        self._build_source, self._build_language = server.builder, build_language
        self._localized, self._forget = localized, forget
        self._serve, self._mount = server.serve_request, server.mount_path
        self._files = files
        # Guards the numbers below, and wakes those who wait for a change of them.
        self._changed = threading.Condition()
        # How often something was saved, how often of these `forget` was called for, and
        # how often something had been saved when a language was built, by its folder.
        self._saves = self._forgotten = 0
        self._built = {ENGLISH.folder: 0}
        # The languages to build now, by their folders.
        self._wanted: dict[str, Language] = {}
        server.builder = self.note_save
        server.request_queue_size = WAITING
        server.set_app(self.answer)
        threading.Thread(target=self._build_wanted, daemon=True).start()

    def note_save(self) -> None:
        """Note that something was saved; MkDocs calls this as its builder."""
        with self._changed:
            self._saves += 1

    def answer(self, environ: Any, start_response: Any) -> Any:
        """Answer a request, with the old page while the new one is built."""
        path = environ["PATH_INFO"].removeprefix(self._mount)
        if path.startswith(("/", "livereload/")):
            return self._serve(environ, start_response)  # waits for the next save
        is_page = path.endswith(("/", ".html", ".json")) or not path
        is_old = is_page and self._is_old(path)

        def start(status: str, headers: list[tuple[str, str]], *given: Any) -> Any:
            again = [("Refresh", str(AGAIN))] if is_old else []
            return start_response(status, [*headers, *again], *given)

        with self._files:
            return self._serve(environ, start)

    def _is_old(self, path: str) -> bool:
        """Whether the page at a path is older than the last save; if so, rebuild it."""
        language = ENGLISH
        # If the settings of a language are not valid, the build reports it.
        with suppress(LiterateError):
            languages = {one.folder: one for one in self._localized().languages}
            folder = f"{path.partition('/')[0]}/"
            language = languages.get(folder, languages[""])
        code = language.folder
        with self._changed:
            saves = self._saves
            if self._built.get(code) == saves:
                return False
            is_first = code not in self._wanted
            self._wanted[code] = language
            self._changed.notify_all()

            def is_new() -> bool:
                return self._built.get(code, -1) >= saves

            # A language that was never built has no old pages. If something is saved
            # while it is built, its pages are old at once, and nobody builds others.
            if is_first or code not in self._built:
                patience = PATIENCE if code in self._built else None
                self._changed.wait_for(
                    lambda: is_new() or code not in self._wanted, patience
                )
            return not is_new()

    def _build_wanted(self) -> None:
        """Build the languages that are wanted, one after another, for ever."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._wanted)
                code, language = next(iter(self._wanted.items()))
                saves = self._saves
            try:
                if self._forgotten < saves:
                    self._forget()
                    self._forgotten = saves
                self._build(language)
            except Exception:  # the thread has to go on
                _LOG.exception("The preview of %s could not be built", language.name)
            with self._changed:
                self._built[code] = saves
                del self._wanted[code]
                self._changed.notify_all()

    def _build(self, language: Language) -> None:
        """Build a language; if that fails, its old pages remain."""
        try:
            if language.source:
                self._build_source()
            else:
                self._build_language(language)
        except Abort as error:
            _LOG.error("%s", error)
        # Pages and navigation form reference cycles that contain the text of the whole
        # site, so we do not wait for the garbage collector.
        gc.collect()
        # Linux would keep what is free for this process, a third of all that it holds.
        with suppress(AttributeError, OSError, TypeError):
            ctypes.CDLL(None).malloc_trim(0)
