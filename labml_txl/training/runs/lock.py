r"""One process a folder.

Two runs that write to one folder would mix their results, and each would remove the
other's checkpoints. So a run holds the folder while it writes.

The file `run.lock` says who does: the process, its machine, and since when. The
system's own lock on that file ends with the process, however it ends: what a dead
process leaves behind is no obstacle. A folder on another machine's disk may not pass
that lock on, so a name from another machine is believed until the file is removed.
"""

import contextlib
import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from labml_txl.training.text.files import TrainingError, locked

FILE = "run.lock"


@contextmanager
def held(folder: Path) -> Iterator[None]:
    r"""The folder of a run, which no other process may write to within this block.

    Raises `TrainingError` if another one holds it.
    """
    make_folder(folder)
    path = folder / FILE
    with _opened(path) as file:
        # Where there are no locks, the name in the file has to do.
        free = locked(file.fileno()) is not False
        file.seek(0)
        holder = _read(file.read())
        away = holder.get("machine") not in (None, socket.gethostname())
        if not free or (holder and (away or sys.platform == "win32")):
            raise TrainingError(_refusal(folder, holder, free))
        file.truncate(0)
        file.write(json.dumps(_self()))
        file.flush()
        try:
            yield
        finally:
            # The file stays: a process may have opened it already.
            file.truncate(0)


def _opened(path: Path) -> IO[str]:
    # What a link leads to would be emptied.
    if path.is_symlink():
        raise TrainingError(f"{path} is a symbolic link: remove it")
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    number = os.open(path, flags, 0o666)
    return open(number, "a+", encoding="utf-8", errors="replace")


def make_folder(folder: Path) -> None:
    r"""Make the folder of a run, if it is not there. Git leaves it out."""
    if not folder.exists():
        folder.mkdir(parents=True)
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")


def _self() -> dict[str, Any]:
    now = time.strftime("%Y-%m-%d %H:%M:%S")
    return {"process": os.getpid(), "machine": socket.gethostname(), "since": now}


def _read(text: str) -> dict[str, Any]:
    with contextlib.suppress(ValueError, RecursionError):
        holder = json.loads(text)
        if isinstance(holder, dict):
            return holder
    return {}


def _refusal(folder: Path, holder: dict[str, Any], free: bool) -> str:
    who = "another process"
    if holder.keys() >= {"process", "machine", "since"}:
        who = "process {process} on {machine} since {since}".format(**holder)
    line = f"{folder} is held by {who}: --out names another folder"
    return f"{line}; if it has died, remove {folder / FILE}" if free else line
