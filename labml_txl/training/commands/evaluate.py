"""`txl evaluate RUN` measures how well a model predicts a text.

It uses the memory of training, another length or several lengths, or compares a group
of models.

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
from typing import TYPE_CHECKING, NamedTuple

from labml_txl.errors import UsageError, escape_controls
from labml_txl.options import argument, flag, option
from labml_txl.training.commands import device_option, report
from labml_txl.training.text.files import TrainingError

if TYPE_CHECKING:
    from torch import Tensor

    from labml_txl.training.runs.checkpoint import Checkpoint
    from labml_txl.training.runs.processes import Processes


@dataclass(frozen=True)
class Options:
    """The options of `txl evaluate`."""

    checkpoint: tuple[Path, ...] = argument(
        "folder of a run, or a checkpoint; several with --recl", metavar="RUN"
    )
    text: str | None = option(
        None, "a corpus or a UTF-8 file", shown="the text that the model was trained on"
    )
    part: str = option(
        "validation",
        "part of the text",
        choices=("train", "validation", "test", "all"),
    )
    tokens: int = option(0, "evaluate only the first N tokens; 0 means all", zero=True)
    seq_len: int | None = option(None, "tokens per segment", shown="as trained")
    mem_len: int | None = option(
        None, "tokens in the memory of each layer", zero=True, shown="as trained"
    )
    c_mem_len: int | None = option(
        None,
        "slots in the compressed memory of each layer",
        zero=True,
        shown="as trained",
    )
    same_length: bool | None = option(
        None,
        "each token attends to mem_len keys and no more",
        alone=True,
        shown="as trained",
    )
    clamp_len: int | None = option(
        None,
        "largest distance in tokens that is told apart; 0 means no limit",
        zero=True,
        shown="as trained",
    )
    batch: int | None = option(
        None, "parts of the text processed together; 1 is exact", shown="16"
    )
    sweep_memory: tuple[int, ...] | None = option(
        None, "memory lengths to compare, in tokens", zero=True, metavar="0,64,128"
    )
    recl: tuple[int, ...] | None = option(
        None,
        "measure the relative effective context length of these models as one group, "
        "at these lengths (without a value: 32, 64, … 512)",
        alone=tuple(range(32, 513, 32)),
        metavar="32,64,96",
    )
    positions: int | None = option(
        None, "positions that --recl evaluates", shown="1000"
    )
    json: bool = option(False, "print JSON Lines")
    device: str = device_option()


class Row(NamedTuple):
    """One measurement: the lengths, and the mean loss over `tokens` predictions."""

    seq_len: int  # tokens
    mem_len: int  # tokens
    c_mem_len: int  # compressed memories
    nats: float  # a token
    bits: float  # a token
    perplexity: float
    tokens: int
    tokens_per_second: float


def run(options: Options) -> int:
    """Print the loss of a model on a text, for one length of memory or for several."""
    check_use(options)
    if options.recl:
        return compare_context(options, options.recl)
    from labml_txl.training.runs.processes import join_processes

    with join_processes(options.device) as processes:
        return measure(options, processes)


def measure(options: Options, processes: "Processes") -> int:
    """Measure together with other processes, of which the first prints."""
    from labml_txl.training.evaluation import evaluate, with_memory, with_sight
    from labml_txl.training.runs.checkpoint import restore
    from labml_txl.training.text.files import report_nothing

    tell = report if processes.first else report_nothing
    (path,) = options.checkpoint
    model, checkpoint = restore(path, options.device)
    model = with_sight(model, options.same_length, options.clamp_len)
    with processes.run_one_by_one():
        name, tokens, begins = load_tokens(options, checkpoint)
    seq_len = options.seq_len or checkpoint.config.seq_len
    rows = []
    for mem_len in options.sweep_memory or (options.mem_len,):
        other = with_memory(model, mem_len, options.c_mem_len)
        batch = options.batch or 16
        score = evaluate(
            other,
            tokens,
            seq_len,
            batch,
            cached=True,
            begins=begins,
            report=tell,
            processes=processes,
        )
        check_finite(path, score.nats)
        losses = (score.nats, score.bits, score.perplexity)
        speed = score.tokens / score.seconds
        rows.append(Row(seq_len, *other.lengths, *losses, score.tokens, speed))
    if not processes.first:
        return 0
    as_json = [json.dumps(row._asdict()) for row in rows]
    print("\n".join(as_json if options.json else format_table(rows)))
    if options.sweep_memory:
        from labml_txl.training.runs.plots import plot

        goal = (path if path.is_dir() else path.parent) / "memory"
        points = [(row.mem_len, row.bits) for row in rows]
        for file in plot(goal, {name: points}, "memory, tokens", "bits a token"):
            report(f"wrote {file}")
    return 0


def check_finite(path: Path, nats: float) -> None:
    """Raise `TrainingError` for a loss that is not a number, or infinite."""
    if not math.isfinite(nats):
        raise TrainingError(
            f"the loss of {path} is {nats}: its weights are too large, so use another "
            "checkpoint"
        )


def load_tokens(
    options: Options, checkpoint: "Checkpoint"
) -> tuple[str, "Tensor", "Tensor | None"]:
    """The name of a text, its tokens in the vocabulary of a checkpoint, and documents.

    The last says where documents begin, or is `None` if the model was trained without.
    """
    from labml_txl.training.corpora import choose_text, cut_part, open_corpus

    words = checkpoint.words
    name = choose_text(checkpoint.config.text, options.text)
    ends = checkpoint.config.documents
    corpus = open_corpus(name, words.kind, words.symbols, report, documents=ends)
    tokens = cut_part(corpus, options.part)[: options.tokens or None]
    return name, tokens, corpus.documents.get(options.part)


def format_table(rows: list[Row]) -> list[str]:
    """The measurements as a table, with a line for each."""
    head = (
        "segment  memory  compressed    nats    bits  perplexity     tokens  tokens/s"
    )
    return [head] + [
        f"{row.seq_len:>7} {row.mem_len:>7} {row.c_mem_len:>11} "
        f"{row.nats:>7.4f} {row.bits:>7.4f} {row.perplexity:>11.3f} "
        f"{row.tokens:>10,} {row.tokens_per_second:>9,.0f}"
        for row in rows
    ]


def check_use(options: Options) -> None:
    """Raise `UsageError` for options that would have no effect together."""
    if options.sweep_memory and options.recl:
        raise UsageError("--sweep-memory and --recl cannot be combined: give only one")
    unused = {"without --recl": ["positions"]}
    if options.recl:
        unused = {"with --recl": ["same_length", "clamp_len", "batch"]}
    if options.sweep_memory:
        unused["with --sweep-memory"] = ["mem_len"]
    for why, names in unused.items():
        for name in names:
            if getattr(options, name) is not None:
                raise UsageError(f"{flag(name)} has no effect {why}: leave it out")
    if len(options.checkpoint) > 1 and not options.recl:
        raise UsageError("several runs need --recl: give only one run, or add --recl")


def compare_context(options: Options, lengths: tuple[int, ...]) -> int:
    """Print the relative effective context length of each model of a group."""
    from labml_txl.training.context import RATIOS, effective_lengths, losses
    from labml_txl.training.evaluation import with_memory
    from labml_txl.training.runs.checkpoint import restore

    group = [restore(path, options.device) for path in options.checkpoint]
    checkpoint = group[0][1]
    words = checkpoint.words
    for path, (_, other) in zip(options.checkpoint, group, strict=True):
        if (other.words.kind, other.words.symbols) != (words.kind, words.symbols):
            raise TrainingError(
                f"the losses of {path} and {options.checkpoint[0]} cannot be compared: "
                "their vocabularies differ"
            )
    _, tokens, _ = load_tokens(options, checkpoint)
    models = [
        with_memory(model, options.mem_len, options.c_mem_len) for model, _ in group
    ]
    seq_len = options.seq_len or checkpoint.config.seq_len
    found = losses(models, tokens, lengths, seq_len, options.positions or 1000)
    for path, *nats in zip(options.checkpoint, *found, strict=True):
        check_finite(path, float(sum(one.sum() for one in nats)))

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
        print("".join(f"{cell:>8}" for cell in cells) + escape_controls(f"  {path}"))
    return 0
