r"""# Publishing a site

A build that fails changes nothing: pages are written beside the site, and take its
place only when all of them, in all languages, are whole. Each language but English is
built in a process of its own, and the build of English waits for them.

Nothing here knows which program builds.
"""

from __future__ import annotations

import gc
import logging
import posixpath
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote

from labml_txl.errors import UserError
from labml_txl.extras import how_to_install
from labml_txl.literate.build.edition import Edition
from labml_txl.literate.build.publishing.places import merge, remove
from labml_txl.literate.build.publishing.workers import Answer, Workers
from labml_txl.literate.equations.node import NodeError
from labml_txl.literate.render.resolve import published
from labml_txl.literate.sources.source import LiterateError


class UnfinishedError(UserError):
    """What is wrong with the build of a language."""


@contextmanager
def told_as(kind: Callable[[str], Exception]) -> Iterator[None]:
    """Turn what is wrong with a text into the kind of error that a host knows."""
    try:
        yield
    except (LiterateError, NodeError, UnfinishedError) as error:
        raise kind(str(error)) from None
    except ModuleNotFoundError as error:
        # Only a site with notebooks asks for what shows them.
        missing = f"{error.name} is missing: {how_to_install('site')}"
        raise kind(missing) from None


class Said(logging.Handler):
    """Collects the warnings and errors of a build, with their levels.

    With `--strict` one of them spoils it.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[tuple[int, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a message."""
        self.messages.append((record.levelno, record.getMessage()))


def _begin() -> None:
    # A build makes millions of objects, and hardly any of them hold each other. To look
    # for those as often as Python does takes a tenth of its time.
    gc.set_threshold(20_000)


def report(log: logging.Logger, faults: Iterable[LiterateError]) -> None:
    """Tell all that is wrong, in the order of files and lines, and how much it is."""
    found = sorted({(fault.path, fault.line, str(fault)) for fault in faults})
    for _, _, words in found:
        log.warning("%s", words)
    if found:
        files = len({path for path, _, _ in found})
        log.info("Faults: %d. Files with faults: %d.", len(found), files)


class Publication:
    """A site in all its languages: built beside the old one, and put in its place.

    `worker` is the Python that a process runs to build languages when it is asked to,
    `log` the place where the host tells its faults. While somebody writes, which is to
    be said with `serving`, a language is built when it is looked at.
    """

    def __init__(self, worker: str, log: logging.Logger) -> None:
        self.serving = False
        self._workers = Workers(worker)
        self._log, self._said = log, Said()
        self._building: dict[str, Future[Answer]] = {}
        # The languages whose last build stands in the site.
        self._placed: set[str] = set()
        self._goal = Path()
        self._unreadable: Collection[str] | None = None

    @property
    def partial(self) -> Path:
        """Where the site is written until it is whole."""
        return self._goal.with_name(f"{self._goal.name}.partial")

    @property
    def faults(self) -> int:
        """How many warnings and errors the build has told."""
        return len(self._said.messages)

    def begin(self, goal: Path) -> None:
        """Build beside the site, so that a build that fails leaves it as it was."""
        _begin()
        self._goal = goal
        self._said.messages.clear()
        self._log.addHandler(self._said)

    def start(self, edition: Edition) -> None:
        """Start the builds of the other languages, unless they wait for a reader."""
        edition.kept.begin(alone=len(edition.languages) == 1, lives=self.serving)
        for language in () if self.serving else edition.languages[1:]:
            code = language.code
            self._building[code] = self._ask(edition, code, self.partial / code)

    def stop_at_unreadable(self, edition: Edition) -> None:
        """Raise `UnreadableError` for a module that is not valid Python any more.

        Somebody is at work on it, and has its last good page before them. What was no
        better when the server began is shown as it stands, and stops nobody.
        """
        found = edition.unreadable
        known = found if self._unreadable is None else self._unreadable
        for fault in (found[path] for path in found if path not in known):
            if self.serving:
                raise fault
        self._unreadable = frozenset(found)

    def freshen(self, edition: Edition, code: str, site: Path) -> None:
        """Build a language now, and put it in its place in a site if it is whole."""
        partial, goal = site / f"{code}.partial", site / code
        again = code in self._placed and goal.is_dir()
        answer = self._ask(edition, code, partial, again=again).result()
        self._say(code, answer)
        self._placed.discard(code)
        if answer.error:
            self._log.error("%s", answer.error)
        else:
            if not answer.whole:
                merge(partial, goal)
            else:
                remove(goal)
                partial.rename(goal)
            self._placed.add(code)
        remove(partial)

    def _ask(
        self,
        edition: Edition,
        code: str,
        target: Path,
        *,
        again: bool = False,
    ) -> Future[Answer]:
        """Ask for a build; `again` where the last one stands in the site."""
        project = edition.project
        request = {
            "settings": str(project.root / project.settings),
            "language": code,
            "site_dir": str(target),
            "base": edition.url,
            "use_directory_urls": project.directory_urls,
            "served": edition.url if self.serving else None,
            "again": again,
        }
        return self._workers.ask(code, request)

    def _say(self, code: str, answer: Answer) -> None:
        said = {message for _, message in self._said.messages}
        for level, message in answer.messages:
            if message in said:  # of the English text
                continue
            self._log.log(level, "%s: %s", code, message)

    def finish(self, edition: Edition, strict: bool, *, whole: bool = True) -> Path:
        """Every page is whole: put the new site in the place of the old.

        Raises `UnfinishedError` if a language is not. Where the build is strict, a
        warning leaves the old site. A site that is not `whole` has only the files that
        have changed. The result is the place of the site.
        """
        building, self._building = self._building, {}
        for code, future in building.items():
            answer = future.result()
            self._say(code, answer)
            if answer.error:
                raise UnfinishedError(answer.error)
        self._log.removeHandler(self._said)
        if strict and self._said.messages:
            pass
        elif not whole:
            merge(self.partial, self._goal)
        else:
            for language in edition.languages[1:] if self.serving else ():
                if (old := self._goal / language.code).is_dir():
                    old.rename(self.partial / language.code)
            remove(self._goal)
            self.partial.rename(self._goal)
        self._clear()
        return self._goal

    def fail(self) -> None:
        """Leave no half of a site. A build may fail before it has begun to write."""
        self._building.clear()
        self._log.removeHandler(self._said)
        if self._goal.name:
            self._clear()

    def _clear(self) -> None:
        remove(self.partial)
        if not self.serving:
            self.end()

    def end(self) -> None:
        """End the builds of other languages."""
        self._workers.end()


def written(edition: Edition) -> Mapping[str, str]:
    """The pages of a site, by the files that they are written to."""
    found = {}
    for page in (*edition.pages(), *edition.project.prose):
        way = published("index.md", page, edition.project.directory_urls)
        file = posixpath.join(way, "index.html") if way.endswith("/") else way
        found[posixpath.normpath(unquote(file))] = page
    return found


def answered(
    build: Callable[[], bool],
    log: logging.Logger,
    faults: tuple[type[Exception], ...],
) -> Answer:
    """Build, and tell what was told; `faults` are those that a user can fix.

    `build` says whether every file was written.
    """
    said = Said()
    log.addHandler(said)
    error, whole = "", True
    _begin()
    try:
        whole = build()
    except faults as fault:
        # The host has told the fault and then says that it stops.
        errors = [text for level, text in said.messages if level >= logging.ERROR]
        error = errors[-1] if errors else str(fault)
    except Exception:
        error = traceback.format_exc()
    log.removeHandler(said)
    return Answer(tuple(m for m in said.messages if m[1] != error), error, whole)
