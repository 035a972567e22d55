"""Only one process may write to the folder of a run.

Two runs that write to the same folder would remove each other's checkpoints. A run
therefore locks the file `run.lock` while it writes. The operating system releases the
lock when the process ends, for whatever reason. Windows and some network file systems
do not support such locks, so there two processes are not prevented from writing.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from labml_txl.training.text.files import UNFINISHED, TrainingError

FILE = "run.lock"


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock the folder of a run, so that no other process writes to it meanwhile.

    Raises `TrainingError` if another one holds it.
    """
    make_folder(folder)
    # The file remains empty and is not removed, because another process may have opened
    # it.
    with open(os.open(folder / FILE, os.O_RDWR | os.O_CREAT, 0o666), "r+b") as file:
        if not try_lock(file.fileno()):
            raise TrainingError(
                f"{folder} is in use by another process: choose another with --out"
            )
        # Remove the incomplete files of a process that was killed.
        for part in folder.glob(f".*{UNFINISHED}"):
            part.unlink()
        yield


def make_folder(folder: Path) -> None:
    """Create the folder of a run if necessary, and let Git ignore it."""
    if not folder.exists():
        folder.mkdir(parents=True)
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")


def try_lock(number: int) -> bool:
    """Lock an open file by its descriptor. False if another process has locked it."""
    with suppress(ImportError, OSError):
        import fcntl

        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
