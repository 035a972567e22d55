"""`txl train MODEL` trains a model, and `--resume` continues a run.

Every setting of `Config` is an option. The settings come from the defaults of the model
or a preset (`presets.toml`), a TOML file and the options of the command line, in that
order.

```sh
txl train xl --steps 500 --out runs/short
txl train xl --resume --out runs/short --steps 1000
txl train vanilla --steps 500
txl train xl --from runs/short --text corpus.txt --out runs/tuned
```
"""

import dataclasses
import json
import os
import shlex
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labml_txl.errors import UsageError, escape_controls
from labml_txl.options import argument, flag, format_value, option, option_of, type_of
from labml_txl.training.commands import report
from labml_txl.training.config import (
    COMPRESSING,
    FIELDS,
    Config,
    configure,
    read_toml,
)
from labml_txl.training.text.files import (
    SettingError,
    TrainingError,
    replace_file,
    report_nothing,
    report_progress,
)

if TYPE_CHECKING:
    from labml_txl.training.evaluation import Score
    from labml_txl.training.runs.checkpoint import Checkpoint
    from labml_txl.training.runs.processes import Processes
    from labml_txl.training.trainer import Outcome


def read_presets() -> dict[str, dict[str, Any]]:
    """The presets by name: `model`, `about`, and the settings of each."""
    path = Path(__file__).with_name("presets.toml")
    presets: dict[str, dict[str, Any]] = {}
    for name, values in tomllib.loads(path.read_text(encoding="utf-8")).items():
        presets[name] = presets.get(values.pop("like", ""), {}) | values
    return presets


PRESETS = read_presets()

# The words for a model, and the setting `model` that each stands for.
STACK = {"xl": "xl", "compressive": "compressive", "vanilla": "xl"}


def read_preset(preset: str) -> dict[str, Any]:
    """The settings of a preset, without its description."""
    values = {**PRESETS[preset], "model": STACK[PRESETS[preset]["model"]]}
    return {name: value for name, value in values.items() if name in FIELDS}


# By default, the Compressive Transformer has as many slots as Transformer-XL.
DEFAULTS: dict[str, Mapping[str, object]] = {
    "xl": {},
    "compressive": {"mem_len": 48, "c_mem_len": 16},
    "vanilla": read_preset("vanilla"),
}

# Settings that may change when a run is resumed. None of them affects what the model
# has learned so far, and a text must have the same digest as before.
RESUMABLE = {
    "text",
    "steps",
    "learning_rate",
    "min_learning_rate",
    "clip",
    "log_interval",
    "save_interval",
    "eval_tokens",
    "device",
    "compile",
    "accumulate",
    "shard",
}


# Settings that the parameters of a model depend on, and those that may be changed for
# other texts. Training that starts from a model starts with both.
SHAPING = (
    *("vocabulary", "n_layers", "heads", "d_model", "d_ff", "norm", "encoding"),
    *("compression_rate", "compression", "tied", "cutoffs", "div_val", "d_embed"),
    "tied_projections",
)
OF_MODEL = (
    *(*SHAPING, "dropout", "attention_dropout", "mem_len", "c_mem_len", "clamp_len"),
    *("reconstruction", "bptt", "same_length", "zero_memory", "seq_len"),
)


@dataclass(frozen=True)
class Options:
    """The options of `txl train`, besides the settings of the run."""

    model: str = argument(
        "vanilla is the baseline without memory and with absolute positions",
        choices=tuple(STACK),
    )
    preset: str | None = option(
        None,
        "named settings. "
        + "; ".join(f"{name}: {preset['about']}" for name, preset in PRESETS.items()),
        choices=tuple(PRESETS),
        shown="none",
    )
    config: Path | None = option(None, "a TOML file with settings", metavar="FILE")
    out: Path | None = option(
        None, "folder of the run", metavar="FOLDER", shown="runs/MODEL"
    )
    resume: bool = option(False, "continue the run in the folder")
    from_: Path | None = option(
        None,
        "a run, a checkpoint or a folder of published weights to start from",
        metavar="RUN",
    )
    log: str | None = option(
        None,
        "also send the curve elsewhere: tensorboard, or a function module:name",
        metavar="TRACKER",
    )
    sample: int = option(500, "tokens to generate at the end", zero=True)
    json: bool = option(False, "print only the final loss, as JSON")


