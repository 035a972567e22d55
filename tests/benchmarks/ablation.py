"""What recurrence and relative positions are worth: every variant, trained.

`python -m tests.benchmarks.ablation` trains what `ablation.json` does not have yet. A
run takes about five minutes on one core. Names, such as `xl compressive`, choose the
variants. The file keeps each figure beside the command that gave it and the settings
that this command stood for. From there the figures go onto the page "Benchmarks". With
the word `page`, only that is done.
"""

import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.benchmarks import report

RESULTS = Path(__file__).with_name("ablation.json")
ROOT = Path(__file__).resolve().parents[2]
RUNS = ROOT / "runs" / "ablation"
THREADS = 1
SEEDS = (0, 1, 2)
MEMORIES = "0,16,32,64,128,256"


class Variant(NamedTuple):
    """What is trained: how the page calls it, and the words of its command."""

    model: str
    recurrence: str
    positions: str
    name: str
    words: str

    def command(self, seed: int | str) -> str:
        """The whole command, with its seed."""
        out = f"{self.name}-{seed}"
        return f"txl train {self.words} --seed {seed} --out {out}"


VARIANTS = (
    Variant("Transformer-XL", "yes", "relative", "xl", "xl"),
    Variant("Transformer-XL", "no", "relative", "no-memory", "xl --mem-len 0"),
    Variant("Transformer-XL", "yes", "absolute", "absolute", "xl --encoding absolute"),
    Variant(
        "Transformer-XL",
        "no",
        "absolute",
        "neither",
        "xl --encoding absolute --mem-len 0",
    ),
    Variant("Compressive Transformer", "yes", "relative", "compressive", "compressive"),
    Variant(
        "Compressive Transformer, most used",
        "yes",
        "relative",
        "most-used",
        "compressive --compression most_used",
    ),
    Variant("vanilla Transformer", "no", "absolute", "vanilla", "vanilla"),
)
SWEEP = f"txl evaluate xl-0 --sweep-memory {MEMORIES}"

Results = dict[str, Any]


def runs(names: Sequence[str]) -> Iterator[str]:
    """The commands of all runs, or of the named ones, one seed after another."""
    for seed in SEEDS:
        for variant in VARIANTS:
            if not names or variant.name in names:
                yield variant.command(seed)


def measure(results: Results, folder: Path, names: Sequence[str] = ()) -> None:
    """Make the runs that are missing; the results are kept after each of them."""
    done = {run["command"] for run in results["runs"]}
    for command in runs(names):
        if command not in done:
            # What a run left that was broken off.
            shutil.rmtree(folder / name_of(command), ignore_errors=True)
            (score,) = figures(command, folder)
            settings = json.loads((folder / name_of(command) / "last.json").read_text())
            run = {"command": command, "nats": score["nats"]}
            results["runs"].append({**run, "config": settings["config"]})
            keep(results)
        if "sweep" not in results and (folder / "xl-0").is_dir():
            rows = figures(SWEEP, folder)
            losses = {str(row["mem_len"]): row["nats"] for row in rows}
            results["sweep"] = {"command": SWEEP, "nats": losses}
            keep(results)


def name_of(command: str) -> str:
    """The folder that a command names."""
    return shlex.split(command)[-1]


def figures(command: str, folder: Path) -> list[dict[str, Any]]:
    """What a command prints with `--json`."""
    print(command, file=sys.stderr, flush=True)
    _, *words = shlex.split(command)
    done = subprocess.run(
        [sys.executable, "-m", "labml_txl.cli", *words, "--json"],
        cwd=folder,
        env={
            **os.environ,
            "OMP_NUM_THREADS": str(THREADS),
            "PYTHONPATH": str(ROOT),
        },
        stdout=subprocess.PIPE,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def keep(results: Results) -> None:
    """Write the results, a line a run."""
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def losses(results: Results, variant: Variant) -> dict[int, float]:
    """The loss of each seed of a variant, as far as they are measured."""
    found = {run["command"]: run["nats"] for run in results["runs"]}
    commands = {seed: variant.command(seed) for seed in SEEDS}
    return {seed: found[name] for seed, name in commands.items() if name in found}


def table(results: Results) -> str:
    """A row a variant: the loss of each seed, their mean and their spread."""
    head = ["model", "recurrence", "positions", *(f"seed {seed}" for seed in SEEDS)]
    rows = [[*head, "mean", "spread"], ["---"] * 3 + ["---:"] * (len(SEEDS) + 2)]
    for variant in VARIANTS:
        found = losses(results, variant)
        cells = [f"{found[seed]:.4f}" if seed in found else "–" for seed in SEEDS]
        spread = f"{max(found.values()) - min(found.values()):.4f}"
        cells += [f"{statistics.mean(found.values()):.4f}"]
        cells += [spread if len(found) > 1 else "–"]
        rows.append([variant.model, variant.recurrence, variant.positions, *cells])
    return report.lines_of(rows)


def commands(results: Results) -> str:
    """The commands of all rows, with their seeds, to be copied."""
    lines = ["```sh", f"export OMP_NUM_THREADS={THREADS}"]
    for variant in VARIANTS:
        seeds = [*map(str, losses(results, variant))]
        line = variant.command("$seed" if len(seeds) > 1 else seeds[0])
        loop = f"for seed in {' '.join(seeds)}; do {line}; done"
        lines.append(loop if len(seeds) > 1 else line)
    return "\n".join([*lines, "```"])


def sweep_table(results: Results) -> str:
    """The loss of one checkpoint with memories of several lengths."""
    found = results["sweep"]["nats"]
    rows = [["states in memory", *found], ["---", *["---:"] * len(found)]]
    rows.append(["loss", *(f"{nats:.4f}" for nats in found.values())])
    return report.lines_of(rows)


def parts(results: Results) -> dict[str, str]:
    """All that goes onto the page, by the names of the places."""
    return {
        "ablation": table(results),
        "ablation commands": commands(results),
        "sweep": sweep_table(results),
    }


def main() -> None:
    """Measure what is missing, then write the page."""
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    results = results or {"machine": report.machine(THREADS), "runs": []}
    if sys.argv[1:] != ["page"]:
        RUNS.mkdir(parents=True, exist_ok=True)
        measure(results, RUNS, sys.argv[1:])
    report.write(report.PAGE, parts(results))


if __name__ == "__main__":
    main()
