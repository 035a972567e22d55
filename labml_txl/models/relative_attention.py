# ---
# keywords: [RelPartialLearnableMultiHeadAttn,
#   attention weights, figure of the four terms, terms of a head,
#   RelLearnableMultiHeadAttn, TransfoXL attention, dec_attn, global content bias,
#   global positional bias, W_kE W_kR, query bias]
# ---
r"""# Relative multi-head attention

The scores of this attention depend on how far apart two tokens are, and not on where
each of them is in its segment. Transformer-XL needs this because its
[memory](memory.md) contains states of earlier segments. If positions were counted
within each segment, an old token and a new one could have the same position, and
attention could not tell [which came first](embeddings.md#AbsolutePositions).

The code on this page is the shortest implementation, with one line for each term. By
default, the models use [`RelativeMultiHeadAttention`](fast/attention.md), which has the
same parameters and gives the same results, but is faster.

**Where the four terms come from.** A query and a key are each computed from a content
and a position, so their product has [four terms][txl.absolute_scores]. The page on the
paper [derives](../papers/transformer_xl.md#four-terms-before-and-after) how distances
replace the positions in them. With the query $q_i = \mathbf W_q \mathbf E_{x_i}$ and
the key $k_j = \mathbf W_{k,E} \mathbf E_{x_j}$, the result is
[the relative score][txl.scores]:

$$
\mathbf A_{i,j}^{\mathrm{rel}}
= \underset{(a)}{q_i^\top k_j}
+ \underset{(b)}{q_i^\top \mathbf W_{k,R} \mathbf R_{i-j}}
+ \underset{(c)}{u^\top k_j}
+ \underset{(d)}{v^\top \mathbf W_{k,R} \mathbf R_{i-j}}
$$

$\mathbf R_{i-j}$ encodes the distance by sines and cosines, and $\mathbf W_{k,R}$
projects it to a key, the *key of the distance*. The vectors $u$ and $v$ are trained and
the same for all queries. In the layers above the first, hidden states replace the
embeddings.

**From positions to indices.** In the formulas, $i$ and $j$ count the tokens of one
sequence. In the code, $i$ counts the queries, which come from the segment only, and $j$
counts the keys, which begin with the $M$ states of the memory. Query $i$ is the same
token as key $M + i$, so the distance is $i + M - j$. (The terms (b) and (d), which
depend on it, are called `position` and `position_bias` in the code.) For $L = 3$
queries and $M = 2$ states in memory, as in [the worked
case](../papers/transformer_xl.md#one-score-with-numbers), these are the distances:

| query | Mrs. | Harker | sat | down | and |
| --- | ---: | ---: | ---: | ---: | ---: |
| sat | 2 | 1 | 0 | – | – |
| down | 3 | 2 | 1 | 0 | – |
| and | 4 | 3 | 2 | 1 | 0 |

A dash is a key that comes after the query and is masked. The greatest distance is $M +
L - 1$. There are only $M + L$ distances, but $L\,(M + L)$ pairs of a query and a key.
So the key $\mathbf W_{k,R} \mathbf R_r$ of each distance is computed once, and all
queries use it. The products with these keys have a column for each distance. [The
relative shift](relative_shift.md) moves each row of them, so that the columns belong to
keys. This is how often each product is computed:

| term | computed for | how many |
| --- | --- | ---: |
| key of a distance | each distance | $M + L$ |
| (a) $q_i^\top k_j$ | each query and key | $L\,(M + L)$ |
| (b) $q_i^\top \mathbf W_{k,R} \mathbf R_r$ | each query and distance | $L\,(M + L)$ |
| (c) $u^\top k_j$ | each key | $M + L$ |
| (d) $v^\top \mathbf W_{k,R} \mathbf R_r$ | each distance | $M + L$ |

In the worked case, $\mathbf W_q$ exchanges the two features of a state, $\mathbf
W_{k,E}$ and $\mathbf W_{k,R}$ change nothing, $u = (1, 0)$ and $v = (0, 1)$:

| token | belongs to | state $\mathbf h$ = key $k$ = value | query $q$ |
| --- | ---: | ---: | ---: |
| Mrs. | memory | (1, 0) | – |
| Harker | memory | (1, 1) | – |
| sat | segment | (0, 1) | (1, 0) |
| down | segment | (−1, 1) | (1, −1) |
| and | segment | (0, −1) | (−1, 0) |

| distance $r$ | $\mathbf R_r = (\sin r, \cos r)$ |
| --- | ---: |
| 0 | (0, 1) |
| 1 | (0.84, 0.54) |
| 2 | (0.91, −0.42) |
| 3 | (0.14, −0.99) |
| 4 | (−0.76, −0.65) |

*Harker* is 1 token before *sat*, so the four products for this pair are
$1 + 0.84 + 1 + 0.54 = 3.38$. These are all sums. They were computed with exact sines
and rounded at the end, so if you add the rounded terms, the last digit can differ by
one:

| query | Mrs. | Harker | sat | down | and |
| --- | ---: | ---: | ---: | ---: | ---: |
| sat | 2.49 | 3.38 | 1 | – | – |
| down | 2.14 | 1.91 | −0.16 | −3 | – |
| and | 0.10 | −1.13 | −1.33 | −0.30 | 1 |

Change a number and follow what happens:

![The worked case: five states with two numbers each, the four terms of a chosen query
and key, their sum, and the attention weights of the query.](figure:worked-score)

The next figure shows the same four terms for one head of a trained model and a whole
segment, already divided by $\sqrt{d_k}$ and rounded. Switch a term off to see which
attention weights depend on it:

![Heat maps of one head of a trained model, with a row for each query and a column for
each key: the four terms, their sum, and the weights after the softmax. The content term
is large for single keys, the distance term for a band of nearby keys, and the distance
bias along a diagonal; the content bias is small everywhere.](figure:four-terms)

On the [live page](../live.md) you can enter a text and see the four terms of one query
and one key.

"""

