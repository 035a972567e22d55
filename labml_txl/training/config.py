# ---
# keywords: [learning rate schedule, dropout rate]
# ---
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
        "tiny-shakespeare", "name of a corpus, or path of a UTF-8 file", group="text"
    )
    vocabulary: str = option(
        "characters",
        "unit of a token: characters, words, bytes, or a tokenizer.json of subwords",
    )
    documents: str = option(
        "",
        "what ends a document, at which the memory is cleared: files, or a token",
        metavar="files|TOKEN",
        shown="nothing",
    )

    # The model. Each layer remembers `mem_len` states. In the compressive model, it
    # also has `c_mem_len` compressed slots, each made of `compression_rate` states.
    model: str = option("xl", "architecture", choices=("xl", "compressive"))
    n_layers: int = option(4, "number of layers", group="model", below=1000)
    heads: int = option(4, "attention heads per layer")
    d_model: int = option(128, "width of the model: features per token")
    d_ff: int = option(512, "hidden width of the feed-forward network")
    dropout: float = option(
        0.0,
        "probability of dropping an element before it enters a residual sum",
        zero=True,
        below=1,
    )
    attention_dropout: float = option(
        0.0, "probability of dropping an attention weight", zero=True, below=1
    )
    norm: str = option(
        "pre",
        "layer normalization before or after each sublayer",
        choices=("pre", "post"),
    )
    encoding: str = option(
        "sinusoidal",
        "positional encoding; absolute is that of the vanilla model",
        choices=(*ENCODINGS, "absolute"),
    )
    mem_len: int = option(64, "tokens in the memory of each layer", zero=True)
    c_mem_len: int = option(
        0, "slots in the compressed memory of each layer", zero=True
    )
    compression_rate: int = option(4, "tokens per slot of the compressed memory")
    compression: str = option(
        "conv1d", "compression function", choices=(*COMPRESSIONS,)
    )
    reconstruction: str = option(
        "attention", "auxiliary loss that trains the compression", choices=(*LOSSES,)
    )
    bptt: int = option(
        1, "segments that a gradient passes through (with --reconstruction none)"
    )
    tied: bool = option(
        True, "output layer and embedding share their weights", alone=True
    )
    cutoffs: tuple[int, ...] = option(
        (),
        "first tokens of the second and later clusters of an adaptive softmax",
        metavar="20000,40000",
        shown="one cluster",
    )
    div_val: int = option(
        1, "factor by which each cluster is narrower than the one before"
    )
    d_embed: int = option(0, "width of the first cluster; 0 means d_model", zero=True)
    tied_projections: bool = option(
        True,
        "output layer and embedding share the projections of the later clusters",
        alone=True,
    )
    same_length: bool = option(
        False,
        "each token attends to mem_len keys, itself included",
        alone=True,
    )
    clamp_len: int = option(
        0, "largest distance in tokens that is told apart; 0 means no limit", zero=True
    )
    zero_memory: bool = option(
        False,
        "a text begins with a memory of zeros instead of an empty one",
        alone=True,
    )

    # The batches.
    seq_len: int = option(64, "tokens per segment", group="reading")
    batch: int = option(8, "sequences per batch, of all processes together")
    accumulate: int = option(
        1, "parts of the batch that each process computes before an update"
    )

    # The optimization. The learning rate rises during the first `warmup` steps and then
    # falls as `schedule` says.
    steps: int = option(2000, "updates of the parameters", group="learning")
    optimizer: str = option(
        "adamw",
        "optimizer; muon updates the matrices, AdamW the rest",
        choices=("adamw", "muon"),
    )
    learning_rate: float = option(2e-3, "highest learning rate")
    min_learning_rate: float = option(
        1e-4, "learning rate at the end of the schedule", zero=True
    )
    warmup: int = option(
        100, "steps until the highest learning rate is reached", zero=True
    )
    schedule: str = option(
        "cosine", "shape of the decay after the warm-up", choices=(*SCHEDULES,)
    )
    weight_decay: float = option(0.1, "weight decay of the matrices", zero=True)
    beta1: float = option(
        0.9,
        "decay of AdamW's mean of the gradients",
        zero=True,
        below=1,
    )
    beta2: float = option(
        0.99, "decay of AdamW's mean of the squared gradients", below=1
    )
    clip: float = option(
        1.0, "maximal norm of the gradient; 0 means no limit", zero=True
    )
    seed: int = option(
        1337,
        "random seed of the initial values and of dropout",
        zero=True,
        below=2**63,
    )

    # The machine.
    device: str = option(
        "auto",
        "device; auto is a GPU if there is one",
        choices=("auto", "cpu", "cuda", "mps"),
        group="machine",
    )
    precision: str = option(
        "auto",
        "number format of matrix products; auto is 16 bits on a GPU, else float32",
        choices=("auto", "float32", "bfloat16", "float16"),
    )
    deterministic: bool = option(
        False, "use only operations that give the same result in every run", alone=True
    )
    shard: bool = option(
        False, "each process stores only a part of the parameters", alone=True
    )
    compile: bool = option(False, "compile the layers before training", alone=True)

    # What is written, and how often.
    log_interval: int = option(10, "steps between two log lines", group="writing")
    save_interval: int = option(250, "steps between two validations and checkpoints")
    eval_tokens: int = option(
        20_000,
        "tokens of the validation part to evaluate each time; 0 means all",
        zero=True,
    )

    def __post_init__(self) -> None:
        for name, field in FIELDS.items():
            try:
                check_value(field, getattr(self, name))
            except ValueError as error:
                raise SettingError(str(error)) from None
        for contradiction in find_contradictions(self):
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

