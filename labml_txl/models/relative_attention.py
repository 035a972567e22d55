r"""# Relative multi-head attention

This is the shortest form of the idea. The models use
[a faster one](fast/attention.md) by default, with the same parameters and the same
results.

Attention that knows how far apart two tokens are, and not where they stand. It is what
lets Transformer-XL read states of earlier segments without mixing up their order.

Section 3.3 of the paper starts from the four terms that absolute positions give
([$\mathbf A^{\mathrm{abs}}$][txl.absolute_scores]) and replaces what depends on the
position: each $\mathbf U_j$ becomes $\mathbf R_{i-j}$, which depends on the distance,
and each query of a position becomes a learned vector that is the same everywhere.
[The relative scores][txl.scores] are

$$
\mathbf A_{i,j}^{\mathrm{rel}}
= \underbrace{q_i^\top k_j}_{(a)}
+ \underbrace{q_i^\top \mathbf W_{k,R} \mathbf R_{i-j}}_{(b)}
+ \underbrace{u^\top k_j}_{(c)}
+ \underbrace{v^\top \mathbf W_{k,R} \mathbf R_{i-j}}_{(d)}
$$

with $q_i = \mathbf W_q \mathbf E_{x_i}$ and $k_j = \mathbf W_{k,E} \mathbf E_{x_j}$.

In a trained model each term has work of its own. Take one out of the sum, and see which
weights it held up:

![Heat maps of one head of a trained model, with a row for each query and a column for
each key: the four terms, their sum, and the weights after the softmax. Content marks
single keys, position a band of near ones, position bias a diagonal; content bias is
faint.](figure:four-terms)

"""

import math

import torch
from torch import Tensor, nn

from labml_txl.models.arguments import check_attention, check_heads
from labml_txl.models.distances import ENCODINGS, DistanceKeys
from labml_txl.models.masking import causal_mask
from labml_txl.models.relative_shift import rel_shift


class RelativeAttention(nn.Module):
    r"""Multi-head attention with relative positions.

    `heads` share `d_model` evenly: each has $d_k$ = `d_model / heads` features.
    `dropout_prob` is the probability that an attention weight is dropped.
    `encoding="sinusoidal"` is the paper's; for `"learned"` see `LearnedDistances`.
    Distances beyond `clamp_len` count as `clamp_len`; 0 is no limit.
    """

    def __init__(
        self,
        heads: int,
        d_model: int,
        dropout_prob: float = 0.1,
        encoding: str = "sinusoidal",
        clamp_len: int = 0,
    ) -> None:
        super().__init__()
        check_heads(heads, d_model, encoding, ENCODINGS)
        if clamp_len < 0:
            raise ValueError(f"{clamp_len=} is negative; 0 is no limit")
        self.heads = heads
        self.d_model = d_model
        self.d_k = d_model // heads
        self.scale = 1 / math.sqrt(self.d_k)

        # $\mathbf W_q$, $\mathbf W_{k,E}$ and $\mathbf W_v$ have no biases of their
        # own: $u$ is the query's, a constant key changes no softmax, and a constant
        # value is what the bias of the output projection can give.
        self.query = nn.Linear(d_model, d_model, bias=False)
        self.key = nn.Linear(d_model, d_model, bias=False)
        self.value = nn.Linear(d_model, d_model, bias=False)
        self.output = nn.Linear(d_model, d_model)

        # The paper's $u$, one part for each head. The distances hold
        # $\mathbf W_{k,R}$ and $v$.
        self.content_bias = nn.Parameter(torch.empty(heads, self.d_k))
        self.distances = ENCODINGS[encoding](heads, d_model, clamp_len)
        self.dropout: nn.Module = nn.Dropout(dropout_prob)
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
        a key. Without a mask each token sees the memory, its past and itself.
        """
        check_attention(self.d_model, query, key, value, mask)

        # [Queries come from the segment only][txl.recurrence_projections], keys and
        # values from the extended context. Section 3.3 writes the same
        # [for every layer][txl.projections], with $\mathbf W_{k,E}$ for the keys.
        q = self.split_heads(self.query(query))  # [batch, heads, seq_len, d_k]
        k = self.split_heads(self.key(key))  # [batch, heads, k_len, d_k]
        v = self.split_heads(self.value(value))  # [batch, heads, k_len, d_k]

        # The farthest key is $K - 1$ away; a mask of your own may show the future.
        distances: DistanceKeys = self.distances(len(key) - 1, -len(query))
        scores = self.scores(q, k, distances)  # [batch, heads, seq_len, k_len]

        # [The values, weighted][txl.weighted_values]:
        # $\mathbf a = \text{Masked-Softmax}(\mathbf A)\,\mathbf v$.
        weights = self.dropout(self.weights(scores, mask))
        a = weights @ v  # [batch, heads, seq_len, d_k]

        # Join the heads. The output projection, the paper's $\mathrm{Linear}$, mixes
        # them.
        joined = a.permute(2, 0, 1, 3).flatten(2)  # [seq_len, batch, d_model]
        attended: Tensor = self.output(joined)  # [seq_len, batch, d_model]
        return attended

    def scores(self, q: Tensor, k: Tensor, distances: DistanceKeys) -> Tensor:
        r"""[$\mathbf A_{\tau,i,j}^n$][txl.layer_scores] for every query and every key:
        the [four terms][txl.scores], a line each.
        """
        # The keys of all distances, $r = \mathbf W_{k,R}\,\mathbf R$, and $v^\top r$,
        # the same for every query.
        k_len, u, r = k.shape[2], self.content_bias[:, None], distances.keys
        vr = distances.bias.expand(len(q), -1, q.shape[2], -1)

        # (a) Does token $j$ have what token $i$ looks for? $q_i^\top k_j$
        content = q @ k.mT  # [batch, heads, seq_len, k_len]

        # (b) At which distance does token $i$ look?
        # $q_i^\top \mathbf W_{k,R} \mathbf R_{i-j}$
        position = rel_shift(q @ r, k_len)  # [batch, heads, seq_len, k_len]

        # (c) Does token $j$ matter, whichever token looks? $u^\top k_j$
        content_bias = u @ k.mT  # [batch, heads, 1, k_len]

        # (d) Does this distance matter, whichever token looks?
        # $v^\top \mathbf W_{k,R} \mathbf R_{i-j}$
        position_bias = rel_shift(vr, k_len)  # [batch, heads, seq_len, k_len]

        # Departure: the formula has no scale. As in the authors' code, all four terms
        # are multiplied by $1/\sqrt{d_k}$, so that the softmax does not saturate.
        return self.scale * (content + position + content_bias + position_bias)

    def weights(self, scores: Tensor, mask: Tensor | None = None) -> Tensor:
        r"""The masked softmax over the keys, `[batch, heads, seq_len, k_len]`."""
        # A hidden key gets the weight $e^{-\infty} = 0$.
        seq_len, k_len = scores.shape[2:]
        if mask is None:
            mask = causal_mask(seq_len, k_len - seq_len, device=scores.device)
        hidden = ~mask.permute(2, 0, 1)[:, None]
        visible = scores.masked_fill(hidden, -math.inf)
        return visible.softmax(-1)  # [batch, heads, seq_len, k_len]

    def split_heads(self, x: Tensor) -> Tensor:
        r"""`[len, batch, d_model]` to `[batch, heads, len, d_k]`: a view, no copy."""
        by_head: Tensor = x.unflatten(2, (self.heads, self.d_k))
        return by_head.permute(1, 2, 0, 3)
