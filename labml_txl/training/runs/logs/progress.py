r"""# Progress

A bar that grows while a notebook works. It is written to standard error, over itself,
and ends as a whole line. So the results of a notebook, which go to standard output,
are the same in every run.
"""

import sys
from collections.abc import Generator, Iterable, Sized
from typing import TypeVar

WIDTH = 30  # characters

Item = TypeVar("Item")


def progress(
    items: Iterable[Item], words: str, total: int = 0
) -> Generator[Item, None, None]:
    r"""The items one after another, while a bar shows how many have passed.

    `total` is their number; it may be left out where the items know it themselves. A
    loop that stops early leaves the bar where it was, on a line of its own.
    """
    total = total or (len(items) if isinstance(items, Sized) else 0)
    shown = ""
    try:
        for number, item in enumerate(items):
            shown = _show(_line(words, number, total), shown)
            yield item
            shown = _show(_line(words, number + 1, total), shown)
    finally:
        print(file=sys.stderr, flush=True)


def _line(words: str, number: int, total: int) -> str:
    if not total:
        return f"{words} {number}"
    full = WIDTH * number // total
    return f"{words} {'█' * full}{'·' * (WIDTH - full)} {100 * number // total:3d} %"


def _show(line: str, before: str) -> str:
    # A bar of ten thousand steps need not be drawn ten thousand times.
    if line != before:
        print(f"\r{line}", end="", file=sys.stderr, flush=True)
    return line
