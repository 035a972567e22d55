r"""What a run and a notebook show: plots, and a bar that grows while they work.

A run writes each plot twice: as PNG, to be looked at anywhere, and as SVG, sharp at any
size and with text that can be searched. A notebook shows a figure together with words
that say what is seen in it.
"""

import sys
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar

from matplotlib import rc_context
from matplotlib.figure import Figure

from labml_txl.training.text.files import written_whole

# Colours that can be told apart by most people who see colours otherwise, on a light
# page and on a dark one.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a8a8a")

# The bar: so many characters.
WIDTH = 30

Item = TypeVar("Item")
Points = Sequence[tuple[float, float]]


def plot(
    path: Path,
    lines: Mapping[str, Points],
    across: str,
    up: str,
    title: str = "",
) -> list[Path]:
    r"""Draw lines through points into files; the arguments are those of `draw`.

    Writes `path` with the endings `.png` and `.svg`, and returns both paths.
    """
    written = []
    figure = draw(lines, across, up, title)
    for ending, metadata in (("png", {}), ("svg", {"Date": None})):
        goal = path.with_suffix(f".{ending}")
        with _same_every_time(), written_whole(goal) as file:
            figure.savefig(file, format=ending, dpi=150, metadata=metadata)
        written.append(goal)
    return written


def draw(
    lines: Mapping[str, Points],
    across: str,
    up: str,
    title: str = "",
) -> Figure:
    r"""Lines through points, named in a legend; `across` and `up` name the axes."""
    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.add_subplot()
    for number, (name, points) in enumerate(lines.items()):
        axes.plot(
            [x for x, _ in points],
            [y for _, y in points],
            label=name,
            color=COLOURS[number % len(COLOURS)],
            marker="o" if len(points) < 30 else None,
            markersize=4,
        )
    axes.set(xlabel=across, ylabel=up, title=title)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    axes.legend(frameon=False)
    return figure


@contextmanager
def _same_every_time() -> Iterator[None]:
    # Text stays text, and the same plot gives the same file.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "labml_txl"}):
        yield


@dataclass(frozen=True)
class Described:
    r"""A figure, and in words what it shows.

    Jupyter draws it where it is the last value of a cell. The words are for those who
    do not see the figure, and for programs that show text only.
    """

    figure: Figure
    words: str

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
        # The forms of the figure and what is known of each, as Jupyter asks for them.
        drawing = StringIO()
        unsaid = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        with _same_every_time():
            self.figure.savefig(
                drawing, format="svg", metadata={**unsaid, "Title": self.words}
            )
        forms = {"image/svg+xml": drawing.getvalue(), "text/plain": self.words}
        return forms, {"image/svg+xml": {"alt": self.words}}


def described(figure: Figure, words: str) -> Described:
    r"""A figure for a notebook, with the words that say what it shows.

    Raises `ValueError` if there are no words.
    """
    if not words.strip():
        raise ValueError("a figure needs words that say what it shows; given: none")
    return Described(figure, " ".join(words.split()))


def progress(
    items: Iterable[Item], words: str, total: int = 0
) -> Generator[Item, None, None]:
    r"""The items one after another, while a bar shows how many have passed.

    The bar goes to standard error, over itself, so that results are the same in every
    run.
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
