r"""One process a folder.

Two runs that write to one folder would remove each other's checkpoints. So a run locks
the file `run.lock` while it writes. The lock ends with the process, however it ends.
Windows and some disks on a network have no such locks, so nothing keeps two processes
apart there.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from labml_txl.training.text.files import UNFINISHED, TrainingError

FILE = "run.lock"


@contextmanager
def held(folder: Path) -> Iterator[None]:
    r"""The folder of a run, which no other process may write to within this block.

    Raises `TrainingError` if another one holds it.
    """
    make_folder(folder)
    # Nothing is written into the file, which stays: a process may have opened it.
    with open(os.open(folder / FILE, os.O_RDWR | os.O_CREAT, 0o666), "r+b") as file:
        if not locked(file.fileno()):
            raise TrainingError(
                f"{folder} is held by another process: --out names another folder"
            )
        # What a process that was killed could not finish.
        for part in folder.glob(f".*{UNFINISHED}"):
            part.unlink()
        yield


def make_folder(folder: Path) -> None:
    r"""Make the folder of a run, if it is not there. Git leaves it out."""
    if not folder.exists():
        folder.mkdir(parents=True)
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")


def locked(number: int) -> bool:
    r"""Lock an open file, by its number: false if another process has locked it."""
    with suppress(ImportError, OSError):
        import fcntl

        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
