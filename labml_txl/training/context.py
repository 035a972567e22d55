r"""# Effective context

How much of the past a model uses to its profit: the relative effective context length,
RECL, of section 4.3 and appendix C of the Transformer-XL paper.

A longer context lowers the loss, up to a length from which it hardly does any more. To
compare models by that length has a catch: a model that predicts well from a short
context has less left to gain, and would look as if it saw less far. So the paper
compares a **group** of models, and measures what each gains over the *best* of them all
with the shorter context.

Let $l_i(c, t)$ be the loss of model $i$ at position $t$ with a context of $c$ tokens:

$$
l_i(c, t) = -\log P_i(x_t \mid x_{t-1}, \dots, x_{t-c})
$$

**The baseline** of each position is the least loss of the group, and only losses below
it count as a gain. $\mathcal T$ are the positions that are looked at.

$$
b(c, t) = \min_i\, l_i(c, t) \qquad
f_i(c, c') = \frac{1}{|\mathcal T|} \sum_{t \in \mathcal T}
\min\big(b(c, t),\, l_i(c', t)\big)
$$

**The hard positions** are those where a context of $c$ tokens was not enough: with a
ratio $r$, $\mathcal T$ is the share $r$ of all positions with the largest $b(c, t)$.

**The gain** is the share by which the perplexity falls:

$$
g_i(c, c') = \frac{\exp f_i(c, c) - \exp f_i(c, c')}{\exp f_i(c, c)}
$$

The context grows step by step. RECL is the length $c$ from which the next step gains
less than 0.01. It depends on the group: with other models beside it, the same model
may get another length.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from labml_txl.models import LanguageModel
from labml_txl.training.objective import Memory, cross_entropy
from labml_txl.training.text.files import SettingError, TrainingError

# The gain that is still worth a longer context.
THRESHOLD = 0.01

# The ratios of hard positions of the paper's table 8.
RATIOS = (0.1, 0.5, 1.0)


@dataclass(frozen=True)
class Reach:
    r"""A relative effective context length, in tokens.

    `ended` is false where even the last step gained enough: the length is then the
    longest that was tried, and the true one may be longer.
    """

    length: int
    ended: bool


def losses(
    models: Sequence[LanguageModel],
    tokens: Tensor,
    lengths: Sequence[int],
    seq_len: int,
    positions: int = 1000,
    batch: int = 64,
) -> list[Tensor]:
    r"""$l_i(c, t)$ for each length $c$: a tensor `[n_models, positions]`, in nats.

    `tokens` is a text, `[n_tokens]`. The positions are spread evenly over it. All that
    have `max(lengths)` tokens before them may be chosen, so that they are the same for
    all lengths.
    """
    check_lengths(lengths)
    first, last = max(lengths), len(tokens) - 1
    if last < first:
        raise TrainingError(
            f"a text of {len(tokens)} tokens is too short for a context of {first}"
        )
    count = min(positions, last - first + 1)
    chosen = torch.linspace(first, last, count).long()  # [positions]
    return [
        torch.stack(
            [
                torch.cat(
                    [
                        at_positions(model, tokens, part, length, seq_len)
                        for part in chosen.split(batch)
                    ]
                )
                for model in models
            ]
        )
        for length in lengths
    ]


def check_lengths(lengths: Sequence[int]) -> None:
    r"""Raise `SettingError` unless there are two lengths or more, and they rise."""
    rising = all(a < b for a, b in itertools.pairwise(lengths))
    if len(lengths) < 2 or lengths[0] < 1 or not rising:
        given = ",".join(map(str, lengths))
        raise SettingError(f"lengths {given}: two or more that rise are wanted")


@torch.inference_mode()
def at_positions(
    model: LanguageModel, tokens: Tensor, positions: Tensor, length: int, seq_len: int
) -> Tensor:
    r"""The loss at each of `positions`, `[n]`, with a context of `length` tokens.

    The context is read from an empty memory, segment by segment. So a model knows
    exactly these tokens, however it remembers them.
    """
    device = next(model.parameters()).device
    times = torch.arange(-length, 1)[:, None]
    window = tokens[positions + times].long().to(device)  # [length + 1, n]

    # The segment that may be shorter is the first, where the memory is empty.
    memory: Memory = None
    start = 0
    for end in range(length - (length - 1) // seq_len * seq_len, length + 1, seq_len):
        logits, memory = model(window[start:end], memory)
        start = end
    return cross_entropy(logits[-1:], window[-1:], "none")[0].cpu()


def effective_lengths(
    table: Sequence[Tensor], lengths: Sequence[int], ratio: float
) -> list[Reach]:
    r"""RECL of each model, from the losses of a group.

    `table` has for each of `lengths` the losses `[n_models, positions]`.
    """
    check_lengths(lengths)
    found: list[Reach] = []
    for model in range(len(table[0])):
        ended = False
        length = lengths[0]
        for step in range(len(lengths) - 1):
            gains = relative_gains(table[step], table[step + 1], ratio)
            ended = float(gains[model]) < THRESHOLD
            if ended:
                break
            length = lengths[step + 1]
        found.append(Reach(length, ended))
    return found


def relative_gains(short: Tensor, long: Tensor, ratio: float) -> Tensor:
    r"""$g_i(c, c')$ of each model, `[n_models]`.

    `short` and `long` are the losses with $c$ and $c'$ tokens, `[n_models, positions]`.
    """
    # The baseline, and the positions where it is worst.
    b = short.double().amin(0)  # [positions]
    hard = b.topk(max(1, round(ratio * len(b)))).indices  # [n_hard]
    b = b[hard]  # [n_hard]

    # With the short context, no model is better than the best: $f_i(c, c)$ is the mean
    # of the baseline, for all models the same.
    f_short = b.mean()
    f_long = torch.minimum(b, long.double()[:, hard]).mean(1)  # [n_models]
    return 1 - (f_long - f_short).exp()
