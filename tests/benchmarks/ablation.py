"""What recurrence and relative positions are worth: every variant, trained.

The works are the names of the variants, such as `xl`, and `sweep`. What `ablation.json`
has already is not trained again; a run takes about five minutes on one core. The file
keeps each figure beside the command that gave it and the settings that this command
stood for.
"""

import json
import shutil
import statistics
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import NamedTuple

from labml_txl.training.runs.checkpoint import load_checkpoint
from tests.benchmarks import report
from tests.benchmarks.report import ROOT, Results

RESULTS = Path(__file__).with_name("ablation.json")
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


def train(variant: Variant, results: Results) -> None:
    """Make the runs of a variant that are missing; each is kept when it is made."""
    results.setdefault("machine", report.machine(THREADS))
    runs = results.setdefault("runs", [])
    for seed in SEEDS:
        command, name = variant.command(seed), f"{variant.name}-{seed}"
        if command in {run["command"] for run in runs}:
            continue
        # What a run left that was broken off.
        shutil.rmtree(RUNS / name, ignore_errors=True)
        (line,) = report.txl(f"{command} --json", RUNS).result
        config = asdict(load_checkpoint(RUNS / name, "last").config)
        run = {"command": command, "nats": json.loads(line)["nats"]}
        runs.append({**run, "config": config})
        report.keep(RESULTS, results)


def sweep(results: Results) -> None:
    """Evaluate one of the models with memories of several lengths."""
    rows = map(json.loads, report.txl(f"{SWEEP} --json", RUNS).result)
    losses = {str(row["mem_len"]): row["nats"] for row in rows}
    results["sweep"] = {"command": SWEEP, "nats": losses}


def losses(results: Results, variant: Variant) -> list[float]:
    """The losses of a variant, in the order of the seeds."""
    found = {run["command"]: run["nats"] for run in results["runs"]}
    return [found[variant.command(seed)] for seed in SEEDS]


def table(results: Results) -> str:
    """A row a variant: the loss of each seed, their mean and their spread."""
    head = ["model", "recurrence", "positions", *(f"seed {seed}" for seed in SEEDS)]
    rows = [[*head, "mean", "spread"], ["---"] * 3 + ["---:"] * (len(SEEDS) + 2)]
    for variant in VARIANTS:
        found = losses(results, variant)
        found += [statistics.mean(found), max(found) - min(found)]
        cells = [f"{nats:.4f}" for nats in found]
        rows.append([variant.model, variant.recurrence, variant.positions, *cells])
    return report.lines_of(rows)


def commands() -> str:
    """The commands of all rows, with their seeds, to be copied."""
    loop = f"for seed in {' '.join(map(str, SEEDS))}; do {{}}; done"
    lines = [loop.format(variant.command("$seed")) for variant in VARIANTS]
    start = f"export OMP_NUM_THREADS={THREADS}"
    return "\n".join(["```sh", start, *lines, "```"])


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
        "ablation commands": commands(),
        "sweep": sweep_table(results),
    }


def write(results: Results) -> None:
    """Write the page."""
    report.write(report.PAGE, parts(results))


if __name__ == "__main__":
    works = {variant.name: partial(train, variant) for variant in VARIANTS}
    report.run(RESULTS, {**works, "sweep": sweep}, write)
