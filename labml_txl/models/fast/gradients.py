r"""# Gradients by hand

Autograd knows each step of attention, and not what the steps are for: it keeps what
can be computed from the rest, and writes a new tensor for each gradient. Here
attention is one step with one backward pass, written by hand.

| measured | gain | without | with |
| --- | ---: | ---: | ---: |
| a layer in training, size M | 1.1 × | 102.7 ms | 97.7 ms |
| a layer in training, size L | 1.1 × | 241.1 ms | 210.5 ms |

It gains in training, without a mask of your own, also on
[a GPU](../../measured.md#on-a-gpu). Everything else goes through
[attention in two products](attention.md), and a layer that is compiled for a GPU
through [gradients that a compiler fuses](fusion.md).

`test_a_layer_that_learns_equals_its_short_form` holds it equal to the short form,
forward and backward, and `test_gradients_by_hand_agree_with_finite_differences` holds
them with dropout.

**What is kept.** Queries, keys and values, the weights after the softmax and, with
dropout, its [16 bits](dropout.md). No other tensor of the size of all scores waits for
the backward pass.

**Where it writes.** The weights are written over the scores, and their gradient is
shifted back [as a view](shift.md) too.

**Some queries at a time.** On a CPU a few sequences go together, as in
[batches that fit the cache](batches.md). Their queries are cut into blocks. A block is
compared with no key that lies ahead of all its queries.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from labml_txl.models.fast import batches
from labml_txl.models.fast.dropout import draw_bits, factors
from labml_txl.models.fast.hiding import hide
from labml_txl.models.fast.shift import shift_view

# Fewer queries than these would make the products slow, and more of them would be
# compared with more keys that lie ahead.
QUERIES = 64


class Attention(torch.autograd.Function):
    r"""[The values, weighted][txl.weighted_values], from projections to joined heads.

    `own` are queries, keys and values of the segment, `[seq_len, batch, 3 * d_model]`;
    `old` are keys and values of the memory, `[mem_len, batch, 2 * d_model]`. `u` is
    `[heads, d_k]`; `keys` and `bias` are those of `DistanceKeys`, down to the distance
    −1. `p` is the probability of dropout.
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
        heads = len(u)
        joined = own.new_empty(*own.shape[:2], own.shape[2] // 3)
        kept = []
        for few in sequences(own, old, heads):
            # Memory and segment, one behind the other: `[heads * n, k_len, d_k]`.
            rows = (split(old[:, few], 2, heads), split(own[:, few], 3, heads)[1:])
            k, v = torch.cat(rows, dim=3).flatten(1, 2)
            kept += [k, v]
            for some, k_len in queries(own[:, few], old, heads):
                own_q = split(own[some, few], 3, heads)[0]  # [heads, n, q_len, d_k]
                q = torch.mul(own_q, scale, out=own.new_empty(own_q.shape))

                # Terms (b) and (d), in the order of the keys.
                near = slice(len(old) + len(own) - k_len, None)
                by_distance = torch.baddbmm(
                    bias[..., near] * scale, q.flatten(1, 2), keys[..., near]
                ).view(*q.shape[:3], -1)
                scores = shift_view(by_distance, k_len).contiguous()

                # Terms (a) and (c) are added. The weights are written over the scores.
                weights = scores.flatten(0, 1)  # [heads * n, q_len, k_len]
                weights.baddbmm_(with_bias(q, scale * u), k[:, :k_len].mT)
                hide(scores, None)
                torch.softmax(weights, -1, out=weights)

                bits = draw_bits(weights) if p else weights[:0]
                kept += [q, weights, bits]
                if p:
                    weights = factors(bits, p, weights.dtype).mul_(weights)
                values = torch.bmm(weights, v[:, :k_len])  # [heads * n, q_len, d_k]
                split(joined[some, few], 1, heads)[0].copy_(values.view_as(own_q))
        ctx.save_for_backward(u, keys, *kept)
        ctx.scale, ctx.p, ctx.shapes = scale, p, (own.shape, old.shape)
        return joined

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        r"""The gradients of the first five arguments.

        A step that is undone is named by what it made, with a `d` before it.
        """
        u, keys, *tensors = ctx.saved_tensors
        scale, p, heads = ctx.scale, ctx.p, len(u)
        d_own, d_old = (grad.new_empty(shape) for shape in ctx.shapes)
        d_u, d_keys = torch.zeros_like(u), keys.new_zeros(keys.shape)
        d_bias = keys.new_zeros(heads, 1, keys.shape[2])
        kept = iter(tensors)
        for few in sequences(d_own, d_old, heads):
            k, v = next(kept), next(kept)
            d_k, d_v = d_kv = k.new_empty(2, *k.shape)
            for some, k_len in queries(d_own[:, few], d_old, heads):
                q, softmax, bits = next(kept), next(kept), next(kept)

                # Values, dropout and softmax.
                d_values = split(grad[some, few], 1, heads)[0].flatten(0, 1)
                d_scores = torch.bmm(d_values, v[:, :k_len].mT)
                weights = softmax
                if p:
                    weights = factors(bits, p, softmax.dtype)
                    d_scores.mul_(weights)
                    weights.mul_(softmax)
                add_product(d_v, weights.mT, d_values)
                torch._softmax_backward_data(
                    d_scores, softmax, -1, softmax.dtype, grad_input=d_scores
                )

                # Terms (a) and (c).
                add_product(d_k, d_scores.mT, with_bias(q, scale * u))
                d_q = torch.bmm(d_scores, k[:, :k_len])  # [heads * n, q_len, d_k]
                d_q = d_q.view(heads, -1, q.shape[3])  # [heads, n * q_len, d_k]
                d_u += d_q.sum(1)

                # Terms (b) and (d).
                near = slice(len(d_old) + len(d_own) - k_len, None)
                columns = keys.shape[2] - near.start
                table = shift_back(d_scores.view(*q.shape[:3], k_len), columns)
                table = table.flatten(1, 2)  # [heads, n * q_len, columns]
                d_keys[..., near] += torch.bmm(q.flatten(1, 2).mT, table)
                d_bias[..., near] += table.sum(1, keepdim=True)
                d_q.baddbmm_(table, keys[..., near].mT)

                d_own_q = split(d_own[some, few], 3, heads)[0]
                torch.mul(d_q.view_as(d_own_q), scale, out=d_own_q)
            d_kv = d_kv.unflatten(1, (heads, -1))  # [2, heads, n, k_len, d_k]
            split(d_old[:, few], 2, heads).copy_(d_kv[..., : len(d_old), :])
            split(d_own[:, few], 3, heads)[1:].copy_(d_kv[..., len(d_old) :, :])
        return d_own, d_old, d_u.mul_(scale), d_keys, d_bias.mul_(scale), None, None


def sequences(own: Tensor, old: Tensor, heads: int) -> Iterator[slice]:
    r"""Which sequences of the batch go together, one slice after another."""
    seq_len, batch, _ = own.shape
    scores = heads * min(seq_len, QUERIES) * (len(old) + seq_len)
    n = max(1, batches.block(own) // scores)
    return (slice(b, min(b + n, batch)) for b in range(0, batch, n))


def queries(own: Tensor, old: Tensor, heads: int) -> Iterator[tuple[slice, int]]:
    r"""Which of their queries go together, and how many keys these see.

    The last ones come first: they see all keys.
    """
    seq_len, n, _ = own.shape
    scores = n * heads * (len(old) + seq_len)
    some = max(1, batches.block(own) // (scores * QUERIES)) * QUERIES
    for i in reversed(range(0, seq_len, some)):
        end = min(i + some, seq_len)
        yield slice(i, end), len(old) + end


def add_product(total: Tensor, a: Tensor, b: Tensor) -> None:
    r"""Add $a\,b$ to the first rows of `total`. With all rows it is the first."""
    rows = a.shape[1]
    if rows == total.shape[1]:
        torch.bmm(a, b, out=total)
    else:
        total[:, :rows] += torch.bmm(a, b)


def split(x: Tensor, parts: int, heads: int) -> Tensor:
    r"""`[len, n, parts * d_model]` to `[parts, heads, n, len, d_k]`: a view."""
    by_head: Tensor = x.unflatten(2, (parts, heads, -1))
    return by_head.permute(2, 3, 1, 0, 4)


def with_bias(q: Tensor, u: Tensor) -> Tensor:
    r"""$q_i + u$ of all heads, `[heads * n, q_len, d_k]`."""
    return (q + u[:, None, None]).flatten(0, 1)


def shift_back(scores: Tensor, columns: int) -> Tensor:
    r"""The table of which `shift_view` shows `scores`: 0 where it shows nothing.

    `scores` are `[heads, n, q_len, k_len]`, and the table has more columns than that.
    """
    *outer, q_len, k_len = scores.shape
    table: Tensor = scores.new_empty(*outer, q_len, columns)
    line = table.flatten(2)  # [heads, n, q_len * columns]
    line[..., : q_len - 1] = 0
    line[..., -1] = 0
    rows = shift_view(table, columns - 1)
    rows[..., :k_len] = scores
    rows[..., k_len:] = 0
    return table  # [heads, n, q_len, columns]
