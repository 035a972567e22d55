r"""# Recall

In this task the model has to recall a fact that it was given a chosen number of tokens
before. It shows how far a memory reaches, and how much further it reaches with
compression if the number of states is the same.

In an ordinary text one does not know how far back a model has to look to predict a
token. Here we choose this distance: a fact occurs once, the question about it follows
later, and the answer, which the model has to predict, comes `distance` tokens after the
fact. Between them are blanks and other facts and questions, from which the answer
cannot be predicted, so the model needs its [memory](../models/memory.md).

```text
.  k3=v7  .  .  k1=v2  .  .  ?k3  v7  .  .  ?k1  v2
     └── distance 7 ─────────────┘
```

Two models are trained on the same data for the same number of steps, and both remember
the same number of states. In each layer, Transformer-XL keeps the last 64 states. The
Compressive Transformer keeps the last 32 and, in addition, 32 compressed slots, each of
which represents 4 states.

**How far a model reaches.** The memory of one layer reaches back by $M$ tokens, or by
$M + c\,n_{cm}$ with compression. This is counted from the first token of a segment; the
last token sees almost a segment further back. Together, $N$ layers can reach $N$ times
as far, but only if a lower layer copies into its states what an upper layer will need
later.

- With many keys, the task `key-value`, our models do not learn this, and we have not
  found out why. The accuracy falls where the memory of *one* layer ends.
- With a single key, the task `copy`, they learn it: each state only has to contain the
  latest value. The accuracy falls where the memory of *all* layers ends.

```sh
txl recall
```
"""

import itertools
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn

from labml_txl.models import LanguageModel
from labml_txl.training.config import Config, configure
from labml_txl.training.objective import Memory, Objective, build, make_optimizer
from labml_txl.training.runs.machine import find_device
from labml_txl.training.runs.plots import plot
from labml_txl.training.step import train_step
from labml_txl.training.text.files import Report, TrainingError, report_nothing

# The token between facts and questions.
BLANK = 0

# The target of each token that is not followed by an answer. `cross_entropy` ignores
# it.
NOT_ASKED = -100

# The share of positions at which we try to insert a fact. If facts were next to each
# other, several of them would have to be compressed into one slot.
FACTS = 1 / 3


@dataclass(frozen=True)
class Task:
    """A task with `n_keys` keys, each of which has one of `n_values` values.

    A fact is a token that gives a key its value. A question is a token for a key, and
    the token after it is the answer, a value. With a single key, the model only has to
    copy the value of the latest fact.
    """

    n_keys: int
    n_values: int

    def __post_init__(self) -> None:
        if self.n_keys < 1 or self.n_values < 2:
            raise TrainingError(f"{self} has no facts to ask for")

    # The vocabulary: the blank, then questions, answers and facts.
    @property
    def n_vocab(self) -> int:
        """The number of different tokens."""
        return 1 + self.n_keys + self.n_values + self.n_keys * self.n_values

    @property
    def chance(self) -> float:
        """The share of right answers if one guesses."""
        return 1 / self.n_values

    def question(self, key: int) -> int:
        """The token of a question for the value of a key."""
        return 1 + key

    def answer(self, value: int) -> int:
        """The token of a value."""
        return 1 + self.n_keys + value

    def fact(self, key: int, value: int) -> int:
        """The token that gives a key a value."""
        return 1 + self.n_keys + self.n_values + key * self.n_values + value


# The tasks by the names that the command line accepts. Facts use the 32 keys in turn,
# so a key gets a new value long after its last one.
TASKS = {"key-value": Task(32, 8), "copy": Task(1, 8)}


class Stream(NamedTuple):
    """The sequences of a batch.

    - `tokens`: `[length, batch]`.
    - `distance`: `[length, batch]`. For each answer, its distance from its fact in
      tokens; for all other tokens, 0.
    """

    tokens: Tensor
    distance: Tensor

    @property
    def asked(self) -> Tensor:
        """Which tokens are answers, `[length, batch]`."""
        return self.distance > 0


def draw_stream(
    task: Task, distances: Sequence[int], length: int, batch: int, seed: int
) -> Stream:
    """`batch` sequences of `length` tokens, with facts at the given distances."""
    check_distances(distances)
    chosen = random.Random(seed)
    texts = [draw_text(task, distances, length, chosen) for _ in range(batch)]
    return Stream(*(torch.tensor(rows).t() for rows in zip(*texts, strict=True)))