def make_options(words: Sequence[str]) -> Any:
    """`Options` and every setting of a run, `None` where it is not given.

    The help shows the defaults for the model and the preset that occur in `words`, and
    leaves out settings that have no effect on that model.
    """
    named = [word.rpartition("=")[2] for word in words]
    defaults = {name: field.default for name, field in FIELDS.items()}
    for word in named:
        defaults |= DEFAULTS.get(word, {})
    for word in named:
        defaults |= read_preset(word) if word in PRESETS else {}
    model = next((word for word in words if word in STACK), "xl")
    settings = []
    for name, field in FIELDS.items():
        here = {
            "shown": format_value(defaults[name]),
            # Settings that have no effect on this model are left out.
            "hidden": name in COMPRESSING and STACK[model] == "xl" and model in words,
        }
        known = option(None, **dataclasses.asdict(option_of(field)) | here)
        settings.append((name, type_of(field) | None, known))
    settings = [one for one in settings if one[0] != "model"]
    return dataclasses.make_dataclass(
        "Options", settings, bases=(Options,), frozen=True
    )


def run(options: Options) -> int:
    """Train a model or continue a run, in a folder that this process has locked."""
    from labml_txl.training.runs.lock import lock_folder
    from labml_txl.training.runs.processes import join_processes

    folder = options.out or Path("runs") / options.model
    check_use(options)
    if options.resume and not folder.is_dir():
        raise TrainingError(f"nothing to resume: there is no checkpoint {folder}")
    resume = options.resume or is_restarted(folder)
    start = None if resume or not options.from_ else find_starting_point(options.from_)
    config = None if resume else choose_config(options, start)
    with (
        join_processes(given(options).get("device", "auto")) as processes,
        lock_folder(folder) if processes.first else nullcontext(),
    ):
        processes.wait()
        return train(folder, config, options, processes, start)


def find_starting_point(path: Path) -> "Checkpoint":
    """The checkpoint to start from; published weights are converted to one."""
    from labml_txl.training.published.load import import_run
    from labml_txl.training.runs.checkpoint import load_checkpoint

    if not (path / "config.json").is_file():
        return load_checkpoint(path)
    with tempfile.TemporaryDirectory() as folder:
        import_run(path, Path(folder))
        return load_checkpoint(Path(folder))


def is_restarted(folder: Path) -> bool:
    """Whether `torchrun` has started the same command again after a failure."""
    attempts = int(os.environ.get("TORCHELASTIC_RESTART_COUNT", 0))
    return attempts > 0 and (folder / "last.safetensors").exists()


def train(
    folder: Path,
    config: Config | None,
    options: Options,
    processes: "Processes",
    start: "Checkpoint | None",
) -> int:
    """Train with a configuration or, without one, continue the run.

    `start` is the checkpoint whose parameters a new run begins with.
    """
    from labml_txl.training.corpora import NAMES, choose_text, open_corpus
    from labml_txl.training.runs.machine import find_machine
    from labml_txl.training.runs.trackers import find_tracker
    from labml_txl.training.trainer import Trainer

    saved = None
    if config is None:
        saved = read_saved_state(folder, options)
        config = resume_config(saved, options)
        choose_text(config.text, given(options).get("text"))
    elif (folder / "last.safetensors").exists():
        raise TrainingError(
            f"{folder} already contains a run: continue it with --resume, or choose "
            "another folder with --out"
        )
    machine = find_machine(config)
    goal = sys.stderr if options.json else sys.stdout
    if processes.first:
        print(escape_controls(config.text_form()), file=goal, flush=True)
    log = find_tracker(options.log if processes.first else None, folder)
    known = saved or start
    symbols = known.words.symbols if known else ""
    digest = saved.text if saved else ""
    kind, ends = config.vocabulary, config.documents
    tell = report if processes.first else report_nothing
    with processes.run_one_by_one():
        corpus = open_corpus(config.text, kind, symbols, tell, digest, ends)
    trainer = Trainer(config, corpus, folder, machine, tell, processes, log)
    if saved:
        trainer.resume(saved)
    elif start:
        trainer.start_from(start)
    outcome = trainer.run()
    if outcome.signal is not None:
        # A run does not read a file only because its checkpoint names it.
        text = "" if config.text in NAMES else f" --text {shlex.quote(config.text)}"
        trainer.report(
            f"stopped after step {outcome.step}: continue with --resume{text}"
        )
        return 128 + outcome.signal
    score = trainer.score()
    if processes.first:
        print(format_last_line(outcome, score, options.json), flush=True)
        if options.sample:
            write_sample(folder, options.sample)
    return 0


