# ---
# keywords: [Algorithm 2, stop_gradient, decoder restores old states, auto-encoding
#   loss, reconstruction loss weight]
# ---
r"""# Losses for the compression

There are three ways to train the [compression functions](compression.md):

- `AttentionReconstructionLoss`: attention to the compressed slots should give the same
  result as attention to the states before compression.
- `AutoEncodingLoss`: the auto-encoding loss. A decoder should be able to restore the
  states themselves from the compressed slots.
- `NoReconstructionLoss`: no auxiliary loss. The compression is trained by the loss of
  the language model alone, through back-propagation over several segments.

**Why an auxiliary loss?** Within one segment, the loss of the language model cannot
train the compression. A compressed slot is used only in later segments, so the gradient
would have to flow back from there, which requires that the graphs of all segments in
between are kept. The paper therefore gives the compression function $f_c$ of each layer
an auxiliary loss, which can be computed as soon as the states are compressed.

With attention reconstruction, the compression may discard information about the states,
but only information that attention does not use. This loss gave the best results in the
paper's comparison. It uses the queries of the current segment, although [only later
segments attend to the
slots](../papers/compressive_transformer.md#what-trains-the-compression).

**With numbers.** In [the worked
case](../papers/compressive_transformer.md#what-trains-the-compression), the states
$(1, 0)$ and $(1, 1)$ became the slot $(1, 0.5)$. The query of *down* has the scores 1
and 0 with them. Divided by $\sqrt 2$, they give the weights 0.67 and 0.33, so the
query receives $(1, 0.33)$; from the slot it receives $(1, 0.5)$. The loss of this query
is the mean square of the difference, 0.014.

![The attention of one head to old states, and to the slots that were computed from
them: the weights, both outputs and their difference, whose mean square is the loss of a
query.](figure:attention-reconstruction)

The three losses are called as `loss(h, old)`. Both arguments are lists with a tensor
for each layer:

- `h`: the input of the layer in the segment, `[seq_len, batch, d_model]`.
- `old`: the states that have just left the memory, `[n_old, batch, d_model]`.

A [`CompressiveMemory`](compressive.md#CompressiveMemory) has both, as `memory.read` and
`memory.old`. The two auxiliary losses return the mean squared difference over
positions, texts of the batch and features, summed over the layers.
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
    """The interface of a loss for the compression."""

    def __call__(self, h: Sequence[Tensor], old: Sequence[Tensor]) -> Tensor:
        """The sum of the losses of all layers; 0 if no states were compressed."""


class AttentionReconstructionLoss:
    r"""[$\mathcal L^{\mathrm{attn}}$][cmp.attention_loss]: Algorithm 2 of the paper.

    Its gradient reaches the compression functions only. For all other weights this loss
    uses detached copies, so that only the loss of the language model trains them. The
    parameters themselves are not changed, not even their `requires_grad`.

    `layers` are those of a `CompressiveTransformer`.

    Departure: the loss is the mean of the squared differences, where the paper has the
    norm $\lVert \cdot \rVert_2$. Both are 0 for a perfect compression, but the mean
    does not grow with the size of the batch.
    """

    def __init__(self, layers: Iterable[nn.Module]) -> None:
        self.layers = [cast(CompressiveTransformerLayer, layer) for layer in layers]

    def __call__(self, h: Sequence[Tensor], old: Sequence[Tensor]) -> Tensor:
        """The sum of the losses of all layers; 0 if no states were compressed."""
        # `layer(..., compute=f)` only calls `f`, here `layer_loss`, and returns its
        # result. The detour is for FSDP, as the argument `compute` explains.
        losses = [
            layer(x=h_i, compute=partial(self.layer_loss, layer, h_i, old_i))
            for layer, h_i, old_i in zip(self.layers, h, old, strict=False)
            if len(old_i) >= layer.compress.rate
        ]
        return torch.stack(losses).sum() if losses else torch.zeros(())

    def layer_loss(
        self, layer: CompressiveTransformerLayer, h: Tensor, old: Tensor
    ) -> Tensor:
        """The loss of one layer, a scalar.

        `h` is `[seq_len, batch, d_model]`, `old` is `[n_old, batch, d_model]`.
        """
        # [No gradient][cmp.stop_gradient] may reach anything but the compression. The
        # states are detached here, and the weights of attention in `frozen`.
        #
        # Most-used compression has no parameters, so its loss trains nothing and is
        # only reported. It chooses states by the attention that they received. The
        # layer computes this attention from both memories, which this loss is not
        # given. So the loss chooses by attention to the old states alone, without
        # distances, and may report on other states than the layer keeps.
        h, old = h.detach(), old.detach()
        q = content_queries(layer.core, h)  # [batch, heads, seq_len, d_k]
        usage = None
        if layer.compress.needs_usage:
            weights = content_weights(layer.core, q, old)
            usage = weights.mean((1, 2)).t()  # [n_old, batch]
        new_cm = layer.compress(old, usage)  # [n_old // rate, batch, d_model]

        # The results of attention to the old states and to the compressed slots, which
        # should be equal.
        wanted = content_attention(layer.core, q, old)  # [seq_len, batch, d_model]
        got = content_attention(layer.core, q, new_cm)  # [seq_len, batch, d_model]
        return F.mse_loss(got, wanted)


def content_attention(layer: TransformerXLLayer, q: Tensor, m: Tensor) -> Tensor:
    r"""Attention to states `m` by content, without distances and with fixed weights.

    $\mathrm{attn}(\mathbf h, \mathbf m) = \sigma\big((\mathbf h\,\mathbf Q) (\mathbf
    m\,\mathbf K)^\top\big)(\mathbf m\,\mathbf V)$, where `q` is `content_queries` of
    $\mathbf h$. The paper leaves distances out without giving a reason. A possible one
    is that compression changes the distance of every state. Returns the results of all
    heads, side by side and without the output projection: `[seq_len, batch, d_model]`.
    """
    # Departure: [in Algorithm 2][cmp.content_attention] the scores have no scale. Here
    # they are multiplied by $1/\sqrt{d_k}$, as in the attention of the layer, whose
    # result this loss is meant to preserve.
    attention = layer.self_attn
    m = normalized(layer, m)  # [k_len, batch, d_model]
    k = attention.split_heads(frozen(attention.key, m))  # [batch, heads, k_len, d_k]
    v = attention.split_heads(frozen(attention.value, m))  # [batch, heads, k_len, d_k]
    read = F.scaled_dot_product_attention(q, k, v, scale=attention.scale)
    return read.permute(2, 0, 1, 3).flatten(2)  # [seq_len, batch, d_model]


def content_queries(layer: TransformerXLLayer, h: Tensor) -> Tensor:
    """The queries of the states `h`: `[batch, heads, seq_len, d_k]`."""
    return layer.self_attn.split_heads(
        frozen(layer.self_attn.query, normalized(layer, h))
    )  # [batch, heads, seq_len, d_k]


def content_weights(layer: TransformerXLLayer, q: Tensor, m: Tensor) -> Tensor:
    """The weights of `content_attention`, `[batch, heads, seq_len, k_len]`."""
    attention = layer.self_attn
    K = frozen(attention.key, normalized(layer, m))  # [k_len, batch, d_model]
    k = attention.split_heads(K)  # [batch, heads, k_len, d_k]
    scores = (q * attention.scale) @ k.mT
    return scores.softmax(-1)  # [batch, heads, seq_len, k_len]


def normalized(layer: TransformerXLLayer, x: Tensor) -> Tensor:
    """`x` after the layer norm before attention; with `norm="post"`, `x` itself."""
    return layer.before(partial(frozen, layer.norm_self_attn), x)


def frozen(module: nn.Module, x: Tensor) -> Tensor:
    """`module(x)` with detached parameters, so that gradients flow to `x` only."""
    fixed = {name: value.detach() for name, value in module.named_parameters()}
    y: Tensor = functional_call(module, fixed, (x,))
    return y


class AutoEncodingLoss(nn.Module):
    r"""[$\mathcal L^{\mathrm{ae}}$][cmp.auto_encoding_loss]: reconstruct the states.

    For each layer, a decoder $g$ turns every compressed slot back into $c$ states. The
    decoders are trained together with the compression functions, so their parameters,
    which are those of this module, must be given to the optimizer. Only this loss uses
    the decoders; the model itself does not.

    `layers` are those of a `CompressiveTransformer`.
    """

    def __init__(self, layers: Iterable[nn.Module]) -> None:
        super().__init__()
        # In a plain list, because the parameters of the layers belong to the model and
        # must not become parameters of this module as well.
        self.layers = [cast(CompressiveTransformerLayer, layer) for layer in layers]
        self.decoders = nn.ModuleList(
            nn.ConvTranspose1d(
                layer.size, layer.size, layer.compress.rate, stride=layer.compress.rate
            )
            for layer in self.layers
        )

    def forward(self, h: Sequence[Tensor], old: Sequence[Tensor]) -> Tensor:
        """The sum of the losses of all layers. `h` is not used."""
        losses = [
            layer(
                x=old_i,
                compute=partial(self.layer_loss, layer, decoder, old_i.detach()),
            )
            for layer, decoder, old_i in zip(
                self.layers, self.decoders, old, strict=False
            )
            if len(old_i) >= layer.compress.rate
        ]
        return torch.stack(losses).sum() if losses else torch.zeros(())

    def layer_loss(
        self, layer: CompressiveTransformerLayer, decoder: nn.Module, old: Tensor
    ) -> Tensor:
        """The loss of one layer; `old` is `[n_old, batch, d_model]`."""
        if layer.compress.needs_usage:
            raise ValueError("most-used compression has no parameters to train")
        new_cm = layer.compress(old)  # [n_old // rate, batch, d_model]

        # $g(\mathbf{new\_cm})$ is a transposed convolution, which turns each compressed
        # slot into $c$ states.
        decoded = decoder(new_cm.permute(1, 2, 0)).permute(2, 0, 1)
        return F.mse_loss(decoded, old[: len(decoded)])


class NoReconstructionLoss:
    """No auxiliary loss: the loss of the language model trains the compression.

    For this purpose, the graph has to be kept over several segments, so that the
    gradient of a later segment reaches $f_c$ through the compressed memory. If the
    graph is kept over more segments, the compression is also trained for uses further
    in the future, but the graph needs more RAM, and the backward pass takes longer:

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

    def __call__(self, h: Sequence[Tensor], old: Sequence[Tensor]) -> Tensor:
        """Always 0."""
        return torch.zeros(())


# All losses by the names that the command line accepts. Each is constructed from the
# layers of the model.
LOSSES: dict[str, Callable[[Iterable[nn.Module]], Loss]] = {
    "attention": AttentionReconstructionLoss,
    "auto_encoding": AutoEncodingLoss,
    "none": NoReconstructionLoss,
}
