r"""# The curve

The losses of a run, step by step: `curve.jsonl`, a line of JSON a point, and their
picture beside it. A line is written when its step is made, so a run can be watched.
"""

import contextlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from labml_txl.training.runs.logs.plots import plot
from labml_txl.training.text.cache import written_whole

# `step`, `seconds`, and what is known of the step: `nats` and `rate`, or
# `validation_nats`.
Point = dict[str, Any]

FILE = "curve.jsonl"


def add_point(folder: Path, point: Point) -> None:
    r"""Add a point to the curve of the run in a folder."""
    with (folder / FILE).open("a", encoding="utf-8") as file:
        file.write(json.dumps(point, allow_nan=False) + "\n")


def write_curve(folder: Path, points: Sequence[Point]) -> None:
    r"""Begin the curve of a run with these points, whatever was there before."""
    with written_whole(folder / FILE) as file:
        for point in points:
            file.write((json.dumps(point, allow_nan=False) + "\n").encode())


def read_curve(folder: Path) -> list[Point]:
    r"""The points of a curve; a last line that was cut off is left out."""
    path = folder / FILE
    points = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        with contextlib.suppress(json.JSONDecodeError):
            points.append(json.loads(line))
    return points


def draw_curve(points: Sequence[Point], folder: Path) -> None:
    r"""Plot the losses of a curve."""
    names = {"training": "nats", "validation": "validation_nats"}
    lines = {
        name: [(point["step"], point[key]) for point in points if key in point]
        for name, key in names.items()
    }
    plot(folder / "curve", lines, "step", "loss, nats a token")
