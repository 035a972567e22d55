"""The losses of a run in `curve.jsonl`, with one point on each line as JSON.

The plot is beside this file. Each line is written directly after its step, so you can
follow a run.
"""

import contextlib
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from labml_txl.training.config import Config
from labml_txl.training.runs.plots import plot
from labml_txl.training.text.files import name_file, replace_file

# `step`, `seconds`, and what is known of the step: `nats` and `rate`, or
# `validation_nats`.
Point = dict[str, Any]

FILE = "curve.jsonl"


def add_point(folder: Path, point: Point) -> None:
    """Add a point to the curve of the run in a folder."""
    path = folder / FILE
    with name_file(path), path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(point, allow_nan=False) + "\n")


def write_curve(folder: Path, points: Sequence[Point]) -> None:
    """Replace the curve of a run by these points."""
    with replace_file(folder / FILE) as file:
        for point in points:
            file.write((json.dumps(point, allow_nan=False) + "\n").encode())


def read_curve(folder: Path) -> list[Point]:
    """The points of a curve. Lines that are truncated or have no point are ignored."""
    path = folder / FILE
    if not path.is_file():
        return []
    points = []
    for line in path.read_bytes().splitlines():
        with contextlib.suppress(ValueError, RecursionError):
            point = json.loads(line)
            if is_point(point):
                points.append(point)
    return points


def is_point(value: Any) -> bool:
    """Whether a value has a step and otherwise only finite numbers."""
    return (
        isinstance(value, dict)
        and type(value.get("step")) is int
        and all(type(one) in (int, float) and abs(one) < 1e15 for one in value.values())
    )


def format_progress(point: Point, config: Config, seconds: float) -> str:
    """The line that reports a point, after this number of seconds of training."""
    step = point["step"]
    place = f"step {step:>5}/{config.steps}"
    kind = "validation" if "validation_nats" in point else "training"
    nats: float = point["validation_nats" if kind == "validation" else "nats"]
    spent = max(seconds, 1e-9)
    speed = step * config.seq_len * config.bptt * config.batch / spent
    left = round((config.steps - step) * spent / max(1, step))
    return (
        f"{place}  {kind:<10} {nats:.4f} nats {nats / math.log(2):.4f} bits a token"
        f"  {speed:,.0f} tokens/s  {left // 60}:{left % 60:02d} left"
    )


def draw_curve(points: Sequence[Point], folder: Path) -> None:
    """Plot the losses of a curve."""
    names = {"training": "nats", "validation": "validation_nats"}
    lines = {
        name: [(point["step"], point[key]) for point in points if key in point]
        for name, key in names.items()
    }
    plot(folder / "curve", lines, "step", "loss, nats a token")
