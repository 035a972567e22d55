"""# Gradients that a compiler fuses

This is attention for training on a GPU. With autograd, each operation on the scores is
a kernel of its own and may store a tensor of the size of all scores for the backward
pass. Here attention is a single operation with a backward pass that is written by hand.
It changes nothing in place, so that `torch.compile` can fuse its parts into few
kernels.

| measured | gain | without | with |
| --- | ---: | ---: | ---: |
| a step on a GPU, compiled, size enwik8-large | 1.5 × | 573.2 ms | 385.3 ms |

It saves time in training on [a GPU](../../measured.md#on-a-gpu), if no mask is passed.
On a CPU it is not used. The table compares a step that is compiled with one that is
not. These times come from an earlier version, in which the backward pass of the
projections left out the states of the memory; today it includes them.

A test compares it with the short form, forward and backward, and another one checks the
gradients, also with dropout.

**Two kernels.** Between the large products, one kernel remains in each direction. In
the forward pass it adds the four terms, shifts, masks and computes the softmax. In the
backward pass it computes the gradient of the softmax. Only queries, keys (also those of
the distances), values and the weights are stored in between, in the number format of
the products, and with dropout a mask.

**Terms as views.** The shift is [a view](shift.md) here too. Term (d) is a single row
for all queries, from which each query reads one element further left than the query
before it.
"""

import math
from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from labml_txl.models.fast.shift import shift_view

# The number of queries that are processed together. Keys that are in the future of all
# of them are left out. With smaller blocks more keys are left out, but the products are
# less efficient.
QUERIES = 256


def fuses(x: Tensor, mask: Tensor | None) -> bool:
    """Whether to use this form: in training, on a CUDA GPU, without a mask."""
    return mask is None and x.is_cuda and torch.is_grad_enabled()


