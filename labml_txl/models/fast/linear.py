r"""# Linear layers by oneDNN

Most of the time of a step goes into linear layers. PyTorch multiplies them by MKL. It
has another library at hand, oneDNN, and that one adds the bias while the product is
still in the cache.

| measured | gain | without | with |
| --- | ---: | ---: | ---: |
| a feed-forward network in training, size M | 1.1 × | 45.9 ms | 40.5 ms |
| the same in evaluation, size M | 1.2 × | 14.9 ms | 12.8 ms |
| a feed-forward network in training, size L | 1.1 × | 82.9 ms | 74.6 ms |
| the same in evaluation, size L | 1.2 × | 27.6 ms | 22.9 ms |

It gains in training and in evaluation on a CPU, in single precision. Everything else,
and a layer of your own, goes through PyTorch's linear layers.

`test_linear_layers_equal_their_formula` holds it equal to the formula, forward and
backward, and `test_a_network_by_products_equals_its_short_form` holds the feed-forward
network.

**No mask is kept.** An element is 0 where the ReLU cut it off and where dropout dropped
it. So the result itself says which gradients pass.
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd import forward_ad
from torch.nn.modules.module import _has_any_global_hook

from labml_txl.models.fast.dropout import (
    CASES,
    Dropout,
    draw_bits,
    dropped_cases,
    factors,
)


def multiplies(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> bool:
    r"""Whether oneDNN multiplies them; if they do not fit, PyTorch says why."""
    parts = (x, weight) if bias is None else (x, weight, bias)
    return (
        not watched()
        and all(
            part.device.type == "cpu"
            and part.dtype == torch.float32
            and type(part) in (Tensor, nn.Parameter)
            and part.numel() > 0
            for part in parts
        )
        and weight.dim() == 2
        # With gaps between its rows, a product takes a thousand times as long.
        and (weight.is_contiguous() or weight.mT.is_contiguous())
        and x.shape[-1:] == weight.shape[1:]
        # A bias is read as if it lay close together.
        and (bias is None or (bias.shape == weight.shape[:1] and bias.is_contiguous()))
        and IS_BUILT
        and bool(torch._C._get_mkldnn_enabled())
    )


def watched() -> bool:
    r"""Whether autocast, a compiler, a tracer or `torch.func` sees each operation."""
    return (
        torch.is_autocast_enabled("cpu")
        or torch.compiler.is_compiling()
        or torch.jit.is_tracing()  # type: ignore[attr-defined, no-untyped-call]
        or torch._C._are_functorch_transforms_active()
        or forward_ad._current_level >= 0
    )


def plain(*layers: nn.Module) -> bool:
    r"""Whether all of them are linear layers or `Dropout`, without a hook."""
    return not _has_any_global_hook() and all(
        type(layer) in (nn.Linear, Dropout)
        and "forward" not in vars(layer)
        and not (layer._forward_hooks or layer._forward_pre_hooks)
        and not (layer._backward_hooks or layer._backward_pre_hooks)
        for layer in layers
    )


def through(layer: nn.Linear, x: Tensor) -> Tensor:
    r"""`layer(x)`."""
    if not plain(layer):
        y: Tensor = layer(x)
        return y
    return linear(x, layer.weight, layer.bias)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    r"""$x\,W^\top + b$, as `torch.nn.functional.linear` has it."""
    if not multiplies(x, weight, bias):
        return F.linear(x, weight, bias)
    y: Tensor = Linear.apply(x, weight, bias)  # type: ignore[no-untyped-call]
    return y


def two_layers(
    x: Tensor, first: nn.Linear, second: nn.Linear, dropout: Dropout
) -> Tensor:
    r"""`first`, which oneDNN multiplies, a ReLU with dropout, and `second`."""
    p = dropout.p if dropout.training else 0.0
    y: Tensor = Rectified.apply(x, first.weight, first.bias, p)  # type: ignore[no-untyped-call]
    return linear(y, second.weight, second.bias)


class Linear(torch.autograd.Function):
    r"""$x\,W^\top + b$."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        r"""One product, bias and all."""
        ctx.save_for_backward(x, weight)
        return product(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        r"""The gradients of `x`, of the weight and of the bias."""
        return gradients(ctx, grad)


class Rectified(torch.autograd.Function):
    r"""$\max(0, x\,W^\top + b)$, times the factors of dropout."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None, p: float
    ) -> Tensor:
        r"""One product, bias and all, and what ReLU and dropout leave of it."""
        # The ReLU of oneDNN would turn NaN into 0.
        y = product(x, weight, bias).relu_()
        ctx.factor = 1.0
        if p:
            y.mul_(factors(draw_bits(y), p, y.dtype))
            ctx.factor = CASES / (CASES - dropped_cases(p))
        ctx.save_for_backward(x, weight, y)
        return y

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        r"""The gradient passes where the result is positive."""
        # `grad` is written over: the second layer has made it for this step alone.
        y, step = ctx.saved_tensors[2], torch.ops.aten.threshold_backward
        if torch.is_grad_enabled():
            grad = step(grad, y, 0) * ctx.factor
        else:
            step.grad_input(grad, y, 0, grad_input=grad)
            if ctx.factor != 1:
                grad.mul_(ctx.factor)
        return *gradients(ctx, grad), None


def gradients(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    r"""Of $x\,W^\top + b$, as far as they are wanted."""
    x, weight, *_ = ctx.saved_tensors
    wants_x, wants_weight, wants_bias, *_ = ctx.needs_input_grad
    d_x = linear(grad, weight.t()) if wants_x else None
    rows, d_rows = x.reshape(-1, x.shape[-1]), grad.reshape(-1, grad.shape[-1])
    d_weight = None
    if wants_weight:
        # Where a product sums over rows, oneDNN is faster only for a wide result.
        wide = weight.shape[0] < weight.shape[1]
        d_weight = linear(d_rows.t(), rows.t()) if wide else d_rows.t() @ rows
    return d_x, d_weight, d_rows.sum(0) if wants_bias else None


def product(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    r"""$x\,W^\top + b$ by oneDNN.

    PyTorch's own compiler calls this operation in the programs that it writes.
    """
    multiply = torch.ops.mkldnn._linear_pointwise
    y: Tensor = multiply(x, weight, bias, "none", [], "")
    return y


def is_built() -> bool:
    r"""Whether this PyTorch has oneDNN's product."""
    name = "mkldnn::_linear_pointwise"
    try:
        return torch._C._dispatch_has_kernel_for_dispatch_key(name, "CPU")
    except RuntimeError:  # no such operation at all
        return False


IS_BUILT = is_built()
