# ---
# keywords: [compression ratio, learned compression]
# ---
r"""# Compression functions

Transformer-XL drops the oldest states of its [memory](memory.md) when new ones arrive.
The [Compressive Transformer](compressive.md) compresses them first. After a segment of
$L$ tokens, $L$ states leave a full memory. The [compression function][cmp.compression]
$f_c : \mathbb R^{L \times d} \to \mathbb R^{\lfloor L / c \rfloor \times d}$ turns them
into slots of the compressed memory, one for every $c$ states. $c$ is the compression
rate. (The paper writes $n_s$ for $L$, and calls the states *memories*. Here a memory is
the queue.)

In [the worked case](../papers/compressive_transformer.md#two-memories), the states
$(1, 0)$ and $(1, 1)$ become the slot $(1, 0.5)$ by their mean, and $(1, 1)$ by their
maximum.

The paper compares the functions on this page: max and mean pooling, which have no
parameters, two kinds of convolution, which are trained, and most-used compression,
which keeps those states that received the most attention.

All of them are called as `compress(old)` and turn `[n_old, batch, d_model]` into
`[n_old // rate, batch, d_model]`, the oldest state first. If $c$ does not divide the
length, pooling and `conv1d` ignore the newest states, which do not fill a block of $c$.
In a model this does not happen, because `CompressiveTransformer.remember` passes whole
blocks only. To add a function, write a class, and name it in `COMPRESSIONS`
here and in `labml_txl.variants`.

![The two memories of a layer as queues. A compressed memory of 4 slots, a memory of 6
states and a segment of 3 states; after the segment, the three oldest states of the
memory have been compressed into one slot of the compressed memory, whose oldest slot
has been dropped.](figure:compressed-queue)

On the [live page](../live.md) you can compare both memories on a text that you enter.
"""

import math
from collections.abc import Callable
from typing import Protocol

import torch.nn.functional as F
from torch import Tensor, nn

from labml_txl.models.arguments import check_usage


class Compression(Protocol):
    """The interface of a compression function.

    - `rate`: the compression rate $c$.
    - `needs_usage`: whether it needs to know how much attention each state received.

    A function also has the attribute `by_block = True` if each slot depends only on its
    own block of $c$ states. Then it is known which tokens a slot stands for, so a mask
    can hide it from the queries of another text. Without this attribute, a segment
    must not contain several texts: see `positions` of `TransformerXL.advance`.
    """

    rate: int
    needs_usage: bool

    def __call__(self, old: Tensor, usage: Tensor | None = None) -> Tensor:
        """Compress `old`, `[n_old, batch, d_model]`.

        `usage`, `[n_old, batch]`, is the average attention weight that each state
        received. It is passed only if `needs_usage` is true. Returns
        `[n_old // rate, batch, d_model]`.
        """


class MaxPooling(nn.Module):
    """For each feature, the maximum over the $c$ states of a block.

    It has no parameters.
    """

    needs_usage = False
    by_block = True

    def __init__(self, compression_rate: int, d_model: int) -> None:
        super().__init__()
        self.rate = check_rate(compression_rate)

    def forward(self, old: Tensor, usage: Tensor | None = None) -> Tensor:
        """[Compress][cmp.compression] `old`, `[n_old, batch, d_model]`."""
        return blocks(old, self.rate).amax(1)  # [n_old // rate, batch, d_model]


class MeanPooling(nn.Module):
    """The mean of the $c$ states of a block. It has no parameters."""

    needs_usage = False
    by_block = True

    def __init__(self, compression_rate: int, d_model: int) -> None:
        super().__init__()
        self.rate = check_rate(compression_rate)

    def forward(self, old: Tensor, usage: Tensor | None = None) -> Tensor:
        """[Compress][cmp.compression] `old`, `[n_old, batch, d_model]`."""
        return blocks(old, self.rate).mean(1)  # [n_old // rate, batch, d_model]


class Conv1dCompression(nn.Module):
    """A convolution over time whose kernel and stride are both $c$.

    This is a linear layer that is applied to each block of $c$ states, with the same
    weights for all blocks. In the paper's comparison, the model predicted best with
    this function, trained with the [attention-reconstruction loss](reconstruction.md).

    - `compression_rate`: $c$, the number of states that are compressed into one slot.
    - `d_model`: the number of features of a state, before and after.
    """

    needs_usage = False
    by_block = True

    def __init__(self, compression_rate: int, d_model: int) -> None:
        super().__init__()
        self.rate = check_rate(compression_rate)
        self.conv = nn.Conv1d(d_model, d_model, kernel_size=self.rate, stride=self.rate)

    def forward(self, old: Tensor, usage: Tensor | None = None) -> Tensor:
        """[Compress][cmp.compression] `old`, `[n_old, batch, d_model]`."""
        if len(old) < self.rate:
            return old[:0]
        compressed: Tensor = self.conv(old.permute(1, 2, 0))
        return compressed.permute(2, 0, 1)  # [n_old // rate, batch, d_model]


