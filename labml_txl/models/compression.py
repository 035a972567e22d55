r"""# Compression functions

Five ways to turn the oldest memories into fewer: two that pool, two that learn, and
one that keeps what attention has used most.

Transformer-XL forgets a state as soon as it falls out of memory. The Compressive
Transformer compresses it first. [The compression
function][cmp.compression] $f_c : \mathbb R^{n_s \times d} \to
\mathbb R^{\lfloor n_s / c \rfloor \times d}$ makes one memory of $c$, and $c$ is the
compression rate.

All of them are called in the same way: `compress(mem)`, from
`[mem_len, batch, d_model]` to `[mem_len // rate, batch, d_model]`, oldest first. Where
$c$ does not divide the length, the newest states that fill no block are left out;
`remember` never hands over such a rest. To add one, write a class and a line in
`COMPRESSIONS`.

![The two memories of a layer as queues. A compressed memory of 4 slots, a memory of 6
states and a segment of 3 states; after the segment, the three oldest states of the
memory have become one slot of the compressed memory, and its oldest slot is
lost.](figure:compressed-queue)
"""

import math
from collections.abc import Callable
from typing import Protocol

import torch.nn.functional as F
from torch import Tensor, nn


class Compression(Protocol):
    r"""What a layer wants of a compression function."""

    rate: int
    needs_usage: bool

    def __call__(self, mem: Tensor, usage: Tensor | None = None) -> Tensor:
        r"""`[mem_len, batch, d_model]` to `[mem_len // rate, batch, d_model]`.

        `usage`, `[mem_len, batch]`, is given only where `needs_usage` says so.
        """


class MaxPooling(nn.Module):
    r"""The greatest of $c$ values, for each feature by itself. Nothing is learned."""

    needs_usage = False

    def __init__(self, compression_rate: int, d_model: int) -> None:
        super().__init__()
        self.rate = positive(compression_rate)

    def forward(self, mem: Tensor, usage: Tensor | None = None) -> Tensor:
        r"""[Compress][cmp.compression] `mem`, `[mem_len, batch, d_model]`."""
        return blocks(mem, self.rate).amax(1)  # [mem_len // rate, batch, d_model]


class MeanPooling(nn.Module):
    r"""The mean of $c$ memories. With $c = 1$ it changes nothing."""

    needs_usage = False

    def __init__(self, compression_rate: int, d_model: int) -> None:
        super().__init__()
        self.rate = positive(compression_rate)

    def forward(self, mem: Tensor, usage: Tensor | None = None) -> Tensor:
        r"""[Compress][cmp.compression] `mem`, `[mem_len, batch, d_model]`."""
        return blocks(mem, self.rate).mean(1)  # [mem_len // rate, batch, d_model]


class Conv1dCompression(nn.Module):
    r"""A convolution over time whose kernel and stride are both $c$.

    Each block of $c$ memories becomes one, by a linear layer that is the same for all
    blocks. In the paper's comparison it did best, with the attention-reconstruction
    loss.
    """

    needs_usage = False

    def __init__(self, compression_rate: int, d_model: int) -> None:
        super().__init__()
        self.rate = positive(compression_rate)
        self.conv = nn.Conv1d(d_model, d_model, kernel_size=self.rate, stride=self.rate)

    def forward(self, mem: Tensor, usage: Tensor | None = None) -> Tensor:
        r"""[Compress][cmp.compression] `mem`, `[mem_len, batch, d_model]`."""
        # No block overlaps another, so it is one product: each block in a row.
        rows = blocks(mem, self.rate).transpose(1, 2).flatten(2)
        weight = self.conv.weight.transpose(1, 2).flatten(1)
        return F.linear(
            rows, weight, self.conv.bias
        )  # [mem_len // rate, batch, d_model]


