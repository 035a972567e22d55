r"""# The site while somebody writes

English is built at every save. Another language is built when one of its files is
saved, or when one of its pages is asked for and is not up to date.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.livereload import LiveReloadServer

from labml_txl.literate.build.localized import LocalizedProject
from labml_txl.literate.i18n.languages import ENGLISH, Language, saved
from labml_txl.literate.mkdocs.policy import with_last_script

_LOG = logging.getLogger("mkdocs")


class Preview:
    """Builds what a save has changed, and what a reader asks for.

    - `english`: builds English;
    - `build_language`: builds another language of the last English build;
    - `localized`: tells what that build was of;
    - `serve`: answers a request, in the way of WSGI;
    - `mount`: where the site starts on the server;
    - `watched`: the files and folders that a build reads.
    """

    def __init__(
        self,
        english: Callable[..., None],
        build_language: Callable[[Language], None],
        localized: Callable[[], LocalizedProject],
        serve: Callable[..., Any],
        mount: str,
        watched: Iterable[Path],
    ) -> None:
        self._english, self._build_language = english, build_language
        self._localized, self._serve = localized, serve
        self._mount, self._watched = mount, tuple(watched)
        self._lock = threading.RLock()
        self._seen = self._saved()
        self._stale = {*self._languages()}

    def _languages(self) -> Mapping[str, Language]:
        """The languages but English, by their codes."""
        return {each.code: each for each in self._localized().languages[1:]}

    def build(self, *arguments: Any) -> None:
        """Build what a save has changed."""
        with self._lock:
            before, self._seen = self._seen, self._saved()
            changed = {
                code
                for code in before.keys() | self._seen.keys()
                if before.get(code) != self._seen.get(code)
            }
            if changed and changed <= self._languages().keys() & self._seen.keys():
                # The page that tells how much is translated is English too.
                self._stale |= {*changed, ENGLISH.code}
                for code in changed:
                    self._refresh(code)
            else:
                self._run_english(*arguments)
                self._stale = {*self._languages()}

    def answer(self, environ: Any, start_response: Any) -> Any:
        """Answer a request, after the language that it asks for is up to date."""
        path = environ["PATH_INFO"].removeprefix(self._mount)
        page = path.endswith(("/", ".html", ".json")) or not path
        if not page or environ["PATH_INFO"].startswith("/livereload/"):
            return self._serve(environ, start_response)
        with self._lock:
            code = path.partition("/")[0]
            self._refresh(code if code in self._languages() else ENGLISH.code)
        return _with_reload(self._serve, environ, start_response)

    def _refresh(self, code: str) -> None:
        if code not in self._stale:
            return
        self._stale.discard(code)
        if code == ENGLISH.code:
            self._run_english()
        else:
            _reported(self._build_language, self._languages()[code])

    def _run_english(self, *arguments: Any) -> None:
        self._stale.discard(ENGLISH.code)
        _reported(self._english, *arguments)

    def _saved(self) -> Mapping[str, object]:
        project = self._localized().project
        locale = project.root / project.locale
        return saved({*self._watched, locale}, locale)


def _reported(build: Callable[..., None], *arguments: Any) -> None:
    """Build; a fault is reported, and the last good page stays."""
    try:
        build(*arguments)
    except Abort as error:
        _LOG.error("%s", error)


def _with_reload(serve: Any, environ: Any, start_response: Any) -> list[bytes]:
    """The answer of the server, which puts a script of its own into each page."""
    given: list[Any] = []
    body = b"".join(serve(environ, lambda *answer: given.append(answer)))
    (status, headers, *rest) = given[-1]
    if dict(headers).get("Content-Type", "").startswith("text/html"):
        body = with_last_script(body.decode("utf-8", "replace")).encode()
        headers = [(k, v) for k, v in headers if k != "Content-Length"]
        headers.append(("Content-Length", str(len(body))))
    start_response(status, headers, *rest)
    return [body]


def with_preview(
    server: LiveReloadServer,
    config: MkDocsConfig,
    localized: Callable[[], LocalizedProject],
    build_language: Callable[[Language], None],
) -> LiveReloadServer:
    """The server of MkDocs, which builds languages too."""
    watched = map(Path, {config.docs_dir, *config.watch})
    answers = server.serve_request, server.mount_path
    preview = Preview(server.builder, build_language, localized, *answers, watched)
    server.builder = preview.build
    server.set_app(preview.answer)
    return server
