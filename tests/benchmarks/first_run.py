"""A first model: what each command of the page "Train a model" prints, and its time.

The works are the names of the commands, such as `sweep`, which run one after another,
on one thread; most of them need the run that `train` makes. The times are those of the
processor, so that other work of the machine hardly changes them.
"""

import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tests.benchmarks import report
from tests.benchmarks.report import DOCS, ROOT, Results

RESULTS = Path(__file__).with_name("first_run.json")
PAGE = DOCS / "train.md"
RUNS = ROOT / "runs" / "first_run"
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


def measure(command: Command, results: Results) -> None:
    """Run a command; what it printed, and the processor's seconds."""
    results["machine"] = report.machine(1)
    _, made, out = command.line.partition(" --out ")
    if made:
        shutil.rmtree(RUNS / out, ignore_errors=True)
    printed = report.txl(command.line, RUNS)
    found = {"line": command.line, **printed._asdict()}
    results.setdefault("commands", {})[command.name] = found


def parts(results: Results) -> dict[str, str]:
    """All that goes onto the page, by the names of the places."""
    by_name = results["commands"]
    machine = results["machine"]
    rows = [
        f"| {one.words} | `{one.line}` | {minutes(by_name[one.name]['seconds'])} |"
        for one in COMMANDS
    ]
    conditions = [
        ["processor", f"`{machine['processor']}, 1 thread`"],
        ["system", f"`{machine['system']}, Python {machine['python']}`"],
        ["PyTorch", f"`{machine['torch']}`"],
    ]
    return {
        "commands": "\n".join(
            ["| to | command | time |", "| --- | --- | ---: |", *rows]
        ),
        "training": as_code(by_name["train"], training_lines(by_name["train"])),
        "evaluation": as_code(by_name["sweep"], by_name["sweep"]["result"]),
        "sample": as_code(by_name["generate"], by_name["generate"]["result"]),
        "conditions": report.lines_of([["what", "value"], ["---", "---"], *conditions]),
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


def as_code(command: dict[str, Any], lines: Sequence[str]) -> str:
    """A command and what it printed, as code."""
    return "\n".join(["```text", f"$ {command['line']}", *lines, "```"])


def write(results: Results) -> None:
    """Write the page."""
    report.write(PAGE, parts(results))


if __name__ == "__main__":
    works = {command.name: partial(measure, command) for command in COMMANDS}
    report.run(RESULTS, works, write)
