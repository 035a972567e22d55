r"""# Train

`txl train MODEL` trains a model, and `--resume` goes on training one. Every setting of
`Config` is an option. The settings come from the defaults of the model, a preset, a
TOML file and the options of the command line, in that order.

```sh
txl train xl --steps 500 --out runs/short
txl train xl --resume --out runs/short --steps 1000
txl train xl --vocabulary bpe --vocabulary-size 512 --patience 5 --out runs/pairs
```

Some options stay out of the way until they are asked for:

| option | what it adds |
|---|---|
| `--eval-interval` | validation more often, or less, than checkpoints |
| `--sample-interval` | what the model writes while it learns, beside the losses |
| `--keep-best`, `--patience` | [the best states, and an early end](../runs/learning/standing.md) |
| `--schedule` | [another way for the rate to fall](../runs/learning/schedules.md) |
| `--optimizer muon` | [another rule for matrices](../runs/learning/optimizers.md) |
| `--vocabulary bpe` | [byte pairs](../text/byte_pairs.md) as tokens |
| `--tensorboard`, `--wandb` | the curve [for TensorBoard](../runs/logs/board.md), [for Weights & Biases](../runs/logs/weights_and_biases.md) |
"""  # noqa: E501, a row of a table is one line

import dataclasses
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labml_txl.errors import UsageError
from labml_txl.options import about, argument, kind_of, option, typed
from labml_txl.training.commands import report
from labml_txl.training.commands.presets import PRESETS
from labml_txl.training.runs.config import (
    COMPRESSING,
    FIELDS,
    Config,
    configure,
    read_toml,
)
from labml_txl.training.text.cache import SettingError, TrainingError, written_whole

if TYPE_CHECKING:
    from labml_txl.training.runs.evaluation import Score
    from labml_txl.training.runs.logs.curve import Log
    from labml_txl.training.runs.storage.checkpoint import Checkpoint
    from labml_txl.training.runs.trainer import Outcome

# The words for a model, and the setting `model` that each stands for.
STACK = {"xl": "xl", "compressive": "compressive", "vanilla": "xl"}

# Settings that may be another when a run is resumed: none changes what was learned.
RESUMABLE = {
    "steps",
    "learning_rate",
    "min_learning_rate",
    "clip",
    "patience",
    "log_interval",
    "save_interval",
    "eval_interval",
    "eval_tokens",
    "keep_best",
    "sample_interval",
    "device",
    "compile",
    "fsdp",
}

# What has no effect on a model, and is left out of its help.
USELESS: dict[str, Sequence[str]] = {
    "xl": (*COMPRESSING, "bptt"),
    "compressive": (),
    "vanilla": (*COMPRESSING, "bptt"),
}

# The Compressive Transformer attends to as many memories as Transformer-XL.
DEFAULTS: dict[str, Mapping[str, object]] = {
    "xl": {},
    "compressive": {"mem_len": 48, "c_mem_len": 16},
    "vanilla": PRESETS["vanilla"].settings,
}


@dataclass(frozen=True)
class Options:
    r"""What `txl train` can be told, beside the settings of the run."""

    model: str = argument(
        "vanilla is the baseline: no memory, absolute positions", choices=tuple(STACK)
    )
    preset: str | None = option(
        None,
        "settings that have a name. "
        + "; ".join(f"{name}: {preset.about}" for name, preset in PRESETS.items()),
        choices=tuple(PRESETS),
        shown="none",
    )
    config: Path | None = option(None, "a TOML file with settings", metavar="FILE")
    out: Path | None = option(
        None, "the folder of the run", metavar="FOLDER", shown="runs/MODEL"
    )
    resume: bool = option(False, "go on where the run in the folder ended")
    from_: str = option("last", "the checkpoint to resume", choices=("last", "best"))
    no_verify: bool = option(False, "do not check that the weights are unchanged")
    sample: int = option(
        500, "tokens to write at the end, and at each --sample-interval", zero=True
    )
    tensorboard: bool = option(False, "log the curve for TensorBoard too")
    wandb: bool = option(False, "log the curve for Weights & Biases too")
    json: bool = option(False, "print the loss at the end as JSON, and nothing else")


