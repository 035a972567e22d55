r"""# The curve

The losses of a run, step by step: `curve.jsonl`, a line of JSON a point, and their
picture beside it. A line is written when its step is made, so a run can be watched.
What the model writes with `--sample-interval` stands there too.
"""

import contextlib
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from labml_txl.training.runs.config import Config
from labml_txl.training.runs.logs.plots import plot
from labml_txl.training.text.cache import written_whole

# `step`, `seconds`, and what is known of the step: `nats` and `rate`, or
# `validation_nats` and `bits_per_byte`, or `sample`.
Point = dict[str, Any]


class Log(Protocol):
    r"""Where else the points of a curve go."""

    def add(self, point: Point) -> None:
        r"""Log a point of the curve."""

    def close(self) -> None:
        r"""Write what is left to write."""


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


def told(point: Point, config: Config, seconds: float) -> str:
    r"""What is said about a point, after so many seconds of training."""
    step = point["step"]
    place = f"step {step:>5}/{config.steps}"
    if "sample" in point:
        return f"{place}  a sample:\n{point['sample']}"
    kind = "validation" if "validation_nats" in point else "training"
    nats: float = point["validation_nats" if kind == "validation" else "nats"]
    bytes_too = ""
    if "bits_per_byte" in point:
        bytes_too = f", {point['bits_per_byte']:.4f} a byte"
    spent = max(seconds, 1e-9)
    speed = step * config.seq_len * config.bptt * config.batch / spent
    left = round((config.steps - step) * spent / max(1, step))
    return (
        f"{place}  {kind:<10} {nats:.4f} nats {nats / math.log(2):.4f} bits a token"
        f"{bytes_too}  {speed:,.0f} tokens/s  {left // 60}:{left % 60:02d} left"
    )


def draw_curve(points: Sequence[Point], folder: Path) -> None:
    r"""Plot the losses of a curve."""
    names = {"training": "nats", "validation": "validation_nats"}
    lines = {
        name: [(point["step"], point[key]) for point in points if key in point]
        for name, key in names.items()
    }
    plot(folder / "curve", lines, "step", "loss, nats a token")