def read_saved_state(folder: Path, options: Options) -> "Checkpoint":
    """The checkpoint to resume.

    Raises `TrainingError` if it does not exist or cannot be loaded, and `SettingError`
    if it belongs to another kind of model.
    """
    from labml_txl.training.runs.checkpoint import load_checkpoint

    saved = load_checkpoint(folder, "last")
    vanilla = saved.config.encoding == "absolute" and not saved.config.mem_len
    if STACK[options.model] != saved.config.model or (
        options.model == "vanilla" and not vanilla
    ):
        raise SettingError(
            f"{folder} is not a run of {options.model}: continue it with txl train "
            f"{saved.config.model} --resume"
        )
    return saved


def format_last_line(outcome: "Outcome", score: "Score", as_json: bool) -> str:
    """The last line that a run prints: the loss on the whole validation part."""
    if as_json:
        losses = {
            "nats": score.nats,
            "bits": score.bits,
            "perplexity": score.perplexity,
        }
        seconds = round(outcome.seconds, 2)
        tokens = score.tokens
        return json.dumps(
            {"step": outcome.step, **losses, "tokens": tokens, "seconds": seconds}
        )
    return (
        f"validation, all of it: {score.nats:.4f} nats, {score.bits:.4f} bits a token, "
        f"perplexity {score.perplexity:.2f}; trained in {outcome.seconds:.0f} s"
    )


def check_use(options: Options) -> None:
    """Raise `UsageError` for options that would have no effect together."""
    for name in ("preset", "config", "from_"):
        if options.resume and getattr(options, name):
            raise UsageError(
                f"{flag(name)} has no effect with --resume: the run keeps its settings"
            )


def choose_config(options: Options, start: "Checkpoint | None" = None) -> Config:
    """The defaults, overridden by the preset, then the file, then the options.

    The settings of the model are those of the checkpoint `start`, if there is one.
    """
    word = options.model
    settings = DEFAULTS[word]
    if start:
        if start.config.model != STACK[word]:
            raise SettingError(f"{options.from_} needs txl train {start.config.model}")
        settings = {name: getattr(start.config, name) for name in OF_MODEL}
    if options.preset:
        model = PRESETS[options.preset]["model"]
        if model != word:
            raise SettingError(f"the preset {options.preset} needs txl train {model}")
        settings = read_preset(options.preset) | (dict(settings) if start else {})
    file = read_toml(options.config) if options.config else {}
    if file.get("model", STACK[word]) != STACK[word]:
        raise SettingError(
            f"{options.config} says model = {file['model']!r}, the command says {word}"
        )
    config = configure({"model": STACK[word]}, settings, file, given(options))
    for name in SHAPING if start else ():
        old = getattr(start.config, name) if start else None
        if getattr(config, name) != old:
            raise SettingError(
                f"{name} cannot be changed: {options.from_} has {name} = {old}"
            )
    if word == "vanilla" and (config.encoding != "absolute" or config.mem_len):
        raise SettingError(
            "vanilla has absolute positions and no memory: encoding = "
            f"{config.encoding!r} and mem_len = {config.mem_len} are for txl train xl"
        )
    return config


def resume_config(saved: "Checkpoint", options: Options) -> Config:
    """The configuration of the run, with the changes that are allowed."""
    old = {name: getattr(saved.config, name) for name in FIELDS}
    for name, value in given(options).items():
        if name not in RESUMABLE and value != old[name]:
            raise SettingError(
                f"{name} cannot be changed: the run has {name} = {old[name]}"
            )
    config = configure(old, given(options))
    if config.steps < saved.step:
        raise SettingError(
            f"steps = {config.steps} is too small: the run has done {saved.step} steps"
        )
    return config


def given(options: Options) -> dict[str, Any]:
    """The settings that were given on the command line."""
    values = {name: getattr(options, name) for name in FIELDS if name != "model"}
    return {name: value for name, value in values.items() if value is not None}


def write_sample(folder: Path, n_tokens: int) -> None:
    """Let the best model generate a text, and write it into the folder of the run."""
    from labml_txl.training.generation import write
    from labml_txl.training.runs.checkpoint import restore
    from labml_txl.training.sampling import Sampling

    model, checkpoint = restore(folder, "cpu")
    # The prompt is the end of a line or, if there is none, the first token.
    prompt = checkpoint.words.opening
    pieces = write(model, checkpoint, prompt, n_tokens, Sampling(0.8, seed=1))
    pieces = report_progress(pieces, n_tokens, "sample", report)
    with replace_file(folder / "sample.txt") as file:
        file.write("".join(pieces).encode(errors="replace"))
    report(f"wrote a sample to {folder / 'sample.txt'}")