def check_distances(distances: Sequence[int]) -> None:
    """Raise `TrainingError` unless there is a token between fact and answer."""
    if min(distances) < 2:
        raise TrainingError(
            f"distance={min(distances)}: must be 2 or more, because the question comes "
            "before the answer"
        )


def draw_text(
    task: Task, distances: Sequence[int], length: int, chosen: random.Random
) -> tuple[list[int], list[int]]:
    """One sequence: its tokens, and the distance of each answer from its fact."""
    tokens, distance = [BLANK] * length, [0] * length
    keys = chosen.sample(range(task.n_keys), task.n_keys)
    free_from = dict.fromkeys(keys, 0)
    for fact in range(length):
        # The next key gets a value here, unless its last value is still to be asked for
        # or one of the positions for its fact, question and answer is taken.
        key, far = keys[0], chosen.choice(distances)
        asked = fact + far
        skipped = chosen.random() > FACTS or free_from[key] > fact
        needed = (fact, asked - 1, asked)
        if skipped or asked >= length or any(tokens[position] for position in needed):
            continue
        value = chosen.randrange(task.n_values)
        tokens[fact] = task.fact(key, value)
        tokens[asked - 1] = task.question(key)
        tokens[asked] = task.answer(value)
        distance[asked] = far
        free_from[key] = asked + 1
        keys.append(keys.pop(0))
    return tokens, distance


def cut_segments(
    texts: Stream, seq_len: int, device: torch.device
) -> Iterator[tuple[Tensor, Tensor]]:
    """Tokens and targets, segment by segment, both `[seq_len, batch]`.

    Only answers are targets. Tokens after the last whole segment are left out.
    """
    targets = texts.tokens.masked_fill(~texts.asked, NOT_ASKED)
    for start in range(0, len(targets) - seq_len, seq_len):
        end = start + seq_len
        read, wanted = texts.tokens[start:end], targets[start + 1 : end + 1]
        yield read.to(device), wanted.to(device)


# What both models have in common.
COMMON: dict[str, object] = {
    "n_layers": 2,
    "heads": 4,
    "d_model": 64,
    "d_ff": 128,
    "seq_len": 32,
    "batch": 16,
    "learning_rate": 3e-3,
    "min_learning_rate": 1e-4,
    "warmup": 100,
    "beta2": 0.98,
    "weight_decay": 0.01,
}


def recall_configs(steps: int, seed: int, device: str = "cpu") -> dict[str, Config]:
    """The configurations of two models that remember the same number of states."""
    common = COMMON | {"steps": steps, "seed": seed, "device": device}
    compressive = {
        "model": "compressive",
        "mem_len": 32,
        "c_mem_len": 32,
        "compression_rate": 4,
    }
    return {
        "Transformer-XL": configure(common, {"mem_len": 64}),
        "Compressive Transformer": configure(common, compressive),
    }


def farthest(step: int, config: Config, goal: int) -> int:
    """The greatest distance between fact and answer at a step of training.

    At first it is shorter than a segment, because a model learns the task fastest if it
    does not need its memory for it. Then it grows, and from the middle of training on
    it is `goal`.
    """
    near = min(config.seq_len - 4, goal)
    grown = (step / config.steps - 0.25) / 0.25
    return near + int((goal - near) * min(1.0, max(0.0, grown)))


def draw_segments(
    config: Config, task: Task, goal: int, device: torch.device
) -> Iterator[tuple[Tensor, Tensor]]:
    """The segments of a training run, one for each step, with distances up to `goal`.

    The range of distances grows during training, but is fixed for sequences that are
    generated together. The data is therefore generated in several pieces, the chapters.
    The memory is passed on from one chapter to the next.
    """
    step = 0
    for chapter in itertools.count(1):
        distances = range(2, farthest(step, config, goal) + 1)
        length = max(320, 2 * distances[-1]) + config.seq_len
        seed = config.seed * 1_000_000 + chapter
        texts = draw_stream(task, distances, length, config.batch, seed)
        for lesson in cut_segments(texts, config.seq_len, device):
            yield lesson
            step += 1
            if step == config.steps:
                return


