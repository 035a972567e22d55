r"""# Gradients that a compiler fuses

Autograd keeps each tensor of the size of all scores, and has a kernel for each step.
Here attention is one step with one backward pass, written by hand, for a GPU. Nothing
is written in place: what `torch.compile` is shown as values, it fuses into few kernels
by itself.

| measured | gain | without | with |
| --- | ---: | ---: | ---: |
| a step on a GPU, compiled, size enwik8-large | 1.5 × | 573.2 ms | 385.3 ms |

It gains in training on [a GPU](../../measured.md#on-a-gpu), without a mask of your own.
The table compares a step that is compiled with one that is not. It was measured when
the rows of the memory did not take part in the backward pass of the projections, which
they do today. On a CPU it is not used.

`test_fused_attention_equals_the_short_form` holds it equal to the short form, forward
and backward, and `test_fused_gradients_agree_with_finite_differences` holds them with
dropout.

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

from labml_txl.models.fast.shift import shift_view

# A block of queries is compared with no key that lies ahead of all of them. Smaller
# blocks would leave out more, and their products would be slower.
QUERIES = 256


def fuses(x: Tensor, mask: Tensor | None) -> bool:
    r"""Whether attention over `x` takes this form: in training, on a CUDA GPU."""
    return mask is None and x.is_cuda and torch.is_grad_enabled()


class FusedAttention(torch.autograd.Function):
    r"""[The values, weighted][txl.weighted_values].

    `q` is `[batch, heads, seq_len, d_k]`; `k` and `v` are `[batch, heads, k_len, d_k]`;
    `u` is `[heads, d_k]`; `keys` and `bias` are those of `DistanceKeys`, down to the
    distance −1 or further. All have the same data type. `p` is the probability of
    dropout. The result has the shape of `q`.
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
        r"""What each query reads, `[batch, heads, seq_len, d_k]`."""
        wide = torch.promote_types(q.dtype, torch.float32)
        # Heads first: all sequences of a head share the keys of the distances.
        q, k, v = (x.transpose(0, 1) for x in (q * scale, k, v))
        read, kept = [], []
        for some, k_len in blocks(q, k):
            q_i = q[:, :, some]  # [heads, batch, q_len, d_k]
            near = slice(k.shape[2] - k_len, None)

            # Terms (a) and (c), then (b), then (d): a view for each of the last two.
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
        r"""The gradients of the first six arguments."""
        q, k, v, u, keys, *tensors = ctx.saved_tensors
        scale, wide = ctx.scale, torch.promote_types(q.dtype, torch.float32)
        d_read = grad.transpose(0, 1)  # [heads, batch, seq_len, d_k]
        kept = iter(tensors)
        d_q, d_k, d_v, d_u, d_keys, d_bias = [], [], [], [], [], []
        for some, k_len in blocks(q, k):
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

        d_heads = (torch.cat(d_q, 2), together(d_k, dim=2), together(d_v, dim=2))
        d_table = [
            (together(parts, dim=2, front=True) * factor).to(keys.dtype)
            for parts, factor in ((d_keys, 1.0), (d_bias, scale))
        ]
        d_u = (sum(d_u) * scale).to(u.dtype)
        return *(d.transpose(0, 1) for d in d_heads), d_u, *d_table, None, None


def blocks(q: Tensor, k: Tensor) -> Iterator[tuple[slice, int]]:
    r"""Which queries go together, and how many keys these see."""
    seq_len, k_len = q.shape[2], k.shape[2]
    for i in range(0, seq_len, QUERIES):
        end = min(i + QUERIES, seq_len)
        yield slice(i, end), k_len - seq_len + end


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
    r"""The table of which `shift_view` shows `scores`: 0 where it shows nothing.

    `scores` are `[heads, n, q_len, k_len]`, and the table has more columns than that.
    """
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
