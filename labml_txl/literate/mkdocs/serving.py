r"""# The site while somebody writes

English is built at every save. Another language is built when one of its files is
saved, or when one of its pages is asked for and is not up to date.
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
    """Builds what a save has changed, and what a reader asks for.

    `localized` returns the project of the last English build, and `build_language`
    builds another language of it.
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
        """Build what a save has changed."""
        with self._lock:
            before, self._times = self._times, self._saved()
            changed = {
                code
                for code in before.keys() | self._times.keys()
                if before.get(code) != self._times.get(code)
            }
            if changed and changed <= self._languages().keys() & self._times.keys():
                # The English page of translations shows their progress too.
                self._stale |= {*changed, ENGLISH.code}
                for code in changed:
                    self._refresh(code)
            else:
                self._stale.add(ENGLISH.code)
                self._refresh(ENGLISH.code, *arguments)
                # Also a language that the English build was the first to know of.
                self._stale |= {*self._languages()}

    def answer(self, environ: Any, start_response: Any) -> Any:
        """Answer a request, after the language that it asks for is up to date."""
        path = environ["PATH_INFO"].removeprefix(self._mount)
        if path.endswith(("/", ".html", ".json")) or not path:
            with self._lock:
                code = path.partition("/")[0]
                self._refresh(code if code in self._languages() else ENGLISH.code)
        return self._serve(environ, start_response)

    def _refresh(self, code: str, *arguments: Any) -> None:
        """Build a language that is stale; if it fails, the last good pages stay."""
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
        # Pages and navigation refer to each other, and hold the text of a whole site.
        gc.collect()

    def _languages(self) -> Mapping[str, Language]:
        """The languages but English, by their codes."""
        return {each.code: each for each in self._localized().languages[1:]}

    def _saved(self) -> Mapping[str, object]:
        """When the files of each language were saved, and all others."""
        project = self._localized().project
        locale = project.root / project.locale
        return saved({*self._watched, locale}, locale)
