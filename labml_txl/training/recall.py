r"""# Recall

A task whose answer lies a chosen number of tokens back. It shows how far a memory
reaches, and what compression gains where the number of memories is the same.

A text leaves open how far back a model has to look. Here it is decided: a fact is told
once, and asked for `distance` tokens later. Other facts, other questions and blanks
stand between them. So nothing but memory can help.

```text
.  k3=v7  .  .  k1=v2  .  .  ?k3  v7  .  .  ?k1  v2
     └── distance 7 ─────────────┘
```

Two models learn the task from the same streams, in as many steps. Both attend to the
same number of memories. Transformer-XL keeps the last 64 states of each layer. The
Compressive Transformer keeps the last 32, and 32 compressed ones that stand for 4 each.

**What to expect.** A layer looks back over its memory: $n_m$ tokens, or
$n_m + c\,n_{cm}$ with compression. The first query of a segment sees exactly that far,
and the last one a segment further. All $l$ layers together reach $l$ times as far, if
the states of a lower layer carry what an upper one will want.

- With many keys, `key-value`, they do not: a state would have to carry all facts at
  once. Accuracy falls where the memory of *one* layer ends.
- With a single key, `copy`, they do: any state can carry the latest fact. Accuracy
  falls where the memory of *all* layers ends.

```sh
txl recall
```
"""

import itertools
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from labml_txl.training.text.files import TrainingError

Report = Callable[[str], None]


def silent(line: str) -> None:
    r"""Report nothing."""


# Where nothing is said.
BLANK = 0

# What is not asked for has this target, which `cross_entropy` passes over.
NOT_ASKED = -100

# The share of places where a fact is told, if there is room for it. Facts that stand
# side by side would have to share one compressed memory.
TOLD = 1 / 3


@dataclass(frozen=True)
class Task:
    r"""What is told and asked: `n_keys` keys, each with one of `n_values` values.

    A fact is one token, and says which value a key has. A question is one token, a key.
    The token behind it is the answer. With a single key this is the task of copying.
    """

    n_keys: int
    n_values: int

    def __post_init__(self) -> None:
        if self.n_keys < 1 or self.n_values < 2:
            raise TrainingError(f"{self} has nothing to ask for")

    # The vocabulary: the blank, then questions, answers and facts.
    @property
    def n_vocab(self) -> int:
        r"""How many tokens there are."""
        return 1 + self.n_keys + self.n_values + self.n_keys * self.n_values

    @property
    def chance(self) -> float:
        r"""The share of right answers of a model that remembers nothing."""
        return 1 / self.n_values

    def question(self, key: int) -> int:
        r"""The token of the question: what is the value of a key?"""
        return 1 + key

    def answer(self, value: int) -> int:
        r"""The token that stands for a value."""
        return 1 + self.n_keys + value

    def fact(self, key: int, value: int) -> int:
        r"""The token that says which value a key has."""
        return 1 + self.n_keys + self.n_values + key * self.n_values + value


# The tasks by the names that the command line knows. With 32 keys in turn, a key comes
# again when what was said of it before has long been forgotten.
TASKS = {"key-value": Task(32, 8), "copy": Task(1, 8)}


class Stream(NamedTuple):
    r"""Sequences for some readers: all are `[length, readers]`.

    Where `asked` is true, the token is an answer, and its fact stands as many places
    before it as `distance` says. Elsewhere `distance` is 0.
    """

    tokens: Tensor
    distance: Tensor

    @property
    def asked(self) -> Tensor:
        r"""Where an answer stands."""
        return self.distance > 0


def stream(
    task: Task, distances: Sequence[int], length: int, readers: int, seed: int
) -> Stream:
    r"""A text for each reader, in which each question has one of `distances`."""
    check_distances(distances)
    chosen = random.Random(seed)
    texts = [text(task, distances, length, chosen) for _ in range(readers)]
    return Stream(*(torch.tensor(rows).t() for rows in zip(*texts, strict=True)))


def check_distances(distances: Sequence[int]) -> None:
    r"""Raise `TrainingError` unless the question has room before the answer."""
    if min(distances) < 2:
        raise TrainingError(
            f"distance={min(distances)}: it must be 2 or more, since the question "
            "stands before the answer"
        )


def text(
    task: Task, distances: Sequence[int], length: int, chosen: random.Random
) -> tuple[list[int], list[int]]:
    r"""One text: its tokens, and how far before each answer its fact stands."""
    tokens, distance = [BLANK] * length, [0] * length
    keys = chosen.sample(range(task.n_keys), task.n_keys)
    free_from = dict.fromkeys(keys, 0)
    for told in range(length):
        # The next key in turn, if what was told of it last has been asked for.
        key, far = keys[0], chosen.choice(distances)
        asked = told + far
        silent = chosen.random() > TOLD or free_from[key] > told
        places = (told, asked - 1, asked)
        if silent or asked >= length or any(tokens[place] for place in places):
            continue
        value = chosen.randrange(task.n_values)
        tokens[told] = task.fact(key, value)
        tokens[asked - 1] = task.question(key)
        tokens[asked] = task.answer(value)
        distance[asked] = far
        free_from[key] = asked + 1
        keys.append(keys.pop(0))
    return tokens, distance


