"""A first model: what each command of the page "Train a model" prints, and its time.

`python -m tests.benchmarks.first_run` runs the commands one after another, on one
thread, and keeps what they print in `first_run.json`. Words, such as `sweep`, choose
the commands that are run again. From that file everything goes onto the page, with the
curve as a figure; with the word `page`, only that is done. The times are those of the
processor, so that other work of the machine hardly changes them.
"""

import json
import math
import os
import platform
import resource
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import torch

from tests.benchmarks.bench import processor
from tests.benchmarks.report import DOCS, fill

RESULTS = Path(__file__).with_name("first_run.json")
PAGE = DOCS / "train.md"
FIGURE = DOCS / "figures" / "first_run.svg"
ROOT = Path(__file__).resolve().parents[2]
THREADS = 1
EVERY = 100  # steps between two lines of training that the page shows


class Command(NamedTuple):
    """Something to do, in words, and what is typed for it."""

    name: str
    words: str
    line: str


RUN = "runs/short"
COMMANDS = (
    Command("train", "train a model", f"txl train xl --steps 500 --out {RUN}"),
    Command(
        "evaluate", "evaluate it on the whole validation part", f"txl evaluate {RUN}"
    ),
    Command(
        "sweep",
        "measure what its memory is worth",
        f"txl evaluate {RUN} --sweep-memory 0,16,64",
    ),
    Command(
        "generate",
        "generate text",
        f"txl generate {RUN} --prompt 'ROMEO:' --length 300 --seed 1",
    ),
    Command(
        "compressive",
        "train a Compressive Transformer",
        "txl train compressive --steps 500 --out runs/compressive",
    ),
)

Results = dict[str, Any]


def measure(results: Results, folder: Path, names: Sequence[str] = ()) -> None:
    """Run the commands that are not in the results yet, or the named ones."""
    for command in COMMANDS:
        # All others work on the run that the first one makes.
        known = results["commands"].get(command.name, {}).get("line") == command.line
        if known and command.name not in names:
            continue
        of_a_run = f" {RUN}" in command.line and command.name != "train"
        if of_a_run and not (folder / RUN).is_dir():
            made(COMMANDS[0].line, folder)
        results["commands"][command.name] = made(command.line, folder)
        if command.name == "train":
            curve = (folder / RUN / "curve.jsonl").read_text(encoding="utf-8")
            points = map(json.loads, curve.splitlines())
            results["curve"] = [
                {k: v for k, v in point.items() if k != "seconds"} for point in points
            ]
        text = json.dumps(results, indent=1, ensure_ascii=False) + "\n"
        RESULTS.write_text(text, encoding="utf-8")