class DilatedConvCompression(nn.Module):
    """A convolution whose kernel uses only every $r$-th state.

    The kernel thus spans more states than it has elements, so a slot is computed from
    states that are not neighbours. The paper gives no reason why this should be better.
    In its comparison (table 5), this function is the second best.

    Departure: the paper does not give the sizes of its dilated convolutions. Here the
    kernel has $c$ elements, the stride is $c$, and the dilation $r$ is the smallest
    number above 1 that has no factor in common with $c$. With $c = 3$ and $r = 2$, the
    outputs use these states:

    ![Nine states, from 0 to 8, and three outputs. The first output uses the states 1
    and 3, the second 2, 4 and 6, and the third 5 and 7. A place of the first one before
    state 0 and a place of the third one after state 8 are
    zeros.](../figures/dilated.svg)

    Every state is used by exactly one output, except for a few near both ends, here 0
    and 8, which no output uses. The first and the last output also use a zero from the
    padding, at −1 and 9. If $c$ and $r$ had a common factor, as with $c = 4$ and
    $r = 2$, half of the states would be used twice, and the others not at all.
    """

    needs_usage = False

    def __init__(self, compression_rate: int, d_model: int) -> None:
        super().__init__()
        self.rate = check_rate(compression_rate)
        self.dilation = 2
        while math.gcd(self.dilation, self.rate) > 1:
            self.dilation += 1
        self.conv = nn.Conv1d(
            d_model, d_model, self.rate, stride=self.rate, dilation=self.dilation
        )

    def forward(self, old: Tensor, usage: Tensor | None = None) -> Tensor:
        """[Compress][cmp.compression] `old`, `[n_old, batch, d_model]`."""
        # The kernel spans $r\,(c-1) + 1$ states: 5 in the drawing, 2 more than its
        # stride. With 2 zeros, one at each end, there is one output for each block. In
        # general, $(r-1)(c-1)$ zeros are needed.
        if len(old) < self.rate:
            return old[:0]
        zeros = (self.dilation - 1) * (self.rate - 1)
        padded = F.pad(old.permute(1, 2, 0), (zeros // 2, zeros - zeros // 2))
        compressed: Tensor = self.conv(padded)
        return compressed.permute(2, 0, 1)  # [n_old // rate, batch, d_model]


class MostUsedCompression(nn.Module):
    r"""Most-used compression: keep the states with the most attention, drop the rest.

    Of $L$ states, the $\lfloor L / c \rfloor$ with the greatest usage are kept
    unchanged and in their order. Usage is the average attention that a state has
    received: see `CompressiveTransformerLayer.usage`. The states that are kept may come
    from the same block.
    """

    needs_usage = True

    def __init__(self, compression_rate: int, d_model: int) -> None:
        super().__init__()
        self.rate = check_rate(compression_rate)

    def forward(self, old: Tensor, usage: Tensor | None = None) -> Tensor:
        """[Compress][cmp.compression] `old`, `[n_old, batch, d_model]`.

        `usage` is `[n_old, batch]`.
        """
        usage = check_usage(usage, old)

        # The states are chosen separately for each text of the batch. `topk`
        # returns their indices in the order of usage, so they are sorted to restore the
        # order in time.
        most_used = usage.topk(len(old) // self.rate, dim=0).indices
        kept = most_used.sort(dim=0).values  # [n_old // rate, batch]

        index = kept[..., None].expand(-1, -1, old.shape[-1])
        return old.gather(0, index)  # [n_old // rate, batch, d_model]


# All compression functions by the names that the command line accepts. The arguments
# of each are the compression rate and `d_model`.
COMPRESSIONS: dict[str, Callable[[int, int], Compression]] = {
    "max_pooling": MaxPooling,
    "mean_pooling": MeanPooling,
    "conv1d": Conv1dCompression,
    "dilated_conv": DilatedConvCompression,
    "most_used": MostUsedCompression,
}


def blocks(old: Tensor, rate: int) -> Tensor:
    """Split states into blocks: `[n_old // rate, rate, batch, d_model]`."""
    whole = len(old) // rate * rate
    return (
        old[:whole].unflatten(0, (-1, rate))
        if whole
        else old.new_empty(0, rate, *old.shape[1:])
    )


def check_rate(rate: int) -> int:
    """`rate` itself. Raises `ValueError` unless it is at least 1."""
    if rate < 1:
        raise ValueError(f"compression_rate={rate} must be at least 1")
    return rate
