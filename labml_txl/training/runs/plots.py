r"""What a run and a notebook show: plots, and a bar that grows while they work.

A run writes each plot twice: as PNG, to be looked at anywhere, and as SVG, sharp at any
size and with text that can be searched. A notebook shows a figure together with words
that say what is seen in it.
"""

import sys
import time
from base64 import b64encode
from collections.abc import (
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Sized,
)
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any, TypeVar

from matplotlib import rc_context
from matplotlib.figure import Figure
from PIL import Image

from labml_txl.training.text.files import written_whole

# Colours that can be told apart by most people who see colours otherwise, on a light
# page and on a dark one.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a8a8a")

# The bar: its width in characters, and how many seconds it stays as it is.
WIDTH = 30
BETWEEN = 0.1

Item = TypeVar("Item")
Points = Sequence[tuple[float, float]]


def plot(path: Path, lines: Mapping[str, Points], across: str, up: str) -> list[Path]:
    r"""Draw lines through points into files; the arguments are those of `draw`.

    Writes `path` with the endings `.png` and `.svg`, and returns both paths.
    """
    written = []
    figure = draw(lines, across, up)
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
        # JupyterLab shows no drawing of a notebook that nobody trusts yet: there is a
        # picture too, in few colours, since it is stored.
        drawing, picture, small = StringIO(), BytesIO(), BytesIO()
        unsaid = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        with _same_every_time():
            self.figure.savefig(
                drawing, format="svg", metadata={**unsaid, "Title": self.words}
            )
        self.figure.savefig(picture, format="png")
        few = Image.open(picture).convert("RGB").quantize(64)
        few.save(small, "png", optimize=True)
        pictures = {
            "image/svg+xml": drawing.getvalue(),
            "image/png": b64encode(small.getvalue()).decode(),
        }
        alt = {form: {"alt": self.words} for form in pictures}
        return {**pictures, "text/plain": self.words}, alt


def described(figure: Figure, words: str) -> Described:
    r"""A figure for a notebook, with the words that say what it shows.

    Raises `ValueError` if there are no words.
    """
    if not words.strip():
        raise ValueError("a figure needs words that say what it shows; given: none")
    return Described(figure, " ".join(words.split()))


def progress(
    items: Iterable[Item], words: str | Callable[[], str], total: int = 0
) -> Generator[Item, None, None]:
    r"""The items one after another, while a bar shows how many have passed.

    Behind the bar it shows the seconds that the rest will take. `words` come before it;
    where they change, as a loss does, they are a function that gives them. `total` is
    the number of items; it may be left out where the items know it themselves. A loop
    that stops early leaves the bar where it was, on a line of its own.
    """
    total = total or (len(items) if isinstance(items, Sized) else 0)
    begun = time.monotonic()
    drawn, passed, longest = -BETWEEN, 0, 0

    def line(now: float) -> str:
        before = words() if callable(words) else words
        if not total:
            return f"{before} {passed}"
        full, left = WIDTH * passed // total, ""
        if 0 < passed < total:
            left = f", {(now - begun) * (total - passed) / passed:.0f} s left"
        bar = "█" * full + "·" * (WIDTH - full)
        return f"{before} {bar} {100 * passed // total:3d} %{left}"

    def draw(shown: str) -> int:
        # Blanks hide what is left of a longer line.
        print(f"\r{shown:<{longest}}", end="", file=sys.stderr, flush=True)
        return max(longest, len(shown))

    try:
        for item in items:
            if (now := time.monotonic() - begun) - drawn >= BETWEEN:
                longest, drawn = draw(line(now + begun)), now
            yield item
            passed += 1
    finally:
        draw(line(time.monotonic()))
        print(file=sys.stderr, flush=True)
