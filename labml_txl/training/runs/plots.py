"""Plots and a progress bar for runs and notebooks.

A run writes each plot as PNG, which every program can show, and as SVG, which is sharp
at any size and whose text can be searched. A notebook shows a figure together with a
description in words.
"""

import re
import sys
import time
from base64 import b64decode, b64encode
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
from itertools import cycle, pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from PIL import Image

from labml_txl.training.text.files import replace_file

# Colours that most people with colour-vision deficiency can distinguish, on light and
# on dark pages. As on the pages, the first three are the memory, the compressed memory
# and the segment, and nothing else has them.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a8a8a")

# Lines, such as those of models, differ by these styles instead: (colour, dashes,
# width). If one line is of a model without memory, it is the second, and that of a
# compressive model the third.
LINES = (
    ("#000000", "solid", 1.6),
    ("#8a8a8a", "dashed", 1.6),
    ("#000000", "dotted", 1.8),
    ("#000000", "dashdot", 1.2),
    ("#8a8a8a", "solid", 1.2),
)

# The most characters of a name that stands at the end of its line, how far apart names
# are, and how high the axes are, in points.
BESIDE, APART, HIGH = 18, 13, 175

_PNG = re.compile(r"(?<=data:image/png;base64,)[^\"]+")

# The width of the bar in characters, and the seconds between two updates.
WIDTH = 30
BETWEEN = 0.1

Item = TypeVar("Item")
Points = Sequence[tuple[float, float]]


def plot(
    path: Path, lines: Mapping[str, Points], across: str, up: str, title: str = ""
) -> list[Path]:
    """Draw lines through points into files; the other arguments are those of `draw`.

    Writes `path` with the endings `.png` and `.svg`, and returns both paths.
    """
    written = []
    figure = draw(lines, across, up, title)
    for ending, metadata in (("png", {}), ("svg", {"Date": None})):
        goal = path.with_suffix(f".{ending}")
        with _fix_ids(), replace_file(goal) as file:
            figure.savefig(file, format=ending, dpi=150, metadata=metadata)
        written.append(goal)
    return written


def draw(
    lines: Mapping[str, Points],
    across: str,
    up: str,
    title: str = "",
    scale: str = "linear",
) -> Figure:
    """Lines through points; `across` and `up` name the axes.

    The names of the lines stand at their ends, or if one is long, in a legend. `scale`
    is that of the vertical axis, as in matplotlib.
    """
    # So narrow that a phone shows it whole, with letters that can be read.
    figure = Figure(figsize=(4.4, 3.1), layout="constrained")
    axes = figure.add_subplot()
    for (name, points), style in zip(lines.items(), cycle(LINES), strict=False):
        axes.plot(
            [x for x, _ in points],
            [y for _, y in points],
            label=name,
            color=style[0],
            linestyle=style[1],
            linewidth=style[2],
            marker="o" if len(points) < 30 else None,
            markersize=4,
        )
    axes.set(xlabel=across, ylabel=up, title=title, yscale=scale)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    longest = max(map(len, lines), default=0)
    if longest <= BESIDE and all(lines.values()):
        _name_ends(axes, {name: max(points) for name, points in lines.items()})
        return figure
    # Above the axes, as many names side by side as fit.
    columns = max(1, 56 // (longest + 8))
    legend = {"ncols": columns, "handlelength": 2.6}
    figure.legend(frameon=False, loc="outside upper left", **legend)
    return figure


def _name_ends(axes: Any, ends: Mapping[str, tuple[float, float]]) -> None:
    """Write names at the ends of lines, apart from each other."""
    axes.get_ylim()  # matplotlib sets the limits when they are asked for
    found = axes.transAxes.inverted().transform(
        axes.transData.transform([*ends.values()])
    )
    heights = dict(zip(ends, (HIGH * y for _, y in found.tolist()), strict=True))
    order = sorted(ends, key=heights.__getitem__)
    # Each name is as far above those below it as needed, or as far below those above
    # it; between both, a group of names is centred at its ends.
    above, below = dict(heights), dict(heights)
    for name, after in pairwise(order):
        above[after] = max(above[after], above[name] + APART)
    for after, name in pairwise(reversed(order)):
        below[name] = min(below[name], below[after] - APART)
    free = APART / 2  # from here on, above the numbers of the horizontal axis
    for name in order:
        middle = max(free, (above[name] + below[name]) / 2)
        free = middle + APART
        place = {"xytext": (7, middle - heights[name]), "textcoords": "offset points"}
        axes.annotate(name, ends[name], va="center", **place)


@contextmanager
def _fix_ids() -> Iterator[None]:
    # Text is stored as text, and equal plots give equal files.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "labml_txl"}):
        yield


@dataclass(frozen=True)
class Described:
    """A figure with a description in words.

    Jupyter shows it if it is the last value of a cell. The description is for readers
    who cannot see the figure, and for programs that show text only.
    """

    figure: Figure
    words: str

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
        # Jupyter requests all formats of the figure with their metadata. JupyterLab
        # does not show SVG in a notebook that is not trusted, so there is a PNG too. It
        # has few colours, so that the stored notebook remains small.
        drawing, picture, small = StringIO(), BytesIO(), BytesIO()
        unsaid = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        with _fix_ids():
            self.figure.savefig(
                drawing, format="svg", metadata={**unsaid, "Title": self.words}
            )
        self.figure.savefig(picture, format="png")
        few = Image.open(picture).convert("RGB").quantize(64)
        few.save(small, "png", optimize=True)
        pictures = {
            "image/svg+xml": _PNG.sub(_shrink, drawing.getvalue()),
            "image/png": b64encode(small.getvalue()).decode(),
        }
        alt = {form: {"alt": self.words} for form in pictures}
        return {**pictures, "text/plain": self.words}, alt


def _shrink(stored: re.Match[str]) -> str:
    """A PNG with 16 steps of opacity, which look like 256, and a palette if it can."""
    pixels = np.array(Image.open(BytesIO(b64decode(stored[0]))).convert("RGBA"))
    steps = (pixels[..., 3].astype(int) * 15 + 127) // 255
    pixels[..., 3] = steps * 255 // 15
    colours, numbers = np.unique(pixels.reshape(-1, 4), axis=0, return_inverse=True)
    if len(colours) > 256:
        return stored[0]
    small = Image.fromarray(numbers.reshape(pixels.shape[:2]).astype("uint8"))
    small.putpalette(colours[:, :3].tobytes())
    small.info["transparency"] = colours[:, 3].tobytes()
    small.save(file := BytesIO(), "png", optimize=True)
    return min("".join(stored[0].split()), b64encode(file.getvalue()).decode(), key=len)


def described(figure: Figure, words: str) -> Described:
    """A figure for a notebook, with its description.

    Raises `ValueError` if the description is empty.
    """
    if not words.strip():
        raise ValueError("the description of the figure is empty: say what it shows")
    return Described(figure, " ".join(words.split()))


def progress(
    items: Iterable[Item], words: str | Callable[[], str], total: int = 0
) -> Generator[Item, None, None]:
    """Yield the items, while a bar shows how many have been processed.

    After the bar is an estimate of the seconds that remain. `words` are the text before
    it, or a function that returns this text if it changes, such as a loss. `total` is
    the number of items, which is needed only if they have no length. If a loop ends
    early, the bar remains as it was, on a line of its own.
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
        # Spaces overwrite the rest of a longer line.
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