class DilatedConvCompression(nn.Module):
    r"""A convolution that reads every $r$-th memory, so that its kernel spans more.

    The paper names dilated convolutions without their sizes. Here the kernel has $c$
    taps, the stride is $c$, and the dilation $r$ is the smallest number above 1 that
    has no factor in common with $c$. Then no two taps have the same remainder modulo
    $c$, and no memory is read by two outputs. With $c = 3$ and $r = 2$:

    ```text
    memory     0 1 2 3 4 5 6 7 8
    output 0     x   x
    output 1       x   x   x
    output 2             x   x
    ```

    At both ends a kernel reads zeros instead of memories, and a few memories there are
    read by no output: here 0 and 8. All others are read by exactly one.

    With $r = 2$ and an even $c$, half of all memories would be read by no output.
    """

    needs_usage = False

    def __init__(self, compression_rate: int, d_model: int) -> None:
        super().__init__()
        self.rate = positive(compression_rate)
        self.dilation = 2
        while math.gcd(self.dilation, self.rate) > 1:
            self.dilation += 1
        self.conv = nn.Conv1d(
            d_model, d_model, self.rate, stride=self.rate, dilation=self.dilation
        )

    def forward(self, mem: Tensor, usage: Tensor | None = None) -> Tensor:
        r"""[Compress][cmp.compression] `mem`, `[mem_len, batch, d_model]`."""
        # The kernel spans $r\,(c-1) + 1$ memories, $(r-1)(c-1)$ more than its stride.
        # So many zeros, shared between both ends, make one output a block.
        if len(mem) < self.rate:
            return mem[:0]
        zeros = (self.dilation - 1) * (self.rate - 1)
        padded = F.pad(mem.permute(1, 2, 0), (zeros // 2, zeros - zeros // 2))
        compressed: Tensor = self.conv(padded)
        return compressed.permute(2, 0, 1)  # [mem_len // rate, batch, d_model]


class MostUsedCompression(nn.Module):
    r"""Keep the memories that were attended most, as they are, and drop the others.

    `usage` is `[mem_len, batch]`, the average attention that each memory received: see
    `CompressiveTransformerLayer.usage`. Of $n_s$ memories, $\lfloor n_s / c \rfloor$
    stay, in their order in time. They need not come from different blocks.
    """

    needs_usage = True

    def __init__(self, compression_rate: int, d_model: int) -> None:
        super().__init__()
        self.rate = positive(compression_rate)

    def forward(self, mem: Tensor, usage: Tensor | None = None) -> Tensor:
        r"""[Compress][cmp.compression] `mem` by its `usage`."""
        if usage is None:
            raise ValueError("MostUsedCompression wants the usage of each memory")
        if usage.shape != mem.shape[:2]:
            raise ValueError(
                f"usage {list(usage.shape)}: wanted {list(mem.shape[:2])}, "
                "one value a memory"
            )
        # Each sequence keeps its own. The index is sorted back into the order of time.
        most_used = usage.topk(len(mem) // self.rate, dim=0).indices
        kept = most_used.sort(dim=0).values  # [mem_len // rate, batch]

        index = kept[..., None].expand(-1, -1, mem.shape[-1])
        return mem.gather(0, index)  # [mem_len // rate, batch, d_model]


# All compression functions, by the names that the command line knows. Each is made of
# a rate and a width.
COMPRESSIONS: dict[str, Callable[[int, int], Compression]] = {
    "max_pooling": MaxPooling,
    "mean_pooling": MeanPooling,
    "conv1d": Conv1dCompression,
    "dilated_conv": DilatedConvCompression,
    "most_used": MostUsedCompression,
}


def blocks(mem: Tensor, rate: int) -> Tensor:
    r"""Memories in blocks of `rate`: `[mem_len // rate, rate, batch, d_model]`."""
    whole = len(mem) // rate * rate
    return (
        mem[:whole].unflatten(0, (-1, rate))
        if whole
        else mem.new_empty(0, rate, *mem.shape[1:])
    )


def positive(rate: int) -> int:
    r"""`rate` itself, if it is a compression rate."""
    if rate < 1:
        raise ValueError(f"compression_rate={rate} must be at least 1")
    return rate
