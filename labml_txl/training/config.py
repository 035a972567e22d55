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
import json
import math
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labml_txl.errors import meant
from labml_txl.options import about, check, option, options
from labml_txl.training.text.files import SettingError, TrainingError

# How far the learning rate still is above its lowest value, from 1 to 0, when a share
# of the steps after the warm-up has been made.
SCHEDULES: dict[str, Callable[[float], float]] = {
    # Slowly at first, fastest in the middle, slowly at the end.
    "cosine": lambda share: (1 + math.cos(math.pi * share)) / 2,
    # By the same amount a step.
    "linear": lambda share: 1 - share,
}


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
        choices=("characters", "words", "bytes"),
    )

    # The model. `mem_len` is the memory of each layer; the compressive model also keeps
    # `c_mem_len` compressed ones, each of which stands for `compression_rate` states.
    model: str = option("xl", "which of the two", choices=("xl", "compressive"))
    n_layers: int = option(4, "layers", group="model", below=1000)
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

    # The readers.
    seq_len: int = option(64, "tokens a segment", group="reading")
    batch: int = option(8, "readers side by side")

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
        "cosine", "how the rate falls after that", choices=(*SCHEDULES,)
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

    # What is written, and when.
    log_interval: int = option(10, "steps between lines of the curve", group="writing")
    save_interval: int = option(
        250, "steps between checkpoints, each with a validation"
    )
    eval_tokens: int = option(
        20_000,
        "tokens of the validation part that are read each time; 0 is all of it",
        zero=True,
    )

    def __post_init__(self) -> None:
        for name, field in FIELDS.items():
            try:
                check(field, getattr(self, name))
            except ValueError as error:
                raise SettingError(str(error)) from None
        for contradiction in contradictions(self):
            raise SettingError(contradiction)

    def rate_at(self, step: int) -> float:
        r"""The learning rate of a step, the first of which is 0."""
        if step < self.warmup:
            return self.learning_rate * (step + 1) / self.warmup
        share = min(1.0, (step - self.warmup) / max(1, self.steps - self.warmup))
        fall = self.learning_rate - self.min_learning_rate
        return self.min_learning_rate + SCHEDULES[self.schedule](share) * fall

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

# No published model has more clusters, and each costs a table.
MOST_CUTOFFS = 16


def contradictions(config: Config) -> Iterator[str]:
    r"""What makes no sense together, a line each: settings that have no effect too."""
    c = config
    if c.d_model % c.heads:
        yield f"d_model={c.d_model} is not a multiple of heads={c.heads}"
    if c.d_model % 2:
        yield f"d_model={c.d_model} is odd: sinusoids come in pairs"
    if len(c.cutoffs) > MOST_CUTOFFS:
        yield f"cutoffs has {len(c.cutoffs)} numbers: at most {MOST_CUTOFFS} are wanted"
    if c.eval_tokens == 1:
        yield "eval_tokens = 1 has nothing to predict: give 2 or more, or 0 for all"
    if c.min_learning_rate > c.learning_rate:
        yield (
            f"min_learning_rate = {c.min_learning_rate:g} is above "
            f"learning_rate = {c.learning_rate:g}: give a lower one too"
        )
    if not c.tied_projections and not c.cutoffs:
        yield "tied_projections = false has no effect: there are no cutoffs"
    if c.encoding == "absolute" and c.clamp_len:
        yield f"clamp_len = {c.clamp_len} has no effect on absolute positions"
    for name in ("same_length", "zero_memory"):
        if getattr(c, name) and (c.model != "xl" or not c.mem_len):
            yield f"{name} is for model = xl with a memory: mem_len = {c.mem_len}"
    if c.model == "xl":
        for name in COMPRESSING:
            if getattr(c, name) != FIELDS[name].default:
                yield (
                    f"{name} = {getattr(c, name)} has no effect: the model xl "
                    "compresses nothing, the model compressive does"
                )
    elif c.encoding == "absolute":
        yield "the compressive model has no absolute positions"

    # A compression learns from its own loss, or from the task through several segments.
    learned = c.model == "compressive" and c.compression in ("conv1d", "dilated_conv")
    by_task = learned and c.reconstruction == "none"
    default = FIELDS["reconstruction"].default
    if c.model == "compressive" and not learned and c.reconstruction != default:
        yield (
            f"reconstruction={c.reconstruction} has no effect: "
            f"compression={c.compression} learns nothing"
        )
    if by_task and c.bptt == 1:
        yield (
            f"compression={c.compression} learns nothing from reconstruction=none with "
            "bptt=1: give bptt 2 or more segments"
        )
    if c.bptt > 1 and not by_task:
        yield f"bptt={c.bptt} is for a learned compression with reconstruction=none"


def configure(*layers: Mapping[str, object]) -> Config:
    r"""The defaults, changed by each of `layers` in turn; the last one has its way."""
    values: dict[str, Any] = {}
    for layer in layers:
        for name, value in layer.items():
            if name not in FIELDS:
                question = meant(name, FIELDS) or "txl train --help shows all"
                raise SettingError(f"there is no setting {name}: {question}")
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
        # What JSON escapes is what TOML does.
        return json.dumps(value, ensure_ascii=False)
    return str(value)
