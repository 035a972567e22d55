"""# Publishing a site atomically

A build writes into a temporary folder next to the published site, and replaces the site
only after all languages have been built. A failed build therefore changes nothing. This
module does not depend on the host.
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
    """A site that is being built.

    It is a handler of the host's logger `log`, and collects warnings and errors in
    `messages`; a strict build fails if there are any. A message that occurs in several
    languages is reported once.
    """

    def __init__(self, log: logging.Logger) -> None:
        super().__init__(logging.WARNING)
        self.goal, self._log = Path(), log
        self.messages: list[str] = []
        self._threshold = gc.get_threshold()

    def emit(self, record: logging.LogRecord) -> None:
        """Record the message of a warning or an error."""
        self.messages.append(record.getMessage())

    @property
    def partial(self) -> Path:
        """The temporary folder that the site is built in."""
        return self.goal.with_name(f"{self.goal.name}.partial")

    def begin(self, goal: Path) -> None:
        """Start to build a site that will replace the folder `goal`."""
        # A build creates millions of objects, few of them in reference cycles. With
        # Python's default threshold, the garbage collector takes a tenth of the build.
        self._threshold = gc.get_threshold()
        gc.set_threshold(20_000)
        self.goal = goal
        self.messages.clear()
        self._log.addHandler(self)

    def end(self) -> None:
        """Stop recording messages."""
        gc.set_threshold(*self._threshold)
        self._log.removeHandler(self)

    def report(self, faults: Iterable[LiterateError]) -> None:
        """Log faults as warnings, sorted by file and line, each only once."""
        for *_, words in sorted({(one.path, one.line, str(one)) for one in faults}):
            if words not in self.messages:
                self._log.warning("%s", words)

    @contextmanager
    def in_language(self) -> Iterator[None]:
        """Within this context, suppress messages that were recorded before."""
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
        """Replace the old site by the new one, but `keep` these folders of the old."""
        for name in keep:
            if (old := self.goal / name).is_dir():
                old.rename(self.partial / name)
        shutil.rmtree(self.goal, ignore_errors=True)
        self.partial.rename(self.goal)

    def place(self, name: str, build: Callable[[Path], None]) -> None:
        """Build a single folder of the published site, and replace it atomically."""
        partial = self.goal / f"{name}.partial"
        try:
            build(partial)
            shutil.rmtree(self.goal / name, ignore_errors=True)
            partial.rename(self.goal / name)
        finally:
            shutil.rmtree(partial, ignore_errors=True)

    def discard(self) -> None:
        """Delete the temporary folder, if there is one, after a failed build."""
        if self.goal.name:
            shutil.rmtree(self.partial, ignore_errors=True)
