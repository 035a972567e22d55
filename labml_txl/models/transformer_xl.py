# ---
# keywords: [MemTransformerLM,
#   layers share]
# ---
r"""# Transformer-XL

Transformer-XL is a stack of layers that process a text segment by segment. Each layer
attends to the states of the segment and to those in its memory, which were its input in
earlier segments.

=== "Normalize before (the default)"

    ![A layer as a diagram, from below: the states of the segment and the memory pass
    layer norm and enter attention, which also receives the distances. Its result is
    added to the states of the segment as they were before the norm; then layer norm and
    the feed-forward network follow in the same way. Each part links to its
    page.](../figures/layer_pre.svg)

    `norm="pre"`: the results of attention and of the network are added to states that
    were not normalized, and the sums are not normalized either. So the memory keeps
    such states, and a layer normalizes them each time it attends to them. The output of
    the last layer passes one more layer norm.

=== "Normalize after (as in the paper)"

    ![A layer as a diagram, from below: the states of the segment and the memory enter
    attention, which also receives the distances. Its result is added to the states of
    the segment and normalized; then the feed-forward network follows in the same way.
    Each part links to its page.](../figures/layer.svg)

    `norm="post"`: each sum is normalized. So the states that a layer passes to the
    layer above, and to the memory of that layer, are normalized, and no further layer
    norm follows the last layer.

It differs from a Transformer in two parts, each of which has a page of its own:
[the memory](memory.md) and [relative attention](relative_attention.md). This page
combines them into a layer, and stacks the layers into a model. Besides its output, the
model returns the states from which the caller makes the next memory. Wherever this site
runs the model, the attention of a layer is
[`RelativeMultiHeadAttention`](fast/attention.md#RelativeMultiHeadAttention), a faster
form of `RelativeAttention`.

**How far back does it see?** A state of layer $n$ is computed from states of layer
$n-1$ in its segment and in the $M$ positions before the segment. The oldest of these
were in turn computed from states that are up to $M$ positions older. Therefore the
longest possible dependency grows with the number of layers, although each layer only
attends to the segment and its own memory. For $N$ layers and a memory as long as a
segment, $M = L$, it is $O(N \cdot L)$.

![Layers over tokens, and one state of the highest layer. Without memory, this state
depends only on tokens of its own segment; with memory, also on tokens of earlier
segments, further back with each layer; with compressed memory, on all 24 tokens so
far.](figure:how-far)

The memories alone reach $N \cdot M$ tokens back. The figure calls the rest *what
segments add*. First, the chosen state has attended to the tokens before it in its own
segment. Second, if a memory begins in the middle of a segment, its oldest state has
attended to the tokens before it in that segment. So each memory adds $\lceil M / L
\rceil$ whole segments. Only that of the lowest layer adds just $M$ tokens, since it
contains embeddings, which have attended to nothing. Together, the layers see exactly

$$
(N - 1) \cdot L \cdot \lceil M / L \rceil + M
$$

tokens before the segment, which is $N \cdot M$ if $M$ is a multiple of $L$. With
$N = 2$, $L = 4$ and $M = 2$, for example, they see 6 tokens.

**For a first reading,** leave out `check`, `mask`, `cores` and `contexts`, which serve
error messages, masks of a caller and the cache.

The [live page](../live.md) shows how far back the heads of a trained model attend.
"""

import copy
from collections.abc import Callable, Sequence
from typing import TypeVar, cast

import torch
from torch import Tensor, nn

from labml_txl.models.arguments import check_memories, check_segment
from labml_txl.models.dropout import Dropout
from labml_txl.models.feed_forward import FeedForward
from labml_txl.models.masking import causal_mask
from labml_txl.models.memory import MemoryLengths, extend_context, update_memory
from labml_txl.models.relative_attention import RelativeAttention

Layer = TypeVar("Layer", bound=nn.Module)


