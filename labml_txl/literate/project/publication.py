"""# Publishing a site atomically

A build writes into a temporary folder next to the published site. Only after all
languages have been built, both folders exchange their names, in one call of the
operating system. A build that fails or is killed therefore changes nothing. While a
build is running, another one into the same folder is refused. This module does not
depend on the host.
"""

from __future__ import annotations

import ctypes
import gc
import logging
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from labml_txl.errors import UserError
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
        self._lock = -1
        # Held while files of the published site are replaced.
        self.files = threading.Lock()

    def emit(self, record: logging.LogRecord) -> None:
        """Record the message of a warning or an error."""
        self.messages.append(record.getMessage())

    @property
    def partial(self) -> Path:
        """The temporary folder that the site is built in."""
        return self.goal.with_name(f"{self.goal.name}.partial")

    def begin(self, goal: Path) -> None:
        """Start to build a site that will replace the folder `goal`.

        Raises `UserError` if another build is already doing so.
        """
        self._unlock()
        # Nothing that another build writes may be deleted.
        self.goal = Path()
        goal = goal.resolve() if goal.is_symlink() else goal
        self._lock = _lock(self._lock_file(goal), goal)
        self.goal = goal
        self.discard()  # what a build that was killed has left
        # A build creates millions of objects, few of them in reference cycles. With
        # Python's default threshold, the garbage collector takes a tenth of the build.
        self._threshold = gc.get_threshold()
        gc.set_threshold(20_000)
        self.messages.clear()
        self._log.addHandler(self)

    def end(self) -> None:
        """Stop recording messages, and let other builds begin."""
        gc.set_threshold(*self._threshold)
        self._log.removeHandler(self)
        self._unlock()

    def _unlock(self) -> None:
        if self._lock >= 0:
            self._lock_file(self.goal).unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = -1

    @staticmethod
    def _lock_file(goal: Path) -> Path:
        return goal.with_name(f"{goal.name}.lock")

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
        with self.files:
            for name in keep:
                if (old := self.goal / name).is_dir():
                    old.rename(self.partial / name)
            replace_folder(self.goal, self.partial)

    def place(self, name: str, build: Callable[[Path], None]) -> None:
        """Build a single folder of the published site, and replace it atomically."""
        partial = self.goal / f"{name}.partial"
        _delete(partial)
        try:
            build(partial)
            with self.files:
                replace_folder(self.goal / name, partial)
        finally:
            shutil.rmtree(partial, ignore_errors=True)

    def discard(self) -> None:
        """Delete the temporary folder, if there is one, after a failed build."""
        if self.goal.name:
            _delete(self.partial)


def replace_folder(old: Path, new: Path) -> None:
    """Replace the folder `old` by `new` in one step, and delete it.

    Linux and macOS can exchange two names. Where this is not possible, there is no
    folder for a moment, but never a part of one.
    """
    if not old.exists():
        new.rename(old)
    elif _exchange(old, new):
        shutil.rmtree(new, ignore_errors=True)
    else:
        aside = new.with_name(f"{new.name}.old")
        shutil.rmtree(aside, ignore_errors=True)
        old.rename(aside)
        new.rename(old)
        shutil.rmtree(aside, ignore_errors=True)


def _delete(path: Path) -> None:
    """Delete a folder, or a file or a link in its place, but nothing behind a link.

    A host empties the folder that it builds in, also if somebody has put a link to
    another folder there.
    """
    if path.is_symlink() or path.is_file():
        path.unlink()
    shutil.rmtree(path, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange the names of two folders; false if the system cannot do this."""
    names = (os.fsencode(one.absolute()), os.fsencode(other.absolute()))
    try:
        library = ctypes.CDLL(None)
        if hasattr(library, "renamex_np"):  # macOS; 2 means to swap
            return not library.renamex_np(*names, 2)
        # Linux; -100 stands for the current folder, and 2 means to exchange.
        return not library.renameat2(-100, names[0], -100, names[1], 2)
    except (AttributeError, OSError, TypeError):  # there is no such function
        return False


def _lock(file: Path, goal: Path) -> int:
    """Create and lock a file, which the system unlocks when this process ends.

    Returns its descriptor, or -1 on a system without locks. Raises `UserError` if
    another process has locked it, and for a folder or a link in its place.
    """
    if sys.platform == "win32":
        return -1
    import fcntl

    if file.is_dir() or file.is_symlink():
        message = f"{file} is a folder or a link, but builds lock a file of this name"
        raise UserError(f"{message}: delete or rename it")
    file.parent.mkdir(parents=True, exist_ok=True)
    while True:
        lock = os.open(file, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if file.exists() and os.path.samestat(os.fstat(lock), file.stat()):
                return lock
        except BlockingIOError:
            message = f"another build is writing {goal}: wait until it has ended"
            raise UserError(message) from None
        # The build that had locked the file has just deleted it.
        os.close(lock)
