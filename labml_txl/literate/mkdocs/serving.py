r"""# The preview

`mkdocs serve` rebuilds English at every save. Another language is rebuilt if one of its
files is saved, or if one of its pages is requested while the language is out of date.
"""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.livereload import LiveReloadServer

from labml_txl.literate.build.localized import LocalizedProject
from labml_txl.literate.i18n.languages import ENGLISH, Language, saved

_LOG = logging.getLogger("mkdocs")


class Preview:
    """Rebuilds languages after a save, and before a request if they are out of date.

    Replaces the builder and the request handler of MkDocs' server. `localized` returns
    the project of the last English build, and `build_language` builds another language
    of it.
    """

    def __init__(
        self,
        server: LiveReloadServer,
        config: MkDocsConfig,
        localized: Callable[[], LocalizedProject],
        build_language: Callable[[Language], None],
    ) -> None:
        self._english, self._build_language = server.builder, build_language
        self._localized, self._serve = localized, server.serve_request
        self._mount = server.mount_path
        self._watched = {*map(Path, [config.docs_dir, *config.watch])}
        self._lock = threading.RLock()
        self._times = self._saved()
        self._stale = {*self._languages()}
        server.builder = self.build
        server.set_app(self.answer)

    def build(self, *arguments: Any) -> None:
        """Rebuild after a save; MkDocs calls this as its builder.

        If only the files of languages have changed, only these are rebuilt.
        """
        with self._lock:
            before, self._times = self._times, self._saved()
            changed = {
                code
                for code in before.keys() | self._times.keys()
                if before.get(code) != self._times.get(code)
            }
            if changed and changed <= self._languages().keys() & self._times.keys():
                # The English page of translation progress is out of date too.
                self._stale |= {*changed, ENGLISH.code}
                for code in changed:
                    self._refresh(code)
            else:
                self._stale.add(ENGLISH.code)
                self._refresh(ENGLISH.code, *arguments)
                # Computed again, since the English build may have found a new language.
                self._stale |= {*self._languages()}

    def answer(self, environ: Any, start_response: Any) -> Any:
        """Handle a request, and before it rebuild the requested language if stale."""
        path = environ["PATH_INFO"].removeprefix(self._mount)
        if path.endswith(("/", ".html", ".json")) or not path:
            with self._lock:
                code = path.partition("/")[0]
                self._refresh(code if code in self._languages() else ENGLISH.code)
        return self._serve(environ, start_response)

    def _refresh(self, code: str, *arguments: Any) -> None:
        """Build a language if it is stale; if that fails, its old pages remain."""
        if code not in self._stale:
            return
        self._stale.discard(code)
        try:
            if code == ENGLISH.code:
                self._english(*arguments)
            else:
                self._build_language(self._languages()[code])
        except Abort as error:
            _LOG.error("%s", error)
        # Pages and navigation form reference cycles that contain the text of the whole
        # site, so we do not wait for the garbage collector.
        gc.collect()

    def _languages(self) -> Mapping[str, Language]:
        """All languages except English, by their codes."""
        return {each.code: each for each in self._localized().languages[1:]}

    def _saved(self) -> Mapping[str, object]:
        """The modification times of the files of each language, and of all others."""
        project = self._localized().project
        locale = project.root / project.locale
        return saved({*self._watched, locale}, locale)
