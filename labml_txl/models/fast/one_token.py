r"""# One token at a time

While a model generates text, it processes one token at a time. With a single query,
there is nothing to shift and nothing to mask. Each weight is used only once for each
sequence, so loading the weights counts more than in a whole segment.

| measured | gain | without | with |
| --- | ---: | ---: | ---: |
| generation, size M | 1.45 × | 96 ms | 66 ms |
| generation, size L | 1.21 × | 304 ms | 252 ms |
| generation of a batch, size M | 1.39 × | 300 ms | 215 ms |
| generation of a batch, size L | 1.24 × | 533 ms | 431 ms |

It saves time when single tokens are processed with [a cache](cache.md). It is not used
for whole segments. The table has the gain of all the following parts together.

**Weights in parts.** The product of one row with a matrix of weights is computed as 16
smaller products with parts of the matrix, in one call. The weights are loaded faster in
this way, and several threads can share the work. The parts are views, so no weight is
copied. With more than one row, the product is an ordinary one.

**Keys on the left.** The scores of one query are computed as the product of the keys
with a column, which loads the keys row by row. The same product takes longer with the
query as a row on the left.

**One bias for all queries.** The projection of the queries includes the scale and the
bias $u$. As a consequence, term (b) contains $u^\top \mathbf W_{k,R} \mathbf R_r$ in
addition. Since this depends on the distance only, it is subtracted from term (d), which
is computed once for all tokens.

**Threads.** A small layer uses one thread, because a second one takes more time to
coordinate than it saves. If other programs use the processor too, this is true of every
layer. Therefore `txl generate` uses one thread for a single text, unless
`OMP_NUM_THREADS` is set.

A test compares it with [the language model](../language_model.md).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from labml_txl.models.arguments import is_plain
from labml_txl.models.distances import DistanceKeys
from labml_txl.models.dropout import Dropout
from labml_txl.models.feed_forward import FeedForward
from labml_txl.models.relative_attention import RelativeAttention
from labml_txl.models.transformer_xl import TransformerXLLayer

# The number of parts that a matrix of weights is divided into.
PARTS = 16

# A layer with fewer parameters than this uses one thread.
MANY = 1 << 19

Product = Callable[[Tensor], Tensor]


class OneToken:
    """The products of the layer `core` for one token of each of `batch` sequences."""

    def __init__(self, core: TransformerXLLayer, batch: int) -> None:
        self.core = core
        attention = core.self_attn
        self.project = scale_projections(attention, batch)
        self.output = prepare_layer(attention.output, batch)
        self.feed_forward = prepare_feed_forward(core.feed_forward, batch)
        # In evaluation our dropout does nothing, so it need not be called.
        plain = is_plain(core.dropout, Dropout)
        self.dropout: Product = leave if plain else core.dropout

    def finish(self, x: Tensor, values: Tensor) -> Tensor:
        """`TransformerXLLayer.finish`, from the output projection of attention on."""
        core = self.core
        o = core.after(core.norm_self_attn, x + self.dropout(self.output(values)))
        ff = self.feed_forward(core.before(core.norm_ff, o))
        return core.after(core.norm_ff, o + self.dropout(ff))  # [1, batch, d_model]


def leave(x: Tensor) -> Tensor:
    """`x` itself."""
    return x


def join_projections(attention: RelativeAttention) -> Product:
    """A function that computes queries, keys and values, side by side.

    The weights of all three are joined, so that a single product is enough. Modules
    that do more than a product, such as those with an adapter, are called instead.
    """
    parts = (attention.query, attention.key, attention.value)
    if not all(map(is_product, parts)):
        return lambda x: torch.cat([part(x) for part in parts], dim=-1)
    weight = torch.cat([part.weight.detach() for part in parts])
    return lambda x: F.linear(x, weight)


def scale_projections(attention: RelativeAttention, rows: int) -> Product:
    r"""The same for `rows` rows, with $(q + u) / \sqrt{d_k}$ as the queries."""
    scale, u = attention.scale, attention.content_bias.detach().flatten()
    query, key, value = attention.query, attention.key, attention.value
    if not all(map(is_product, (query, key, value))):
        return lambda x: torch.cat(((query(x) + u) * scale, key(x), value(x)), dim=-1)
    weight = torch.cat((query.weight * scale, key.weight, value.weight))
    return prepare_product(weight, F.pad(u * scale, (0, len(weight) - len(u))), rows)


def is_product(part: nn.Linear) -> bool:
    """Whether a projection is only the product with its weight."""
    return is_plain(part, nn.Linear) and part.bias is None


def prepare_feed_forward(feed_forward: nn.Module, rows: int) -> Product:
    """`FeedForward` for `rows` rows. Any other network is returned unchanged."""
    if not is_plain(feed_forward, FeedForward):
        return feed_forward
    layers = cast(FeedForward, feed_forward)
    expand, contract = (
        prepare_layer(part, rows) for part in (layers.expand, layers.contract)
    )
    if is_plain(layers.expand, nn.Linear) and is_plain(layers.dropout, Dropout):
        return lambda x: contract(F.relu_(expand(x)))
    return lambda x: contract(F.relu(layers.dropout(expand(x))))


def prepare_layer(layer: nn.Linear, rows: int) -> Product:
    """The linear layer for `rows` rows. If it is no plain one, `layer` is returned."""
    if not is_plain(layer, nn.Linear) or layer.bias is None:
        return layer
    return prepare_product(layer.weight, layer.bias, rows)


def prepare_product(weight: Tensor, bias: Tensor, rows: int) -> Product:
    r"""A function that computes $x\,W^\top + b$ in the fastest way for `rows` rows.

    It maps $x$, `[1, rows, d_in]`, to `[1, rows, d_out]`.
    """
    weight, bias = weight.detach(), bias.detach()
    if rows > 1 or weight.device.type != "cpu" or len(weight) % PARTS:
        return lambda x: F.linear(x, weight, bias)
    d_out, d_in = weight.shape
    parts = weight.view(PARTS, -1, d_in)  # [PARTS, d_out // PARTS, d_in]
    biases = bias.view(PARTS, -1, 1)  # [PARTS, d_out // PARTS, 1]

    def multiply(x: Tensor) -> Tensor:
        # The column is a transposed row. With these strides PyTorch calls a routine of
        # MKL that is faster than with those of a contiguous column.
        column = x.expand(PARTS, 1, d_in).mT  # [PARTS, d_in, 1]
        return torch.baddbmm(biases, parts, column).view(1, 1, d_out)

    return multiply


def is_small(core: TransformerXLLayer) -> bool:
    """Whether a layer processes a single token fastest with one thread."""
    return sum(weight.numel() for weight in core.parameters()) < MANY


@contextmanager
def use_threads(number: int) -> Iterator[None]:
    """Use a number of threads, and afterwards as many as before."""
    before = torch.get_num_threads()
    # Setting the number takes some time, even if it does not change.
    if number == before:
        yield
        return
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def one_query(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    distances: DistanceKeys,
    mask: Tensor | None = None,
) -> Tensor:
    """[The weighted values][txl.weighted_values] of one query for each sequence.

    - `q`: the queries, `[batch, heads, 1, d_k]`, which include the scale and $u$.
    - `k`, `v`: keys and values, `[batch, heads, k_len, d_k]`.
    - `distances`: the distance of each key, as `distances_by_rows` returns it.
    - `mask`: `[1, k_len, batch or 1]`, true where the query sees the key. Without a
      mask, it sees all of them.

    Returns the results of all heads, side by side: `[1, batch, d_model]`.
    """
    batch, heads, k_len, d_k = k.shape

    # Terms (b) and (d) are one product for all sequences, which share the distances.
    columns = q[:, :, 0].permute(1, 2, 0)  # [heads, d_k, batch]
    position = torch.baddbmm(distances.bias.mT, distances.keys.mT, columns)
    position = position.permute(2, 0, 1).reshape(batch * heads, k_len, 1)

    # Terms (a) and (c) are added to the others in the same call as their product.
    column = q.reshape(batch * heads, 1, d_k).mT  # [batch * heads, d_k, 1]
    scores = torch.baddbmm(position, k.flatten(0, 1), column)
    if mask is not None:
        hidden = ~mask[0].t()[:, None, :, None]
        lowest = torch.finfo(scores.dtype).min
        scores.view(batch, heads, k_len, 1).masked_fill_(hidden, lowest)
    weights = scores.mT.softmax(-1)  # [batch * heads, 1, k_len]
    values = weights @ v.flatten(0, 1)  # [batch * heads, 1, d_k]
    return values.view(1, batch, heads * d_k)


def split(projected: Tensor, attention: RelativeAttention) -> Tensor:
    """Queries, keys and values, `[3, batch, heads, len, d_k]`, as a view.

    `projected` contains all three, `[len, batch, 3 * d_model]`.
    """
    parts: Tensor = projected.unflatten(2, (3, attention.heads, attention.d_k))
    return parts.permute(2, 1, 3, 0, 4)


def distances_by_rows(
    attention: RelativeAttention, farthest: int
) -> tuple[DistanceKeys, Tensor]:
    r"""The distances from `farthest` to −1, and term (d) as `one_query` needs it.

    The keys are stored row by row, in the order in which one query uses them. Since the
    queries include $u$, $u^\top \mathbf W_{k,R} \mathbf R_r$ is subtracted from term
    (d), which is `[heads, 1, n_distances]`.
    """
    keys, bias = attention.distances(farthest, -1)
    u = attention.content_bias[:, None]  # [heads, 1, d_k]
    bias_of_one = attention.scale * (bias - u @ keys)
    return DistanceKeys(keys.mT.contiguous().mT, bias), bias_of_one
