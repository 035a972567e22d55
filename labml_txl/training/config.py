"""# Configuration

A configuration contains all settings of a training run and cannot be changed. It starts
from the defaults. The settings of a TOML file override them, and the flags of the
command line override both.

The whole configuration is printed when training starts and is saved in each checkpoint,
so that one can see from a checkpoint how it was trained, and repeat the run.

```toml
# small.toml, for: txl train xl --config small.toml --steps 500
d_model = 64
n_layers = 2
```

A setting that does not exist causes an error with the most similar name, and a value of
the wrong type causes an error too.
"""

import dataclasses
import json
import math
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labml_txl.errors import suggest
from labml_txl.options import check_value, fields_of, option, option_of
from labml_txl.training.text.files import SettingError, TrainingError
from labml_txl.variants import COMPRESSIONS, ENCODINGS, LOSSES

# How the learning rate falls after the warm-up. Each function maps the share of the
# steps that are done, from 0 to 1, to a factor from 1 for the highest learning rate to
# 0 for the lowest.
SCHEDULES: dict[str, Callable[[float], float]] = {
    # It falls slowly at the beginning and at the end, and fastest in the middle.
    "cosine": lambda share: (1 + math.cos(math.pi * share)) / 2,
    # It falls by the same amount in each step.
    "linear": lambda share: 1 - share,
}


@dataclass(frozen=True)
class Config:
    """The settings of a training run.

    Each setting has a default and a description, which `txl train --help` shows too.
    Numbers must be greater than 0 unless `zero` or another limit is given. Lengths and
    the size of the batch concern training; for evaluation, others can be chosen.
    """

    # The text.
    text: str = option(
        "tiny-shakespeare", "a name, or the path of a UTF-8 file", group="text"
    )
    vocabulary: str = option(
        "characters", "what a token is", choices=("characters", "words", "bytes")
    )

    # The model. Each layer remembers `mem_len` states. In the compressive model, it
    # also has `c_mem_len` compressed slots, each made of `compression_rate` states.
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
        choices=(*ENCODINGS, "absolute"),
    )
    mem_len: int = option(64, "tokens that each layer remembers", zero=True)
    c_mem_len: int = option(0, "compressed slots of each layer", zero=True)
    compression_rate: int = option(4, "tokens that a compressed slot represents")
    compression: str = option(
        "conv1d", "how memories are compressed", choices=(*COMPRESSIONS,)
    )
    reconstruction: str = option(
        "attention", "the loss that the compression learns from", choices=(*LOSSES,)
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

    # The batches.
    seq_len: int = option(64, "tokens a segment", group="reading")
    batch: int = option(8, "sequences that are processed together")

    # The optimization. The learning rate rises during the first `warmup` steps and then
    # falls as `schedule` says.
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

    # What is written, and how often.
    log_interval: int = option(10, "steps between lines of the curve", group="writing")
    save_interval: int = option(
        250, "steps between checkpoints, each with a validation"
    )
    eval_tokens: int = option(
        20_000,
        "tokens of the validation part to evaluate each time; 0 is all of it",
        zero=True,
    )

    def __post_init__(self) -> None:
        for name, field in FIELDS.items():
            try:
                check_value(field, getattr(self, name))
            except ValueError as error:
                raise SettingError(str(error)) from None
        for contradiction in contradictions(self):
            raise SettingError(contradiction)

    def rate_at(self, step: int) -> float:
        """The learning rate of a step. The first step is 0."""
        if step < self.warmup:
            return self.learning_rate * (step + 1) / self.warmup
        share = min(1.0, (step - self.warmup) / max(1, self.steps - self.warmup))
        fall = self.learning_rate - self.min_learning_rate
        return self.min_learning_rate + SCHEDULES[self.schedule](share) * fall

    def text_form(self) -> str:
        """The configuration as TOML, with a line for each setting."""
        values = dataclasses.asdict(self)
        return "\n".join(f"{name} = {toml(value)}" for name, value in values.items())


FIELDS = fields_of(Config)

# The values of those settings that have a fixed choice.
CHOICES = {
    name: option_of(field).choices
    for name, field in FIELDS.items()
    if option_of(field).choices
}

# The settings that only the compressive model uses.
COMPRESSING = {
    *("c_mem_len", "compression_rate", "compression", "reconstruction", "bptt")
}

# The greatest number of `cutoffs`. Each cluster needs tables of its own, and no
# published model has so many clusters.
MOST_CUTOFFS = 16


def contradictions(config: Config) -> Iterator[str]:
    """Settings that contradict each other or have no effect, with a line for each."""
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
        for name, field in FIELDS.items():
            if name in COMPRESSING and getattr(c, name) != field.default:
                yield (
                    f"{name} = {getattr(c, name)} has no effect: the model xl "
                    "compresses nothing, the model compressive does"
                )
    elif c.encoding == "absolute":
        yield "the compressive model has no absolute positions"

    # A compression is trained by a loss of its own, or by the loss of the language
    # model if the gradient passes through several segments.
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
    """The defaults, overridden by the settings of each of `layers` in this order.

    Raises `SettingError` for a setting that does not exist or does not make sense.
    """
    values: dict[str, Any] = {}
    for layer in layers:
        for name, value in layer.items():
            if name not in FIELDS:
                question = suggest(name, FIELDS) or "txl train --help shows all"
                raise SettingError(f"there is no setting {name}: {question}")
            # JSON and TOML have lists but no tuples.
            value = tuple(value) if isinstance(value, list) else value
            # For a setting that is a float, an integer is accepted too.
            whole = isinstance(value, int) and not isinstance(value, bool)
            fraction = isinstance(FIELDS[name].default, float)
            values[name] = float(str(value)) if whole and fraction else value
    return Config(**values)


def read_toml(path: Path) -> dict[str, object]:
    """The settings in a TOML file. Raises `TrainingError` if it is not TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TrainingError(f"{path} is not TOML: {error}") from None


def toml(value: object) -> str:
    """A value in the syntax of TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return str([*value])
    if isinstance(value, str):
        # Strings in TOML have the same escapes as in JSON.
        return json.dumps(value, ensure_ascii=False)
    return str(value)
