r"""# Configuration

All settings that a training run depends on, in one value that never changes. They come
from the defaults, a TOML file and the flags of the command line, in that order.

The whole configuration is printed when training starts and stands in the checkpoint, so
a run can be told from its checkpoint and repeated.

```toml
# small.toml, for: txl train xl --config small.toml --steps 500
d_model = 64
n_layers = 2
```

A key that does not exist is an error that names the nearest one, and so is a value of
another type.
"""

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from labml_txl.errors import meant
from labml_txl.options import about, check, option, options
from labml_txl.training.runs.learning import schedules
from labml_txl.training.text.cache import SettingError, TrainingError


@dataclass(frozen=True)
class Config:
    r"""One training run.

    Each setting stands with its default and its meaning, which `txl train --help` and
    errors show too. Numbers must be more than 0 where nothing else is said. Lengths and
    the batch are those of training: at evaluation others may be asked for.
    """

    # The text.
    text: str = option(
        "tiny-shakespeare", "a name, or the path of a UTF-8 file", group="text"
    )
    vocabulary: str = option(
        "characters",
        "what a token is",
        choices=("characters", "words", "bytes", "bpe"),
    )
    vocabulary_size: int = option(4096, "tokens of the vocabulary bpe, byte pairs")

    # The model. `mem_len` is the memory of each layer; the compressive model also keeps
    # `c_mem_len` compressed ones, each of which stands for `compression_rate` states.
    model: str = option("xl", "which of the two", choices=("xl", "compressive"))
    n_layers: int = option(4, "layers", group="model")
    heads: int = option(4, "heads a layer")
    d_model: int = option(128, "width: features of a token")
    d_ff: int = option(512, "width of the middle of the feed-forward network")
    dropout: float = option(
        0.0,
        "probability that an element on its way into a residual sum is dropped",
        zero=True,
        below=1,
    )
    attention_dropout: float = option(
        0.0, "probability that an attention weight is dropped", zero=True, below=1
    )
    norm: str = option(
        "pre", "layer norm before or after each part", choices=("pre", "post")
    )
    encoding: str = option(
        "sinusoidal",
        "encoding of distances; absolute encodes positions, as in the vanilla model",
        choices=("sinusoidal", "learned", "absolute"),
    )
    mem_len: int = option(64, "tokens that each layer remembers", zero=True)
    c_mem_len: int = option(0, "compressed memories of each layer", zero=True)
    compression_rate: int = option(4, "tokens that a compressed memory stands for")
    compression: str = option(
        "conv1d",
        "how memories are compressed",
        choices=("conv1d", "max_pooling", "mean_pooling", "dilated_conv", "most_used"),
    )
    reconstruction: str = option(
        "attention",
        "the loss that the compression learns from",
        choices=("attention", "auto_encoding", "none"),
    )
    bptt: int = option(
        1, "segments that a gradient passes through, with reconstruction none"
    )
    tied: bool = option(True, "head and embedding share one table", alone=True)
    cutoffs: tuple[int, ...] = option(
        (),
        "first tokens of all clusters of words but the first, for large vocabularies",
        metavar="20000,40000",
        shown="one cluster",
    )
    div_val: int = option(1, "how much narrower each cluster is than the one before")
    d_embed: int = option(0, "width of the first cluster; 0 is d_model", zero=True)
    tied_projections: bool = option(
        True, "head and embedding share the projections of later clusters", alone=True
    )
    same_length: bool = option(
        False,
        "each token sees mem_len keys, itself among them, and no more",
        alone=True,
    )
    clamp_len: int = option(
        0, "tokens beyond which all distances count as this one; 0 is none", zero=True
    )
    zero_memory: bool = option(
        False, "a text begins with a memory of zeros, not with an empty one", alone=True
    )

    # The readers. Each process reads its share of the batch, in `accumulate` parts.
    seq_len: int = option(64, "tokens a segment", group="reading")
    batch: int = option(8, "readers side by side, of all processes together")
    accumulate: int = option(1, "parts that the batch is read in, one after the other")

    # The learning. The rate rises over `warmup` steps, and then `schedule` decides.
    steps: int = option(2000, "updates of the parameters", group="learning")
    optimizer: str = option(
        "adamw", "the rule of a step; muon is for matrices", choices=("adamw", "muon")
    )
    learning_rate: float = option(2e-3, "highest learning rate")
    min_learning_rate: float = option(
        1e-4, "rate that the schedule falls to", zero=True
    )
    warmup: int = option(100, "steps until the highest rate", zero=True)
    schedule: str = option(
        "cosine", "how the rate falls after that", choices=(*schedules.SCHEDULES,)
    )
    weight_decay: float = option(
        0.1, "share that matrices lose in a step, times the learning rate", zero=True
    )
    beta1: float = option(
        0.9,
        "share of its mean of gradients that AdamW keeps a step",
        zero=True,
        below=1,
    )
    beta2: float = option(0.99, "the same for the mean of their squares", below=1)
    clip: float = option(1.0, "greatest norm of the gradient; 0 is no limit", zero=True)
    patience: int = option(
        0, "validations without a gain that end the run; 0 is never", zero=True
    )
    seed: int = option(
        1337,
        "number that initial values and dropout follow from",
        zero=True,
        below=2**63,
    )

    # The machine.
    device: str = option(
        "auto",
        "where it runs; auto is a GPU where there is one",
        choices=("auto", "cpu", "cuda", "mps"),
        group="machine",
    )
    precision: str = option(
        "auto",
        "number format of products; auto is 16 bits on a GPU, float32 elsewhere",
        choices=("auto", "float32", "bfloat16", "float16"),
    )
    deterministic: bool = option(
        False, "refuse operations whose result may vary", alone=True
    )
    compile: bool = option(
        False, "compile the layers for this machine before training", alone=True
    )
    fsdp: bool = option(
        False, "each process keeps a share of the parameters", alone=True
    )

    # What is written, and when.
    log_interval: int = option(10, "steps between lines of the curve", group="writing")
    save_interval: int = option(250, "steps between checkpoints")
    eval_interval: int = option(
        0, "steps between validations; 0 is as many as save_interval", zero=True
    )
    eval_tokens: int = option(
        20_000,
        "tokens of the validation part that are read each time; 0 is all of it",
        zero=True,
    )
    keep_best: int = option(
        0, "how many of the best states stay, each as a checkpoint kept-STEP", zero=True
    )
    sample_interval: int = option(
        0, "steps between samples of what the model writes; 0 is none", zero=True
    )

    def __post_init__(self) -> None:
        for name, field in FIELDS.items():
            try:
                check(field, getattr(self, name))
            except ValueError as error:
                wrong(str(error))
        if self.d_model % self.heads:
            wrong(f"d_model={self.d_model} is not a multiple of heads={self.heads}")
        if self.d_model % 2:
            wrong(f"d_model={self.d_model} is odd: sinusoids come in pairs")
        if self.batch % self.accumulate:
            wrong(
                f"batch={self.batch} is not a multiple of accumulate={self.accumulate}"
            )
        if self.eval_tokens == 1:
            wrong(
                "eval_tokens = 1 has nothing to predict: give 2 or more, or 0 for all"
            )
        check_rates(self)
        check_vocabulary(self)
        check_sight(self)
        for name in COMPRESSING if self.model == "xl" else ():
            if getattr(self, name) != FIELDS[name].default:
                wrong(
                    f"{name} = {getattr(self, name)} has no effect: the model xl "
                    "compresses nothing, the model compressive does"
                )
        learned = self.compression in ("conv1d", "dilated_conv")
        if self.model == "compressive" and self.encoding == "absolute":
            wrong("the compressive model has no absolute positions")
        if self.optimizer == "muon" and self.fsdp:
            wrong("muon wants whole matrices, fsdp shares them out: give one of both")
        given = self.reconstruction != FIELDS["reconstruction"].default
        if self.model == "compressive" and given and not learned:
            wrong(
                f"reconstruction={self.reconstruction} has no effect: "
                f"compression={self.compression} learns nothing"
            )
        alone = self.model == "compressive" and self.reconstruction == "none"
        if alone and learned and self.bptt == 1:
            wrong(
                f"compression={self.compression} learns nothing from "
                "reconstruction=none with bptt=1: give bptt 2 or more segments"
            )
        if self.bptt > 1 and not (alone and learned):
            wrong(
                f"bptt={self.bptt} is for a learned compression with "
                "reconstruction=none"
            )

    def rate_at(self, step: int) -> float:
        r"""The learning rate of a step, the first of which is 0."""
        return schedules.rate_at(self, step)

    def text_form(self) -> str:
        r"""The configuration as TOML, a line a field."""
        values = dataclasses.asdict(self)
        return "\n".join(f"{name} = {toml(value)}" for name, value in values.items())


