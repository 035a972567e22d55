r"""# Attention in two products

The attention that the models use by default: [the short form](../relative_attention.md)
with everything that makes it fast.

| measured | gain | without | with |
| --- | ---: | ---: | ---: |
| training, size M | 1.28 × | 1,072 ms | 839 ms |
| training, size L | 1.29 × | 2,184 ms | 1,695 ms |
| evaluation, size M | 1.38 × | 335 ms | 242 ms |
| evaluation, size L | 1.19 × | 651 ms | 546 ms |

It gains in training and in evaluation: fewer tensors of the size of all scores are
written and kept. On a GPU the batch is not cut, and training has
[gradients of its own](fusion.md).

`test_fast_attention_equals_the_short_form` holds both forms equal, forward and
backward.

**Two products.** Terms (a) and (c) of [the relative scores][txl.scores] have the same
keys, and so have (b) and (d). A sum of two terms is one product.

**Hiding keys with a sum.** Only the square of the segment can hold keys of the future,
and a sum puts $-\infty$ there, without [a mask](../masking.md).
"""

import math
from functools import partial

import torch
from torch import Tensor

from labml_txl.models.arguments import check_attention
from labml_txl.models.distances import DistanceKeys
from labml_txl.models.fast.batches import few_at_a_time
from labml_txl.models.fast.dropout import Dropout
from labml_txl.models.fast.fusion import FusedAttention, fuses
from labml_txl.models.fast.shift import shift_view
from labml_txl.models.relative_attention import RelativeAttention


class RelativeMultiHeadAttention(RelativeAttention):
    r"""`RelativeAttention`, faster.

    The parameters are inherited, names and all, so a checkpoint of one form loads into
    the other.
    """

    dropout: Dropout

    def __init__(
        self,
        heads: int,
        d_model: int,
        dropout_prob: float = 0.1,
        encoding: str = "sinusoidal",
        clamp_len: int = 0,
    ) -> None:
        super().__init__(heads, d_model, dropout_prob, encoding, clamp_len)
        self.dropout = Dropout(dropout_prob)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        r"""Attend from the segment to the memory and the segment.

        Arguments and result are those of `RelativeAttention.forward`. Without a mask,
        none is built.
        """
        check_attention(self.d_model, query, key, value, mask)

        # [The projections][txl.projections] are those of the short form.
        q = self.split_heads(self.query(query))  # [batch, heads, seq_len, d_k]
        k = self.split_heads(self.key(key))  # [batch, heads, k_len, d_k]
        v = self.split_heads(self.value(value))  # [batch, heads, k_len, d_k]

        # Without a mask no key lies ahead, and −1 is the column that the shift needs. A
        # GPU multiplies fast where a row is a multiple of 16 bytes: there the distances
        # go down to one between −1 and −8.
        nearest = -1 if mask is None else -len(query)
        if fuses(query, mask):
            nearest = len(key) % 8 - 8
        # The distances are projected once, for all sequences.
        distances: DistanceKeys = self.distances(len(key) - 1, nearest)
        return attend(self, q, k, v, distances, mask)

    def scores(self, q: Tensor, k: Tensor, distances: DistanceKeys) -> Tensor:
        r"""[$\mathbf A_{\tau,i,j}^n$][txl.layer_scores]."""
        # The scale is put on the small factors: a pass over all scores would cost more.
        q_scaled = q * self.scale  # [batch, heads, seq_len, d_k]
        u = self.content_bias[:, None] * self.scale  # [heads, 1, d_k]

        # Terms (a) and (c) together: $q_i^\top k_j + u^\top k_j = (q_i + u)^\top k_j$.
        scores = (q_scaled + u) @ k.mT  # [batch, heads, seq_len, k_len]

        # Terms (b) and (d), by distance, $q_i^\top \mathbf W_{k,R} \mathbf R_{i-j}
        # + v^\top \mathbf W_{k,R} \mathbf R_{i-j}$:
        # [$\widetilde{\mathbf B}$][txl.shifted_terms], to whose every row
        # [$\widetilde{\mathbf d}$][txl.position_bias_terms] is added.
        by_distance = q_scaled @ distances.keys  # [batch, heads, seq_len, n_distances]
        by_distance += distances.bias * self.scale

        # Both are shifted at once, and the sum overwrites the product.
        scores += shift_view(by_distance, k.shape[2])
        return scores  # [batch, heads, seq_len, k_len]


def attend(
    attention: RelativeAttention,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    distances: DistanceKeys,
    mask: Tensor | None = None,
) -> Tensor:
    r"""Attention after the projections, where keys and values may be old ones."""
    if fuses(q, mask):
        u, keys, bias = (x.to(q.dtype) for x in (attention.content_bias, *distances))
        p = attention.dropout.p if attention.training else 0.0
        a: Tensor = FusedAttention.apply(  # type: ignore[no-untyped-call]
            q, k, v, u, keys, bias, attention.scale, p
        )
    else:
        read = partial(weighted_values, attention, distances)
        a = few_at_a_time(read, q, k, v, mask)  # [batch, heads, seq_len, d_k]

    # Join the heads; the output projection mixes them.
    joined = a.permute(2, 0, 1, 3).flatten(2)  # [seq_len, batch, d_model]
    attended: Tensor = attention.output(joined)
    return attended  # [seq_len, batch, d_model]


def weighted_values(
    attention: RelativeAttention,
    distances: DistanceKeys,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
) -> Tensor:
    r"""What each head reads in some sequences, before the heads are joined."""
    # [The values, weighted][txl.weighted_values]. The gradient of a hidden score is 0
    # in any case, so autograd need not know of the mask: that saves it a copy of all
    # scores.
    scores = attention.scores(q, k, distances)  # [batch, heads, seq_len, k_len]
    hide(scores.detach(), mask)
    weights = torch.softmax(scores, dim=-1)  # [batch, heads, seq_len, k_len]

    # Dropout and the product are one step where the dropout knows how.
    if isinstance(attention.dropout, Dropout):
        return attention.dropout.product(weights, v)
    values: Tensor = attention.dropout(weights) @ v
    return values


def hide(scores: Tensor, mask: Tensor | None) -> None:
    r"""Write $-\infty$ over `scores` where $i$ may not see $j$.

    `scores` are `[batch, heads, seq_len, k_len]`, and `mask` is
    `[seq_len, k_len, batch or 1]`, true where $i$ may see $j$. Without a mask of your
    own only the segment's own square is touched, since no key of the memory lies in
    the future.
    """
    if mask is not None:
        scores.masked_fill_(~mask.permute(2, 0, 1)[:, None], -math.inf)
        return
    # A sum is several times faster than `masked_fill_` with a mask for all heads.
    seq_len = scores.shape[-2]
    if seq_len > 1:
        square = scores.new_full((seq_len, seq_len), -math.inf)  # [seq_len, seq_len]
        scores[..., -seq_len:] += square.triu(1)
