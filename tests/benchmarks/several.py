"""How long a step takes with one process of two threads, and with two of one thread.

Both train Transformer-XL of size M, with the same batch, in turns, in which one and the
other come first. Prints a table with the medians, and the ratio of the medians of the
turns.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

from labml_txl.training.config import configure
from labml_txl.training.corpora import open_corpus
from labml_txl.training.runs.machine import find_machine
from labml_txl.training.runs.processes import join_processes
from labml_txl.training.trainer import Trainer
from tests.benchmarks import report
from tests.benchmarks.sizes import M

TURNS, STEPS = 6, 8
FORMS = {
    "one process with two threads": (1, 2),
    "two processes with one thread each": (2, 1),
}


def steps() -> None:
    """Train for some steps, and print the time of each but the first."""
    names = ("d_model", "heads", "d_ff", "n_layers", "batch", "seq_len", "mem_len")
    sizes = {name: getattr(M, name) for name in names}
    config = configure(sizes, {"device": "cpu", "vocabulary": "bytes"})
    with join_processes("cpu") as processes, tempfile.TemporaryDirectory() as folder:
        corpus = open_corpus(config.text, config.vocabulary)
        place = Path(folder), find_machine(config)
        trainer = Trainer(config, corpus, *place, processes=processes)
        times = []
        for _ in range(STEPS):
            start = time.perf_counter()
            trainer.update()
            times.append(time.perf_counter() - start)
        if processes.first:
            print(json.dumps(times[1:]))


def measure(processes: int, threads: int) -> list[float]:
    """The seconds of some steps."""
    run = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    run += [f"--nproc-per-node={processes}", "-m", "tests.benchmarks.several", "steps"]
    environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(run, env=environment, check=True, capture_output=True)
    times: list[float] = json.loads(done.stdout)
    return times


def main() -> None:
    """Measure in turns, and print the table."""
    turns: list[dict[str, list[float]]] = []
    for turn in range(TURNS):
        names = [*FORMS] if turn % 2 else [*FORMS][::-1]
        found = {name: measure(*FORMS[name]) for name in names}
        turns.append(found)
        print(found, file=sys.stderr, flush=True)
    median = statistics.median
    rows = []
    for name in FORMS:
        times = [1000 * seconds for turn in turns for seconds in turn[name]]
        rows.append([name, f"{median(times):,.0f}", f"{min(times):,.0f}"])
    one, two = FORMS
    ratios = sorted(median(turn[two]) / median(turn[one]) for turn in turns)
    rows.append(["ratio, median of the turns", f"{median(ratios):.2f}", ""])
    rows.append(["its range", f"{ratios[0]:.2f} to {ratios[-1]:.2f}", ""])
    print(report.table(["a step at size M", "median, ms", "least, ms"], rows))


if __name__ == "__main__":
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", 2)))
    steps() if sys.argv[1:] == ["steps"] else main()
