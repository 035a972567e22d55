r"""One process a folder.

Two runs that write to one folder would mix their results, and each would remove the
other's checkpoints. So a run locks a file in the folder while it writes: `run.lock`,
which says who holds it.

The system's lock ends with the process, however it ends: what a dead process leaves
behind is no obstacle. Where a system has no such locks, as Windows and some disks on a
network, nothing keeps two processes apart.
"""

import os
import socket
import time
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
    path = folder / FILE
    # What a link leads to would be emptied.
    if path.is_symlink():
        raise TrainingError(f"{path} is a symbolic link: remove it")
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    with open(os.open(path, flags, 0o666), "r+", errors="replace") as file:
        if not locked(file.fileno()):
            who = file.read(200).strip() or "another process"
            line = f"{folder} is held by {who}: --out names another folder"
            raise TrainingError(line)
        # What a process that was killed could not finish.
        for part in folder.glob(f".*{UNFINISHED}"):
            part.unlink()
        now = time.strftime("%Y-%m-%d %H:%M:%S")
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()} since {now}")
        file.flush()
        try:
            yield
        finally:
            # The file stays: a process may have opened it already.
            file.truncate(0)


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
