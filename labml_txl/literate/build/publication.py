r"""# Putting a site into its place

A build that fails changes nothing: pages are written beside the site, and take its
place when those of all languages are whole. Nothing here knows which program builds.
"""

from __future__ import annotations

import gc
import logging
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from labml_txl.literate.sources.source import LiterateError


class Publication(logging.Handler):
    """A site while it is built: in a folder beside its own.

    `log` is where the host reports. The warnings and errors there spoil a strict build.
    One that several languages have is reported once.
    """

    def __init__(self, log: logging.Logger) -> None:
        super().__init__(logging.WARNING)
        self.goal, self._log = Path(), log
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Take a warning or an error down."""
        self.messages.append(record.getMessage())

    @property
    def partial(self) -> Path:
        """Where the site is written until it is whole."""
        return self.goal.with_name(f"{self.goal.name}.partial")

    def begin(self, goal: Path) -> None:
        """Build a site that is to stand at `goal`."""
        # A build makes millions of objects, and hardly any of them hold each other. To
        # look for those as often as Python does takes a tenth of its time.
        gc.set_threshold(20_000)
        self.goal = goal
        self.messages.clear()
        self._log.addHandler(self)

    def end(self) -> None:
        """Do not count warnings any more."""
        self._log.removeHandler(self)

    def report(self, faults: Iterable[LiterateError]) -> None:
        """Report faults in the order of files and lines, each once."""
        for *_, words in sorted({(one.path, one.line, str(one)) for one in faults}):
            if words not in self.messages:
                self._log.warning("%s", words)

    @contextmanager
    def in_language(self) -> Iterator[None]:
        """While another language is built: no message that was there before."""
        known = frozenset(self.messages)

        def is_new(record: logging.LogRecord) -> bool:
            return record.levelno > logging.INFO and record.getMessage() not in known

        handlers = [*self._log.handlers]
        for handler in handlers:
            handler.addFilter(is_new)
        try:
            yield
        finally:
            for handler in handlers:
                handler.removeFilter(is_new)

    def finish(self, *, keep: Iterable[str] = ()) -> None:
        """Put the new site into its place, with the folders to `keep` of the old."""
        for name in keep:
            if (old := self.goal / name).is_dir():
                old.rename(self.partial / name)
        shutil.rmtree(self.goal, ignore_errors=True)
        self.partial.rename(self.goal)

    def place(self, name: str, build: Callable[[Path], None]) -> None:
        """Build a folder of the site that stands, and put it into its place."""
        partial = self.goal / f"{name}.partial"
        try:
            build(partial)
            shutil.rmtree(self.goal / name, ignore_errors=True)
            partial.rename(self.goal / name)
        finally:
            shutil.rmtree(partial, ignore_errors=True)

    def discard(self) -> None:
        """Leave no half of a site. A build may fail before it has begun to write."""
        if self.goal.name:
            shutil.rmtree(self.partial, ignore_errors=True)
