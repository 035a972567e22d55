r"""# One token at a time

A model that writes reads its own tokens one by one. There is one query then, so nothing
is shifted and nothing is hidden, and the time goes into reading every weight once.

| measured | gain | without | with |
| --- | ---: | ---: | ---: |
| generation, size M | 1.81 × | 88 ms | 49 ms |
| generation, size L | 1.55 × | 241 ms | 156 ms |
| generation of a batch, size M | 1.31 × | 220 ms | 168 ms |
| generation of a batch, size L | 1.39 × | 474 ms | 341 ms |

It gains where single tokens are read with [a cache](cache.md), and nothing where whole
segments are read.

**Weights in parts.** The product of one row with a weight is taken as 16 smaller ones,
one with each part of the weight, in one call. They are read faster so, and threads can
share them. Nothing is copied: a part lies where the weight lies. For more rows, the
products are plain ones.

**Keys on the left.** The product of many keys with one column reads the keys row by
row. The same product, with the query as a row on the left, takes longer.

**One bias for all queries.** The projection gives a query that is scaled already and to
which $u$ is added. So term (b) has $u^\top \mathbf W_{k,R} \mathbf R_r$ too much. It
depends on the distance alone, and term (d) takes it away.

**Threads.** A small layer takes one thread: there a second one costs more time than it
saves. Where other programs keep the processor busy, that is true of every layer. So
`txl generate` takes one thread for a single text, unless `OMP_NUM_THREADS` says how
many.

`test_reading_with_a_cache_equals_reading_without` holds it equal to
[the language model](../language_model.md).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from labml_txl.models.distances import DistanceKeys
from labml_txl.models.feed_forward import FeedForward
from labml_txl.models.relative_attention import RelativeAttention
from labml_txl.models.transformer_xl import TransformerXLLayer

# In how many parts of equal height a weight is cut.
PARTS = 16

# A layer with fewer weights than that takes one thread.
MANY = 1 << 19

Product = Callable[[Tensor], Tensor]


class OneToken:
    r"""A layer's products for one token of each of `batch` sequences."""

    def __init__(self, core: TransformerXLLayer, batch: int) -> None:
        self.core = core
        attention = core.self_attn
        self.project = product(*scaled_projections(attention), batch)
        self.output = product(attention.output.weight, attention.output.bias, batch)
        self.feed_forward = few_rows(core.feed_forward, batch)

    def finish(self, x: Tensor, values: Tensor) -> Tensor:
        r"""`TransformerXLLayer.finish`, from the joined values of all heads on."""
        core = self.core
        o = core.after(core.norm_self_attn, x + self.output(values))
        ff = self.feed_forward(core.before(core.norm_ff, o))
        return core.after(core.norm_ff, o + ff)  # [1, batch, d_model]


def scaled_projections(attention: RelativeAttention) -> tuple[Tensor, Tensor]:
    r"""The weights of queries, keys and values, one below the other, and their bias.

    It gives the queries $(q + u) / \sqrt{d_k}$: scaled, and with $u$ as a bias.
    """
    scale, u = attention.scale, attention.content_bias.flatten()
    query, key, value = attention.query, attention.key, attention.value
    weight = torch.cat((query.weight * scale, key.weight, value.weight))
    return weight, F.pad(u * scale, (0, len(weight) - len(u)))


def few_rows(feed_forward: nn.Module, rows: int) -> Product:
    r"""`FeedForward` for few rows; a network of your own stays as it is."""
    if type(feed_forward) is not FeedForward:
        return feed_forward
    layers = (feed_forward.expand, feed_forward.contract)
    expand, contract = (product(part.weight, part.bias, rows) for part in layers)
    return lambda x: contract(F.relu_(expand(x)))


def product(weight: Tensor, bias: Tensor, rows: int) -> Product:
    r"""$x\,W^\top + b$ for `rows` rows $x$, with `weight` as it is read fastest.

    What is returned takes $x$, `[1, rows, d_in]`, and gives `[1, rows, d_out]`.
    """
    weight, bias = weight.detach(), bias.detach()
    if rows > 1 or weight.device.type != "cpu" or len(weight) % PARTS:
        return lambda x: F.linear(x, weight, bias)
    d_out, d_in = weight.shape
    parts = weight.view(PARTS, -1, d_in)  # [PARTS, d_out // PARTS, d_in]
    biases = bias.view(PARTS, -1, 1)  # [PARTS, d_out // PARTS, 1]

    def multiply(x: Tensor) -> Tensor:
        # A row turned into a column, and not a column of its own: the strides decide
        # which routine of MKL is called, and this one is quicker.
        column = x.expand(PARTS, 1, d_in).mT  # [PARTS, d_in, 1]
        return torch.baddbmm(biases, parts, column).view(1, 1, d_out)

    return multiply


def threads_for(core: TransformerXLLayer) -> int:
    r"""How many threads a single token is worth: as many as are in use, or one."""
    small = sum(weight.numel() for weight in core.parameters()) < MANY
    return 1 if small else torch.get_num_threads()


@contextmanager
def threads(number: int) -> Iterator[None]:
    r"""Compute on so many threads, and afterwards on as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def one_query(q: Tensor, k: Tensor, v: Tensor, distances: DistanceKeys) -> Tensor:
    r"""[The weighted values][txl.weighted_values] of one query a sequence, the heads
    joined: `[1, batch, d_model]`.

    `q` is `[batch, heads, 1, d_k]`, scaled and with $u$; `k` and `v` are
    `[batch, heads, k_len, d_k]`. The query sees all keys, and `distances` has one for
    each: see `distances_by_rows`.
    """
    batch, heads, k_len, d_k = k.shape

    # Terms (b) and (d): one product for all sequences, since they share the distances.
    columns = q[:, :, 0].permute(1, 2, 0)  # [heads, d_k, batch]
    position = torch.baddbmm(distances.bias.mT, distances.keys.mT, columns)
    position = position.permute(2, 0, 1).reshape(batch * heads, k_len, 1)

    # Terms (a) and (c), added to the others in the same product.
    column = q.reshape(batch * heads, 1, d_k).mT  # [batch * heads, d_k, 1]
    scores = torch.baddbmm(position, k.flatten(0, 1), column)
    weights = scores.mT.softmax(-1)  # [batch * heads, 1, k_len]
    values = weights @ v.flatten(0, 1)  # [batch * heads, 1, d_k]
    return values.view(1, batch, heads * d_k)


def split(projected: Tensor, attention: RelativeAttention) -> Tensor:
    r"""Queries, keys and values, `[3, batch, heads, len, d_k]`: a view, no copy.

    `projected` has all three of a token in one vector, `[len, batch, 3 * d_model]`.
    """
    parts: Tensor = projected.unflatten(2, (3, attention.heads, attention.d_k))
    return parts.permute(2, 1, 3, 0, 4)


def distances_by_rows(
    attention: RelativeAttention, farthest: int
) -> tuple[DistanceKeys, Tensor]:
    r"""The distances down to −1, and what is term (d) for queries of `one_query`.

    One distance's key stands beside the next one's, as one query reads them. The scaled
    query with $u$ gives $u^\top \mathbf W_{k,R} \mathbf R_r$ too much, and the bias,
    `[heads, 1, n_distances]`, takes it away.
    """
    keys, bias = attention.distances(farthest, -1)
    u = attention.content_bias[:, None]  # [heads, 1, d_k]
    bias_of_one = attention.scale * (bias - u @ keys)
    return DistanceKeys(keys.mT.contiguous().mT, bias), bias_of_one