# The units of a token that have a name.
VOCABULARIES = ("characters", "words", "bytes")

# The settings that only the compressive model uses.
COMPRESSING = {
    *("c_mem_len", "compression_rate", "compression", "reconstruction", "bptt")
}

# The greatest number of `cutoffs`. Each cluster needs tables of its own, and no
# published model has so many clusters.
MOST_CUTOFFS = 16


def find_contradictions(config: Config) -> Iterator[str]:
    """Settings that contradict each other or have no effect, with a line for each."""
    c = config
    if c.vocabulary not in VOCABULARIES and not c.vocabulary.endswith(".json"):
        yield (
            f"vocabulary = {c.vocabulary!r} is not one of {', '.join(VOCABULARIES)}, "
            "nor the path of a tokenizer.json"
        )
    if c.documents and c.zero_memory:
        yield "zero_memory does not go together with documents"
    if c.documents and not COMPRESSIONS[c.compression].by_block:
        yield (
            f"compression = {c.compression!r} does not go together with documents: a "
            "slot may depend on several of them"
        )
    if c.d_model % c.heads:
        yield f"d_model={c.d_model} is not a multiple of heads={c.heads}"
    if c.d_model % 2:
        yield f"d_model={c.d_model} is odd: sinusoids come in pairs"
    if len(c.cutoffs) > MOST_CUTOFFS:
        yield f"cutoffs has {len(c.cutoffs)} numbers: give at most {MOST_CUTOFFS}"
    if c.eval_tokens == 1:
        yield "eval_tokens = 1 leaves nothing to predict: give 2 or more, or 0 for all"
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
            yield f"{name} needs model = xl and a memory, given mem_len = {c.mem_len}"
    if c.model == "xl":
        for name, field in FIELDS.items():
            if name in COMPRESSING and getattr(c, name) != field.default:
                yield (
                    f"{name} = {getattr(c, name)} has no effect: only the model "
                    "compressive has a compressed memory"
                )
    elif c.encoding == "absolute":
        yield "encoding = absolute is not available for the compressive model"

    # A compression is trained by a loss of its own, or by the loss of the language
    # model if the gradient passes through several segments.
    learned = c.model == "compressive" and COMPRESSIONS[c.compression].is_learned
    by_task = learned and c.reconstruction == "none"
    default = FIELDS["reconstruction"].default
    if c.model == "compressive" and not learned and c.reconstruction != default:
        yield (
            f"reconstruction={c.reconstruction} has no effect: "
            f"compression={c.compression} has no parameters"
        )
    if by_task and c.bptt == 1:
        yield (
            f"compression={c.compression} is not trained with reconstruction=none "
            "and bptt=1: set bptt to 2 or more segments"
        )
    if c.bptt > 1 and not by_task:
        yield f"bptt={c.bptt} needs a learned compression and reconstruction=none"


def configure(*layers: Mapping[str, object]) -> Config:
    """The defaults, overridden by the settings of each of `layers` in this order.

    Raises `SettingError` for a setting that does not exist or does not make sense.
    """
    values: dict[str, Any] = {}
    for layer in layers:
        for name, value in layer.items():
            if name not in FIELDS:
                question = suggest(name, FIELDS) or "txl train --help shows all"
                raise SettingError(f"unknown setting {name}: {question}")
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
        raise TrainingError(f"{path} is not valid TOML: {error}") from None


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
