r"""# Gradients that a compiler fuses

[Gradients by hand](gradients.md) once more, for `torch.compile`. Nothing is written in
place here: what a compiler is shown as values, it fuses into few kernels by itself.

| measured | gain | without | with |
| --- | ---: | ---: | ---: |
| a step on a GPU, compiled, size enwik8-large | 1.5 × | 573.2 ms | 385.3 ms |

It gains where a layer is compiled for [a GPU](../../measured.md#on-a-gpu). On a CPU it
is not used: the gradients by hand, which write in place, are faster than a compiled
layer there.

`test_what_a_compiler_fuses_equals_the_short_form` holds it equal to the short form,
forward and backward, and `test_fused_gradients_agree_with_finite_differences` holds
them with dropout.

**Two kernels.** Between the large products one kernel remains for each direction.
Forward it adds all four terms, shifts, hides and takes the softmax. Backward it undoes
the softmax. What is kept for the backward pass are queries, keys, values, and the
weights in the number format of the products.

**Terms as views.** The shift is [a view](shift.md) here too. Term (d) has one row for
all queries: each reads it one element further left than the query before.
"""

import math
from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from labml_txl.models.fast.gradients import split
from labml_txl.models.fast.shift import shift_view

# A block of queries is compared with no key that lies ahead of all of them. Smaller
# blocks would leave out more, and their products would be slower.
QUERIES = 256


class FusedAttention(torch.autograd.Function):
    r"""[The values, weighted][txl.weighted_values], as `gradients.Attention` has them.

    The arguments are the same, and so is the result, `[seq_len, batch, d_model]`.
    """

    @staticmethod
    def forward(
        ctx: Any,
        own: Tensor,
        old: Tensor,
        u: Tensor,
        keys: Tensor,
        bias: Tensor,
        scale: float,
        p: float,
    ) -> Tensor:
        r"""What each query reads, `[seq_len, batch, d_model]`."""
        heads, wide = len(u), torch.promote_types(own.dtype, torch.float32)
        q, own_k, own_v = split(own, 3, heads)
        old_k, old_v = split(old, 2, heads)
        q = q * scale  # [heads, batch, seq_len, d_k]
        k = torch.cat((old_k, own_k), 2)  # [heads, batch, k_len, d_k]
        v = torch.cat((old_v, own_v), 2)  # [heads, batch, k_len, d_k]
        read, kept = [], []
        for some, k_len in blocks(len(own), len(old)):
            q_i = q[:, :, some]  # [heads, batch, q_len, d_k]
            near = slice(k.shape[2] - k_len, None)

            # Terms (a) and (c), then (b), then (d): a view for each of the last two.
            scores = (q_i + scale * u[:, None, None]) @ k[:, :, :k_len].mT
            by_distance = torch.bmm(q_i.flatten(1, 2), keys[..., near])
            by_distance = by_distance.unflatten(1, q_i.shape[1:3])
            scores = scores.to(wide) + shift_view(by_distance, k_len)
            scores = scores + shifted_rows(bias[..., near] * scale, *scores.shape[2:])
            scores = scores.masked_fill(ahead(scores), -math.inf)
            weights = scores.softmax(-1).to(own.dtype)  # [heads, batch, q_len, k_len]

            dropped = weights
            kept.append(weights)
            if p:
                kept.append(torch.rand(weights.shape, device=weights.device) >= p)
                dropped = weights * (kept[-1] * (1 / (1 - p))).to(weights.dtype)
            values = dropped @ v[:, :, :k_len]  # [heads, batch, q_len, d_k]
            read.append(values)
        ctx.save_for_backward(q, k, v, u, keys, *kept)
        ctx.scale, ctx.p = scale, p
        return torch.cat(read, 2).permute(2, 1, 0, 3).flatten(2)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        r"""The gradients of the first five arguments."""
        q, k, v, u, keys, *tensors = ctx.saved_tensors
        scale, wide = ctx.scale, torch.promote_types(q.dtype, torch.float32)
        mem_len = k.shape[2] - q.shape[2]
        d_read = split(grad, 1, len(u))[0]  # [heads, batch, seq_len, d_k]
        kept = iter(tensors)
        d_q, d_k, d_v, d_u, d_keys, d_bias = [], [], [], [], [], []
        for some, k_len in blocks(q.shape[2], mem_len):
            weights, q_i, d_values = next(kept), q[:, :, some], d_read[:, :, some]
            near = slice(k.shape[2] - k_len, None)

            # Values, dropout and softmax.
            d_weights = d_values @ v[:, :, :k_len].mT
            dropped = weights
            if ctx.p:
                factor = (next(kept) * (1 / (1 - ctx.p))).to(weights.dtype)
                d_weights, dropped = d_weights * factor, weights * factor
            d_v.append(dropped.mT @ d_values)
            d_weights = d_weights.to(wide)
            sums = (weights * d_weights).sum(-1, keepdim=True)
            d_scores = (weights * (d_weights - sums)).to(q.dtype)

            # Terms (a) and (c).
            d_k.append(d_scores.mT @ (q_i + scale * u[:, None, None]))
            d_q_i = d_scores @ k[:, :, :k_len]
            d_u.append(d_q_i.sum((1, 2), dtype=wide))

            # Terms (b) and (d).
            table = shift_back(d_scores, keys.shape[2] - near.start).flatten(1, 2)
            d_keys.append(q_i.flatten(1, 2).mT @ table)
            d_bias.append(table.sum(1, keepdim=True, dtype=wide))
            d_q_i = d_q_i + (table @ keys[..., near].mT).view_as(d_q_i)
            d_q.append(d_q_i * scale)

        d_kv = [together(parts, dim=2) for parts in (d_k, d_v)]
        d_own = joined(torch.cat(d_q, 2), *(d[:, :, mem_len:] for d in d_kv))
        d_old = joined(*(d[:, :, :mem_len] for d in d_kv))
        d_table = [
            (together(parts, dim=2, front=True) * factor).to(keys.dtype)
            for parts, factor in ((d_keys, 1.0), (d_bias, scale))
        ]
        return d_own, d_old, (sum(d_u) * scale).to(u.dtype), *d_table, None, None