FIELDS = options(Config)

# What a setting may be, where only some words make sense.
CHOICES = {
    name: about(field).choices for name, field in FIELDS.items() if about(field).choices
}


# What only the compressive model looks at.
COMPRESSING = ("c_mem_len", "compression_rate", "compression", "reconstruction")


def check_rates(config: Config) -> None:
    r"""Raise `SettingError` for a lowest rate that is too high, or has no effect."""
    lowest = config.min_learning_rate
    if config.schedule == "constant":
        if lowest != FIELDS["min_learning_rate"].default:
            wrong(
                f"min_learning_rate = {lowest:g} has no effect: the schedule constant "
                "does not fall"
            )
    elif lowest > config.learning_rate:
        wrong(
            f"min_learning_rate = {lowest:g} is above "
            f"learning_rate = {config.learning_rate:g}: give a lower one too"
        )


def check_vocabulary(config: Config) -> None:
    r"""Raise `SettingError` for a size that is too small, or has no effect."""
    size = config.vocabulary_size
    if config.vocabulary != "bpe":
        if size != FIELDS["vocabulary_size"].default:
            wrong(
                f"vocabulary_size = {size} has no effect with the vocabulary "
                f"{config.vocabulary}: only bpe has a size of your choice"
            )
    elif size <= 256:
        wrong(f"vocabulary_size = {size} must be above 256: bpe begins with all bytes")