def options_for(words: Sequence[str]) -> Any:
    r"""`Options` and every setting of a run, `None` where it is not given.

    Help shows the defaults of the model and the preset among `words`, and leaves out
    what has no effect on that model.
    """
    named = [word.rpartition("=")[2] for word in words]
    shown = [DEFAULTS[word] for word in named if word in DEFAULTS]
    shown += [PRESETS[word].settings for word in named if word in PRESETS]
    defaults = {name: field.default for name, field in FIELDS.items()}
    for some in shown:
        defaults |= some
    model = next((word for word in words if word in STACK), "")
    settings = []
    for name, field in FIELDS.items():
        here = {
            "shown": typed(defaults[name]),
            "hidden": name in USELESS.get(model, ()),
        }
        known = option(None, **dataclasses.asdict(about(field)) | here)
        settings.append((name, kind_of(field) | None, known))
    settings = [one for one in settings if one[0] != "model"]
    return dataclasses.make_dataclass(
        "Options", settings, bases=(Options,), frozen=True
    )


def run(options: Options) -> int:
    r"""Train a model, or go on training one, in a folder that nobody else writes to."""
    from labml_txl.training.runs.machine import leads
    from labml_txl.training.runs.storage.lock import held

    folder = options.out or Path("runs") / options.model
    check_use(options)
    if options.resume and not folder.is_dir():
        raise TrainingError(f"there is no checkpoint {folder}: nothing can be resumed")
    config = None if options.resume else chosen_config(options)
    with held(folder) if leads() else nullcontext():
        return train(folder, config, options)


def train(folder: Path, config: Config | None, options: Options) -> int:
    r"""Train with a configuration, or, without one, go on training."""
    from labml_txl.training.measures.generation import sampler
    from labml_txl.training.runs.machine import find_machine, leave
    from labml_txl.training.runs.storage.checkpoint import load_checkpoint
    from labml_txl.training.runs.trainer import Trainer
    from labml_txl.training.text.corpora import open_corpus

    saved = None
    if config is None:
        name, other = options.from_, "best" if options.from_ == "last" else "last"
        there = [one for one in (name, other) if (folder / f"{one}.json").exists()]
        if there == [other]:
            raise TrainingError(
                f"there is no checkpoint {name} in {folder}: --from {other} resumes "
                "the one that is there"
            )
        try:
            saved = load_checkpoint(folder, name, not options.no_verify)
        except TrainingError as error:
            if other not in there:
                raise
            raise TrainingError(
                f"{error}; --from {other} resumes another one"
            ) from None
        check_model(saved.config, options.model, folder)
        config = resumed_config(saved, options)
    elif (folder / "last.json").exists():
        raise TrainingError(
            f"{folder} holds a run: --resume goes on with it, --out names another"
        )
    if config.sample_interval and not options.sample:
        raise UsageError(
            "--sample-interval has no effect with --sample 0: leave one of them out, "
            "or give --sample-interval 0"
        )
    machine = find_machine(config)
    logs: list[Log] = []
    try:
        if machine.leads:
            logs += chosen_logs(folder, config, saved.step if saved else 0, options)
            goal = sys.stderr if options.json else sys.stdout
            print(config.text_form(), file=goal, flush=True)
        symbols, digest = (saved.words.symbols, saved.text) if saved else ("", "")
        corpus = open_corpus(
            config.text,
            config.vocabulary,
            symbols,
            report,
            digest,
            config.vocabulary_size,
        )
        write = sampler(config, corpus.vocabulary, options.sample)
        trainer = Trainer(config, corpus, folder, machine, report, logs, write)
        if saved:
            trainer.resume(saved)
        outcome = trainer.run()
        if outcome.signal is not None:
            report(f"stopped after step {outcome.step}: --resume goes on from there")
            machine.wait()
            return 128 + outcome.signal
        if machine.leads and outcome.step < config.steps:
            report(
                f"ended after step {outcome.step}: no gain in {config.patience} "
                "validations; --resume goes on with another --patience, 0 for no end"
            )
        if machine.leads or config.fsdp:
            # Where each process has a share of the model, all of them measure it.
            score = trainer.score()
        if machine.leads:
            print(last_line(outcome, score, options.json), flush=True)
            if options.sample:
                write_sample(folder, options.sample)
        machine.wait()
        return 0
    finally:
        for log in logs:
            log.close()
        leave()


def chosen_logs(
    folder: Path, config: Config, step: int, options: Options
) -> Iterator["Log"]:
    r"""Where the curve is to go too, from a step on."""
    if options.tensorboard:
        from labml_txl.training.runs.logs.board import Board

        yield Board(folder, step)
    if options.wandb:
        from labml_txl.training.runs.logs.weights_and_biases import WeightsAndBiases

        yield WeightsAndBiases(folder, config, step)