def blocks(seq_len: int, mem_len: int) -> Iterator[tuple[slice, int]]:
    r"""Which queries go together, and how many keys these see."""
    for i in range(0, seq_len, QUERIES):
        end = min(i + QUERIES, seq_len)
        yield slice(i, end), mem_len + end


def ahead(scores: Tensor) -> Tensor:
    r"""Where a key lies ahead of its query, `[q_len, k_len]`."""
    q_len, k_len = scores.shape[2:]
    i = torch.arange(q_len, device=scores.device)[:, None]
    return torch.arange(k_len, device=scores.device) > i + (k_len - q_len)


def shifted_rows(bias: Tensor, q_len: int, k_len: int) -> Tensor:
    r"""One row for all queries, shifted for each: a view, `[heads, 1, q_len, k_len]`.

    `bias` is `[heads, 1, n_distances]`. Query $i$ begins to read it at $L - 1 - i$.
    """
    row = F.pad(bias, (0, max(q_len + k_len - 1 - bias.shape[2], 0)))
    return row.unfold(2, k_len, 1)[:, :, :q_len].flip(2)


def shift_back(scores: Tensor, columns: int) -> Tensor:
    r"""`gradients.shift_back` as a value: zeros around the scores, read as a line."""
    q_len, k_len = scores.shape[2:]
    rows = F.pad(scores, (0, columns - 1 - k_len))
    line = F.pad(rows.flatten(2), (q_len - 1, 1))
    table: Tensor = line.unflatten(2, (q_len, columns))
    return table  # [heads, n, q_len, columns]


def together(parts: list[Tensor], dim: int, front: bool = False) -> Tensor:
    r"""The sum of parts of which each is longer than the one before.

    They begin together, or end together with `front`.
    """
    total = parts[-1]
    for part in parts[:-1]:
        missing = total.shape[dim] - part.shape[dim]
        around = [0, 0] * (total.dim() - dim)
        around[-2 if front else -1] = missing
        total = total + F.pad(part, around)
    return total


def joined(*parts: Tensor) -> Tensor:
    r"""`[heads, n, len, d_k]` of each part to `[len, n, parts * d_model]`."""
    return torch.stack(parts).permute(3, 2, 0, 1, 4).flatten(2)
