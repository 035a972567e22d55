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


class OneToken:
    r"""A layer's products for one token of each sequence.

    `projections` is the weight of queries, keys and values, `[3 * d_model, d_model]`.
    """

    def __init__(
        self,
        core: TransformerXLLayer,
        projections: Tensor,
        dtype: torch.dtype | None = None,
    ) -> None:
        self.core = core
        self.project = Product(projections, None, dtype)
        output = core.self_attn.output
        self.output = Product(output.weight, output.bias, dtype)
        self.feed_forward = few_rows(core.feed_forward, dtype)

    def finish(self, x: Tensor, values: Tensor) -> Tensor:
        r"""`TransformerXLLayer.finish`, from the joined values of all heads on."""
        core = self.core
        o = core.after(core.norm_self_attn, x + self.output(values))
        ff = self.feed_forward(core.before(core.norm_ff, o))
        return core.after(core.norm_ff, o + ff)  # [1, batch, d_model]


def few_rows(
    feed_forward: nn.Module, dtype: torch.dtype | None
) -> Callable[[Tensor], Tensor]:
    r"""`FeedForward` for few rows; a network of your own stays as it is."""
    if type(feed_forward) is not FeedForward:
        return feed_forward
    layers = (feed_forward.expand, feed_forward.contract)
    expand, contract = (Product(part.weight, part.bias, dtype) for part in layers)
    return lambda x: contract(F.relu_(expand(x)))


class Product:
    r"""$x\,W^\top + b$ for few rows $x$, with `weight` as it is read fastest.

    `dtype` is the type of the weight's numbers in the product; the result has that of
    $x$.
    """

    def __init__(
        self,
        weight: Tensor,
        bias: Tensor | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        rounded = weight.detach().to(dtype or weight.dtype)
        self.dtype = rounded.dtype
        self.bias = bias if bias is None else bias.detach().to(self.dtype)
        self.packed = self.dtype == torch.bfloat16 and packs(weight.device)
        if self.packed:
            # A copy: small weights would else be packed in place.
            self.weight = torch.ops.mkldnn._reorder_linear_weight(rounded.clone(), 1)
        else:
            self.weight = in_long_rows(rounded)

    def __call__(self, x: Tensor) -> Tensor:
        r"""The product, `[…, d_out]`, of `x`, `[…, d_in]`."""
        rows = x.to(self.dtype)
        if not self.packed:
            return F.linear(rows, self.weight, self.bias).to(x.dtype)
        y: Tensor = torch.ops.mkldnn._linear_pointwise(
            rows, self.weight, self.bias, "none", [], ""
        )
        return y.to(x.dtype)


def in_long_rows(weight: Tensor) -> Tensor:
    r"""`weight`, `[d_out, d_in]`, whose longer axis is contiguous in memory."""
    d_out, d_in = weight.shape
    return weight.t().contiguous().t() if d_out > d_in else weight


def packs(device: torch.device) -> bool:
    r"""Whether PyTorch can pack 16-bit weights in blocks for this processor."""
    return device.type == "cpu" and sixteen_bits(device)


def sixteen_bits(device: torch.device) -> bool:
    r"""Whether a device multiplies numbers of the type `torch.bfloat16` itself."""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    supported = getattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", None)
    return device.type == "cpu" and supported is not None and bool(supported())


@contextmanager
def one_thread() -> Iterator[None]:
    r"""Compute on one thread, and afterwards on as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def one_query(
    attention: RelativeAttention,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    distances: DistanceKeys,
) -> Tensor:
    r"""[The weighted values][txl.weighted_values] of one query a sequence, the heads
    joined: `[1, batch, d_model]`.

    `q` is `[batch, heads, 1, d_k]`; `k` and `v` are `[batch, heads, k_len, d_k]`. The
    query sees all keys, and `distances` has one for each.
    """
    batch, heads, k_len, d_k = k.shape
    scale = attention.scale

    # Terms (b) and (d): one product for all sequences, since they share the distances.
    rows = q[:, :, 0].transpose(0, 1)  # [heads, batch, d_k]
    position = torch.baddbmm(distances.bias, rows, distances.keys)
    position = position.transpose(0, 1).reshape(batch * heads, 1, k_len)

    # Terms (a) and (c), added to the others and scaled in the same product.
    u = attention.content_bias[:, None]  # [heads, 1, d_k]
    biased = (q + u).reshape(batch * heads, 1, d_k)
    scores = torch.baddbmm(
        position, biased, k.flatten(0, 1).mT, beta=scale, alpha=scale
    )  # [batch * heads, 1, k_len]
    values = scores.softmax(-1) @ v.flatten(0, 1)  # [batch * heads, 1, d_k]
    return values.view(1, batch, heads * d_k)
