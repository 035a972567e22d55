r"""# Configuration

All numbers that a training run depends on, in one value that never changes. It comes
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
import difflib
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labml_txl.training.cache import TrainingError

# What a field may be, where only some words make sense.
CHOICES = {
    "model": ("xl", "compressive"),
    "vocabulary": ("characters", "words", "bytes"),
    "norm": ("pre", "post"),
    "encoding": ("sinusoidal", "learned", "absolute"),
    "compression": (
        "conv1d",
        "max_pooling",
        "mean_pooling",
        "dilated_conv",
        "most_used",
    ),
    "reconstruction": ("attention", "auto_encoding", "none"),
    "device": ("auto", "cpu", "cuda", "mps"),
    "precision": ("auto", "float32", "bfloat16", "float16"),
}


@dataclass(frozen=True)
class Config:
    r"""One training run.

    The comment behind a field says what it counts. Lengths and the batch are those of
    training: at evaluation others may be asked for.
    """

    # The text.
    text: str = "tiny-shakespeare"  # a name, or the path of a UTF-8 file
    vocabulary: str = "characters"  # characters, words or bytes

    # The model. `mem_len` is the memory of each layer; the compressive model also keeps
    # `c_mem_len` compressed ones, each of which stands for `compression_rate` states.
    model: str = "xl"  # xl or compressive
    n_layers: int = 4  # layers
    heads: int = 4  # heads a layer
    d_model: int = 128  # numbers a token
    d_ff: int = 512  # numbers in the middle of the feed-forward network
    dropout: float = 0.0  # probability, on the way into each residual sum
    attention_dropout: float = 0.0  # probability, of an attention weight
    norm: str = "pre"  # layer norm before (pre) or after (post) each part
    encoding: str = "sinusoidal"  # of distances; or absolute, as in the vanilla model
    mem_len: int = 64  # tokens
    c_mem_len: int = 0  # compressed memories
    compression_rate: int = 4  # tokens a compressed memory
    compression: str = "conv1d"  # one of the compression functions
    reconstruction: str = "attention"  # what the compression learns from
    bptt: int = 1  # segments that a gradient passes through, if that is `none`
    tied: bool = True  # head and embedding share one table

    # The readers. Each process reads its share of the batch, in `accumulate` parts.
    seq_len: int = 64  # tokens a segment
    batch: int = 8  # readers, of all processes together
    accumulate: int = 1  # parts of the batch, one after the other

    # The learning. The rate rises over `warmup` steps and falls along half a cosine.
    steps: int = 2000  # updates of the parameters
    learning_rate: float = 2e-3  # highest
    min_learning_rate: float = 1e-4  # at the last step
    warmup: int = 100  # steps
    weight_decay: float = 0.1  # of matrices, a unit of the learning rate
    beta1: float = 0.9  # AdamW's memory of gradients
    beta2: float = 0.99  # AdamW's memory of their squares
    clip: float = 1.0  # greatest norm of the gradient; 0 is no limit
    seed: int = 1337  # of initial values and dropout

    # The machine.
    device: str = "auto"  # a GPU where there is one
    precision: str = "auto"  # bfloat16 or float16 on a GPU, float32 elsewhere
    deterministic: bool = False  # refuse operations whose result may vary
    compile: bool = False  # translate model=xl for this machine before it learns
    fsdp: bool = False  # each process keeps a share of the parameters

    # What is written, and when.
    log_interval: int = 10  # steps between lines of the curve
    save_interval: int = 250  # steps between checkpoints, and between validations
    eval_tokens: int = 20_000  # of the validation part, each time; 0 is all of it

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            check_value(field, getattr(self, field.name))
        if self.d_model % self.heads:
            wrong(f"d_model={self.d_model} is not a multiple of heads={self.heads}")
        if self.d_model % 2:
            wrong(f"d_model={self.d_model} is odd: sinusoids come in pairs")
        if self.batch % self.accumulate:
            wrong(f"batch={self.batch} is not a multiple of {self.accumulate=}")
        learned = self.compression in ("conv1d", "dilated_conv")
        if self.model == "compressive" and self.encoding == "absolute":
            wrong("the compressive model has no absolute positions")
        if self.compile and self.model == "compressive":
            wrong("compile is for model=xl: the compressive model cannot be compiled")
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

    @property
    def d_k(self) -> int:
        r"""Numbers a head."""
        return self.d_model // self.heads

    def rate_at(self, step: int) -> float:
        r"""The learning rate of a step, the first of which is 0."""
        if step < self.warmup:
            return self.learning_rate * (step + 1) / self.warmup
        done = (step - self.warmup) / max(1, self.steps - self.warmup)
        fall = (1 + math.cos(math.pi * min(1.0, done))) / 2
        return self.min_learning_rate + fall * (
            self.learning_rate - self.min_learning_rate
        )

    def text_form(self) -> str:
        r"""The configuration as TOML, a line a field."""
        values = dataclasses.asdict(self)
        return "\n".join(f"{name} = {toml(value)}" for name, value in values.items())


FIELDS = {field.name: field for field in dataclasses.fields(Config)}

# Numbers that may be 0. All others must be greater.
MAY_BE_ZERO = {
    "dropout",
    "attention_dropout",
    "mem_len",
    "c_mem_len",
    "min_learning_rate",
    "warmup",
    "weight_decay",
    "beta1",
    "clip",
    "seed",
    "eval_tokens",
}
# Numbers that must be below 1.
SHARES = {"dropout", "attention_dropout", "beta1", "beta2"}


def wrong(line: str) -> None:
    r"""Raise `TrainingError` for a value that makes no sense."""
    raise TrainingError(line)


def check_value(field: "dataclasses.Field[Any]", value: object) -> None:
    r"""Raise `TrainingError` if a field cannot have that value."""
    name, wanted = field.name, type(field.default)
    if type(value) is not wanted:
        wrong(f"{name} = {value!r} is not of the type {wanted.__name__}")
    if name in CHOICES and value not in CHOICES[name]:
        wrong(f"{name} = {value!r} is not one of {', '.join(CHOICES[name])}")
    if isinstance(value, int | float) and not isinstance(value, bool):
        zero = name in MAY_BE_ZERO
        if not math.isfinite(value) or value < 0 or (value == 0 and not zero):
            wrong(f"{name} = {value} must be {'0 or more' if zero else 'more than 0'}")
        if name in SHARES and value >= 1:
            wrong(f"{name} = {value} must be below 1")


def configure(*layers: Mapping[str, object]) -> Config:
    r"""The defaults, changed by each of `layers` in turn; the last one has its way."""
    values: dict[str, Any] = {}
    for layer in layers:
        for name, value in layer.items():
            if name not in FIELDS:
                near = difflib.get_close_matches(name, FIELDS, n=1, cutoff=0)
                wrong(f"there is no setting {name}: is {near[0]} meant?")
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
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value)