class FusedAttention(torch.autograd.Function):
    r"""[The weighted values][txl.weighted_values], with a backward pass of its own.

    - `q`: the queries, `[batch, heads, seq_len, d_k]`.
    - `k`, `v`: keys and values, `[batch, heads, k_len, d_k]`.
    - `u`: the content bias, `[heads, d_k]`.
    - `keys`, `bias`: those of `DistanceKeys`, down to the distance −1 or further.
    - `scale`: the factor of the scores, $1/\sqrt{d_k}$.
    - `p`: the probability of dropout.

    All tensors have the same data type. The result has the shape of `q`.
    """

    @staticmethod
    def forward(
        ctx: Any,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        u: Tensor,
        keys: Tensor,
        bias: Tensor,
        scale: float,
        p: float,
    ) -> Tensor:
        """The weighted values of each query, `[batch, heads, seq_len, d_k]`."""
        wide = torch.promote_types(q.dtype, torch.float32)
        # Heads come first, because all sequences of a head share the distance keys.
        q, k, v = (x.transpose(0, 1) for x in (q * scale, k, v))
        read, kept = [], []
        for some, k_len in cut_blocks(q, k):
            q_i = q[:, :, some]  # [heads, batch, q_len, d_k]
            near = slice(k.shape[2] - k_len, None)

            # Terms (a) and (c) are one product. (b) and then (d) are added to it, each
            # as a view.
            scores = (q_i + scale * u[:, None, None]) @ k[:, :, :k_len].mT
            by_distance = torch.bmm(q_i.flatten(1, 2), keys[..., near])
            by_distance = by_distance.unflatten(1, q_i.shape[1:3])
            scores = scores.to(wide) + shift_view(by_distance, k_len)
            scores = scores + shifted_rows(bias[..., near] * scale, *scores.shape[2:])
            scores = scores.masked_fill(ahead(scores), -math.inf)
            weights = scores.softmax(-1).to(q.dtype)  # [heads, batch, q_len, k_len]

            dropped = weights
            kept.append(weights)
            if p:
                kept.append(torch.rand(weights.shape, device=weights.device) >= p)
                dropped = weights * (kept[-1] * (1 / (1 - p))).to(weights.dtype)
            values = dropped @ v[:, :, :k_len]  # [heads, batch, q_len, d_k]
            read.append(values)
        ctx.save_for_backward(q, k, v, u, keys, *kept)
        ctx.scale, ctx.p = scale, p
        return torch.cat(read, 2).transpose(0, 1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients of the first six arguments."""
        q, k, v, u, keys, *tensors = ctx.saved_tensors
        scale, wide = ctx.scale, torch.promote_types(q.dtype, torch.float32)
        d_read = grad.transpose(0, 1)  # [heads, batch, seq_len, d_k]
        kept = iter(tensors)
        d_q, d_k, d_v, d_u, d_keys, d_bias = [], [], [], [], [], []
        for some, k_len in cut_blocks(q, k):
            weights, q_i, d_values = next(kept), q[:, :, some], d_read[:, :, some]
            near = slice(k.shape[2] - k_len, None)

            # The gradients of the values, of dropout and of the softmax.
            d_weights = d_values @ v[:, :, :k_len].mT
            dropped = weights
            if ctx.p:
                factor = (next(kept) * (1 / (1 - ctx.p))).to(weights.dtype)
                d_weights, dropped = d_weights * factor, weights * factor
            d_v.append(dropped.mT @ d_values)
            d_weights = d_weights.to(wide)
            sums = (weights * d_weights).sum(-1, keepdim=True)
            d_scores = (weights * (d_weights - sums)).to(q.dtype)

            # The gradients of terms (a) and (c).
            d_k.append(d_scores.mT @ (q_i + scale * u[:, None, None]))
            d_q_i = d_scores @ k[:, :, :k_len]
            d_u.append(d_q_i.sum((1, 2), dtype=wide))

            # The gradients of terms (b) and (d).
            table = shift_back(d_scores, keys.shape[2] - near.start).flatten(1, 2)
            d_keys.append(q_i.flatten(1, 2).mT @ table)
            d_bias.append(table.sum(1, keepdim=True, dtype=wide))
            d_q_i = d_q_i + (table @ keys[..., near].mT).view_as(d_q_i)
            d_q.append(d_q_i * scale)

        d_heads = (torch.cat(d_q, 2), sum_ends(d_k, dim=2), sum_ends(d_v, dim=2))
        d_table = [
            (sum_ends(parts, dim=2, front=True) * factor).to(keys.dtype)
            for parts, factor in ((d_keys, 1.0), (d_bias, scale))
        ]
        d_u = (sum(d_u) * scale).to(u.dtype)
        return *(d.transpose(0, 1) for d in d_heads), d_u, *d_table, None, None


def cut_blocks(q: Tensor, k: Tensor) -> Iterator[tuple[slice, int]]:
    """Blocks of queries, each with the number of keys that its last query sees."""
    seq_len, k_len = q.shape[2], k.shape[2]
    for i in range(0, seq_len, QUERIES):
        end = min(i + QUERIES, seq_len)
        yield slice(i, end), k_len - seq_len + end


def ahead(scores: Tensor) -> Tensor:
    """True where a key is in the future of a query, `[q_len, k_len]`."""
    q_len, k_len = scores.shape[2:]
    i = torch.arange(q_len, device=scores.device)[:, None]
    return torch.arange(k_len, device=scores.device) > i + (k_len - q_len)


def shifted_rows(bias: Tensor, q_len: int, k_len: int) -> Tensor:
    """One row, shifted for each query, as a view: `[heads, 1, q_len, k_len]`.

    `bias` is `[heads, 1, n_distances]`. For query $i$ it begins at column $L - 1 - i$.
    """
    row = F.pad(bias, (0, max(q_len + k_len - 1 - bias.shape[2], 0)))
    return row.unfold(2, k_len, 1)[:, :, :q_len].flip(2)


def shift_back(scores: Tensor, columns: int) -> Tensor:
    """The inverse of `shift_view`: from scores by key to scores by distance.

    `scores` are `[heads, n, q_len, k_len]`. The result has `columns` columns, more than
    `k_len`, with 0 for the distances that no score belongs to.
    """
    q_len, k_len = scores.shape[2:]
    rows = F.pad(scores, (0, columns - 1 - k_len))
    line = F.pad(rows.flatten(2), (q_len - 1, 1))
    table: Tensor = line.unflatten(2, (q_len, columns))
    return table  # [heads, n, q_len, columns]


def sum_ends(parts: list[Tensor], dim: int, front: bool = False) -> Tensor:
    """The sum of tensors of which each is longer along `dim` than the one before.

    They are aligned at their beginning, or with `front` at their end.
    """
    total = parts[-1]
    for part in parts[:-1]:
        missing = total.shape[dim] - part.shape[dim]
        around = [0, 0] * (total.dim() - dim)
        around[-2 if front else -1] = missing
        total = total + F.pad(part, around)
    return total