def made(line: str, folder: Path) -> dict[str, Any]:
    """Run a command; what it printed, and the processor's seconds."""
    print(line, file=sys.stderr, flush=True)
    threads = {"OMP_NUM_THREADS": str(THREADS), "PYTHONPATH": str(ROOT)}
    before = spent()
    done = subprocess.run(
        [sys.executable, "-m", "labml_txl.cli", *shlex.split(line)[1:]],
        cwd=folder,
        env={**os.environ, **threads},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return {
        "line": line,
        "seconds": round(spent() - before, 1),
        "progress": done.stderr.splitlines(),
        "result": done.stdout.splitlines(),
    }


def spent() -> float:
    """The processor's seconds of all commands so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def parts(results: Results) -> dict[str, str]:
    """All that goes onto the page, by the names of the places."""
    by_name = results["commands"]
    machine = results["machine"]
    rows = [
        f"| {one.words} | `{one.line}` | {minutes(by_name[one.name]['seconds'])} |"
        for one in COMMANDS
    ]
    conditions = {
        "processor": f"{machine['processor']}, 1 thread",
        "system": f"{machine['system']}, Python {machine['python']}",
        "PyTorch": machine["torch"],
    }
    return {
        "commands": "\n".join(["| to | type | time |", "| --- | --- | ---: |", *rows]),
        "training": shown(by_name["train"], training_lines(by_name["train"])),
        "evaluation": shown(by_name["sweep"], by_name["sweep"]["result"]),
        "sample": shown(by_name["generate"], by_name["generate"]["result"]),
        "conditions": "\n".join(
            ["| what | value |", "| --- | --- |"]
            + [f"| {what} | `{value}` |" for what, value in conditions.items()]
        ),
    }


def minutes(seconds: float) -> str:
    """Seconds below a minute and a half, else minutes."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.1f} min"


def training_lines(command: dict[str, Any]) -> list[str]:
    """Some lines of a run: of every hundredth step, all validations, and the end."""
    steps = [line for line in command["progress"] if line.startswith("step ")]
    chosen = [line for line in steps if "validation" in line or is_round(line)]
    return [*chosen, *(x for x in command["result"] if x.startswith("validation"))]


def is_round(line: str) -> bool:
    """Whether a line is about a step that the page shows."""
    return int(line.split()[1].partition("/")[0]) % EVERY == 0


def shown(command: dict[str, Any], lines: Sequence[str]) -> str:
    """A command and what it printed, as code."""
    return "\n".join(["```text", f"$ {command['line']}", *lines, "```"])


def curve(points: Sequence[Results]) -> str:
    """The losses of a run as SVG: training as a line, validation as dots."""
    trained: list[tuple[int, float]] = [
        (p["step"], p["nats"]) for p in points if "nats" in p
    ]
    validated = [
        (p["step"], p["validation_nats"]) for p in points if "validation_nats" in p
    ]
    last = max(step for step, _ in trained)
    losses = [loss for _, loss in trained + validated]
    low, high = math.floor(min(losses) * 2) / 2, math.ceil(max(losses) * 2) / 2

    def x(step: float) -> float:
        return 44 + 560 * step / last

    def y(loss: float) -> float:
        return 40 + 210 * (high - loss) / (high - low)

    def words(role: str, at: tuple[float, float], text: str, form: str) -> str:
        place = f'x="{at[0]:.1f}" y="{at[1]:.1f}"'
        form = f'{place} font-size="12.5" {form}'.strip()
        return f'  <text class="{role}" {form}>{escape(text)}</text>'

    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 306">',
        words(
            "fig-ink", (0, 16), "Loss in nats a character, by step", 'font-weight="600"'
        ),
    ]
    for number in range(round((high - low) * 2) + 1):
        loss = low + number / 2
        lines.append(
            f'  <path class="fig-line" d="M{x(0):.0f} {y(loss):.1f}H{x(last):.0f}" '
            'stroke-width="0.5"/>'
        )
        at = (x(0) - 8, y(loss) + 4)
        lines.append(words("fig-soft", at, f"{loss:.1f}", 'text-anchor="end"'))
    for step in range(0, last + 1, EVERY):
        at = (x(step), 270.0)
        lines.append(words("fig-soft", at, f"{step}", 'text-anchor="middle"'))
    line = "L".join(f"{x(step):.1f} {y(loss):.1f}" for step, loss in trained)
    lines.append(f'  <path class="fig-accent2" d="M{line}" stroke-width="2"/>')
    for step, loss in validated:
        place = f'cx="{x(step):.1f}" cy="{y(loss):.1f}" r="5"'
        lines.append(f'  <circle class="fig-fill" {place}/>')
        lines.append(f'  <circle class="fig-accent" {place} stroke-width="2"/>')
        over = (x(step), y(loss) - 12)
        lines.append(words("fig-accent", over, f"{loss:.2f}", 'text-anchor="middle"'))
    lines += [
        f'  <path class="fig-accent2" d="M{x(0):.0f} 294h22" stroke-width="2"/>',
        words("fig-ink", (x(0) + 30, 298), "training", ""),
        f'  <circle class="fig-accent" cx="{x(0) + 140:.0f}" cy="294" r="5" '
        'stroke-width="2"/>',
        words("fig-ink", (x(0) + 154, 298), "validation", ""),
    ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def write(results: Results) -> None:
    """Write what was printed onto the page, and draw the curve."""
    page = fill(PAGE.read_text(encoding="utf-8"), parts(results))
    PAGE.write_text(page, encoding="utf-8")
    FIGURE.write_text(curve(results["curve"]), encoding="utf-8")


def start() -> Results:
    """Results without a command yet: where they will have been measured."""
    machine = {
        "processor": processor(),
        "system": platform.system(),
        "python": platform.python_version(),
        "torch": torch.__version__,
    }
    return {"machine": machine, "commands": {}}


def main() -> None:
    """Run what is missing, then write the page."""
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else start()
    if sys.argv[1:] != ["page"]:
        with tempfile.TemporaryDirectory() as folder:
            measure(results, Path(folder), sys.argv[1:])
    write(results)


if __name__ == "__main__":
    main()
