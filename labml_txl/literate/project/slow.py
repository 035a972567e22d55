"""# Files that take long

A build that takes long names the file that it is reading or rendering, so that its user
can leave the file out, or report it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

# After so many seconds at one file, it is named.
SECONDS = 10.0


@contextmanager
def name_if_slow(path: str) -> Iterator[None]:
    """Name a file on standard error if the block takes longer than `SECONDS`."""
    timer = Timer(SECONDS, _name, (path, SECONDS))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _name(path: str, seconds: float) -> None:
    line = f"{path}: this file has taken {seconds:g} seconds so far"
    print(line, file=sys.stderr, flush=True)
