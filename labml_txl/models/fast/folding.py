r"""# Memory without a gradient

The memory gives no gradient. Only a compressed memory may want one, and then it gets
it. Yet where memory and segment go through one norm and one projection together, the
backward pass multiplies the memory's rows too, and throws the result away. Here each
goes through them alone.

| measured | gain | without | with |
| --- | ---: | ---: | ---: |
| a layer in training, size M | 1.1 × | 114.5 ms | 107.6 ms |
| a layer in training, size L | 1.0 × | 238.1 ms | 234.4 ms |

It gains in training, and more the longer the memory is. In evaluation there is no
backward pass, and nothing to gain.

`test_a_layer_that_learns_equals_its_short_form` holds it equal to the short form,
forward and backward.

**The norm in the weights.** The memory's rows would still be needed for the gradient
of the norm's own scale $\gamma$ and shift $\beta$. So these two move into the weights
of the projection, where the gradient of the weights gives theirs:

$$
\mathbf W\,(\gamma \circ \hat{\mathbf x} + \beta)
= (\mathbf W \operatorname{diag} \gamma)\,\hat{\mathbf x} + \mathbf W \beta
$$

**One product.** The weights of queries, keys and values stand one below the other.
"""

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from labml_txl.models.fast.attention import RelativeMultiHeadAttention
from labml_txl.models.fast.dropout import Dropout
from labml_txl.models.fast.fusion import FusedAttention
from labml_txl.models.fast.gradients import Attention
from labml_txl.models.fast.linear import linear, through

# Where a compiled layer goes this way. A compiler for a CPU makes nothing faster of it.
COMPILED_ON = {"cuda"}

if TYPE_CHECKING:
    from labml_txl.models.transformer_xl import TransformerXLLayer


def folds(layer: "TransformerXLLayer", mask: Tensor | None) -> bool:
    r"""Whether `attend_folded` may stand for the short form.

    It may where a layer learns on a CPU or a CUDA GPU, if its parts are those of this
    package and nobody listens to them with a hook.
    """
    attention, norm = layer.self_attn, layer.norm_self_attn
    if type(attention) is not RelativeMultiHeadAttention or mask is not None:
        return False
    inner = (attention.query, attention.key, attention.value)
    parts: tuple[nn.Module, ...] = (attention, attention.dropout, norm, *inner)
    device = attention.content_bias.device.type
    kinds = (RelativeMultiHeadAttention, Dropout, nn.LayerNorm, *[nn.Linear] * 3)
    return (
        torch.is_grad_enabled()
        and not (device == "cpu" and torch.is_autocast_enabled("cpu"))
        and tuple(map(type, parts)) == kinds
        and len([*norm.parameters()]) == 2
        and not any(part.bias is not None for part in inner)
        and not any(part._forward_hooks or part._forward_pre_hooks for part in parts)
        and device in ("cpu", "cuda")
        and (device in COMPILED_ON or not torch.compiler.is_compiling())
    )


def attend_folded(layer: "TransformerXLLayer", x: Tensor, mem: Tensor) -> Tensor:
    r"""What a layer's attention reads, `[seq_len, batch, d_model]`.

    `x` is `[seq_len, batch, d_model]` and `mem` is `[mem_len, batch, d_model]`. A
    memory that wants a gradient, as a compressed one may, gets it.
    """
    attention, norm = layer.self_attn, layer.norm_self_attn
    parts = (attention.query, attention.key, attention.value)
    weight = torch.cat([part.weight for part in parts])  # [3 * d_model, d_model]
    bias = None
    if layer.norm == "pre":
        bias = weight @ norm.bias  # [3 * d_model]
        weight = weight * norm.weight  # [3 * d_model, d_model]
        x, mem = (F.layer_norm(z, z.shape[-1:], eps=norm.eps) for z in (x, mem))

    # Queries, keys and values of the segment; keys and values of the memory.
    d = attention.d_model
    own = linear(x, weight, bias)  # [seq_len, batch, 3 * d_model]
    old = linear(mem, weight[d:], None if bias is None else bias[d:])

    # A GPU multiplies fast where a row is a multiple of 16 bytes: so the distances go
    # down to one between −1 and −8. All have the number format of the projections.
    k_len = len(mem) + len(x)
    distances = attention.distances(k_len - 1, k_len % 8 - 8)
    u, keys, to_add = (z.to(own.dtype) for z in (attention.content_bias, *distances))
    p = attention.dropout.p if attention.training else 0.0
    step = FusedAttention if torch.compiler.is_compiling() else Attention
    a: Tensor = step.apply(  # type: ignore[no-untyped-call]
        own, old, u, keys, to_add, attention.scale, p
    )
    return through(attention.output, a)  # [seq_len, batch, d_model]