def last_line(outcome: "Outcome", score: "Score", as_json: bool) -> str:
    r"""What a run says at its end: the loss on the whole validation part."""
    if as_json:
        losses = {
            "nats": score.nats,
            "bits": score.bits,
            "bits_per_byte": score.bits_per_byte,
            "perplexity": score.perplexity,
        }
        seconds = round(outcome.seconds, 2)
        tokens = score.tokens
        return json.dumps(
            {"step": outcome.step, **losses, "tokens": tokens, "seconds": seconds}
        )
    a_byte = score.bits_per_byte
    in_bytes = "" if a_byte is None else f"{a_byte:.4f} bits a byte, "
    return (
        f"validation, all of it: {score.nats:.4f} nats, {score.bits:.4f} bits a token, "
        f"{in_bytes}perplexity {score.perplexity:.2f}; "
        f"trained in {outcome.seconds:.0f} s"
    )


def check_use(options: Options) -> None:
    r"""Raise `UsageError` for options that would have no effect together."""
    if options.resume:
        for name in ("preset", "config"):
            if getattr(options, name):
                raise UsageError(
                    f"--{name} has no effect with --resume: the run keeps its settings"
                )
    elif options.from_ == "best":
        raise UsageError("--from best says what --resume goes on from: give both")
    elif options.no_verify:
        raise UsageError("--no-verify has no effect without --resume: nothing is read")


def check_model(config: Config, word: str, folder: Path) -> None:
    r"""Raise `SettingError` if a run is not of the model that the word names."""
    vanilla = config.encoding == "absolute" and not config.mem_len
    if STACK[word] != config.model or (word == "vanilla" and not vanilla):
        raise SettingError(
            f"{folder} is no run of {word}: txl train {config.model} --resume goes on "
            "with it"
        )


def chosen_config(options: Options) -> Config:
    r"""Defaults, then the preset, then the file, then the options."""
    word = options.model
    settings = DEFAULTS[word]
    if options.preset:
        preset = PRESETS[options.preset]
        if preset.model != word:
            raise SettingError(
                f"the preset {options.preset} is for: txl train {preset.model}"
            )
        settings = preset.settings
    file = read_toml(options.config) if options.config else {}
    if (file | given(options)).get("schedule") == "constant":
        # A preset's lowest rate is for the schedule of the preset.
        settings = {k: v for k, v in settings.items() if k != "min_learning_rate"}
    if file.get("model", STACK[word]) != STACK[word]:
        raise SettingError(
            f"{options.config} says model = {file['model']!r}, the command says {word}"
        )
    config = configure({"model": STACK[word]}, settings, file, given(options))
    if word == "vanilla" and (config.encoding != "absolute" or config.mem_len):
        raise SettingError(
            "vanilla has absolute positions and no memory: encoding = "
            f"{config.encoding!r} and mem_len = {config.mem_len} are for txl train xl"
        )
    return config


def resumed_config(saved: "Checkpoint", options: Options) -> Config:
    r"""The configuration of the run, with what may change."""
    old = {name: getattr(saved.config, name) for name in FIELDS}
    for name, value in given(options).items():
        if name not in RESUMABLE and value != old[name]:
            raise SettingError(f"the run has {name} = {old[name]}: that cannot change")
    config = configure(old, given(options))
    if config.steps < saved.step:
        raise SettingError(
            f"the run has made {saved.step} steps: steps = {config.steps} is behind it"
        )
    return config


def given(options: Options) -> dict[str, object]:
    r"""The settings that the command line names."""
    values = {name: getattr(options, name) for name in FIELDS if name != "model"}
    return {name: value for name, value in values.items() if value is not None}


def write_sample(folder: Path, n_tokens: int) -> None:
    r"""Let the best model write, and keep what it wrote."""
    from labml_txl.training.measures.generation import Sampling, write
    from labml_txl.training.runs.storage.checkpoint import restore

    model, checkpoint = restore(folder, "cpu")
    # The end of a line, or, where there is none, whatever comes first.
    prompt = checkpoint.words.opening
    pieces = write(model, checkpoint, prompt, n_tokens, Sampling(0.8, seed=1))
    with written_whole(folder / "sample.txt") as file:
        file.write("".join(pieces).encode(errors="replace"))
    report(f"a sample is in {folder / 'sample.txt'}")
