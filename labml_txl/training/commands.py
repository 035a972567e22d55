r"""# The commands

`txl data`, `txl train`, `txl evaluate`, `txl generate` and `txl recall`: what they
accept, and what they do with it.

What is wrong with the input is told in one line, and the exit status is 1; a wrong use
of the command line gives 2, and a run that a signal has stopped gives 128 and the
number of the signal. Nothing on this page is loaded by `import` but the settings:
PyTorch is asked for when a command runs.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labml_txl.training.cache import TrainingError
from labml_txl.training.config import CHOICES, FIELDS, Config, configure, read_toml
from labml_txl.training.presets import PRESETS, Preset

if TYPE_CHECKING:
    from torch import Tensor

    from labml_txl.models import LanguageModel
    from labml_txl.training.checkpoint import Checkpoint
    from labml_txl.training.corpora import Corpus
    from labml_txl.training.generation import Sampling

Options = argparse.Namespace
Commands = Any

# Settings that may be another when a run is resumed: none changes what was learned.
RESUMABLE = {
    "steps",
    "log_interval",
    "save_interval",
    "eval_tokens",
    "device",
    "compile",
    "fsdp",
}


def add_commands(commands: Commands) -> None:
    r"""Add the commands of this page to the command `txl`."""
    _add_data(commands)
    _add_train(commands)
    _add_evaluate(commands)
    _add_generate(commands)
    _add_recall(commands)


def told(command: Callable[[Options], int]) -> Callable[[Options], int]:
    r"""The command, with its errors in one line instead of a traceback."""

    def run(options: Options) -> int:
        try:
            return command(options)
        except (TrainingError, OSError) as error:
            print(f"txl: {error}", file=sys.stderr)
            return 1
        except ImportError as error:
            missing = f"{error.name} is missing: pip install labml_txl[training]"
            print(f"txl: {missing}", file=sys.stderr)
            return 2

    return run


def report(line: str) -> None:
    r"""Progress goes to the error output, so that results can be redirected."""
    print(line, file=sys.stderr, flush=True)


def _add_data(commands: Commands) -> None:
    parser = commands.add_parser("data", help="fetch a text and say what it is")
    parser.add_argument(
        "text",
        help="tiny-shakespeare, enwik8, text8, wikitext-103, or the path of a file",
    )
    parser.add_argument(
        "--vocabulary", choices=CHOICES["vocabulary"], default="characters"
    )
    parser.set_defaults(run=told(data))


def data(options: Options) -> int:
    r"""Fetch a text, and print its parts."""
    from labml_txl.training.corpora import open_corpus, text_files

    for path in text_files(options.text, report):
        print(path)
    corpus = open_corpus(options.text, options.vocabulary)
    print(f"{len(corpus.vocabulary)} {options.vocabulary}")
    for name in ("train", "validation", "test"):
        print(f"{name:<10} {len(getattr(corpus, name)):>13,} tokens")
    return 0


def _add_train(commands: Commands) -> None:
    parser = commands.add_parser("train", help="train a model")
    parser.add_argument(
        "model",
        choices=("xl", "compressive", "vanilla"),
        help="vanilla is the baseline: no memory, absolute positions",
    )
    parser.add_argument("--preset", choices=sorted(PRESETS), help="a configuration")
    parser.add_argument("--config", type=Path, help="a TOML file with settings")
    parser.add_argument("--out", type=Path, help="the folder (default: runs/MODEL)")
    parser.add_argument(
        "--resume", action="store_true", help="go on where the run in the folder ended"
    )
    parser.add_argument(
        "--sample", type=int, default=500, help="tokens to write at the end (500)"
    )
    parser.add_argument(
        "--tensorboard", action="store_true", help="log the curve for TensorBoard too"
    )
    settings = parser.add_argument_group("settings")
    for name, field in FIELDS.items():
        if name != "model":
            kind: type = type(field.default)
            settings.add_argument(
                f"--{name.replace('_', '-')}",
                type=truth if kind is bool else kind,
                nargs="?" if kind is bool else None,
                const=True if kind is bool else None,
                metavar="yes|no" if kind is bool else str(kind.__name__).upper(),
                help=f"default: {field.default}",
            )
    parser.set_defaults(run=told(train))


def truth(word: str) -> bool:
    r"""`yes` or `no`, in the usual spellings."""
    words = {"yes": True, "true": True, "no": False, "false": False}
    if word.lower() not in words:
        raise argparse.ArgumentTypeError(f"{word!r} is neither yes nor no")
    return words[word.lower()]


def train(options: Options) -> int:
    r"""Train a model, or go on training one."""
    from labml_txl.training.board import Board
    from labml_txl.training.checkpoint import load_checkpoint
    from labml_txl.training.corpora import open_corpus
    from labml_txl.training.machine import find_machine, leave
    from labml_txl.training.trainer import Trainer

    folder = options.out or Path("runs") / options.model
    found = (folder / "last.json").exists()
    if found and not options.resume:
        raise TrainingError(
            f"{folder} holds a run: --resume goes on with it, --out names another"
        )
    saved = load_checkpoint(folder, "last") if options.resume else None
    config = resumed_config(saved, options) if saved else chosen_config(options)

    machine = find_machine(config)
    board = None
    try:
        if machine.leads and options.tensorboard:
            board = Board(folder, saved.step if saved else 0)
        if machine.leads:
            print(config.text_form(), flush=True)
            folder.mkdir(parents=True, exist_ok=True)
        symbols = saved.words.symbols if saved else ""
        corpus = open_corpus(config.text, config.vocabulary, symbols, report)
        trainer = Trainer(config, corpus, folder, machine, report, board)
        if saved:
            trainer.resume(saved)
        outcome = trainer.run()
        if outcome.signal is not None:
            report(f"stopped after step {outcome.step}: --resume goes on from there")
            machine.wait()
            return 128 + outcome.signal
        if machine.leads or config.fsdp:
            # Where each process has a share of the model, all of them measure it.
            score = trainer.score()
        if machine.leads:
            print(
                f"validation, all of it: {score.nats:.4f} nats, {score.bits:.4f} bits "
                f"a token, perplexity {score.perplexity:.2f}; "
                f"trained in {outcome.seconds:.0f} s"
            )
            if options.sample:
                write_sample(folder, options.sample)
        machine.wait()
        return 0
    finally:
        if board is not None:
            board.close()
        leave()


def chosen_config(options: Options) -> Config:
    r"""Defaults, then the preset, then the file, then the flags."""
    preset = Preset(options.model, DEFAULTS.get(options.model, {}))
    if options.preset or options.model == "vanilla":
        preset = PRESETS[options.preset or "vanilla"]
    if preset.model != {"vanilla": "xl"}.get(options.model, options.model):
        raise TrainingError(
            f"the preset {options.preset} is for: txl train {preset.model}"
        )
    return configure(
        preset.settings,
        read_toml(options.config) if options.config else {},
        {name: value for name, value in flags(options) if value is not None},
        {"model": preset.model},
    )


# The Compressive Transformer attends to as many memories as Transformer-XL.
DEFAULTS: dict[str, dict[str, object]] = {
    "compressive": {"mem_len": 48, "c_mem_len": 16}
}


def resumed_config(saved: "Checkpoint", options: Options) -> Config:
    r"""The configuration of the run, with what may change."""
    given = {name: value for name, value in flags(options) if value is not None}
    old = {name: getattr(saved.config, name) for name in FIELDS}
    for name, value in given.items():
        if name not in RESUMABLE and value != old[name]:
            raise TrainingError(f"the run has {name} = {old[name]}: that cannot change")
    return configure(old, given)


def flags(options: Options) -> Iterable[tuple[str, object]]:
    r"""The settings as the flags have them; `None` where there was no flag."""
    return ((name, getattr(options, name)) for name in FIELDS if name != "model")


def write_sample(folder: Path, n_tokens: int) -> None:
    r"""Let the best model write, and keep what it wrote."""
    from labml_txl.training.cache import written_whole
    from labml_txl.training.generation import Sampling

    model, checkpoint = restore(folder, "cpu")
    # The end of a line, or, where there is none, whatever comes first.
    prompt = checkpoint.words.opening
    pieces = written(model, checkpoint, prompt, n_tokens, Sampling(0.8, seed=1))
    with written_whole(folder / "sample.txt") as file:
        file.write("".join(pieces).encode(errors="replace"))
    report(f"a sample is in {folder / 'sample.txt'}")


def restore(path: Path, device: str) -> tuple["LanguageModel", "Checkpoint"]:
    r"""The model of a checkpoint, ready to be asked."""
    from labml_txl.training.build import build
    from labml_txl.training.checkpoint import load_checkpoint
    from labml_txl.training.machine import find_device
    from labml_txl.training.trainer import load_parameters

    checkpoint = load_checkpoint(path)
    model = build(checkpoint.config, len(checkpoint.words))
    load_parameters(model, checkpoint.part("model"))
    return model.to(find_device(device)).eval(), checkpoint


def _add_evaluate(commands: Commands) -> None:
    parser = commands.add_parser("evaluate", help="measure how well a model predicts")
    parser.add_argument(
        "checkpoint",
        type=Path,
        nargs="+",
        help="a run's folder, or a JSON file; several for --recl",
    )
    parser.add_argument("--text", help="another text than the model learned from")
    parser.add_argument(
        "--part", choices=("train", "validation", "test", "all"), default="validation"
    )
    parser.add_argument("--tokens", type=int, default=0, help="only so many of them")
    parser.add_argument("--seq-len", type=positive, help="tokens a segment")
    parser.add_argument("--mem-len", type=natural, help="tokens that are remembered")
    parser.add_argument("--c-mem-len", type=natural, help="compressed memories")
    parser.add_argument(
        "--batch", type=positive, default=16, help="readers; 1 is exact (16)"
    )
    parser.add_argument(
        "--sweep-memory", type=lengths, metavar="0,64,128", help="lengths to compare"
    )
    parser.add_argument("--sweep-c-memory", type=lengths, metavar="0,64,128")
    parser.add_argument(
        "--speed",
        type=lengths,
        nargs="?",
        const=[200, 400, 800],
        metavar="200,400,800",
        help="compare with a window that moves by one, at these attention lengths",
    )
    parser.add_argument(
        "--recl",
        type=lengths,
        nargs="?",
        const=list(range(32, 513, 32)),
        metavar="32,64,96",
        help="relative effective context length of these models as one group; "
        "the lengths to try (32, 64 and so on to 512)",
    )
    parser.add_argument(
        "--positions", type=positive, default=1000, help="positions for --recl (1000)"
    )
    parser.add_argument("--plot", type=Path, help="where to draw a sweep, no ending")
    parser.add_argument("--json", action="store_true", help="print JSON Lines")
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"))
    parser.set_defaults(run=told(evaluate))


def natural(word: str) -> int:
    r"""A whole number, 0 or more."""
    if not word.isdecimal():
        raise argparse.ArgumentTypeError(f"{word!r} is not a number from 0 on")
    return int(word)


def positive(word: str) -> int:
    r"""A whole number, 1 or more."""
    if not natural(word):
        raise argparse.ArgumentTypeError(f"{word!r} is not a number from 1 on")
    return int(word)


def lengths(words: str) -> list[int]:
    r"""Numbers with commas between them."""
    return [natural(word) for word in words.split(",")]


def evaluate(options: Options) -> int:
    r"""Print the loss of a model on a text, for one memory or for several."""
    from labml_txl.training.corpora import open_corpus

    if options.recl:
        return print_recl(options)
    if len(options.checkpoint) > 1:
        raise TrainingError("several checkpoints are compared with --recl only")
    (options.checkpoint,) = options.checkpoint
    model, checkpoint = restore(options.checkpoint, options.device)
    words = checkpoint.words
    name = options.text or checkpoint.config.text
    corpus = open_corpus(name, words.kind, words.symbols, report)
    tokens = part_of(corpus, options.part)[: options.tokens or None]

    if options.speed:
        return print_speed(model, tokens, options, checkpoint.config.seq_len)
    sweep = memories(options)
    rows = [measured(model, checkpoint, tokens, options, *pair) for pair in sweep]
    print_scores(rows, options.json)
    if len(rows) > 1:
        from labml_txl.training.plots import plot

        folder = options.checkpoint
        path = options.plot or (folder if folder.is_dir() else folder.parent) / "memory"
        axis = "c_mem_len" if options.sweep_c_memory else "mem_len"
        points = [(row[axis], row["bits"]) for row in rows]
        label = {"mem_len": "memory, tokens", "c_mem_len": "compressed memories"}[axis]
        for file in plot(path, {name: points}, label, "bits a token"):
            report(f"drawn: {file}")
    return 0


def print_speed(
    model: "LanguageModel", tokens: "Tensor", options: Options, seq_len: int
) -> int:
    r"""A table of how much faster memory makes evaluation."""
    from labml_txl.training.evaluation import compare_speed

    print("attention  window ms/token  memory ms/token    times")
    for attention in options.speed:
        speed = compare_speed(model, tokens, options.seq_len or seq_len, attention)
        print(
            f"{attention:>9} {1e3 * speed.by_window:>16.3f} "
            f"{1e3 * speed.by_memory:>16.4f} {speed.times:>8,.0f}"
        )
    return 0


def print_recl(options: Options) -> int:
    r"""A table of relative effective context lengths: a row a model."""
    from labml_txl.training.context import RATIOS, effective_lengths, losses
    from labml_txl.training.corpora import open_corpus
    from labml_txl.training.evaluation import with_memory

    group = [restore(path, options.device) for path in options.checkpoint]
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
    found = losses(models, tokens, options.recl, seq_len, options.positions)

    columns = [effective_lengths(found, options.recl, ratio) for ratio in RATIOS]
    print("".join(f"{f'r={ratio}':>8}" for ratio in RATIOS) + "  checkpoint")
    for path, *reaches in zip(options.checkpoint, *columns, strict=True):
        cells = (f"{'' if r.ended else '>='}{r.length}" for r in reaches)
        print("".join(f"{cell:>8}" for cell in cells) + f"  {path}")
    return 0


def part_of(corpus: "Corpus", part: str) -> "Tensor":
    r"""A part of a text, or all of it."""
    import torch

    if part == "all":
        return torch.cat((corpus.train, corpus.validation, corpus.test))
    tokens: Tensor = getattr(corpus, part)
    if len(tokens) < 2:
        raise TrainingError(f"{corpus.name} has no part to {part} on")
    return tokens


def memories(options: Options) -> list[tuple[int | None, int | None]]:
    r"""The lengths of memory and compressed memory to measure; `None` is as trained."""
    if options.sweep_memory and options.sweep_c_memory:
        raise TrainingError("sweep one of the two memories at a time")
    if options.sweep_memory:
        return [(length, options.c_mem_len) for length in options.sweep_memory]
    if options.sweep_c_memory:
        return [(options.mem_len, length) for length in options.sweep_c_memory]
    return [(options.mem_len, options.c_mem_len)]


def measured(
    model: "LanguageModel",
    checkpoint: "Checkpoint",
    tokens: "Tensor",
    options: Options,
    mem_len: int | None,
    c_mem_len: int | None,
) -> dict[str, Any]:
    r"""One row of the table."""
    from labml_txl.training.evaluation import evaluate as score_of
    from labml_txl.training.evaluation import with_memory

    other = with_memory(model, mem_len, c_mem_len)
    seq_len = options.seq_len or checkpoint.config.seq_len
    score = score_of(other, tokens, seq_len, options.batch)
    return {
        "seq_len": seq_len,
        "mem_len": other.lengths.mem_len,
        "c_mem_len": other.lengths.c_mem_len,
        "nats": score.nats,
        "bits": score.bits,
        "perplexity": score.perplexity,
        "tokens": score.tokens,
        "tokens_per_second": score.tokens / score.seconds,
    }


def print_scores(rows: Sequence[dict[str, Any]], as_json: bool) -> None:
    r"""A table for people, or JSON Lines for programs."""
    if as_json:
        for row in rows:
            print(json.dumps(row))
        return
    print(
        "segment  memory  compressed    nats    bits  perplexity     tokens  tokens/s"
    )
    for row in rows:
        print(
            f"{row['seq_len']:>7} {row['mem_len']:>7} {row['c_mem_len']:>11} "
            f"{row['nats']:>7.4f} {row['bits']:>7.4f} {row['perplexity']:>11.3f} "
            f"{row['tokens']:>10,} {row['tokens_per_second']:>9,.0f}"
        )


def _add_generate(commands: Commands) -> None:
    parser = commands.add_parser("generate", help="let a model continue a text")
    parser.add_argument("checkpoint", type=Path, help="a run's folder, or a JSON file")
    parser.add_argument(
        "--prompt", default="\n", help="the beginning; - reads it from standard input"
    )
    parser.add_argument("--length", type=natural, default=500, help="tokens (500)")
    parser.add_argument("--temperature", type=float, default=0.8, help="0 to 1 (0.8)")
    parser.add_argument("--top-k", type=int, help="only the likeliest so many")
    parser.add_argument("--top-p", type=float, help="only the likeliest of together")
    parser.add_argument("--seed", type=int, help="the same text each time")
    parser.add_argument("--mem-len", type=natural, help="tokens that are remembered")
    parser.add_argument("--c-mem-len", type=natural, help="compressed memories")
    parser.add_argument("--device", default="cpu", choices=("auto", "cpu", "cuda"))
    parser.set_defaults(run=told(generate))


def generate(options: Options) -> int:
    r"""Print the prompt and its continuation, as it comes."""
    from labml_txl.training.evaluation import with_memory
    from labml_txl.training.generation import Sampling

    sampling = Sampling(options.temperature, options.top_k, options.top_p, options.seed)
    model, checkpoint = restore(options.checkpoint, options.device)
    model = with_memory(model, options.mem_len, options.c_mem_len)
    prompt = sys.stdin.read() if options.prompt == "-" else options.prompt
    for piece in written(model, checkpoint, prompt, options.length, sampling):
        print(piece, end="", flush=True)
    print()
    return 0


def written(
    model: "LanguageModel",
    checkpoint: "Checkpoint",
    prompt: str,
    n_tokens: int,
    sampling: "Sampling",
) -> Iterable[str]:
    r"""The prompt, and the pieces of text that follow it."""
    from labml_txl.training.generation import continue_text

    device = next(model.parameters()).device
    tokens = checkpoint.words.encode(prompt).to(device)
    seq_len = checkpoint.config.seq_len
    yield prompt
    if not prompt[-1:].isspace():
        yield checkpoint.words.gap
    yield from checkpoint.words.stream(
        continue_text(model, tokens, n_tokens, sampling, seq_len)
    )


def _add_recall(commands: Commands) -> None:
    parser = commands.add_parser(
        "recall", help="show how far back both memories reach, on a synthetic task"
    )
    parser.add_argument("--task", choices=("key-value", "copy"), default="key-value")
    parser.add_argument(
        "--distances",
        type=lengths,
        default=list(range(16, 257, 16)),
        metavar="16,32,64",
        help="tokens between a fact and its answer (16, 32 and so on to 256)",
    )
    parser.add_argument("--steps", type=positive, default=2000, help="a model (2000)")
    parser.add_argument("--seed", type=natural, default=1, help="another run (1)")
    parser.add_argument(
        "--out", type=Path, default=Path("runs/recall"), help="the folder (runs/recall)"
    )
    parser.set_defaults(run=told(recall))


def recall(options: Options) -> int:
    r"""Train two small models on a task of remembering, and show what they recall."""
    from labml_txl.training.cache import written_whole
    from labml_txl.training.recall import TASKS, compare, draw, rivals, table

    task = TASKS[options.task]
    distances = sorted(set(options.distances))
    points = compare(task, distances, options.steps, options.seed, report)
    print(table(points))

    # The numbers are kept beside the picture, so that it can be drawn again.
    with written_whole(options.out / "recall.jsonl") as file:
        for point in points:
            file.write((json.dumps(point._asdict()) + "\n").encode())
    configs = rivals(options.steps, options.seed)
    for path in draw(points, task, configs, options.out / "recall"):
        report(f"drawn: {path}")
    return 0
