r"""# Relative multi-head attention

Attention that knows how far apart two tokens are, and not where they stand. It is what
lets Transformer-XL read states of earlier segments without mixing up their order.

Section 3.3 of the paper starts from the four terms that absolute positions give
([$\mathbf A^{\mathrm{abs}}$][txl.absolute_scores]) and replaces what depends on the
place: each $\mathbf U_j$ becomes $\mathbf R_{i-j}$, which depends on the distance, and
each query of a place becomes a learned vector that is the same everywhere.
[The relative scores][txl.scores] are

$$
\mathbf A_{i,j}^{\mathrm{rel}}
= q_i^\top k_j
+ q_i^\top \mathbf W_{k,R} \mathbf R_{i-j}
+ u^\top k_j
+ v^\top \mathbf W_{k,R} \mathbf R_{i-j}
$$

with $q_i = \mathbf W_q \mathbf E_{x_i}$ and $k_j = \mathbf W_{k,E} \mathbf E_{x_j}$.
The paper calls the terms (a) to (d), in this order.

| term | asks |
|---|---|
| (a) content | Does token $j$ have what token $i$ looks for? |
| (b) position, depends on content | At which distance does token $i$ look? |
| (c) content bias | Does token $j$ matter, whoever looks? |
| (d) position bias | Does this distance matter, whoever looks? |

Its parts have pages of their own: `DistanceKeys`, what is known about each distance,
`rel_shift`, which orders scores by key, and `hide`, which hides the future. This page
puts them together.
"""

import math
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from labml_txl.models.distances import ENCODINGS, DistanceKeys
from labml_txl.models.dropout import Dropout
from labml_txl.models.few_texts import few_at_a_time
from labml_txl.models.masking import hide
from labml_txl.models.relative_shift import rel_shift


