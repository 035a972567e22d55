"""Measure this project's models beside other libraries, in one run.

The works are M, L, C, M-writing, L-writing and curve, and `make bench` does them all.
After M and L their writing has to be measured anew. Every library has a process of its
own. They take turns, one step each, so that whatever else the machine does falls on all
of them alike. The figures are medians.
"""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from tests.benchmarks import charts, report
from tests.benchmarks.environments import (
    LIBRARIES,
    OURS,
    Library,
    LibraryError,
    folder_of,
)
from tests.benchmarks.report import ROOT, Results
from tests.benchmarks.sizes import C, L, M, Size

THREADS = 2
WARM_UPS = 3
REPEATS = 7
ATTENTION_LENGTHS = (200, 400, 800, 1600, 3800)


say = partial(print, file=sys.stderr, flush=True)


class Process:
    """A worker: see `worker.py`."""

    def __init__(self, library: Library, kind: str, size: Size) -> None:
        arguments = [library.module, kind, json.dumps(asdict(size)), str(THREADS)]
        path = os.pathsep.join(map(str, (folder_of(library), ROOT)))
        self.worker = subprocess.Popen(
            [sys.executable, "-m", "tests.benchmarks.worker", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "ignore"},
        )
        self.name = library.name
        self.about = self._read()

    def do(self, work: str) -> dict[str, Any]:
        """One piece of work, and what it took."""
        if self.worker.stdin is not None:
            self.worker.stdin.write(json.dumps({"do": work}) + "\n")
            self.worker.stdin.flush()
        return self._read()

    def _read(self) -> dict[str, Any]:
        line = self.worker.stdout.readline() if self.worker.stdout else ""
        if not line:
            errors = self.worker.stderr.read() if self.worker.stderr else ""
            last = (errors.strip() or "it ended").splitlines()[-1]
            raise LibraryError(f"{self.name} does not run: {last}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def stop(self) -> None:
        """End the worker."""
        self.worker.communicate()


def take_turns(
    processes: dict[str, Process], works: dict[str, str], repeats: int
) -> dict[str, float]:
    """Median seconds for each unit of each process's work, in turns."""
    seconds: dict[str, list[float]] = {name: [] for name in processes}
    for turn in range(WARM_UPS + repeats):
        for name, process in processes.items():
            done = process.do(works[name])
            if turn >= WARM_UPS:
                seconds[name].append(done["seconds"] / done["amount"])
    return {name: statistics.median(values) for name, values in seconds.items()}


def compare(
    size: Size, kind: str, works: Sequence[str], repeats: int
) -> dict[str, Any]:
    """Some works of one size, for every library that has such a model."""
    libraries = [library for library in LIBRARIES if kind in library.kinds]
    processes = {one.name: Process(one, kind, size) for one in libraries}
    rows: dict[str, Any] = {
        name: {"parameters": process.about["parameters"]}
        for name, process in processes.items()
    }
    for work in works:
        say(f"Size {size.name}: {work}, {repeats} times in turns of {len(processes)}")
        turns, asked = dict(processes), dict.fromkeys(processes, work)
        # Ours does something else too in the same turns: several texts at once, or a
        # single product, whose rate is the limit of a step. The product has a process
        # of its own, so that its memory is not counted.
        also = {"generate": "samples", "train": "product"}.get(work)
        if also:
            single = also == "product"
            turns[also] = Process(OURS, kind, size) if single else processes[OURS.name]
            asked[also] = also
        medians = take_turns(turns, asked, repeats)
        if also:
            rows[OURS.name][also] = medians.pop(also)
        for name, seconds in medians.items():
            rows[name][work] = seconds
        if work == "train":
            # A fresh process has done nothing but these steps, so its peak is theirs.
            turns["product"].stop()
            for name, process in processes.items():
                rows[name]["peak_bytes"] = process.do("train")["peak_bytes"]
    for process in processes.values():
        process.stop()
    return {"size": asdict(size), "words": size.words(), "rows": rows}


def curve(repeats: int) -> list[dict[str, Any]]:
    """Evaluation with memory reused against one window for each token."""
    points = []
    for length in ATTENTION_LENGTHS:
        say(f"Attention length {length}: memory against windows, {repeats} times")
        window = replace(L, name="window", batch=1, seq_len=length, mem_len=0)
        segments = sorted({128, 256, 512, min(1024, length), length})
        sizes = {
            f"{seq_len}": replace(window, seq_len=seq_len, mem_len=length)
            for seq_len in segments
        }
        processes = {name: Process(OURS, "xl", size) for name, size in sizes.items()}
        processes["window"] = Process(OURS, "vanilla", window)
        works = dict.fromkeys(processes, "evaluate")
        works["window"] = "window"
        medians = take_turns(processes, works, repeats)
        for process in processes.values():
            process.stop()
        per_window = medians.pop("window")
        best = min(medians, key=medians.__getitem__)
        points.append(
            {
                "length": length,
                "window": per_window,
                "memory": medians[best],
                "segment": int(best),
            }
        )
        say(f"  {per_window / medians[best]:.0f} times, segments of {best}")
    return points


PARTS: dict[str, Callable[[int], Any]] = {
    "M": partial(compare, M, "xl", ("train", "evaluate")),
    "L": partial(compare, L, "xl", ("train",)),
    "C": partial(compare, C, "compressive", ("train",)),
    "M-writing": partial(compare, M, "xl", ("generate",)),
    "L-writing": partial(compare, L, "xl", ("generate",)),
    "curve": curve,
}


def work(name: str, results: Results) -> None:
    """Measure a part."""
    results |= {
        "machine": report.machine(THREADS),
        "versions": {library.name: library.version for library in LIBRARIES},
    }
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    results.setdefault("loads", {})[name] = round(load, 1)
    results.setdefault("repeats", {})[name] = REPEATS
    found = PARTS[name](REPEATS)
    if name.endswith("-writing"):
        # They add to the rows of their size.
        rows = results[name.removesuffix("-writing")]["rows"]
        for library, row in found["rows"].items():
            rows.setdefault(library, {}).update(row)
    else:
        results[name] = found


def write(results: Results) -> None:
    """Write the page and draw its bars."""
    report.write(report.PAGE, report.parts(results))
    charts.write()


if __name__ == "__main__":
    say("Measuring; this takes some minutes, and the machine should do nothing else")
    try:
        report.run(report.RESULTS, {name: partial(work, name) for name in PARTS}, write)
    except (LibraryError, report.PageError) as error:
        sys.exit(f"error: {error}")
