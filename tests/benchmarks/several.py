"""How long a step takes with one process of two threads, and with two of one thread.

    python -m tests.benchmarks.several

Both train Transformer-XL of size M, with the same batch, in turns. Prints the rows of
a table: the median and the least time.
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
from labml_txl.training.runs.processes import together
from labml_txl.training.trainer import Trainer
from tests.benchmarks.sizes import M

TURNS, STEPS = 3, 5
FORMS = {
    "one process with two threads": (1, 2),
    "two processes with one thread each": (2, 1),
}


def steps() -> None:
    """Train for some steps, and print the time of each but the first."""
    names = ("d_model", "heads", "d_ff", "n_layers", "batch", "seq_len", "mem_len")
    sizes = {name: getattr(M, name) for name in names}
    config = configure(sizes, {"device": "cpu", "vocabulary": "bytes"})
    with together("cpu") as processes, tempfile.TemporaryDirectory() as folder:
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
    """Measure in turns, and print the medians."""
    times: dict[str, list[float]] = {name: [] for name in FORMS}
    for _ in range(TURNS):
        for name, form in FORMS.items():
            times[name] += measure(*form)
    for name, found in times.items():
        milliseconds = 1000 * statistics.median(found)
        print(f"| {name} | {milliseconds:,.0f} ms | {1000 * min(found):,.0f} ms |")


if __name__ == "__main__":
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", 2)))
    steps() if sys.argv[1:] == ["steps"] else main()
