r"""# Attention in two products

The models use this attention by default. It computes the same as
[the short form](../relative_attention.md), with fewer products and fewer large tensors.

| measured | gain | without | with |
| --- | ---: | ---: | ---: |
| training, size M | 1.44 × | 1,569 ms | 1,090 ms |
| training, size L | 1.23 × | 3,149 ms | 2,560 ms |
| evaluation, size M | 1.44 × | 410 ms | 286 ms |
| evaluation, size L | 1.18 × | 802 ms | 681 ms |

It saves time in training and in evaluation, because fewer tensors of the size of all
scores are written. On a GPU, the sequences of a batch are processed together, and
training uses [a backward pass of its own](fusion.md).

A test compares both forms, forward and backward.

**Two products instead of four terms.** Terms (a) and (c) of
[the relative scores][txl.scores] have the same keys, and so have (b) and (d). The sum
of two such terms is a single product with the sum of their left sides.

**A sum instead of a mask.** A key of the future is always a key of the segment, never
one of the memory. It is therefore sufficient to add $-\infty$ in the square of the
segment's own scores, instead of applying [a mask](../masking.md) to all scores.
"""

import math
from functools import partial
from typing import cast

import torch
from torch import Tensor

from labml_txl.models.arguments import check_attention, is_plain
from labml_txl.models.distances import DistanceKeys
from labml_txl.models.dropout import Dropout
from labml_txl.models.fast.batches import attend_in_parts
from labml_txl.models.fast.fusion import FusedAttention, fuses
from labml_txl.models.fast.shift import shift_view
from labml_txl.models.relative_attention import RelativeAttention


class RelativeMultiHeadAttention(RelativeAttention):
    """`RelativeAttention` with the same parameters, arguments and results, but faster.

    Since the parameters have the same names, a checkpoint of one form can be loaded
    into the other. For the arguments see `RelativeAttention`.
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
        """Attend from the segment to the memory and the segment.

        For arguments and result see `RelativeAttention.forward`.
        """
        check_attention(self.d_model, query, key, value, mask)

        # [The projections][txl.projections] are the same as in the short form.
        q = self.split_heads(self.query(query))  # [batch, heads, seq_len, d_k]
        k = self.split_heads(self.key(key))  # [batch, heads, k_len, d_k]
        v = self.split_heads(self.value(value))  # [batch, heads, k_len, d_k]

        # Without a mask, no query sees a key of the future, but the shift needs the
        # column for the distance −1. A GPU multiplies fast if the size of a row is a
        # multiple of 16 bytes, so there are up to seven more columns there.
        nearest = -1 if mask is None else -len(query)
        if fuses(query, mask):
            nearest = len(key) % 8 - 8
        # The distances are projected once for all sequences of the batch.
        distances: DistanceKeys = self.distances(len(key) - 1, nearest)
        return attend(self, q, k, v, distances, mask)

    def scores(self, q: Tensor, k: Tensor, distances: DistanceKeys) -> Tensor:
        r"""[$\mathbf A_{\tau,i,j}^n$][txl.layer_scores], as in the short form."""
        # The factors are scaled instead of the scores, because they are much smaller.
        q_scaled = q * self.scale  # [batch, heads, seq_len, d_k]
        u = self.content_bias[:, None] * self.scale  # [heads, 1, d_k]

        # Terms (a) and (c) together: $q_i^\top k_j + u^\top k_j = (q_i + u)^\top k_j$.
        scores = (q_scaled + u) @ k.mT  # [batch, heads, seq_len, k_len]

        # Terms (b) and (d), by distance, $q_i^\top \mathbf W_{k,R} \mathbf R_{i-j}
        # + v^\top \mathbf W_{k,R} \mathbf R_{i-j}$:
        # [$\widetilde{\mathbf d}$][txl.position_bias_terms] is added to every row of
        # [$\widetilde{\mathbf B}$][txl.shifted_terms].
        by_distance = q_scaled @ distances.keys  # [batch, heads, seq_len, n_distances]
        by_distance += distances.bias * self.scale

        # Both terms are shifted together and added to the other two in place.
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
    """Everything in attention that follows the projections.

    - `attention`: the module with the parameters.
    - `q`: the queries, `[batch, heads, seq_len, d_k]`.
    - `k`, `v`: keys and values, `[batch, heads, k_len, d_k]`, which may come from
      [a cache](cache.md).
    - `distances`: the keys and biases of all distances.
    - `mask`: as for `RelativeAttention.forward`.

    Returns `[seq_len, batch, d_model]`.
    """
    if fuses(q, mask) and is_plain(attention.dropout, Dropout):
        u, keys, bias = (x.to(q.dtype) for x in (attention.content_bias, *distances))
        p = attention.dropout.p if attention.dropout.training else 0.0
        a: Tensor = FusedAttention.apply(  # type: ignore[no-untyped-call]
            q, k, v, u, keys, bias, attention.scale, p
        )
    else:
        read = partial(weighted_values, attention, distances)
        a = attend_in_parts(read, q, k, v, mask)  # [batch, heads, seq_len, d_k]

    # The results of all heads, side by side, go through the output projection.
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
    """The weighted values of each head, for some of the sequences.

    For the arguments see `attend`. Returns `[batch, heads, seq_len, d_k]`.
    """
    # [The weighted values][txl.weighted_values]. The gradient of a masked score is 0,
    # because its weight is 0. Autograd can therefore do without the masking, which
    # saves a copy of all scores.
    scores = attention.scores(q, k, distances)  # [batch, heads, seq_len, k_len]
    hide(scores.detach(), mask)
    weights = torch.softmax(scores, dim=-1)  # [batch, heads, seq_len, k_len]

    # Our `Dropout` can do both dropout and the product in one step.
    dropout = attention.dropout
    if dropout.training and is_plain(dropout, Dropout):
        values = cast(Dropout, dropout).product(weights, v)
    else:
        values = dropout(weights) @ v

    # A query that sees no key has equal weights for all of them, which are to be 0.
    if mask is not None:
        blind = ~mask.any(1).t()[:, None, :, None]
        values = values.masked_fill(blind, 0.0)
    return values  # [batch, heads, seq_len, d_k]


def hide(scores: Tensor, mask: Tensor | None) -> None:
    """Set the scores of keys that a query must not see to the lowest, in place.

    - `scores`: `[batch, heads, seq_len, k_len]`.
    - `mask`: `[seq_len, k_len, batch or 1]`, true where query $i$ may see key $j$.
      Without a mask, the keys of the future are hidden.
    """
    if mask is not None:
        hidden = ~mask.permute(2, 0, 1)[:, None]
        scores.masked_fill_(hidden, torch.finfo(scores.dtype).min)
        return
    # Only the last `seq_len` keys can be in the future of a query. Adding $-\infty$ is
    # several times faster than `masked_fill_`.
    seq_len = scores.shape[-2]
    if seq_len > 1:
        square = scores.new_full((seq_len, seq_len), -math.inf)  # [seq_len, seq_len]
        scores[..., -seq_len:] += square.triu(1)