def segments(
    texts: Stream, seq_len: int, device: torch.device
) -> Iterator[tuple[Tensor, Tensor]]:
    r"""Tokens and targets, segment by segment, both `[seq_len, readers]`.

    Only answers are targets. What follows the last whole segment is left out.
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


def rivals(steps: int, seed: int, device: str = "cpu") -> dict[str, Config]:
    r"""Two models that attend to the same number of memories."""
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
    r"""The greatest distance that is asked for at a step of training.

    Within a segment at first, where a model learns fastest what a question is. Then it
    grows, and from the middle of training on it is `goal`.
    """
    near = min(config.seq_len - 4, goal)
    grown = (step / config.steps - 0.25) / 0.25
    return near + int((goal - near) * min(1.0, max(0.0, grown)))


def lessons(
    config: Config, task: Task, goal: int, device: torch.device
) -> Iterator[tuple[Tensor, Tensor]]:
    r"""The segments of a training run, one a step, with distances from 2 to `goal`.

    A chapter is a text of its own, and chapters follow one another as in a book: the
    memory goes on.
    """
    step = 0
    for chapter in itertools.count(1):
        distances = range(2, farthest(step, config, goal) + 1)
        length = max(320, 2 * distances[-1]) + config.seq_len
        seed = config.seed * 1_000_000 + chapter
        texts = stream(task, distances, length, config.batch, seed)
        for lesson in segments(texts, config.seq_len, device):
            yield lesson
            step += 1
            if step == config.steps:
                return


def learn(
    config: Config, task: Task, goal: int, report: Report = silent
) -> LanguageModel:
    r"""A model that was trained on distances from 2 to `goal`."""
    device = find_device(config.device)
    torch.manual_seed(config.seed)
    model = build(config, task.n_vocab)
    spread(model)
    objective = Objective(model, config).to(device)
    optimizer = make_optimizer(objective, config)

    memory: Memory = None
    start = time.perf_counter()
    for step, (tokens, targets) in enumerate(lessons(config, task, goal, device)):
        for group in optimizer.param_groups:
            group["lr"] = config.rate_at(step)
        loss, nats, memory = objective(tokens, targets, memory)

        # Where nothing is asked there is nothing to learn, but to remember.
        if (targets != NOT_ASKED).any():
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(objective.parameters(), config.clip)
            optimizer.step()
        if (step + 1) % 250 == 0:
            seconds = time.perf_counter() - start
            report(
                f"step {step + 1:>5}/{config.steps}  {float(nats):.3f} nats an answer  "
                f"distances to {farthest(step, config, goal)}  {seconds:.0f} s"
            )
    return model.eval()


def spread(model: LanguageModel) -> None:
    r"""Initial values whose products are as large as their inputs.

    Departure: a standard deviation of 0.02 suits wide models. In a model this narrow
    all scores would start near 0, and it would take long to learn where to look.
    """
    for part in model.modules():
        if isinstance(part, nn.Linear | nn.Embedding):
            nn.init.normal_(part.weight, std=part.weight.shape[-1] ** -0.5)


@torch.inference_mode()
def accuracy(
    model: LanguageModel, task: Task, distance: int, seq_len: int, least: int = 1000
) -> tuple[float, int]:
    r"""The share of right answers at one distance, and how many were asked for.

    Sequences are read one after the other until `least` answers have been asked for.
    """
    device = next(model.parameters()).device
    right = asked = 0
    memory: Memory = None
    for seed in itertools.count(1):
        texts = stream(task, [distance], 2 * distance + 10 * seq_len, 16, -seed)
        for tokens, targets in segments(texts, seq_len, device):
            logits, memory = model(tokens, memory)
            counts = targets != NOT_ASKED
            right += int((logits.argmax(-1) == targets)[counts].sum())
            asked += int(counts.sum())
        if asked >= least:
            break
    return right / asked, asked


class Measured(NamedTuple):
    r"""One point of the picture: an accuracy, from so many `answers`."""

    model: str
    distance: int
    accuracy: float
    answers: int


def compare(
    task: Task,
    distances: Sequence[int],
    configs: Mapping[str, Config],
    report: Report = silent,
) -> list[Measured]:
    r"""Train the models, and measure them at each of `distances`."""
    check_distances(distances)
    points = []
    for name, config in configs.items():
        report(name)
        model = learn(config, task, max(distances), report)
        for distance in distances:
            share, answers = accuracy(model, task, distance, config.seq_len)
            points.append(Measured(name, distance, share, answers))
    return points


def table(points: Sequence[Measured]) -> str:
    r"""The accuracies in per cent: a row a distance, a column a model."""
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
    r"""Draw accuracy over distance, as PNG and as SVG."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for point in points:
        lines.setdefault(point.model, []).append((point.distance, point.accuracy))
    across = "distance between fact and answer, tokens"
    return plot(path, lines, across, "share of right answers")
