r"""# One token at a time

A model that writes reads its own tokens one by one. There is one query then, so nothing
is shifted and nothing is hidden, and the time goes into reading every weight once.

| measured | gain | without | with |
| --- | ---: | ---: | ---: |
| 16 tokens of 1 at once, size M | 1.2 × | 77.1 ms | 62.8 ms |
| 16 tokens of 8 at once, size M | 1.3 × | 183.4 ms | 143.3 ms |
| 16-bit weights, size M | 0.9 × | 64.9 ms | 74.2 ms |
| 16 tokens of 1 at once, size L | 1.3 × | 217.1 ms | 169.4 ms |
| 16 tokens of 2 at once, size L | 1.5 × | 325.6 ms | 221.5 ms |
| 16-bit weights, size L | 1.1 × | 163.0 ms | 150.0 ms |

It gains where single tokens are read with [a cache](cache.md), and nothing where whole
segments are read.

**Rows in memory.** A product of one row with a weight reads the weight once, and main
memory is fastest where it is read in long rows. So a weight that makes a row longer is
kept transposed. No value changes.

**One thread.** The products for one token are so small that a second thread costs more
than it does.

**16-bit weights.** With `torch.bfloat16` as the type, the weights of the layers are
rounded to 16 bits, and so is what they are multiplied by. All else keeps its precision:
residual sums, norms, keys, values, the embedding and the head.

`test_reading_with_a_cache_equals_reading_without` holds it equal to
[the language model](../language_model.md), and
`test_weights_of_sixteen_bits_change_the_loss_by_less_than_two_thousandths` holds the
16-bit weights to a loss within 0.002 nats.
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

# From so many weights a layer on, more than one thread is worth its while.
MANY = 1 << 19

Product = Callable[[Tensor], Tensor]


class OneToken:
    r"""A layer's products for one token of each of `batch` sequences.

    `dtype` is the type of the weights' numbers in the products.
    """

    def __init__(
        self,
        core: TransformerXLLayer,
        batch: int,
        dtype: torch.dtype | None = None,
    ) -> None:
        self.core = core
        attention = core.self_attn
        self.project = product(*scaled_projections(attention), batch, dtype)
        output = attention.output
        self.output = product(output.weight, output.bias, batch, dtype)
        self.feed_forward = few_rows(core.feed_forward, batch, dtype)

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


def few_rows(feed_forward: nn.Module, rows: int, dtype: torch.dtype | None) -> Product:
    r"""`FeedForward` for few rows; a network of your own stays as it is."""
    if type(feed_forward) is not FeedForward:
        return feed_forward
    layers = (feed_forward.expand, feed_forward.contract)
    expand, contract = (product(part.weight, part.bias, rows, dtype) for part in layers)
    return lambda x: contract(F.relu_(expand(x)))


def product(
    weight: Tensor, bias: Tensor, rows: int, dtype: torch.dtype | None = None
) -> Product:
    r"""$x\,W^\top + b$ for `rows` rows $x$, with `weight` as it is read fastest.

    `dtype` is the type of the weight's numbers in the product. What is returned takes
    $x$, `[1, rows, d_in]`, and gives `[1, rows, d_out]` in the type of $x$.
    """
    weight, bias = (part.detach().to(dtype or part.dtype) for part in (weight, bias))
    if rows == 1 and in_parts(weight):
        return multiply_parts(weight, bias)
    if packs(weight):
        return multiply_packed(weight, bias, rows)
    return lambda x: F.linear(x.to(weight.dtype), weight, bias).to(x.dtype)


def multiply_parts(weight: Tensor, bias: Tensor) -> Product:
    r"""The product of one row with all parts of a weight at once."""
    d_out, d_in = weight.shape
    parts = weight.view(PARTS, -1, d_in)  # [PARTS, d_out // PARTS, d_in]
    biases = bias.view(PARTS, -1, 1)  # [PARTS, d_out // PARTS, 1]

    def multiply(x: Tensor) -> Tensor:
        # A row turned into a column, and not a column of its own: how its numbers are
        # said to lie decides which routine of MKL is called, and one is quicker.
        column = x.expand(PARTS, 1, d_in).mT  # [PARTS, d_in, 1]
        return torch.baddbmm(biases, parts, column).view(1, 1, d_out)

    return multiply


def multiply_packed(weight: Tensor, bias: Tensor, rows: int) -> Product:
    r"""The product of oneDNN, which keeps a weight as it suits the processor."""
    # A copy: small weights would else be packed in place.
    order = torch.ops.mkldnn._reorder_linear_weight(weight.clone(), rows)

    def multiply(x: Tensor) -> Tensor:
        y: Tensor = torch.ops.mkldnn._linear_pointwise(
            x.to(weight.dtype), order, bias, "none", [], ""
        )
        return y.to(x.dtype)

    return multiply


def in_parts(weight: Tensor) -> bool:
    r"""Whether MKL can multiply a weight in parts."""
    here = weight.device.type == "cpu" and torch.backends.mkl.is_available()
    wide = weight.dtype in (torch.float32, torch.float64)
    return here and wide and len(weight) % PARTS == 0


def packs(weight: Tensor) -> bool:
    r"""Whether oneDNN can pack a weight for this processor."""
    ways = ("_reorder_linear_weight", "_linear_pointwise")
    if weight.device.type != "cpu" or not torch.backends.mkldnn.is_available():
        return False
    if not all(hasattr(torch.ops.mkldnn, way) for way in ways):
        return False
    sixteen = weight.dtype == torch.bfloat16 and sixteen_bits(weight.device)
    return sixteen or weight.dtype == torch.float32


def sixteen_bits(device: torch.device) -> bool:
    r"""Whether a device multiplies numbers of the type `torch.bfloat16` itself."""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    supported = getattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", None)
    return device.type == "cpu" and supported is not None and bool(supported())


@contextmanager
def few_threads(core: TransformerXLLayer) -> Iterator[None]:
    r"""One thread if `core` is small, and afterwards as many as before."""
    before = torch.get_num_threads()
    if sum(weight.numel() for weight in core.parameters()) < MANY:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def one_query(q: Tensor, k: Tensor, v: Tensor, distances: DistanceKeys) -> Tensor:
    r"""[The weighted values][txl.weighted_values] of one query a sequence, the heads
    joined: `[1, batch, d_model]`.

    `q` is `[batch, heads, 1, d_k]`, scaled and with $u$; `k` and `v` are
    `[batch, heads, k_len, d_k]`. The query sees all keys, and `distances` has one for
    each: see `distances_of_one`.
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


def bias_of_one(attention: RelativeAttention, distances: DistanceKeys) -> Tensor:
    r"""Term (d) for queries that are scaled and have $u$: `[heads, 1, n_distances]`.

    Such a query gives $u^\top \mathbf W_{k,R} \mathbf R_r$ too much, and the bias
    takes it away.
    """
    u = attention.content_bias[:, None]  # [heads, 1, d_k]
    return attention.scale * (distances.bias - u @ distances.keys)