def normalize(norm: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """Apply the layer norm."""
    return norm(x)


def leave(norm: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """`x` itself, for the place where an order applies no norm."""
    return x


# Departure: by default, layer norm is applied to the input of attention and to that of
# the feed-forward network. Such models need no warm-up of the learning rate, as [Xiong
# et al. (2020)](https://arxiv.org/abs/2002.04745) found. The paper applies layer norm
# after the residual sums, which is `norm="post"`. With $f$ for attention or the
# network:
#
# - pre: $x + f(\mathrm{norm}(x))$
# - post: $\mathrm{norm}(x + f(x))$
#
# Each order is a pair of functions: the first is applied before $f$, the second after
# the sum.
NORM_ORDERS = {"pre": (normalize, leave), "post": (leave, normalize)}


class TransformerXLLayer(nn.Module):
    """A layer: attention to memory and segment, then a feed-forward network.

    - `d_model`: the number of features of a token.
    - `self_attn`: the attention, a `RelativeAttention` of the same `d_model`.
    - `feed_forward`: the network that follows, a `FeedForward`.
    - `dropout_prob`: the dropout probability for the results of attention and of the
      feed-forward network, before the residual sums.
    - `norm`: `"pre"` or `"post"`, where layer norm is applied.
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
        """Process one segment.

        - `x`: the states of the layer below, `[seq_len, batch, d_model]`.
        - `mem`: the memory of this layer, `[mem_len, batch, d_model]`, or `None`.
        - `mask`: as for `RelativeAttention.forward`.

        Returns the new states, `[seq_len, batch, d_model]`.
        """
        check_segment(x.shape, self.size)
        return self.read(x, extend_context(mem, x), mask)  # [seq_len, batch, d_model]

    def read(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        """Process `x`, given all states that it may attend to.

        `x` is `[seq_len, batch, d_model]` and `context` is `[k_len, batch, d_model]`:
        the memory and then `x` itself.
        """
        # With pre-norm, memory and segment are normalized here. With post-norm,
        # `before` returns them as they are, and `after` normalizes the sum in `finish`.
        # Only the last rows, those of the segment, become queries, because the memory
        # gets no new states.
        context = self.before(self.norm_self_attn, context)  # [k_len, batch, d_model]
        attended: Tensor = self.self_attn(
            query=context[-len(x) :], key=context, value=context, mask=mask
        )
        return self.finish(x, attended)  # [seq_len, batch, d_model]

    def finish(self, x: Tensor, attended: Tensor) -> Tensor:
        """The rest of the layer after attention: both residual sums and the network.

        `x` is the input of the layer and `attended` the result of attention; both are
        `[seq_len, batch, d_model]`, and so are the new states that are returned.
        """
        # [The first residual sum][txl.residual]:
        # $\mathbf o = \mathrm{LayerNorm}(\mathrm{Linear}(\mathbf a) + \mathbf h)$. The
        # $\mathrm{Linear}$ is the output projection, which attention has applied.
        o = self.after(self.norm_self_attn, x + self.dropout(attended))

        # [The feed-forward network][txl.feed_forward] and the second residual sum.
        ff: Tensor = self.feed_forward(self.before(self.norm_ff, o))
        h = self.after(self.norm_ff, o + self.dropout(ff))  # [seq_len, batch, d_model]
        return h


class TransformerXL(nn.Module):
    """A stack of layers.

    - `layer`: the layer to copy. Each of the `n_layers` copies draws its own initial
      values, since otherwise all layers would start with equal parameters.
    - `n_layers`: the number of layers.
    - `same_length`: whether each token attends only to the nearest `mem_len` keys
      instead of to the whole memory and all earlier tokens of its segment: see
      `causal_mask`. It has an effect in `advance` only, which makes the mask; `forward`
      gets its mask from the caller.
    """

    def __init__(
        self, layer: TransformerXLLayer, n_layers: int, same_length: bool = False
    ) -> None:
        super().__init__()
        if n_layers < 1:
            raise ValueError(f"{n_layers=} must be at least 1")
        self.size = layer.size
        self.same_length = same_length
        self.layers = nn.ModuleList(copy_fresh(layer) for _ in range(n_layers))
        self.norm = final_norm(layer.norm, layer.size)

    def forward(
        self, x: Tensor, mem: Sequence[Tensor] = (), mask: Tensor | None = None
    ) -> tuple[Tensor, list[Tensor]]:
        """Process one segment.

        - `x`: the embeddings of the segment, `[seq_len, batch, d_model]`.
        - `mem`: the memory, a tensor `[mem_len, batch, d_model]` for each layer, or
          empty.
        - `mask`: `[seq_len, mem_len + seq_len, batch or 1]`, true where query $i$ may
          attend to key $j$. Without one, each token attends to the memory, to the
          tokens before it and to itself.

        Returns the output, `[seq_len, batch, d_model]`, and a list with the states that
        were the input of each layer. The model returns all of them; the caller decides
        with `update_memory` how many to keep.
        """
        self.check(x.shape, mem)
        # [Each layer][txl.recurrence_layer] computes $\mathbf h^n$ from
        # $\mathbf h^{n-1}$ of this segment and of earlier ones. Its memory therefore
        # consists of its **inputs**, which are the states of the layer below, and not
        # of its own outputs. As a consequence, information moves up by one layer each
        # time it passes from one segment to the next.
        states = []
        for n, layer in enumerate(self.layers):
            states.append(x.detach())
            x = layer(x=x, mem=mem[n] if mem else None, mask=mask)
        y: Tensor = self.norm(x)  # [seq_len, batch, d_model]
        return y, states

    def check(self, segment: Sequence[int], memory: Sequence[Tensor] | None) -> None:
        """Raise `ValueError` if `memory` does not fit a segment of this shape."""
        check_segment(segment, self.size)
        memories = () if memory is None else memory
        check_memories(memories, segment, len(self.layers))

    def advance(
        self,
        x: Tensor,
        memory: list[Tensor] | None,
        lengths: MemoryLengths,
        positions: Tensor | None = None,
    ) -> tuple[Tensor, list[Tensor]]:
        """Process one segment and update the memory: `forward`, then `remember`.

        `positions`, `[seq_len, batch]`, is the position of each token in its text, if
        several texts follow one another in a sequence: see `text_positions`.
        """
        self.check(x.shape, memory)
        held = MemoryLengths(len(memory[0]) if memory else 0)
        mask = self.mask(len(x), held, lengths, x.device, positions)
        y, states = self(x, memory or [], mask)
        return y, self.remember(memory or [], states, lengths)

    def mask(
        self,
        seq_len: int,
        held: MemoryLengths,
        lengths: MemoryLengths,
        device: torch.device,
        positions: Tensor | None = None,
    ) -> Tensor | None:
        """The mask for a segment that follows the memory `held`.

        It is usually `None`, for the default causal mask. A mask is made only if
        `positions` are given, or if `same_length` is set and a token would see more
        than `lengths.mem_len` keys.
        """
        # Each token sees at least its own key.
        span = max(lengths.mem_len, 1) if self.same_length else None
        if span is not None and held.mem_len + seq_len <= span:
            span = None
        if span is None and positions is None:
            return None
        return causal_mask(
            seq_len, held.mem_len, device=device, span=span, positions=positions
        )

    def remember(
        self, memory: Sequence[Tensor], states: list[Tensor], lengths: MemoryLengths
    ) -> list[Tensor]:
        """The memory for the next segment, from that of this one and its `states`."""
        return update_memory(memory, states, lengths.mem_len)

    def cores(self) -> list[TransformerXLLayer]:
        """The layers, the lowest first.

        In the Compressive Transformer, these are its layers without their compression
        functions.
        """
        return [cast(TransformerXLLayer, layer) for layer in self.layers]

    def contexts(
        self, memory: list[Tensor], empty: Tensor
    ) -> list[tuple[Tensor, Tensor]]:
        """The compressed memory and the memory of each layer, as pairs.

        [The cache](fast/cache.md) calls it, for both models. In this model the
        compressed memory is always `empty`; the memory is `empty` before the first
        segment.
        """
        return [(empty, mem) for mem in memory or [empty] * len(self.layers)]


def final_norm(norm: str, d_model: int) -> nn.Module:
    """The layer norm after the last layer.

    It is needed for `norm="pre"`, since no part follows that would normalize the last
    residual sum. With `norm="post"` the last layer has already normalized it.
    """
    return nn.LayerNorm(d_model) if norm == "pre" else nn.Identity()


def copy_fresh(layer: Layer) -> Layer:
    """A copy of `layer` in which every part draws new initial values."""
    fresh = copy.deepcopy(layer)
    for part in fresh.modules():
        reset = getattr(part, "reset_parameters", None)
        if callable(reset):
            reset()
    return fresh
