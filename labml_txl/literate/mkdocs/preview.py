r"""# The site while somebody writes

English is built at every save. Another language is built when one of its files is
saved, or when one of its pages is asked for and is not up to date.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from labml_txl.literate.build.edition import Edition
from labml_txl.literate.build.publishing.site import Publication
from labml_txl.literate.i18n.languages import ENGLISH, saved
from labml_txl.literate.mkdocs.policy import with_last_script


class Preview:
    """Builds what a save has changed, and what a reader asks for.

    - `edition`: tells the edition of the last build;
    - `english`: builds English;
    - `serve`: answers a request, in the way of WSGI;
    - `mount`: where the site starts on the server, and `folder`: where it is written;
    - `watched`: the files and folders that a build reads.
    """

    def __init__(
        self,
        edition: Callable[[], Edition],
        site: Publication,
        english: Callable[..., None],
        serve: Callable[..., Any],
        mount: str,
        folder: Path,
        watched: Iterable[Path],
    ) -> None:
        self._edition, self._site = edition, site
        self._build_english, self._serve = english, serve
        self._mount, self._folder, self._watched = mount, folder, tuple(watched)
        self._lock = threading.RLock()
        self._seen = self._saved()
        self._stale = self._codes() - {ENGLISH.code}

    def _codes(self) -> set[str]:
        return {language.code for language in self._edition().languages}

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
            self._stale = self._codes() - {ENGLISH.code}
            self._english(*arguments)

    def answer(self, environ: Any, start_response: Any) -> Any:
        """Answer a request, after the language that it asks for is up to date."""
        path = environ["PATH_INFO"].removeprefix(self._mount)
        code = path.partition("/")[0]
        page = path.endswith(("/", ".html", ".json")) or not path
        if not page or environ["PATH_INFO"].startswith("/livereload/"):
            return self._serve(environ, start_response)
        with self._lock:
            self._freshen(code if code in self._codes() else ENGLISH.code)
        return _with_reload(self._serve, environ, start_response)

    def _freshen(self, code: str) -> None:
        if code in self._stale:
            self._stale.discard(code)
            if code == ENGLISH.code:
                self._english()
            else:
                self._site.freshen(self._edition(), code, self._folder)

    def _english(self, *arguments: Any) -> None:
        self._stale.discard(ENGLISH.code)
        self._build_english(*arguments)

    def _saved(self) -> Mapping[str, object]:
        edition = self._edition()
        locale = edition.root / edition.project.locale
        return saved({*self._watched, locale}, locale)


def _with_reload(serve: Any, environ: Any, start_response: Any) -> list[bytes]:
    """The answer of the server, which puts a script of its own into each page."""
    said: list[Any] = []
    body = b"".join(serve(environ, lambda *given: said.append(given)))
    (status, headers, *rest) = said[-1]
    if dict(headers).get("Content-Type", "").startswith("text/html"):
        body = with_last_script(body.decode("utf-8", "replace")).encode()
        headers = [(k, v) for k, v in headers if k != "Content-Length"]
        headers.append(("Content-Length", str(len(body))))
    start_response(status, headers, *rest)
    return [body]
