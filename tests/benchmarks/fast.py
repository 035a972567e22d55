"""What each module of `labml_txl.models.fast` gains of a whole step.

The works are the names of the modules. A step of the whole model is taken with the
module and without it, in turns, so that whatever else the machine does falls on both
alike. The time is that of the processor, on one thread. The medians go into the tables
of the modules' docstrings; `tests/models/fast/test_gains.py` compares the two.
"""

import re
import statistics
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
import torch.nn.functional as F
from torch import Tensor

from labml_txl.models import (
    Cache,
    Dropout,
    LanguageModel,
    RelativeAttention,
    RelativeMultiHeadAttention,
    rel_shift,
)
from labml_txl.models.fast import attention, batches
from labml_txl.models.fast.cache import LayerCache
from tests.benchmarks import report
from tests.benchmarks.report import Results
from tests.benchmarks.sizes import L, M, Size
from tests.benchmarks.subjects.labml_txl import Xl

RESULTS = Path(__file__).with_name("fast.json")
MODULES = Path(__file__).resolve().parents[2] / "labml_txl" / "models" / "fast"
REPEATS = 5
WARM_UPS = 1
N_TOKENS = 16

Work = Callable[[], object]


def plain_dropout(dropout: Dropout, x: Tensor) -> Tensor:
    return F.dropout(x, dropout.p, dropout.training)


def plain_product(dropout: Dropout, x: Tensor, y: Tensor) -> Tensor:
    return plain_dropout(dropout, x) @ y


class Uncached:
    """Stands for `Cache`: all keys and values are computed anew."""

    def __init__(self, model: LanguageModel, memory: Any, batch: int) -> None:
        self.model, self.memory = model, memory

    @torch.inference_mode()
    def read(self, tokens: Tensor) -> None:
        _, self.memory = self.model(tokens, self.memory)


# For each module: the works that it takes part in, and how a model does without it.
WITHOUT: dict[str, tuple[tuple[str, ...], Callable[[], AbstractContextManager[Any]]]]
WITHOUT = {
    "attention": (
        ("training", "evaluation"),
        lambda: patch.multiple(
            RelativeMultiHeadAttention,
            forward=RelativeAttention.forward,
            scores=RelativeAttention.scores,
        ),
    ),
    "shift": (
        ("training", "evaluation"),
        lambda: patch.object(attention, "shift_view", rel_shift),
    ),
    "batches": (
        ("training", "evaluation"),
        lambda: patch.object(batches, "BLOCK", 1 << 60),
    ),
    "dropout": (
        ("training",),
        lambda: patch.multiple(Dropout, forward=plain_dropout, product=plain_product),
    ),
    "cache": (
        ("evaluation with memory", "generation"),
        lambda: patch(f"{__name__}.Cache", Uncached),
    ),
    "one_token": (
        ("generation", "generation of a batch"),
        lambda: patch.object(LayerCache, "read_one", LayerCache.read_many),
    ),
}


def training(model: LanguageModel, size: Size) -> Work:
    """A step with a full memory: forward, backward and Adam."""
    optimizer = torch.optim.Adam(model.parameters())
    tokens, memory = torch.zeros(size.seq_len, size.batch).long(), full(model, size)

    def step() -> None:
        optimizer.zero_grad()
        logits, _ = model(tokens, memory)
        F.cross_entropy(logits.flatten(0, 1), tokens.flatten()).backward()
        optimizer.step()

    return step


def evaluation(model: LanguageModel, size: Size) -> Work:
    """A segment with a full memory, without a cache."""
    tokens, memory = torch.zeros(size.seq_len, size.batch).long(), full(model, size)
    return torch.inference_mode()(lambda: model.eval()(tokens, memory))


def with_memory(model: LanguageModel, size: Size) -> Work:
    """A segment that is read with a cache, or with a memory."""
    tokens, memory = torch.zeros(size.seq_len, size.batch).long(), full(model, size)
    cache = Cache(model.eval(), memory, size.batch)
    return lambda: cache.read(tokens)


