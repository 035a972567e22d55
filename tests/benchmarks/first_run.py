"""A first model: what each command of the page "Train a model" prints, and its time.

`python -m tests.benchmarks.first_run` runs the commands one after another, on one
thread, and keeps what they print in `first_run.json`. Words, such as `sweep`, choose
the commands that are run again. From that file everything goes onto the page; with the
word `page`, only that is done. The times are those of the
processor, so that other work of the machine hardly changes them.
"""

import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.benchmarks import report
from tests.benchmarks.report import DOCS

RESULTS = Path(__file__).with_name("first_run.json")
PAGE = DOCS / "train.md"
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
    conditions = [
        ["processor", f"`{machine['processor']}, 1 thread`"],
        ["system", f"`{machine['system']}, Python {machine['python']}`"],
        ["PyTorch", f"`{machine['torch']}`"],
    ]
    return {
        "commands": "\n".join(["| to | type | time |", "| --- | --- | ---: |", *rows]),
        "training": shown(by_name["train"], training_lines(by_name["train"])),
        "evaluation": shown(by_name["sweep"], by_name["sweep"]["result"]),
        "sample": shown(by_name["generate"], by_name["generate"]["result"]),
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


def shown(command: dict[str, Any], lines: Sequence[str]) -> str:
    """A command and what it printed, as code."""
    return "\n".join(["```text", f"$ {command['line']}", *lines, "```"])


def main() -> None:
    """Run what is missing, then write the page."""
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    results = results or {"machine": report.machine(THREADS), "commands": {}}
    if sys.argv[1:] != ["page"]:
        with tempfile.TemporaryDirectory() as folder:
            measure(results, Path(folder), sys.argv[1:])
    report.write(PAGE, parts(results))


if __name__ == "__main__":
    main()
