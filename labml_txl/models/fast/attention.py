r"""# Attention in two products

The attention that the models use by default: [the short form](../relative_attention.md)
with everything that makes it fast.

| measured | gain | without | with |
| --- | ---: | ---: | ---: |
| training, size M | 1.5 × | 95.1 ms | 65.0 ms |
| evaluation, size M | 1.6 × | 30.2 ms | 19.3 ms |
| training, size L | 1.6 × | 233.7 ms | 149.2 ms |
| evaluation, size L | 1.7 × | 88.5 ms | 51.8 ms |

It gains in training and in evaluation: fewer tensors of the size of all scores are
written and kept. On a GPU the batch is not cut, and evaluation has no fused kernel.

`test_fast_attention_equals_the_short_form` holds both forms equal, forward and
backward.
"""

from functools import partial

import torch
from torch import Tensor

from labml_txl.models.arguments import check_attention
from labml_txl.models.distances import DistanceKeys
from labml_txl.models.fast.batches import few_at_a_time
from labml_txl.models.fast.dropout import Dropout
from labml_txl.models.fast.fused import fused_attention
from labml_txl.models.fast.hiding import hide
from labml_txl.models.fast.linear import through
from labml_txl.models.fast.long import head_by_head, is_long
from labml_txl.models.fast.products import scores_in_two_products
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

        # Without a mask no key lies ahead, and −1 is the column that the shift needs.
        # The distances are projected once, for all sequences.
        nearest = -1 if mask is None else -len(query)
        distances: DistanceKeys = self.distances(len(key) - 1, nearest)
        return attend(self, q, k, v, distances, mask)

    def scores(self, q: Tensor, k: Tensor, distances: DistanceKeys) -> Tensor:
        r"""[$\mathbf A_{\tau,i,j}^n$][txl.layer_scores]."""
        u = self.content_bias[:, None]
        return scores_in_two_products(q, k, u, distances, self.scale)


def attend(
    attention: RelativeAttention,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    distances: DistanceKeys,
    mask: Tensor | None = None,
) -> Tensor:
    r"""Attention after the projections, where keys and values may be old ones."""
    read = partial(weighted_values, attention, distances)
    a = few_at_a_time(read, q, k, v, mask)  # [batch, heads, seq_len, d_k]

    # Join the heads; the output projection mixes them.
    joined = a.permute(2, 0, 1, 3).flatten(2)  # [seq_len, batch, d_model]
    attended: Tensor = through(attention.output, joined)
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
    # [The values, weighted][txl.weighted_values]. Where no gradient is wanted, one
    # kernel does it all, or a head at a time.
    u = attention.content_bias[:, None]  # [heads, 1, d_k]
    wanted = attention.training or torch.is_grad_enabled()
    if not wanted and q.device.type == "cpu":
        read = head_by_head if is_long(q, k) else fused_attention
        return read(q, k, v, u, distances, attention.scale, mask)

    # The gradient of a hidden score is 0 in any case, so autograd need not know of the
    # mask: that saves it a copy of all scores.
    scores = scores_in_two_products(q, k, u, distances, attention.scale)
    hide(scores.detach(), mask)
    weights = torch.softmax(scores, dim=-1)  # [batch, heads, seq_len, k_len]

    # Dropout and the product are one step where the dropout knows how.
    if isinstance(attention.dropout, Dropout):
        return attention.dropout.product(weights, v)
    values: Tensor = attention.dropout(weights) @ v
    return values
