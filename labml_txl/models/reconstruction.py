r"""# Losses for the compression

How a compression function learns what is worth keeping. Each loss compares what was
remembered with what is left of it after compression.

The gradient of the language model does not reach the compression: memory is detached,
and a compressed memory is read long after it was made. To wait for it, one would have
to keep the graphs of all segments between. The paper gives each layer's $f_c$ a loss of
its own instead.

- `AttentionReconstructionLoss`: attention to the compressed memories shall give what
  attention to the memories gave.
- `AutoEncodingLoss`: it shall be possible to compute the memories back.
- `NoReconstructionLoss`: no loss; back-propagation through time does it after all.

The first one is lossy by intent: what no query looks at need not survive. In the
paper's comparison it did best.

All are called alike, `loss(h, mem)`. `h` is what each layer has read in the segment,
`[seq_len, batch, d_model]`; `mem` is what fell out of its memory,
`[mem_len, batch, d_model]`. Both are lists with one tensor a layer. Each loss is the
mean squared difference over positions, sequences and features, summed over layers.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Protocol, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import functional_call

from labml_txl.models.compressive import CompressiveTransformerLayer
from labml_txl.models.transformer_xl import TransformerXLLayer


class Loss(Protocol):
    r"""What all of them are: a scalar from what was read and what was forgotten."""

    def __call__(self, h: Sequence[Tensor], mem: Sequence[Tensor]) -> Tensor:
        r"""The loss of all layers; 0 where nothing was compressed."""


class AttentionReconstructionLoss:
    r"""[$\mathcal L^{\mathrm{attn}}$][cmp.attention_loss]: Algorithm 2 of the paper.

    It moves the compression functions and nothing else. The other weights are detached
    where this loss uses them, and no `requires_grad` is touched. So the loss of the
    language model trains them as before.

    Departure: the mean of squares, where the paper writes the norm
    $\lVert \cdot \rVert_2$. Both are 0 for the same compression, and the mean does not
    grow with the batch.
    """

    def __init__(self, layers: Iterable[nn.Module]) -> None:
        self.layers = [cast(CompressiveTransformerLayer, layer) for layer in layers]

    def __call__(self, h: Sequence[Tensor], mem: Sequence[Tensor]) -> Tensor:
        r"""The loss of all layers; 0 where nothing was compressed."""
        losses = [
            self.layer_loss(layer, h_i, old_mem)
            for layer, h_i, old_mem in zip(self.layers, h, mem, strict=False)
            if len(old_mem) >= layer.compress.rate
        ]
        return torch.stack(losses).sum() if losses else torch.zeros(())

    def layer_loss(
        self, layer: CompressiveTransformerLayer, h: Tensor, old_mem: Tensor
    ) -> Tensor:
        r"""The loss of one layer."""
        # [Held fixed][cmp.stop_gradient]: the states, the old memories, and, within
        # `content_attention`, every weight. The compression alone is not.
        h, old_mem = h.detach(), old_mem.detach()
        q = content_queries(layer.core, h)  # [batch, heads, seq_len, d_k]
        usage = None
        if layer.compress.needs_usage:
            weights = content_weights(layer.core, q, old_mem)
            usage = weights.mean((1, 2)).t()  # [mem_len, batch]
        new_cm = layer.compress(old_mem, usage)  # [mem_len // rate, batch, d_model]

        # What the segment reads from the memories, and from what is left of them.
        wanted = content_attention(layer.core, q, old_mem)  # [seq_len, batch, d_model]
        got = content_attention(layer.core, q, new_cm)  # [seq_len, batch, d_model]
        return F.mse_loss(got, wanted)


def content_attention(layer: TransformerXLLayer, q: Tensor, mem: Tensor) -> Tensor:
    r"""What `q` reads from `mem` by content alone, with all weights held fixed.

    $\mathrm{attn}(\mathbf h, \mathbf m) = \sigma\big((\mathbf h\,\mathbf Q)
    (\mathbf m\,\mathbf K)\big)(\mathbf m\,\mathbf V)$, where `q` is
    `content_queries` of $\mathbf h$. Without positions, since compressing moves every
    memory to another distance. All heads side by side, not yet mixed:
    `[seq_len, batch, d_model]`.
    """
    # [Algorithm 2][cmp.content_attention]. Departure: scaled by $1/\sqrt{d_k}$, as the
    # attention is that it stands for; the formula has no scale.
    attention = layer.self_attn
    m = normalized(layer, mem)  # [k_len, batch, d_model]
    k = attention.split_heads(frozen(attention.key, m))  # [batch, heads, k_len, d_k]
    v = attention.split_heads(frozen(attention.value, m))  # [batch, heads, k_len, d_k]
    read = F.scaled_dot_product_attention(q, k, v, scale=attention.scale)
    return read.permute(2, 0, 1, 3).flatten(2)  # [seq_len, batch, d_model]


def content_queries(layer: TransformerXLLayer, h: Tensor) -> Tensor:
    r"""What `h` looks for, `[batch, heads, seq_len, d_k]`."""
    return layer.self_attn.split_heads(
        frozen(layer.self_attn.query, normalized(layer, h))
    )  # [batch, heads, seq_len, d_k]


def content_weights(layer: TransformerXLLayer, q: Tensor, mem: Tensor) -> Tensor:
    r"""The weights of `content_attention`: how much each state reads each memory."""
    attention = layer.self_attn
    K = frozen(attention.key, normalized(layer, mem))  # [k_len, batch, d_model]
    k = attention.split_heads(K)  # [batch, heads, k_len, d_k]
    scores = (q * attention.scale) @ k.mT
    return scores.softmax(-1)  # [batch, heads, seq_len, k_len]


def normalized(layer: TransformerXLLayer, x: Tensor) -> Tensor:
    r"""`x` as the layer normalizes it before attention, or as it is."""
    return layer.before(partial(frozen, layer.norm_self_attn), x)


def frozen(module: nn.Module, x: Tensor) -> Tensor:
    r"""`module(x)` with detached parameters: a gradient passes to `x` only."""
    fixed = {name: value.detach() for name, value in module.named_parameters()}
    y: Tensor = functional_call(module, fixed, (x,))
    return y


class AutoEncodingLoss(nn.Module):
    r"""[$\mathcal L^{\mathrm{ae}}$][cmp.auto_encoding_loss]: get the memories back.

    A decoder $g$ for each layer turns every compressed memory into $c$ memories. It is
    trained with the compression, and used for nothing else: this module has parameters,
    and the optimizer must know them.
    """

    def __init__(self, layers: Iterable[nn.Module]) -> None:
        super().__init__()
        # A plain list: the layers' parameters are the model's, and not of this module.
        self.layers = [cast(CompressiveTransformerLayer, layer) for layer in layers]
        self.decoders = nn.ModuleList(
            nn.ConvTranspose1d(
                layer.size, layer.size, layer.compress.rate, stride=layer.compress.rate
            )
            for layer in self.layers
        )

    def forward(self, h: Sequence[Tensor], mem: Sequence[Tensor]) -> Tensor:
        r"""The loss of all layers; `h` is not looked at."""
        losses = [
            self.layer_loss(layer, decoder, old_mem.detach())
            for layer, decoder, old_mem in zip(
                self.layers, self.decoders, mem, strict=False
            )
            if len(old_mem) >= layer.compress.rate
        ]
        return torch.stack(losses).sum() if losses else torch.zeros(())

    def layer_loss(
        self, layer: CompressiveTransformerLayer, decoder: nn.Module, old_mem: Tensor
    ) -> Tensor:
        r"""How far the decoded memories of one layer are from what they were."""
        if layer.compress.needs_usage:
            raise ValueError("most-used compression learns nothing: it wants no loss")
        new_cm = layer.compress(old_mem)  # [mem_len // rate, batch, d_model]

        # $g(\mathbf{new\_cm})$, a convolution turned round: one memory to $c$ of them.
        decoded = decoder(new_cm.permute(1, 2, 0)).permute(2, 0, 1)
        return F.mse_loss(decoded, old_mem[: len(decoded)])


class NoReconstructionLoss:
    r"""No loss for the compression: the language model's gradient must do.

    It reaches $f_c$ through the compressed memory, if the graph is kept over a few
    segments. How many depends on the machine and on your patience:

    ```python
    loss = 0
    for n, x in enumerate(segments, start=1):
        y, memory = model.advance(x, memory, lengths, keep_graph=True)
        loss = loss + cross_entropy(y, ...)
        if n % n_bptt == 0:
            loss.backward()
            optimizer.step()
            loss, memory = 0, memory.detach()
    ```
    """

    def __init__(self, layers: Iterable[nn.Module]) -> None:
        pass

    def __call__(self, h: Sequence[Tensor], mem: Sequence[Tensor]) -> Tensor:
        r"""Always 0."""
        return torch.zeros(())


# All losses, by the names that the command line knows. Each is made of the layers.
LOSSES: dict[str, Callable[[Iterable[nn.Module]], Loss]] = {
    "attention": AttentionReconstructionLoss,
    "auto_encoding": AutoEncodingLoss,
    "none": NoReconstructionLoss,
}
