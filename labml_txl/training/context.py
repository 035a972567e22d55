r"""# Effective context

How much context can a model use to lower its loss? The paper on Transformer-XL measures
this in section 4.3 and appendix C by the relative effective context length, RECL.

A longer context lowers the loss, but from some length on it hardly does. A model that
predicts well from a short context has less to gain from a longer one, so by itself it
would have a shorter length than a worse model: see [an
example](../experiments.md#the-length-beyond-which-context-stops-to-help). The
paper therefore compares a **group** of models. What a model gains from a longer context
is measured against the *best* model of the group with the shorter context.

Let $l_i(c, t)$ be the loss of model $i$ at position $t$ with a context of $c$ tokens:

$$
l_i(c, t) = -\log P_i(x_t \mid x_{t-1}, \dots, x_{t-c})
$$

**The baseline** of a position is the lowest loss of the group with the shorter context
$c$. With a longer context $c'$, only losses below the baseline count as a gain.
$\mathcal T$ is the set of positions over which the mean is taken:

$$
b(c, t) = \min_i\, l_i(c, t) \qquad
f_i(c, c') = \frac{1}{|\mathcal T|} \sum_{t \in \mathcal T}
\min\big(b(c, t),\, l_i(c', t)\big)
$$

**The hard positions** are those that are predicted badly from a context of $c$ tokens,
where a longer context could help most. With a ratio $r$, $\mathcal T$ is the share $r$
of all positions that has the largest $b(c, t)$.

**The gain** is the relative decrease of the perplexity:

$$
g_i(c, c') = \frac{\exp f_i(c, c) - \exp f_i(c, c')}{\exp f_i(c, c)}
$$

The context is made longer step by step. RECL is the first length $c$ at which a further
step gains less than 0.01. It depends on the group, so the same model can have another
RECL when it is compared with other models.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from labml_txl.models import LanguageModel
from labml_txl.training.objective import Memory, cross_entropy
from labml_txl.training.text.files import SettingError, TrainingError

# The smallest gain for which a context is made longer.
THRESHOLD = 0.01

# The ratios of hard positions in the paper's table 8.
RATIOS = (0.1, 0.5, 1.0)


@dataclass(frozen=True)
class Reach:
    """A relative effective context length.

    - `length`: the length in tokens.
    - `ended`: whether a step gained too little. If none did, `length` is the longest
      context that was tried, and the true length may be greater.
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
    """$l_i(c, t)$ for each length $c$: a tensor `[n_models, positions]`, in nats.

    - `models`: the group of models.
    - `tokens`: a text, `[n_tokens]`.
    - `lengths`: the lengths of context to try, in ascending order.
    - `seq_len`: the length of the segments in which a context is processed.
    - `positions`: the number of positions, which are spread evenly over the text. Each
      has at least `max(lengths)` tokens before it, so that the same positions can be
      used for all lengths.
    - `batch`: how many positions are processed at once.
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
    """Raise `SettingError` unless there are two or more lengths in ascending order."""
    rising = all(a < b for a, b in itertools.pairwise(lengths))
    if len(lengths) < 2 or lengths[0] < 1 or not rising:
        given = ",".join(map(str, lengths))
        raise SettingError(f"lengths {given}: expected two or more in increasing order")


@torch.inference_mode()
def at_positions(
    model: LanguageModel, tokens: Tensor, positions: Tensor, length: int, seq_len: int
) -> Tensor:
    """The loss at each of `positions`, `[n]`, with a context of `length` tokens.

    The memory is empty before the context, which is processed segment by segment. The
    prediction therefore depends on exactly these tokens.
    """
    device = next(model.parameters()).device
    times = torch.arange(-length, 1)[:, None]
    window = tokens[positions + times].long().to(device)  # [length + 1, n]

    # If the context is not a multiple of `seq_len`, the first segment is shorter.
    memory: Memory = None
    start = 0
    for end in range(length - (length - 1) // seq_len * seq_len, length + 1, seq_len):
        logits, memory = model(window[start:end], memory)
        start = end
    return cross_entropy(logits[-1:], window[-1:], "none")[0].cpu()


def effective_lengths(
    table: Sequence[Tensor], lengths: Sequence[int], ratio: float
) -> list[Reach]:
    """The RECL of each model of a group.

    - `table`: the losses, `[n_models, positions]`, for each of `lengths`.
    - `lengths`: the lengths of context, in ascending order.
    - `ratio`: the share of hard positions.
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
    """The gain $g_i(c, c')$ of each model, `[n_models]`.

    `short` and `long` are the losses with contexts of $c$ and $c'$ tokens,
    `[n_models, positions]`; `ratio` is the share of hard positions.
    """
    # The baseline, and the positions at which it is largest.
    b = short.double().amin(0)  # [positions]
    hard = b.topk(max(1, round(ratio * len(b)))).indices  # [n_hard]
    b = b[hard]  # [n_hard]

    # With the short context, no loss is below the baseline, so $f_i(c, c)$ is the mean
    # of the baseline for every model.
    f_short = b.mean()
    f_long = torch.minimum(b, long.double()[:, hard]).mean(1)  # [n_models]
    return 1 - (f_long - f_short).exp()
