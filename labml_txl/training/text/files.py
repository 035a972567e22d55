r"""# Files

A file that is written here is whole, or it is not there at all.

Corpora are fetched once and lie in the cache, of which `labml_txl.cache_folder` says
where it is. What lies there can be read by its owner only, and is compared with its
checksum each time it is opened.
"""

import hashlib
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from labml_txl.errors import UserError

# A block is what is read and written at once. A server that says nothing for so many
# seconds is taken to be out of reach.
BLOCK = 1 << 20
PATIENCE = 20

# What is called with each line of progress.
Report = Callable[[str], None]

# The end of the name of a file that is not whole yet.
UNFINISHED = ".part"

# Files of the cache are for their owner only.
PRIVATE = 0o600


class TrainingError(UserError):
    r"""What went wrong, in one line for the person at the command line."""


class SettingError(TrainingError):
    r"""What was asked for makes no sense: the exit status is 2, as for other misuse."""

    status = 2


@contextmanager
def written_whole(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    r"""A file to write to, which becomes `path` at the end of the block.

    If anything goes wrong within the block, or if the process is killed, `path` stays
    as it was: the old file, or none. A process that is killed leaves an unfinished file
    beside it. `mode` has the file's permissions.
    """
    # In the same folder, so that the last step is a change of name. That step is
    # atomic: whoever opens `path` finds the old file or the new one.
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}{UNFINISHED}")
    try:
        with open(
            part, "xb", opener=lambda name, how: os.open(name, how, mode)
        ) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def cached(path: Path) -> Iterator[BinaryIO]:
    r"""As `written_whole`, for a file of the cache: private, with its checksum."""
    with written_whole(path, PRIVATE) as file:
        yield file
    write_checksum(path)


def write_checksum(path: Path) -> None:
    r"""Write the checksum of a file of the cache beside it."""
    with written_whole(checksum_of(path), PRIVATE) as file:
        file.write(checksum(path).encode())


def is_cached(path: Path) -> bool:
    r"""Whether a file that `cached` wrote is there, unchanged."""
    known = checksum_of(path)
    if not path.is_file() or not known.is_file():
        return False
    return known.read_bytes() == checksum(path).encode()


def checksum_of(path: Path) -> Path:
    r"""Where the checksum of a file of the cache stands."""
    return path.with_name(f"{path.name}.sha256")


def checksum(path: Path, algorithm: str = "sha256") -> str:
    r"""The checksum of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def silent(line: str) -> None:
    r"""Report nothing."""


def fetch(address: str, path: Path, report: Report = silent) -> None:
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
