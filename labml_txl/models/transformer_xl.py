r"""# Transformer-XL

A stack of layers that read a text segment by segment. Each layer attends to what it
has computed now and to what it remembers of earlier segments.

Three things make a Transformer into Transformer-XL, and each has its page: the memory
([`memory.py`](memory.md)), positions as distances
([`relative_attention.py`](relative_attention.md)), and, here, the layers that carry one
from segment to segment.

**How far back does it see?** A state of layer $n$ was computed from states of layer
$n-1$ up to $M$ positions earlier, which were computed in the same way. So the longest
dependency grows with the number of layers, although one layer reaches back only by
$M$. For $N$ layers and a memory as long as a segment, $M = L$, it is $O(N \cdot L)$.

![Layers over tokens, and one state of the highest layer. With the segment alone, the
tokens of its own segment reach it; with memory, those of earlier segments too, further
with every layer; with compressed memory, all 23 tokens so far.](figure:how-far)
"""

import copy
from collections.abc import Callable, Sequence
from typing import TypeVar, cast

import torch
from torch import Tensor, nn

from labml_txl.models.arguments import check_memories, check_segment
from labml_txl.models.fast.dropout import Dropout
from labml_txl.models.feed_forward import FeedForward
from labml_txl.models.masking import causal_mask
from labml_txl.models.memory import MemoryLengths, extend_context, update_memory
from labml_txl.models.relative_attention import RelativeAttention

Layer = TypeVar("Layer", bound=nn.Module)