import math

import torch
from torch import Tensor, nn

from labml_txl.models.arguments import check_attention, check_heads
from labml_txl.models.distances import ENCODINGS, DistanceKeys
from labml_txl.models.masking import causal_mask
from labml_txl.models.relative_shift import rel_shift


class RelativeAttention(nn.Module):
    """Multi-head attention with relative positions.

    - `heads`: the number of heads.
    - `d_model`: the number of features of a token. The heads share them evenly, so each
      head has $d_k$ = `d_model / heads` features.
    - `dropout_prob`: the probability with which an attention weight is dropped in
      training.
    - `encoding`: how distances are encoded. `"sinusoidal"` is the paper's way; for
      `"learned"` see `LearnedDistances`.
    - `clamp_len`: the greatest distance that is encoded, or 0 for no limit. Longer
      distances are treated as equal to it. This is meant for evaluation with a longer
      memory than in training, where distances occur that the model was not trained on.
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

        # None of the three projections $\mathbf W_q$, $\mathbf W_{k,E}$ and
        # $\mathbf W_v$ needs a bias. $u$ and $v$ already act as biases of the query:
        # (a) + (c) is $(q_i + u)^\top k_j$, and (b) + (d) is $(q_i + v)^\top \mathbf
        # W_{k,R} \mathbf R_{i-j}$. A bias $b$ on the keys would add $q_i^\top
        # b$ to the scores of query $i$ with all keys, and adding the same number to all
        # scores does not change a softmax. The weights sum to 1, so a bias on the
        # values would be added to every result unchanged. The bias of the output
        # projection can do this already.
        self.query = nn.Linear(d_model, d_model, bias=False)
        self.key = nn.Linear(d_model, d_model, bias=False)
        self.value = nn.Linear(d_model, d_model, bias=False)
        self.output = nn.Linear(d_model, d_model)

        # The paper's $u$, a vector for each head. $\mathbf W_{k,R}$ and $v$ belong to
        # [the encoding of distances](distances.md).
        #
        # Departure: each layer has its own $u$ and $v$. In the paper's formula they do
        # not have the index of a layer.
        self.content_bias = nn.Parameter(torch.empty(heads, self.d_k))
        self.distances = ENCODINGS[encoding](heads, d_model, clamp_len)
        self.dropout: nn.Module = nn.Dropout(dropout_prob)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw a new $u$. The projections and the distances reset themselves."""
        nn.init.normal_(self.content_bias, std=0.02)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        """Attend from the segment to the memory and the segment.

        - `query`: the states of the segment, `[seq_len, batch, d_model]`.
        - `key`, `value`: the states of the memory and then those of the segment,
          `[k_len, batch, d_model]`.
        - `mask`: `[seq_len, k_len, batch or 1]`, true where query $i$ may attend to key
          $j$. A query that may attend to no key gives all of them the weight 0. Without
          a mask, each token attends to the memory, to the tokens before it and to
          itself.

        Returns `[seq_len, batch, d_model]`.
        """
        check_attention(self.d_model, query, key, value, mask)

        # [Queries come from the segment only][txl.recurrence_projections], because only
        # its tokens need new states. Keys and values come from memory and segment.
        # Section 3.3 repeats these projections [for layer $n$][txl.projections], with
        # $\mathbf W_{k,E}$ as the projection of the keys.
        q = self.split_heads(self.query(query))  # [batch, heads, seq_len, d_k]
        k = self.split_heads(self.key(key))  # [batch, heads, k_len, d_k]
        v = self.split_heads(self.value(value))  # [batch, heads, k_len, d_k]

        # There are $M + L$ distances, from $M + L - 1$ between the last query and the
        # first key down to 0 between a query and its own key.
        #
        # Departure: a mask that the caller passes may also allow later keys, whose
        # distances are negative, down to $-(L - 1)$.
        nearest = 0 if mask is None else 1 - len(query)
        distances: DistanceKeys = self.distances(len(key) - 1, nearest)
        scores = self.scores(q, k, distances)  # [batch, heads, seq_len, k_len]

        # [Each query receives a weighted mean of the values][txl.weighted_values]:
        # $\mathbf a = \text{Masked-Softmax}(\mathbf A)\,\mathbf v$.
        weights = self.dropout(self.weights(scores, mask))
        a = weights @ v  # [batch, heads, seq_len, d_k]

        # The results of all heads, side by side, go through the output projection,
        # which is the paper's $\mathrm{Linear}$ and mixes the heads.
        joined = a.permute(2, 0, 1, 3).flatten(2)  # [seq_len, batch, d_model]
        attended: Tensor = self.output(joined)  # [seq_len, batch, d_model]
        return attended

    def scores(self, q: Tensor, k: Tensor, distances: DistanceKeys) -> Tensor:
        r"""The scores [$\mathbf A_{\tau,i,j}^n$][txl.layer_scores] of every query with
        every key: the sum of the [four terms][txl.scores], times $1/\sqrt{d_k}$.

        - `q`: the queries, `[batch, heads, seq_len, d_k]`.
        - `k`: the keys, `[batch, heads, k_len, d_k]`.
        - `distances`: for each distance, the farthest first, its key (`keys`) and the
          product of $v$ with this key (`bias`), as `self.distances` returns them. The
          last distance is 0, or a negative one if a mask allows keys after the query.

        Returns `[batch, heads, seq_len, k_len]`.
        """
        # `distances.keys`, here `r`, is the key $\mathbf W_{k,R}\,\mathbf R_{i-j}$ of
        # each distance. It is `[heads, d_k, n_distances]`, so it needs no transpose.
        # `distances.bias`, here `vr`, is the product of $v$ with each of these keys,
        # the same for all queries. The parameter `self.content_bias` is $u$, and the
        # variable `content_bias` below is term (c).
        k_len, u, r = k.shape[2], self.content_bias[:, None], distances.keys
        vr = distances.bias.expand(len(q), -1, q.shape[2], -1)

        # (a) Does key $j$ have the content that query $i$ looks for? $q_i^\top k_j$
        content = q @ k.mT  # [batch, heads, seq_len, k_len]

        # (b) Does query $i$ look for keys at this distance?
        # $q_i^\top \mathbf W_{k,R} \mathbf R_{i-j}$
        position = rel_shift(q @ r, k_len)  # [batch, heads, seq_len, k_len]

        # (c) How important is the content of key $j$ to all queries? $u^\top k_j$
        content_bias = u @ k.mT  # [batch, heads, 1, k_len]

        # (d) How important is this distance to all queries?
        # $v^\top \mathbf W_{k,R} \mathbf R_{i-j}$
        position_bias = rel_shift(vr, k_len)  # [batch, heads, seq_len, k_len]

        # Departure: the paper's formula has no scale. Like the authors' code, we
        # multiply the sum by $1/\sqrt{d_k}$; otherwise the scores of wide heads would
        # be so large that the softmax saturates and its gradient vanishes.
        return self.scale * (content + position + content_bias + position_bias)

    def weights(self, scores: Tensor, mask: Tensor | None = None) -> Tensor:
        """The masked softmax of the scores over the keys.

        `scores` are `[batch, heads, seq_len, k_len]`, and so are the weights; `mask` is
        as for `forward`.
        """
        # A key that the query must not see gets the weight $e^{-\infty} = 0$. A query
        # that sees no key at all, such as that of a padded token, would get 0/0. We
        # leave its scores as they are and set its weights to 0.
        seq_len, k_len = scores.shape[2:]
        if mask is None:
            mask = causal_mask(seq_len, k_len - seq_len, device=scores.device)
        hidden = ~mask.permute(2, 0, 1)[:, None]
        blind = hidden.all(-1, keepdim=True)
        visible = scores.masked_fill(hidden & ~blind, -math.inf)
        weights = visible.softmax(-1)  # [batch, heads, seq_len, k_len]
        return weights.masked_fill(blind, 0.0)

    def split_heads(self, x: Tensor) -> Tensor:
        """`[len, batch, d_model]` to `[batch, heads, len, d_k]`: a view, no copy."""
        # `torch.jit.trace` stores the lengths of its example as constants, so a traced
        # model would silently give wrong results for other lengths. With these two
        # lines it raises an error instead.
        if torch.jit.is_tracing():  # type: ignore[attr-defined, no-untyped-call]
            x = x.unflatten(0, (len(x),))
        by_head: Tensor = x.unflatten(2, (self.heads, self.d_k))
        return by_head.permute(1, 2, 0, 3)
