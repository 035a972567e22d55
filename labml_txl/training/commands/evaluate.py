r"""# Evaluate

`txl evaluate RUN` measures how well a model predicts a text: with the memory of
training, with another one or with several, beside a window that moves by one, or in a
group of models.

```sh
txl evaluate runs/short
txl evaluate runs/short --sweep-memory 0,16,64
```
"""

import dataclasses
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from labml_txl.errors import UsageError
from labml_txl.options import argument, exclusive, flag, option
from labml_txl.training.commands import device_option, report
from labml_txl.training.text.cache import TrainingError

if TYPE_CHECKING:
    from torch import Tensor

    from labml_txl.models import LanguageModel


@dataclass(frozen=True)
class Options:
    r"""What `txl evaluate` can be told."""

    checkpoint: tuple[Path, ...] = argument(
        "a run's folder, or a JSON file; several for --recl", metavar="RUN"
    )
    text: str | None = option(
        None, "a text", shown="the text that the model learned from"
    )
    part: str = option(
        "validation",
        "the part of the text",
        choices=("train", "validation", "test", "all"),
    )
    tokens: int = option(0, "only the first so many tokens; 0 is all", zero=True)
    seq_len: int | None = option(None, "tokens a segment", shown="as trained")
    mem_len: int | None = option(
        None, "tokens that each layer remembers", zero=True, shown="as trained"
    )
    c_mem_len: int | None = option(
        None, "compressed memories of each layer", zero=True, shown="as trained"
    )
    same_length: bool | None = option(
        None,
        "each token sees as many keys as are remembered, and no more",
        alone=True,
        shown="as trained",
    )
    clamp_len: int | None = option(
        None,
        "tokens beyond which all distances count as this one; 0 is none",
        zero=True,
        shown="as trained",
    )
    batch: int | None = option(None, "readers; 1 is exact", shown="16")
    sweep_memory: tuple[int, ...] | None = option(
        None, "lengths of the memory to compare, tokens", zero=True, metavar="0,64,128"
    )
    sweep_c_memory: tuple[int, ...] | None = option(
        None, "numbers of compressed memories to compare", zero=True, metavar="0,64,128"
    )
    speed: tuple[int, ...] | None = option(
        None,
        "compare with a window that moves by one, at these attention lengths",
        alone=(200, 400, 800),
        metavar="200,400,800",
    )
    recl: tuple[int, ...] | None = option(
        None,
        "relative effective context length of these models as one group; the lengths "
        "to try, by themselves 32, 64 and so on to 512",
        alone=tuple(range(32, 513, 32)),
        metavar="32,64,96",
    )
    positions: int | None = option(None, "positions for --recl", shown="1000")
    plot: Path | None = option(
        None, "where to draw a sweep, no ending", shown="memory, in the run's folder"
    )
    json: bool = option(False, "print JSON Lines")
    device: str = device_option()
    no_verify: bool = option(False, "do not check that the weights are unchanged")


def run(options: Options) -> int:
    r"""Print the loss of a model on a text, for one memory or for several."""
    check_use(options)
    from labml_txl.training.measures.sweeps import sweep, table
    from labml_txl.training.runs.evaluation import with_sight
    from labml_txl.training.runs.storage.checkpoint import restore
    from labml_txl.training.text.corpora import open_corpus, part_of

    if options.recl:
        return compare_context(options, options.recl)
    if len(options.checkpoint) > 1:
        raise UsageError("several runs are compared with --recl only: name one")
    (path,) = options.checkpoint
    model, checkpoint = restore(path, options.device, not options.no_verify)
    words = checkpoint.words
    model = with_sight(model, options.same_length, options.clamp_len)
    name = options.text or checkpoint.config.text
    corpus = open_corpus(name, words.kind, words.symbols, report)
    tokens = part_of(corpus, options.part)[: options.tokens or None]
    seq_len = options.seq_len or checkpoint.config.seq_len

    if options.speed:
        return compare_speeds(model, tokens, seq_len, options)
    batch = options.batch or 16
    rows = sweep(model, tokens, seq_len, batch, memories(options), words)
    for row in rows:
        if not math.isfinite(row.nats):
            raise TrainingError(
                f"the loss of {path} is {row.nats}: its weights are damaged, evaluate "
                "another checkpoint"
            )
    if options.json:
        for row in rows:
            print(json.dumps(row._asdict()))
    else:
        print(table(rows))
    if len(rows) > 1 or options.plot:
        from labml_txl.training.runs.logs.plots import plot

        goal = options.plot or (path if path.is_dir() else path.parent) / "memory"
        axis = "c_mem_len" if options.sweep_c_memory else "mem_len"
        points = [(getattr(row, axis), row.bits) for row in rows]
        label = {"mem_len": "memory, tokens", "c_mem_len": "compressed memories"}[axis]
        for file in plot(goal, {name: points}, label, "bits a token"):
            report(f"drawn: {file}")
    return 0


