r"""# The cache of corpora

Corpora are fetched once and kept in one folder. A file there is whole or it is not
there
at all, and its checksum was right when it was written.

The folder is `TXL_DATA` where that variable is set, and otherwise the place that the
system has for such files.

| system | folder |
|---|---|
| Linux | `$XDG_CACHE_HOME/labml_txl`, by default `~/.cache/labml_txl` |
| macOS | `~/Library/Caches/labml_txl` |
| Windows | `%LOCALAPPDATA%\labml_txl` |
"""

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from labml_txl.errors import UserError

# A block is what is read and written at once. A server that says nothing for so many
# seconds is taken to be out of reach.
BLOCK = 1 << 20
PATIENCE = 20


class TrainingError(UserError):
    r"""What went wrong, in one line for the person at the command line."""


class SettingError(TrainingError):
    r"""What was asked for makes no sense: the exit status is 2, as for other misuse."""

    status = 2


def cache_folder() -> Path:
    r"""Where corpora lie: `TXL_DATA`, or the system's place, be it there or not."""
    chosen = os.environ.get("TXL_DATA")
    if chosen:
        return Path(chosen)
    homes = {
        "win32": os.environ.get("LOCALAPPDATA"),
        "darwin": str(Path.home() / "Library" / "Caches"),
    }
    usual = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(homes.get(sys.platform) or usual) / "labml_txl"


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    r"""A file to write to, which becomes `path` at the end of the block.

    If anything goes wrong within the block, or if the process is killed, `path` stays
    as it was: the old file, or none.
    """
    # In the same folder, so that the last step is a change of name. That step is
    # atomic: whoever opens `path` finds the old file or the new one.
    path.parent.mkdir(parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(number, "wb") as file:
            yield file
            file.flush()
            os.fsync(number)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def checksum(path: Path, algorithm: str = "sha256") -> str:
    r"""The checksum of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def fetch(
    address: str, path: Path, report: Callable[[str], None] = lambda line: None
) -> None:
    r"""Download `address` to `path`, whole or not at all.

    `report` is called with a line for each tenth that has arrived. Raises `OSError`,
    with one line of reason, if the server cannot be reached, refuses, or stops early.
    """
    # Most commands fetch nothing, and these take longer to load than all of the rest.
    import urllib.error
    import urllib.request

    request = urllib.request.Request(address, headers={"User-Agent": "labml_txl"})
    try:
        with (
            urllib.request.urlopen(request, timeout=PATIENCE) as reply,
            written_whole(path) as file,
        ):
            length = int(reply.headers.get("Content-Length") or 0)
            arrived = 0
            while block := reply.read(BLOCK):
                before, arrived = arrived, arrived + len(block)
                file.write(block)
                if length and 10 * before // length != 10 * arrived // length:
                    report(f"{path.name}: {100 * arrived // length}% of {length:,} B")

            # A connection that breaks looks like the end of the file.
            if length and arrived != length:
                raise OSError(f"{address} broke off after {arrived} of {length} bytes")
    except urllib.error.HTTPError as error:
        raise OSError(f"{address} answered {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        raise OSError(f"{address} cannot be reached ({error.reason})") from None
    except TimeoutError:
        raise OSError(f"{address} said nothing for {PATIENCE} seconds") from None
