r"""# Schedules

The learning rate of every step. It rises in equal parts over the first `warmup` steps,
and then one of these schedules decides:

| schedule | after the warm-up |
|---|---|
| `cosine` | falls along half a cosine, to `min_learning_rate` at the last step |
| `linear` | falls in equal parts, to the same rate at the same step |
| `constant` | stays where it is |
| `inverse_square_root` | falls with the root of the step, never below `min_learning_rate` |

The first two must know how long the run will be. The last two need not: such a run may
go on for as long as one likes.
"""  # noqa: E501, a row of a table is one line

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from labml_txl.training.runs.config import Config


def rate_at(config: "Config", step: int) -> float:
    r"""The learning rate of a step, the first of which is 0."""
    if step < config.warmup:
        return config.learning_rate * (step + 1) / config.warmup
    return SCHEDULES[config.schedule](config, step)


def cosine(config: "Config", step: int) -> float:
    r"""Slowly at first, fastest in the middle, slowly at the end."""
    fall = (1 + math.cos(math.pi * done(config, step))) / 2
    return config.min_learning_rate + fall * span(config)


def linear(config: "Config", step: int) -> float:
    r"""By the same amount a step."""
    return config.min_learning_rate + (1 - done(config, step)) * span(config)


def constant(config: "Config", step: int) -> float:
    r"""Always the highest rate."""
    return config.learning_rate


def inverse_square_root(config: "Config", step: int) -> float:
    r"""The highest rate at the end of the warm-up, half of it in four times the steps.

    This is the schedule of the Transformer's own paper
    ([arXiv:1706.03762](https://arxiv.org/abs/1706.03762), section 5.3).
    """
    rate = config.learning_rate * math.sqrt(max(1, config.warmup) / (step + 1))
    return max(config.min_learning_rate, rate)


def done(config: "Config", step: int) -> float:
    r"""Which share of the steps after the warm-up has been made."""
    return min(1.0, (step - config.warmup) / max(1, config.steps - config.warmup))


def span(config: "Config") -> float:
    r"""How far the rate falls."""
    return config.learning_rate - config.min_learning_rate


SCHEDULES: dict[str, Callable[["Config", int], float]] = {
    "cosine": cosine,
    "linear": linear,
    "constant": constant,
    "inverse_square_root": inverse_square_root,
}