# What each way to measure does not look at.
UNUSED = {
    "speed": (
        "same_length",
        "clamp_len",
        "mem_len",
        "c_mem_len",
        "batch",
        "positions",
        "plot",
    ),
    "recl": ("same_length", "clamp_len", "batch", "plot"),
    "sweep_memory": ("mem_len", "positions"),
    "sweep_c_memory": ("c_mem_len", "positions"),
    "": ("positions", "plot"),
}


def check_use(options: Options) -> None:
    r"""Raise `UsageError` for options that would have no effect together."""
    ways = {name: getattr(options, name) for name in UNUSED if name}
    exclusive(ways)
    (way,) = [name for name, value in ways.items() if value] or [""]
    for name in UNUSED[way]:
        if getattr(options, name) is not None:
            users = [flag(other) for other in ways if name not in UNUSED[other]]
            why = f"with {flag(way)}" if way else f"without {' or '.join(users)}"
            raise UsageError(f"{flag(name)} has no effect {why}: leave it out")


def memories(options: Options) -> list[tuple[int | None, int | None]]:
    r"""The lengths of memory and compressed memory to measure; `None` is as trained."""
    if options.sweep_memory:
        return [(length, options.c_mem_len) for length in options.sweep_memory]
    if options.sweep_c_memory:
        return [(options.mem_len, length) for length in options.sweep_c_memory]
    return [(options.mem_len, options.c_mem_len)]


def compare_speeds(
    model: "LanguageModel", tokens: "Tensor", seq_len: int, options: Options
) -> int:
    r"""Print how much faster memory makes evaluation, for each attention length."""
    from labml_txl.training.measures.speed import compare_speed

    if not options.json:
        print("attention  window ms/token  memory ms/token    times")
    for attention in options.speed or ():
        speed = compare_speed(model, tokens, seq_len, attention)
        if options.json:
            print(json.dumps(dataclasses.asdict(speed) | {"times": speed.times}))
            continue
        print(
            f"{attention:>9} {1e3 * speed.by_window:>16.3f} "
            f"{1e3 * speed.by_memory:>16.4f} {speed.times:>8,.0f}"
        )
    return 0


def compare_context(options: Options, lengths: tuple[int, ...]) -> int:
    r"""Print the relative effective context lengths of a group: a row a model."""
    from labml_txl.training.measures.context import (
        RATIOS,
        effective_lengths,
        losses,
    )
    from labml_txl.training.runs.evaluation import with_memory
    from labml_txl.training.runs.storage.checkpoint import restore
    from labml_txl.training.text.corpora import open_corpus, part_of

    group = [
        restore(path, options.device, not options.no_verify)
        for path in options.checkpoint
    ]
    config, words = group[0][1].config, group[0][1].words
    for path, (_, other) in zip(options.checkpoint, group, strict=True):
        if (other.words.kind, other.words.symbols) != (words.kind, words.symbols):
            raise TrainingError(
                f"{path} has another vocabulary than {options.checkpoint[0]}: their "
                "losses cannot be compared"
            )
    corpus = open_corpus(options.text or config.text, words.kind, words.symbols, report)
    tokens = part_of(corpus, options.part)[: options.tokens or None]
    models = [
        with_memory(model, options.mem_len, options.c_mem_len) for model, _ in group
    ]
    seq_len = options.seq_len or config.seq_len
    found = losses(models, tokens, lengths, seq_len, options.positions or 1000)

    columns = [effective_lengths(found, lengths, ratio) for ratio in RATIOS]
    if options.json:
        for path, *reaches in zip(options.checkpoint, *columns, strict=True):
            for ratio, reach in zip(RATIOS, reaches, strict=True):
                row = {"checkpoint": str(path), "ratio": ratio}
                print(json.dumps(row | dataclasses.asdict(reach)))
        return 0
    print("".join(f"{f'r={ratio}':>8}" for ratio in RATIOS) + "  checkpoint")
    for path, *reaches in zip(options.checkpoint, *columns, strict=True):
        cells = (f"{'' if r.ended else '>='}{r.length}" for r in reaches)
        print("".join(f"{cell:>8}" for cell in cells) + f"  {path}")
    return 0