def check_sight(config: Config) -> None:
    r"""Raise `SettingError` for settings that have no effect on this model.

    They concern what a token attends to, and the projections of clusters of words.
    """
    if config.tied_projections is not True and not config.cutoffs:
        wrong("tied_projections = false has no effect: there are no cutoffs")
    if config.encoding == "absolute" and config.clamp_len:
        wrong(f"clamp_len = {config.clamp_len} has no effect on absolute positions")
    for name in ("same_length", "zero_memory"):
        if getattr(config, name) and (config.model != "xl" or not config.mem_len):
            wrong(f"{name} is for model = xl with a memory: mem_len = {config.mem_len}")


def wrong(line: str) -> NoReturn:
    r"""Raise `SettingError` for a value that makes no sense."""
    raise SettingError(line)


def configure(*layers: Mapping[str, object]) -> Config:
    r"""The defaults, changed by each of `layers` in turn; the last one has its way."""
    values: dict[str, Any] = {}
    for layer in layers:
        for name, value in layer.items():
            if name not in FIELDS:
                question = meant(name, FIELDS) or "txl train --help shows all"
                wrong(f"there is no setting {name}: {question}")
            # JSON and TOML have lists only.
            value = tuple(value) if isinstance(value, list) else value
            # A whole number may stand where a fraction is wanted.
            whole = isinstance(value, int) and not isinstance(value, bool)
            fraction = isinstance(FIELDS[name].default, float)
            values[name] = float(str(value)) if whole and fraction else value
    return Config(**values)


def read_toml(path: Path) -> dict[str, object]:
    r"""The settings of a TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TrainingError(f"{path} is not TOML: {error}") from None


def toml(value: object) -> str:
    r"""A value as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return str([*value])
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value)