def train_model(
    config: Config, task: Task, goal: int, report: Report = report_nothing
) -> LanguageModel:
    """Train a model on distances from 2 to `goal` and return it."""
    device = find_device(config.device)
    torch.manual_seed(config.seed)
    model = build(config, task.n_vocab)
    widen_init(model)
    objective = Objective(model, config).to(device)
    optimizer = make_optimizer(objective, config)

    memory: Memory = None
    start = time.perf_counter()
    for step, (tokens, targets) in enumerate(draw_segments(config, task, goal, device)):
        for group in optimizer.param_groups:
            group["lr"] = config.rate_at(step)

        # A segment without an answer has no loss, but its facts must be remembered.
        if (targets != NOT_ASKED).any():
            nats, memory = train_step(
                objective, optimizer, tokens, targets, memory, config.clip
            )
        else:
            _, nats, memory = objective(tokens, targets, memory)
        if (step + 1) % 250 == 0:
            seconds = time.perf_counter() - start
            report(
                f"step {step + 1:>5}/{config.steps}  {float(nats):.3f} nats an answer  "
                f"distances to {farthest(step, config, goal)}  {seconds:.0f} s"
            )
    return model.eval()


def widen_init(model: LanguageModel) -> None:
    """Give linear layers and embeddings larger initial values.

    Departure: a standard deviation of 0.02 is suited to wide models. In a model as
    narrow as this one, all scores would be almost 0 at first, and attention would need
    many steps of training until it distinguishes between keys.
    """
    for part in model.modules():
        if isinstance(part, nn.Linear | nn.Embedding):
            nn.init.normal_(part.weight, std=part.weight.shape[-1] ** -0.5)


@torch.inference_mode()
def measure_accuracy(
    model: LanguageModel, task: Task, distance: int, seq_len: int, least: int = 1000
) -> tuple[float, int]:
    """The share of right answers at one distance, and the number of answers.

    Sequences are generated until they contain at least `least` answers.
    """
    device = next(model.parameters()).device
    right = asked = 0
    memory: Memory = None
    for seed in itertools.count(1):
        texts = draw_stream(task, [distance], 2 * distance + 10 * seq_len, 16, -seed)
        for tokens, targets in cut_segments(texts, seq_len, device):
            logits, memory = model(tokens, memory)
            counts = targets != NOT_ASKED
            right += int((logits.argmax(-1) == targets)[counts].sum())
            asked += int(counts.sum())
        if asked >= least:
            break
    return right / asked, asked


class Measured(NamedTuple):
    """One point of the curves: the accuracy at a distance, from `answers` answers."""

    model: str
    distance: int
    accuracy: float
    answers: int


def compare(
    task: Task,
    distances: Sequence[int],
    configs: Mapping[str, Config],
    report: Report = report_nothing,
) -> list[Measured]:
    """Train each of the models and measure its accuracy at each of `distances`."""
    check_distances(distances)
    points = []
    for name, config in configs.items():
        report(name)
        model = train_model(config, task, max(distances), report)
        for distance in distances:
            share, answers = measure_accuracy(model, task, distance, config.seq_len)
            points.append(Measured(name, distance, share, answers))
    return points


def format_table(points: Sequence[Measured]) -> str:
    """A table of accuracies: a row for each distance, a column for each model."""
    names = list(dict.fromkeys(point.model for point in points))
    found = {(point.distance, point.model): point.accuracy for point in points}
    lines = ["distance" + "".join(f"  {name:>{max(7, len(name))}}" for name in names)]
    for distance in sorted({point.distance for point in points}):
        shares = (found[distance, name] for name in names)
        cells = zip(names, shares, strict=True)
        lines.append(
            f"{distance:>8}"
            + "".join(f"  {share:>{max(7, len(name))}.1%}" for name, share in cells)
        )
    return "\n".join(lines)


def draw(points: Sequence[Measured], path: Path) -> list[Path]:
    """Draw accuracy over distance and return the files, a PNG and an SVG."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for point in points:
        lines.setdefault(point.model, []).append((point.distance, point.accuracy))
    across = "distance between fact and answer, tokens"
    return plot(path, lines, across, "share of right answers")
