"""# Files

These functions write files atomically: a file is either complete or does not exist.

Corpora are downloaded once and stored in the user's cache folder, see
`labml_txl.cache_folder`. Its files can be read by their owner only, and each file is
compared with its checksum whenever it is opened.
"""

import errno
import gzip
import hashlib
import os
import secrets
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeVar

from labml_txl.errors import UserError

# The number of bytes that are read and written at once, and the number of seconds after
# which a server that sends nothing counts as unreachable.
BLOCK = 1 << 20
PATIENCE = 20

# A function that is called with each line of progress.
Report = Callable[[str], None]

# The number of seconds without a line of progress.
QUIET = 2.0

# The errors of a disk on which nothing more can be written.
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}

Part = TypeVar("Part")


def report_nothing(line: str) -> None:
    """Report nothing."""


# The formats of weights, as messages call them. A file of another kind than its name
# says is recognized by some bytes, after the given number of others.
SAFETENSORS, PYTORCH = "a file of safetensors", "a file of PyTorch"
MARKS = (
    (0, b"version https://git-lfs", "a pointer, which git lfs pull replaces"),
    (0, b"PK\x03\x04", PYTORCH),
    (0, b"\x80", PYTORCH),
    (8, b"{", SAFETENSORS),
)


# The suffix of a file that is not complete yet.
UNFINISHED = ".part"

# The permissions of cached files: only their owner can read and write them.
PRIVATE = 0o600


class TrainingError(UserError):
    """An error that the command line reports in one line, without a traceback."""


class SettingError(TrainingError):
    """Invalid settings. The exit status is 2, as for other wrong use of a command."""

    status = 2


def make_unreadable(path: Path, wanted: str, reason: str) -> TrainingError:
    """The error for a file of weights that cannot be read.

    It says what the file is instead of a file of the format `wanted`, or otherwise the
    `reason`.
    """
    with path.open("rb") as file:
        head = file.read(64)
    kinds = (kind for at, mark, kind in MARKS if head[at:].startswith(mark))
    kind = next(kinds, wanted)
    if kind != wanted:
        return TrainingError(f"{path} is {kind}: expected {wanted}")
    return TrainingError(f"{path} is {reason}")


@contextmanager
def replace_file(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Open a file for writing, which replaces `path` at the end of the block.

    If the block raises an error, or if the process is killed, `path` does not change:
    the old file remains, or there is still none. A process that is killed leaves an
    incomplete file beside it. `mode` are the permissions of the file.
    """
    # The incomplete file is in the same folder, so that the last step only renames it.
    # Renaming is atomic: `path` is always either the old file or the new one.
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}{UNFINISHED}")
    try:
        with (
            name_file(path),
            open(part, "xb", opener=lambda name, how: os.open(name, how, mode)) as file,
        ):
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def name_file(path: Path) -> Iterator[None]:
    """Within this block, an error because of a full disk names `path`."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL and error.filename is None:
            error.filename = str(path)
        raise


def report_progress(
    parts: Iterable[Part],
    total: int,
    what: str,
    report: Report,
    size: Callable[[Part], int] = lambda part: 1,
) -> Iterator[Part]:
    """Yield `parts`, and report the share that is done.

    There is a line every two seconds at first, and fewer if the work takes long.
    `total` is the sum of `size` of all parts, and `what` is the beginning of a line.
    """
    done, start = 0, time.monotonic()
    last = start
    for part in parts:
        yield part
        done += size(part)
        now = time.monotonic()
        if now - last >= max(QUIET, (now - start) / 10):
            report(f"{what}: {100 * done / max(total, 1):.1f}%")
            last = now


def read_blocks(path: Path, what: str, report: Report) -> Iterator[bytes]:
    """Yield the contents of a file in blocks, and report the progress.

    A file whose name ends in `.gz` is decompressed.
    """
    packed = path.suffix == ".gz"
    total = path.stat().st_size * (3 if packed else 1)  # of text, about three times
    try:
        with gzip.open(path) if packed else path.open("rb") as file:
            blocks = iter(lambda: file.read(BLOCK), b"")
            yield from report_progress(blocks, total, what, report, len)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise TrainingError(f"{path} is not complete gzip data: {error}") from None


@contextmanager
def write_cached(path: Path, report: Report = report_nothing) -> Iterator[BinaryIO]:
    """Like `replace_file`, for a cached file: only for its owner, with a checksum."""
    with replace_file(path, PRIVATE) as file:
        yield file
    write_checksum(path, report)


def write_checksum(path: Path, report: Report = report_nothing) -> None:
    """Write the checksum of a cached file into a file beside it."""
    with replace_file(checksum_of(path), PRIVATE) as file:
        file.write(compute_checksum(path, report=report).encode())


def is_cached(path: Path, report: Report = report_nothing) -> bool:
    """Whether a file that `write_cached` wrote exists and has not changed."""
    known = checksum_of(path)
    if not path.is_file() or not known.is_file():
        return False
    return known.read_bytes() == compute_checksum(path, report=report).encode()


def checksum_of(path: Path) -> Path:
    """The path of the checksum of a cached file."""
    return path.with_name(f"{path.name}.sha256")


def compute_checksum(
    path: Path, algorithm: str = "sha256", report: Report = report_nothing
) -> str:
    """The checksum of a file, in hexadecimal digits."""
    digest = hashlib.new(algorithm)
    for block in read_blocks(path, f"{path.name}, checksum", report):
        digest.update(block)
    return digest.hexdigest()


def fetch(address: str, path: Path, report: Report = report_nothing) -> None:
    """Download `address` to `path`. A failed download leaves no file.

    `report` is called with a line after each tenth of the file. Raises `OSError`, with
    the reason in one line, if the server cannot be reached, refuses the request, or
    ends the transfer early.
    """
    # These modules take longer to import than all others together, and most commands
    # download nothing.
    import urllib.error
    import urllib.request

    request = urllib.request.Request(address, headers={"User-Agent": "labml_txl"})
    try:
        with (
            urllib.request.urlopen(request, timeout=PATIENCE) as reply,
            replace_file(path) as file,
        ):
            length = int(reply.headers.get("Content-Length") or 0)
            arrived = 0
            while block := reply.read(BLOCK):
                before, arrived = arrived, arrived + len(block)
                file.write(block)
                if length and 10 * before // length != 10 * arrived // length:
                    report(f"{path.name}: {100 * arrived // length}% of {length:,} B")

            # A broken connection looks like the end of the file, so we compare the
            # length.
            if length and arrived != length:
                raise OSError(
                    f"the download of {address} ended after {arrived} of {length} bytes"
                )
    except urllib.error.HTTPError as error:
        raise OSError(f"{address} answered {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        raise OSError(f"{address} cannot be reached ({error.reason})") from None
    except TimeoutError:
        raise OSError(f"{address} did not answer for {PATIENCE} seconds") from None