def normalize(norm: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    r"""Apply the layer norm."""
    return norm(x)


def leave(norm: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    r"""Leave `x` as it is."""
    return x


# Departure: layer norm before attention and before the feed-forward network, which
# trains stably without a long warm-up. The paper puts it after the residual sum:
# `norm="post"`. The table says what is done to the input and to the sum.
NORM_ORDERS = {"pre": (normalize, leave), "post": (leave, normalize)}


class TransformerXLLayer(nn.Module):
    r"""Attention to memory and segment, then a feed-forward network.

    `dropout_prob` is the probability that an element is dropped on its way into a
    residual sum. `norm` is `"pre"` or `"post"`.
    """

    def __init__(
        self,
        *,
        d_model: int,
        self_attn: RelativeAttention,
        feed_forward: FeedForward,
        dropout_prob: float,
        norm: str = "pre",
    ) -> None:
        super().__init__()
        if norm not in NORM_ORDERS:
            raise ValueError(f"{norm=} is not one of {', '.join(NORM_ORDERS)}")
        if self_attn.d_model != d_model:
            raise ValueError(
                f"self_attn has d_model={self_attn.d_model}, the layer {d_model}"
            )
        self.size = d_model
        self.norm = norm
        self.before, self.after = NORM_ORDERS[norm]
        self.self_attn = self_attn
        self.feed_forward = feed_forward
        self.dropout = Dropout(dropout_prob)
        self.norm_self_attn = nn.LayerNorm(d_model)
        self.norm_ff = nn.LayerNorm(d_model)

    def forward(
        self, *, x: Tensor, mem: Tensor | None = None, mask: Tensor | None = None
    ) -> Tensor:
        r"""One segment through one layer.

        `x` is `[seq_len, batch, d_model]`; `mem` is what this layer read in earlier
        segments, `[mem_len, batch, d_model]`. For `mask` see
        `RelativeAttention`. Returns the shape of `x`.
        """
        check_segment(x.shape, self.size)
        return self.read(x, extend_context(mem, x), mask)  # [seq_len, batch, d_model]

    def read(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        r"""Read `x` with `context`, `[k_len, batch, d_model]`, which ends with `x`."""
        # Memory and segment are normalized at once. The queries are the last rows: no
        # query comes from the memory.
        context = self.before(self.norm_self_attn, context)  # [k_len, batch, d_model]
        attended: Tensor = self.self_attn(
            query=context[-len(x) :], key=context, value=context, mask=mask
        )
        return self.finish(x, attended)  # [seq_len, batch, d_model]

    def finish(self, x: Tensor, attended: Tensor) -> Tensor:
        r"""What follows attention: two residual sums, and the network between them."""
        # [The residual sum][txl.residual]:
        # $\mathbf o = \mathrm{LayerNorm}(\mathrm{Linear}(\mathbf a) + \mathbf h)$. The
        # $\mathrm{Linear}$ is the output projection of the attention.
        o = self.after(self.norm_self_attn, x + self.dropout(attended))

        # [Feed-forward][txl.feed_forward], with a residual sum and a norm of its own.
        ff: Tensor = self.feed_forward(self.before(self.norm_ff, o))
        h = self.after(self.norm_ff, o + self.dropout(ff))  # [seq_len, batch, d_model]
        return h


class TransformerXL(nn.Module):
    r"""A stack of `n_layers` layers like `layer`, each with initial values of its own.

    `layer` is a pattern: it is copied, and each copy draws new values. Layers that are
    copies of one initial value would all start as the same function.

    With `same_length` each token of `advance` sees as many keys as are remembered, and
    not the whole memory: see `causal_mask`.
    """

    def __init__(
        self, layer: TransformerXLLayer, n_layers: int, same_length: bool = False
    ) -> None:
        super().__init__()
        if n_layers < 1:
            raise ValueError(f"{n_layers=} must be at least 1")
        self.size = layer.size
        self.same_length = same_length
        self.layers = nn.ModuleList(fresh_copy(layer) for _ in range(n_layers))
        self.norm = final_norm(layer.norm, layer.size)

    def forward(
        self, x: Tensor, mem: Sequence[Tensor] = (), mask: Tensor | None = None
    ) -> tuple[Tensor, list[Tensor]]:
        r"""One segment through all layers.

        `x` is `[seq_len, batch, d_model]`. `mem` has a tensor
        `[mem_len, batch, d_model]` for each layer, or is empty. `mask` is
        `[seq_len, mem_len + seq_len, batch or 1]`, true where $i$ may see $j$.

        Returns the output, shaped like `x`, and the states of this segment that each
        layer read. Give those to `update_memory`: how much of them is remembered is not
        for the model to say.
        """
        self.check(x.shape, mem)
        # [Each layer][txl.recurrence_layer] computes $\mathbf h^n$ from
        # $\mathbf h^{n-1}$, of this segment and of earlier ones. So a layer remembers
        # what it has **read**, and not what it has written. That is how the recurrence
        # goes one layer down with every segment back.
        states = []
        for n, layer in enumerate(self.layers):
            states.append(x.detach())
            x = layer(x=x, mem=mem[n] if mem else None, mask=mask)
        y: Tensor = self.norm(x)  # [seq_len, batch, d_model]
        return y, states

    def check(self, segment: Sequence[int], memory: Sequence[Tensor] | None) -> None:
        r"""Raise `ValueError` if `memory` does not fit a segment of this shape."""
        check_segment(segment, self.size)
        check_memories(memory or (), segment, len(self.layers))

    def advance(
        self, x: Tensor, memory: list[Tensor] | None, lengths: MemoryLengths
    ) -> tuple[Tensor, list[Tensor]]:
        r"""`forward`, and what is remembered afterwards."""
        self.check(x.shape, memory)
        mem_len = len(memory[0]) if memory else 0
        mask = self.mask(len(x), mem_len, lengths, x.device)
        y, states = self(x, memory or [], mask)
        return y, self.remember(memory or [], states, lengths)

    def mask(
        self, seq_len: int, mem_len: int, lengths: MemoryLengths, device: torch.device
    ) -> Tensor | None:
        r"""What each token sees of `mem_len` states and its segment; `None` is all."""
        # A token sees its own key at least.
        span = max(lengths.mem_len, 1)
        if not self.same_length or mem_len + seq_len <= span:
            return None
        return causal_mask(seq_len, mem_len, device=device, span=span)

    def remember(
        self, memory: Sequence[Tensor], states: list[Tensor], lengths: MemoryLengths
    ) -> list[Tensor]:
        r"""The memory after the model has read `states`."""
        return update_memory(memory, states, lengths.mem_len)

    def cores(self) -> list[TransformerXLLayer]:
        r"""The layers, from the lowest to the highest."""
        return [cast(TransformerXLLayer, layer) for layer in self.layers]

    def contexts(
        self, memory: list[Tensor], empty: Tensor
    ) -> list[tuple[Tensor, Tensor]]:
        r"""Compressed memory and memory of each layer; `empty` stands for none."""
        return [(empty, mem) for mem in memory or [empty] * len(self.layers)]


def final_norm(norm: str, d_model: int) -> nn.Module:
    r"""The norm above the last layer.

    With the norm before each part, nothing has normalized the last residual sum yet.
    With the norm behind each part, the last layer has done so.
    """
    return nn.LayerNorm(d_model) if norm == "pre" else nn.Identity()


def fresh_copy(layer: Layer) -> Layer:
    r"""A copy of `layer` in which every part has drawn its initial values anew."""
    fresh = copy.deepcopy(layer)
    for part in fresh.modules():
        reset = getattr(part, "reset_parameters", None)
        if callable(reset):
            reset()
    return fresh