class RelativeMultiHeadAttention(nn.Module):
    r"""Multi-head attention with relative positions.

    `heads` share `d_model` evenly: each works on $d_k$ = `d_model / heads` numbers.
    `dropout_prob` is the probability that an attention weight is dropped.
    `encoding="sinusoidal"` is the paper's; for `"learned"` see `LearnedDistances`.
    """

    def __init__(
        self,
        heads: int,
        d_model: int,
        dropout_prob: float = 0.1,
        encoding: str = "sinusoidal",
    ) -> None:
        super().__init__()
        if heads < 1 or d_model % heads:
            raise ValueError(f"{d_model=} is not a multiple of {heads=}")
        if encoding not in ENCODINGS:
            raise ValueError(f"{encoding=} is not one of {', '.join(ENCODINGS)}")
        self.heads = heads
        self.d_model = d_model
        self.scale = 1 / math.sqrt(d_model // heads)

        # $\mathbf W_q$, $\mathbf W_{k,E}$ and $\mathbf W_v$ have no biases of their
        # own: $u$ is the query's, a constant key changes no softmax, and a constant
        # value is what the bias of the last map can give.
        self.query = nn.Linear(d_model, d_model, bias=False)
        self.key = nn.Linear(d_model, d_model, bias=False)
        self.value = nn.Linear(d_model, d_model, bias=False)
        self.output = nn.Linear(d_model, d_model)

        # The paper's $u$, one part for each head.
        self.content_bias = nn.Parameter(torch.empty(heads, d_model // heads))
        self.distances = ENCODINGS[encoding](heads, d_model)
        self.dropout = Dropout(dropout_prob)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        r"""Draw a new $u$; the other parts draw their own values."""
        nn.init.normal_(self.content_bias, std=0.02)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        r"""Attend from the segment to the memory and the segment.

        `query` is `[seq_len, batch, d_model]`; `key` and `value` are
        `[k_len, batch, d_model]`, the memory first, then the segment itself. `mask` is
        `[seq_len, k_len, batch or 1]`, true where $i$ may see $j$; each query must see
        a key. Without a mask each token sees the memory, its past and itself, and no
        mask is built.
        """
        self.check(query, key, value, mask)

        # [Queries come from the segment only][txl.recurrence_projections], keys and
        # values from the extended context. Section 3.3 writes the same
        # [for every layer][txl.projections], with $\mathbf W_{k,E}$ for the keys.
        q = self.split_heads(self.query(query))  # [batch, heads, seq_len, d_k]
        k = self.split_heads(self.key(key))  # [batch, heads, k_len, d_k]
        v = self.split_heads(self.value(value))  # [batch, heads, k_len, d_k]

        # Without a mask the farthest key is $K - 1$ away and none lies ahead (−1 is
        # the column that `rel_shift` needs). A mask of your own may show the future.
        nearest = -1 if mask is None else -len(query)
        distances: DistanceKeys = self.distances(len(key) - 1, nearest)
        return self.attend(q, k, v, distances, mask)

    def attend(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        distances: DistanceKeys,
        mask: Tensor | None,
    ) -> Tensor:
        r"""Attention after the projections, where keys and values may be old ones."""
        # On a CPU, `few_at_a_time` is faster than all texts at once.
        read = partial(self.weighted_values, distances)
        a = few_at_a_time(read, q, k, v, mask)  # [batch, heads, seq_len, d_k]

        # Join the heads; the last map mixes them: the paper's $\mathrm{Linear}$.
        batch, _, seq_len, _ = a.shape
        joined = a.permute(2, 0, 1, 3).reshape(seq_len, batch, self.d_model)
        attended: Tensor = self.output(joined)  # [seq_len, batch, d_model]
        return attended

    def weighted_values(
        self,
        distances: DistanceKeys,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        mask: Tensor | None,
    ) -> Tensor:
        r"""What each head reads in some texts, before the heads are joined."""
        # [The values, weighted][txl.weighted_values]:
        # $\mathbf a = \text{Masked-Softmax}(\mathbf A)\,\mathbf v$.
        if self.training or torch.is_grad_enabled() or q.device.type != "cpu":
            weights = self.weights(self.scores(q, k, distances), mask)
            return self.dropout.product(weights, v)
        return self.fused(q, k, v, mask, distances)

    def scores(self, q: Tensor, k: Tensor, distances: DistanceKeys) -> Tensor:
        r"""[$\mathbf A_{\tau,i,j}^n$][txl.layer_scores] for every query and every key.

        Departure: the formula has no scale. As in the authors' code, all four terms
        are multiplied by $1/\sqrt{d_k}$, so that the softmax does not saturate. The
        scale is put on the small factors: a pass over all scores would cost more.
        """
        # [Terms (a) and (c)][txl.scores] in one product, $(q_i + u)^\top k_j$. Then (b)
        # and (d): the sum overwrites the product.
        q_scaled = q * self.scale  # [batch, heads, seq_len, d_k]
        biased = q_scaled + self.scale * self.content_bias[:, None]
        scores = biased @ k.transpose(-2, -1)  # [batch, heads, seq_len, k_len]
        scores += self.position_scores(q_scaled, distances, k.shape[-2])
        return scores

    def position_scores(
        self, q_scaled: Tensor, distances: DistanceKeys, k_len: int
    ) -> Tensor:
        r"""Terms (b) and (d), which depend on distances and on no key."""
        # By distance: $\widetilde{\mathbf B} = q\,\mathbf Q^\top$, to whose every row
        # [$\widetilde{\mathbf d}$][txl.position_bias_terms] is added.
        by_distance = q_scaled @ distances.keys  # [batch, heads, seq_len, n_distances]
        by_distance += distances.bias * self.scale

        # By key: the shift is a view.
        return rel_shift(by_distance, k_len)  # [batch, heads, seq_len, k_len]

    def weights(self, scores: Tensor, mask: Tensor | None) -> Tensor:
        r"""The masked softmax over the keys. Writes over hidden numbers in `scores`."""
        # A hidden key gets the weight $e^{-\infty} = 0$. The gradient of its score is 0
        # in any case, so autograd need not know of the mask: that saves it a copy of
        # all scores.
        hide(scores.detach(), mask)
        return torch.softmax(scores, dim=-1)  # [batch, heads, seq_len, k_len]

    def fused(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        mask: Tensor | None,
        distances: DistanceKeys,
    ) -> Tensor:
        r"""The weighted values where no gradient is wanted and nothing is dropped.

        PyTorch's fused attention goes through the keys block by block, so that the
        scores of a block stay in the processor's cache. It takes something to add to
        the scores: all that is not content. It has no gradient for that.
        """
        others = self.position_scores(q * self.scale, distances, k.shape[-2])
        hide(others, mask)
        return F.scaled_dot_product_attention(
            q + self.content_bias[:, None], k, v, attn_mask=others, scale=self.scale
        )  # [batch, heads, seq_len, d_k]

    def split_heads(self, x: Tensor) -> Tensor:
        r"""`[len, batch, d_model]` to `[batch, heads, len, d_k]`: a view, no copy."""
        d_k = self.d_model // self.heads
        return x.view(*x.shape[:2], self.heads, d_k).permute(1, 2, 0, 3)

    def check(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None
    ) -> None:
        r"""Raise `ValueError` for shapes that do not fit, with both shapes named."""
        seq_len, batch, d_model = query.shape
        k_len = len(key)
        if d_model != self.d_model:
            raise ValueError(f"query has d_model={d_model}, wanted {self.d_model}")
        if key.shape != (k_len, batch, d_model) or value.shape != key.shape:
            raise ValueError(
                f"key {list(key.shape)} and value {list(value.shape)}: "
                f"wanted [k_len, {batch}, {d_model}] for both, as the query has it"
            )
        if k_len < seq_len:
            raise ValueError(
                f"{k_len} keys for {seq_len} queries: the segment's own keys come last"
            )
        if mask is not None and (
            mask.dtype != torch.bool
            or mask.shape not in {(seq_len, k_len, batch), (seq_len, k_len, 1)}
        ):
            raise ValueError(
                f"mask {list(mask.shape)} of {mask.dtype}: wanted "
                f"[{seq_len}, {k_len}, {batch} or 1] of torch.bool"
            )
