"""The equations of the papers in plain loops, one scalar at a time, in float64.

Nothing here is fast, and nothing is taken from the models but their parameters.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

from labml_txl.models import (
    LearnedDistances,
    RelativeAttention,
    SinusoidalDistances,
    TransformerXLLayer,
)

NOTHING = torch.zeros(())


def sinusoid_row(position: int, d_model: int) -> Tensor:
    angles = [position / 10_000 ** (2 * k / d_model) for k in range(d_model // 2)]
    row = [math.sin(a) for a in angles] + [math.cos(a) for a in angles]
    return torch.tensor(row, dtype=torch.float64)


def head(weight: Tensor, h: int, heads: int) -> Tensor:
    """The rows of a projection that belong to head h."""
    d_k = weight.shape[0] // heads
    return weight[h * d_k : (h + 1) * d_k]


def distance_key(attention: RelativeAttention, h: int, r: int) -> Tensor:
    """W_{k,R} R_r, or the learned key of distance r, of head h.

    An encoding that is not written in loops here gives the key of r by itself.
    """
    described: Any = attention.distances
    if isinstance(described, SinusoidalDistances):
        row = sinusoid_row(r, attention.d_model)
        return head(described.projection.weight, h, attention.heads) @ row
    if isinstance(described, LearnedDistances):
        return described.keys[learned_row(described, r), h]
    return described(r, r).keys[h, :, 0]  # type: ignore[no-any-return]


def distance_bias(attention: RelativeAttention, h: int, r: int) -> Tensor:
    """v^T W_{k,R} R_r, or the learned bias of distance r, of head h."""
    described: Any = attention.distances
    if isinstance(described, SinusoidalDistances):
        return described.position_bias[h] @ distance_key(attention, h, r)
    if isinstance(described, LearnedDistances):
        return described.bias[learned_row(described, r), h]
    return described(r, r).bias[h, 0, 0]  # type: ignore[no-any-return]


def learned_row(described: LearnedDistances, r: int) -> int:
    """The row of the tables for distance r; all beyond their reach share one."""
    return min(max(described.reach - r, 0), 2 * described.reach - 1)


def four_terms(
    attention: RelativeAttention, x_i: Tensor, x_j: Tensor, h: int, r: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """(a), (b), (c), (d) for a query and a key that are r apart."""
    farthest = attention.distances.clamp_len
    r = farthest if farthest and r > farthest else r
    q = head(attention.query.weight, h, attention.heads) @ x_i
    k = head(attention.key.weight, h, attention.heads) @ x_j
    R = distance_key(attention, h, r)
    u = attention.content_bias[h]
    return q @ k, q @ R, u @ k, distance_bias(attention, h, r)


def attend(
    attention: RelativeAttention,
    query: Tensor,
    context: Tensor,
    may_see: Callable[[int, int, int], bool] | None = None,
) -> Tensor:
    """Relative attention, query by query and key by key; causal by default."""
    (seq_len, batch, d_model), k_len = query.shape, len(context)
    mem_len, d_k = k_len - seq_len, d_model // attention.heads
    outputs = []
    for i in range(seq_len):
        for b in range(batch):
            joined = []
            for h in range(attention.heads):
                scores, values = [], []
                for j in range(k_len):
                    seen = may_see(i, j, b) if may_see else j <= mem_len + i
                    if seen:
                        terms = four_terms(
                            attention, query[i, b], context[j, b], h, i + mem_len - j
                        )
                        scores.append(sum(terms, torch.zeros(())) / math.sqrt(d_k))
                        W_v = head(attention.value.weight, h, attention.heads)
                        values.append(W_v @ context[j, b])
                joined.append(weighted_sum(scores, values, query.new_zeros(d_k)))
            outputs.append(attention.output.weight @ torch.cat(joined))
            outputs[-1] = outputs[-1] + attention.output.bias
    return torch.stack(outputs).view(seq_len, batch, d_model)


def attend_by_content(
    attention: Any, query: Tensor, context: Tensor, mem_len: int | None = None
) -> Tensor:
    """Attention without positions, $u$ and $v$: the heads side by side.

    With `mem_len` it is causal, else every query sees all of the context.
    """
    heads, outputs = attention.heads, []
    for i in range(len(query)):
        seen = context if mem_len is None else context[: mem_len + i + 1]
        for b in range(query.shape[1]):
            for h in range(heads):
                Q, K, V = (
                    head(projection.weight, h, heads)
                    for projection in (attention.query, attention.key, attention.value)
                )
                scores = [(Q @ query[i, b]) @ (K @ x[b]) / len(K) ** 0.5 for x in seen]
                outputs.append(weighted_sum(scores, [V @ x[b] for x in seen]))
    return torch.stack(outputs).view(query.shape)


def weighted_sum(
    scores: list[Tensor], values: list[Tensor], nothing: Tensor = NOTHING
) -> Tensor:
    """The values, weighted by the softmax of the scores; without any, the weight 0."""
    if not scores:
        return nothing
    most = torch.stack(scores).detach().max()
    exponentials = [(score - most).exp() for score in scores]
    total = sum(exponentials, torch.zeros(()))
    terms = [e / total * v for e, v in zip(exponentials, values, strict=True)]
    return torch.stack(terms).sum(0)


def layer_norm(norm: nn.LayerNorm, x: Tensor) -> Tensor:
    """Layer norm from its definition, over the last axis."""
    centred = x - x.mean(-1, keepdim=True)
    variance = centred.square().mean(-1, keepdim=True)
    return centred / (variance + norm.eps).sqrt() * norm.weight + norm.bias


def layer(core: TransformerXLLayer, x: Tensor, context: Tensor) -> Tensor:
    """The recipe of both papers, with the norm where the layer says."""

    def feed_forward(token: Tensor) -> Tensor:
        hidden = core.feed_forward.expand(token).clamp(min=0)
        return core.feed_forward.contract(hidden)  # type: ignore[no-any-return]

    norm_1, norm_2 = core.norm_self_attn, core.norm_ff
    if core.norm == "post":
        a = attend(core.self_attn, x, context)
        o = layer_norm(norm_1, a + x)
        return layer_norm(norm_2, feed_forward(o) + o)
    z = layer_norm(norm_1, context)
    o = x + attend(core.self_attn, z[-len(x) :], z)
    return o + feed_forward(layer_norm(norm_2, o))


def assert_same_values_and_gradients(
    fast: Tensor, slow: Tensor, inputs: Iterable[Tensor], tolerance: float = 1e-11
) -> None:
    """Two ways to compute one function: equal results, equal derivatives."""
    torch.testing.assert_close(fast, slow, rtol=tolerance, atol=tolerance)
    direction = torch.randn_like(fast)
    wanted = list(inputs)
    got = torch.autograd.grad(fast, wanted, direction, allow_unused=True)
    expected = torch.autograd.grad(slow, wanted, direction, allow_unused=True)
    for derivative, reference in zip(got, expected, strict=True):
        assert (derivative is None) == (reference is None)
        if derivative is not None:
            torch.testing.assert_close(
                derivative, reference, rtol=tolerance, atol=tolerance
            )