def generation(model: LanguageModel, size: Size, batch: int = 0) -> Work:
    """Single tokens of one sequence, or of as many as in training."""
    batch = batch or size.batch
    memory = [states[:, :batch] for states in full(model, size)]
    cache, token = Cache(model.eval(), memory, batch), torch.zeros(1, batch).long()
    return lambda: [cache.read(token) for _ in range(N_TOKENS)]


WORKS: dict[str, Callable[[LanguageModel, Size], Work]] = {
    "training": training,
    "evaluation": evaluation,
    "evaluation with memory": with_memory,
    "generation": partial(generation, batch=1),
    "generation of a batch": generation,
}


@torch.no_grad()
def full(model: LanguageModel, size: Size) -> list[Tensor]:
    """A memory that is full."""
    _, memory = model(torch.zeros(size.mem_len, size.batch, dtype=torch.long))
    return memory  # type: ignore[no-any-return]


def measure(name: str, work: str, size: Size, repeats: int) -> tuple[float, float]:
    """The median seconds of a work without a module and with it, which take turns."""
    switch = WITHOUT[name][1]
    model = Xl(size).model
    with_it = WORKS[work](model, size)
    with switch():
        without = WORKS[work](model, size)
    model.train(work == "training")
    seconds: tuple[list[float], list[float]] = ([], [])
    for turn in range(repeats + WARM_UPS):
        for n, step in enumerate((without, with_it)):
            start = time.process_time()
            if n:
                step()
            else:
                with switch():
                    step()
            if turn >= WARM_UPS:
                seconds[n].append(time.process_time() - start)
    return statistics.median(seconds[0]), statistics.median(seconds[1])


def table(rows: list[dict[str, Any]]) -> str:
    """The Markdown table of a module."""
    cells = []
    for row in rows:
        slow, quick = row["without"] * 1e3, row["with"] * 1e3
        what, gain = f"{row['work']}, size {row['size']}", f"{slow / quick:.2f} ×"
        cells.append([what, gain, f"{slow:,.0f} ms", f"{quick:,.0f} ms"])
    return report.table(["measured", "gain", "without", "with"], cells)


def tables(results: dict[str, Any]) -> dict[str, str]:
    """The tables of all modules by their names; `__init__` has the machine."""
    machine = [[name, f"`{value}`"] for name, value in results["machine"].items()]
    head = [["measured on", "value"], ["---", "---"]]
    return {
        "__init__": report.lines_of([*head, *machine]),
        **{name: table(rows) for name, rows in results["modules"].items()},
    }


def module_of(name: str) -> Path:
    """The file of a module: dropout is a part of the layers, the others of `fast`."""
    own = MODULES / f"{name}.py"
    return own if own.exists() else MODULES.parent / own.name


def write(results: dict[str, Any]) -> None:
    """Replace the table in the docstring of each module."""
    for name, new in tables(results).items():
        path = module_of(name)
        text = path.read_text(encoding="utf-8")
        before = re.search(r"^\| .*(?:\n\|.*)*", text, re.MULTILINE)
        if before is None:
            raise SystemExit(f"error: {path.name} has no table to replace")
        path.write_text(text.replace(before[0], new, 1), encoding="utf-8")


def work(name: str, results: Results) -> None:
    """Measure a module."""
    where = report.machine(1)
    results["machine"] = {
        "processor": where["processor"],
        "threads": 1,
        "Python": where["python"],
        "PyTorch": where["torch"],
        "measurements for each median": REPEATS,
    }
    rows = results.setdefault("modules", {})[name] = []
    for work, size in product(WITHOUT[name][0], (M, L)):
        without, with_it = measure(name, work, size, REPEATS)
        row = {"work": work, "size": size.name}
        rows.append(row | {"without": without, "with": with_it})


if __name__ == "__main__":
    torch.set_num_threads(1)
    report.run(RESULTS, {name: partial(work, name) for name in WITHOUT}, write)
