# ---
# keywords: [how many slots per layer, position of a compressed slot]
# ---
r"""# Compressive Transformer

The Compressive Transformer is a Transformer-XL with a second memory in each layer.
States that leave the first memory are [compressed](compression.md), several of them
into one slot of the second, the compressed memory. There they remain much longer, but
in less detail.

![Four rows of slots, each moved right by three tokens. A row has four wide slots of
compressed memory, six narrow slots of memory and three new states. From row to row, the
three oldest states of the memory become one slot of the compressed memory, and the
oldest slot of the compressed memory is crossed out. A row covers 21 tokens with 13
slots.](../figures/memories.svg)

Each layer attends to $n_{cm}$ slots of compressed memory, $M$ states of memory and the
$L$ tokens of the segment, at [a cost of][cmp.attention_cost] $O(L^2 + L\,(M +
n_{cm}))$. Since each compressed slot represents $c$ tokens, the memories of $N$ layers
[reach back][cmp.temporal_range] $N\,(M + c\,n_{cm})$ tokens, and those of a
Transformer-XL that attends to the same number of states only $N\,(M + n_{cm})$. (The
equations behind the links have [the letters of their
paper](../papers/compressive_transformer.md#the-letters-of-both-papers): $n_s$ for $L$,
$n_m$ for $M$ and $l$ for $N$.) The distances in [relative
attention](relative_attention.md) count states, so a compressed slot has one position
like any other state, although it represents $c$ tokens.

**With numbers.** [The worked case](../papers/compressive_transformer.md#two-memories)
has a memory of $M = 2$ states, segments of $L = 3$ tokens and $c = 2$. After the
segment, there are five states for two places. Our code compresses whole blocks: *Mrs.*
and *Harker* become one slot, and *sat*, which is half a block, waits in the memory
until another state leaves with it. So the memory has three states for a while. The
paper's Algorithm 1 compresses the same two states but keeps only the newest two, so
*sat* is lost. [All
departures](../papers/compressive_transformer.md#what-we-do-otherwise) are listed on the
page on the paper, and marked in the code.

**What trains the compression?** By default, the slots are computed without an autograd
graph, so the loss of the language model sends no gradient into them. (With `keep_graph`
it does: see [`NoReconstructionLoss`](reconstruction.md#NoReconstructionLoss).) An
[auxiliary loss](reconstruction.md)
compresses the same states a second time, with a graph, and its gradient trains the
compression function.

**For a first reading,** leave out `usage`, `check`, `mask`, `cores` and `contexts`, and
the argument `compute`.

On the [live page](../live.md), a trained Compressive Transformer can be compared with a
Transformer-XL.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor, nn

from labml_txl.models.arguments import check_memories, check_memory, check_segment
from labml_txl.models.compression import Compression
from labml_txl.models.feed_forward import FeedForward
from labml_txl.models.masking import causal_mask
from labml_txl.models.memory import MemoryLengths, reset_memory
from labml_txl.models.relative_attention import RelativeAttention
from labml_txl.models.transformer_xl import TransformerXLLayer, copy_fresh, final_norm


class CompressiveMemory(NamedTuple):
    """All that a model remembers, and what the losses for the compression need.

    Each field is a list with a tensor for each layer, in which the oldest state comes
    first. Before the first segment, the lists are empty. Like the memory of
    Transformer-XL, they are never changed in place.

    - `mem`: the memory.
    - `c_mem`: the compressed memory.
    - `read`: the input of each layer in the newest segment.
    - `old`: the states that left the memory after the same segment and were compressed.

    A loss for the compression is computed as `loss(memory.read, memory.old)`.
    """

    mem: list[Tensor]
    c_mem: list[Tensor]
    read: list[Tensor]
    old: list[Tensor]

    @classmethod
    def empty(cls) -> "CompressiveMemory":
        """The memory before the first segment."""
        # Departure: the paper initializes $m_0$ and $cm_0$ with
        # [zeros][cmp.initial_memory] and attends to them. Here both memories are empty
        # at first and grow. Zeros occur only after `reset`.
        return cls([], [], [], [])

    def detach(self) -> "CompressiveMemory":
        """The same values, detached from the graph that gradients flow through."""
        return CompressiveMemory(*([m.detach() for m in states] for states in self))

    def reset(self, ended: Tensor) -> "CompressiveMemory":
        """Clear the memory of those texts that have ended: see `reset_memory`."""
        return CompressiveMemory(*(reset_memory(states, ended) for states in self))


class CompressiveTransformerLayer(nn.Module):
    """A layer of Transformer-XL with a compression function.

    - `d_model`: the number of features of a token.
    - `self_attn`: the attention, a `RelativeAttention` of the same `d_model`.
    - `feed_forward`: the network that follows, a `FeedForward`.
    - `dropout_prob`: the dropout probability for the results of attention and of the
      feed-forward network, before the residual sums.
    - `compress`: the compression function, made from one of `COMPRESSIONS`.
    - `norm`: `"pre"` or `"post"`, where layer norm is applied.

    All arguments except `compress` are passed to a `TransformerXLLayer`, which this
    layer contains as `core`.
    """

    def __init__(
        self,
        *,
        d_model: int,
        self_attn: RelativeAttention,
        feed_forward: FeedForward,
        dropout_prob: float,
        compress: Compression,
        norm: str = "pre",
    ) -> None:
        super().__init__()
        self.core = TransformerXLLayer(
            d_model=d_model,
            self_attn=self_attn,
            feed_forward=feed_forward,
            dropout_prob=dropout_prob,
            norm=norm,
        )
        self.size = d_model
        self.norm = norm
        self.compress = compress

    def forward(
        self,
        *,
        x: Tensor,
        mem: Tensor | None = None,
        c_mem: Tensor | None = None,
        mask: Tensor | None = None,
        compute: Callable[[], Any] | None = None,
    ) -> Any:
        """Process one segment.

        - `x`: the states of the layer below, `[seq_len, batch, d_model]`.
        - `mem`: the memory of this layer, `[mem_len, batch, d_model]`, or `None`.
        - `c_mem`: its compressed memory, `[c_mem_len, batch, d_model]`, or `None`.
        - `mask`: `[seq_len, k_len, batch or 1]`, true where query $i$ may attend to key
          $j$, with `k_len = c_mem_len + mem_len + seq_len`.
        - `compute`: if given, `forward` only calls this function and returns its
          result. With FSDP, which spreads the parameters of a layer over several GPUs,
          they are complete only during `forward`, so whatever needs them is passed in
          this way.

        Returns the new states, `[seq_len, batch, d_model]`, or what `compute` returns.
        """
        if compute is not None:
            return compute()

        # The core processes the compressed memory as if it were the older part of a
        # longer memory: [attention to both memories and the segment][cmp.attention],
        # [a residual sum and layer norm][cmp.attention_norm], and
        # [the feed-forward network][cmp.feed_forward] with another sum and norm.
        check_segment(x.shape, self.size)
        context = concat_memory(x, mem, c_mem)  # [k_len, batch, d_model]
        return self.core.read(x, context, mask)  # [seq_len, batch, d_model]

    def compress_oldest(
        self, x: Tensor, mem: Tensor, c_mem: Tensor, mem_len: int
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Add the states of a segment to the memory and compress the oldest.

        - `x`: the input of this layer in the segment, `[seq_len, batch, d_model]`.
        - `mem`, `c_mem`: its memory, `[old_len, batch, d_model]`, and its compressed
          memory.
        - `mem_len`: the number of states to keep in the memory.

        Returns the new memory, the states that left it, and the compressed slots that
        were computed from them.
        """
        states = torch.cat((mem, x))  # [old_len + seq_len, batch, d_model]

        # Departure: [the oldest states][cmp.old_memory] leave the memory in blocks of
        # $c$, whereas Algorithm 1 takes the $L$ oldest. Both are the same if $M \ge L$,
        # the memory is full and $c$ divides $L$.
        surplus = max(len(states) - mem_len, 0)
        n_old = surplus - surplus % self.compress.rate
        old = states[:n_old]  # [n_old, batch, d_model]

        # [The memory][cmp.memory_update] keeps all others: the newest $M$, and up to
        # $c - 1$ older ones that do not fill a block yet.
        kept = states[n_old:].clone() if n_old else states

        # [Compress][cmp.new_compressed] the states that left the memory. Each layer
        # does so with a function of its own.
        usage = None
        if self.compress.needs_usage and n_old:
            usage = self.usage(x, mem, c_mem)[:n_old]  # [n_old, batch]
        new_cm = self.compress(old, usage) if n_old else old
        return kept, old, new_cm

    @torch.no_grad()
    def usage(self, x: Tensor, mem: Tensor | None, c_mem: Tensor | None) -> Tensor:
        """The average attention weight that each state receives from the segment.

        The average is taken over all heads and over the queries that see the state.
        Returns `[mem_len + seq_len, batch]`, for the states of `mem` and of `x`. Only
        `MostUsedCompression` needs it, so the weights are computed again here, and the
        forward pass need not return them.
        """
        core, attention = self.core, self.core.self_attn
        context = core.before(core.norm_self_attn, concat_memory(x, mem, c_mem))
        q = attention.split_heads(attention.query(context[-len(x) :]))
        k = attention.split_heads(attention.key(context))

        # The faster attention shifts its scores [by a view](fast/shift.md), which needs
        # a column for the distance −1, too.
        scores = attention.scores(q, k, attention.distances(len(context) - 1, -1))
        received = attention.weights(scores).sum(2).mean(1)  # [batch, k_len]

        # A key of the memory is seen by all $L$ queries, and so is the first key of
        # the segment. The second key of the segment is seen by $L - 1$ queries, because
        # the first query comes before it, and so on, down to one query for the last
        # key.
        seen_by = torch.arange(len(context), 0, -1, device=x.device).clamp(max=len(x))
        average = (received / seen_by).t()  # [k_len, batch]
        return average[0 if c_mem is None else len(c_mem) :]


def concat_memory(x: Tensor, mem: Tensor | None, c_mem: Tensor | None) -> Tensor:
    """Join compressed memory, memory and segment, the oldest state first.

    Each is `[length, batch, d_model]`, and the memories may be `None`. Returns
    `[k_len, batch, d_model]`.
    """
    # [Both memories are joined][cmp.memories], $\mathbf{mem}^{(i)} =
    # \mathrm{concat}(\mathbf{cm}_t^{(i)}, \mathbf m_t^{(i)})$, and the segment follows.
    # No gradient flows into the memory. The compressed memory is not detached here,
    # because without an auxiliary loss the gradient that flows through it trains the
    # compression function: see `NoReconstructionLoss`.
    #
    # Departure: [line 6 of Algorithm 1][cmp.attention] leaves the segment out.
    parts = []
    if c_mem is not None:
        check_memory(c_mem.shape, x.shape, "compressed memory")
        parts.append(c_mem)
    if mem is not None:
        check_memory(mem.shape, x.shape)
        parts.append(mem.detach())
    return torch.cat((*parts, x))  # [k_len, batch, d_model]


class CompressiveTransformer(nn.Module):
    """A stack of layers.

    - `layer`: the layer to copy. Each of the `n_layers` copies draws its own initial
      values, including those of its compression function $f_c^{(i)}$.
    - `n_layers`: the number of layers.
    """

    def __init__(self, layer: CompressiveTransformerLayer, n_layers: int) -> None:
        super().__init__()
        if n_layers < 1:
            raise ValueError(f"{n_layers=} must be at least 1")
        self.size = layer.size
        self.layers = nn.ModuleList(copy_fresh(layer) for _ in range(n_layers))
        self.norm = final_norm(layer.norm, layer.size)

    def forward(
        self,
        x: Tensor,
        mem: Sequence[Tensor] = (),
        c_mem: Sequence[Tensor] = (),
        mask: Tensor | None = None,
    ) -> tuple[Tensor, list[Tensor]]:
        """Process one segment.

        - `x`: [the embedded segment][cmp.embedding], `[seq_len, batch, d_model]`.
        - `mem`, `c_mem`: the memory and the compressed memory, with a tensor for each
          layer, or empty.
        - `mask`: as for `CompressiveTransformerLayer.forward`.

        Returns the output, `[seq_len, batch, d_model]`, and a list with the input of
        each layer, from which `remember` computes the next memory.
        """
        self.check(x.shape, CompressiveMemory([*mem], [*c_mem], [], []))
        read = []
        for i, layer in enumerate(self.layers):
            read.append(x.detach())
            x = layer(
                x=x,
                mem=mem[i] if mem else None,
                c_mem=c_mem[i] if c_mem else None,
                mask=mask,
            )
        y: Tensor = self.norm(x)  # [seq_len, batch, d_model]
        return y, read

    def check(self, segment: Sequence[int], memory: CompressiveMemory | None) -> None:
        """Raise `ValueError` if `memory` does not fit a segment of this shape."""
        check_segment(segment, self.size)
        if memory is not None:
            n_layers = len(self.layers)
            check_memories(getattr(memory, "mem", None), segment, n_layers)
            check_memories(memory.c_mem, segment, n_layers, "compressed memory")

    def advance(
        self,
        x: Tensor,
        memory: CompressiveMemory | None,
        lengths: MemoryLengths,
        keep_graph: bool = False,
        positions: Tensor | None = None,
    ) -> tuple[Tensor, CompressiveMemory]:
        """Process one segment and update the memory: `forward`, then `remember`.

        `positions` are as for `TransformerXL.advance`.
        """
        self.check(x.shape, memory)
        memory = memory or CompressiveMemory.empty()
        held = MemoryLengths(*(len(m[0]) if m else 0 for m in memory[:2]))
        mask = self.mask(len(x), held, lengths, x.device, positions)
        y, read = self(x, memory.mem, memory.c_mem, mask)
        return y, self.remember(memory, read, lengths, keep_graph)

    def remember(
        self,
        memory: CompressiveMemory | None,
        read: Sequence[Tensor],
        lengths: MemoryLengths,
        keep_graph: bool = False,
    ) -> CompressiveMemory:
        """The memory for the next segment.

        In every layer, the states of the segment are added to the memory, the oldest
        states leave it and are compressed, and the oldest compressed slots are dropped.

        - `memory`: the memory so far, or `None` before the first segment.
        - `read`: the input of each layer, as `forward` returns it.
        - `lengths`: how many states and compressed slots to keep.
        - `keep_graph`: whether gradients can flow through the compressed memory into
          the compression function, for back-propagation through several segments.
        """
        mem_len, c_mem_len = lengths
        if mem_len < 0 or c_mem_len < 0:
            raise ValueError(f"{mem_len=} and {c_mem_len=} must not be negative")
        memory = memory or CompressiveMemory.empty()
        self.check(read[0].shape, memory)
        new = CompressiveMemory([], [], list(read), [])
        with torch.set_grad_enabled(keep_graph and torch.is_grad_enabled()):
            for i, layer in enumerate(self.stack()):
                mem = memory.mem[i] if memory.mem else read[i][:0]
                c_mem = memory.c_mem[i] if memory.c_mem else read[i][:0]
                # `layer(..., compute=f)` only calls `f` and returns its result, so
                # these two lines are `layer.compress_oldest(...)`.
                compress = partial(layer.compress_oldest, read[i], mem, c_mem, mem_len)
                kept, old, new_cm = layer(x=read[i], compute=compress)

                # [The compressed memory][cmp.compressed_update] keeps the newest
                # $n_{cm}$ slots. If no block was compressed, it does not change.
                if len(new_cm):
                    c_mem = newest(torch.cat((c_mem, new_cm)), c_mem_len)
                new.mem.append(kept)
                new.c_mem.append(c_mem)
                new.old.append(old)
        return new

    def mask(
        self,
        seq_len: int,
        held: MemoryLengths,
        lengths: MemoryLengths,
        device: torch.device,
        positions: Tensor | None = None,
    ) -> Tensor | None:
        """The mask for a segment that follows the memories `held`.

        It is `None`, which means the default causal mask, unless there are `positions`.
        """
        if positions is None:
            return None
        compress = self.stack()[0].compress
        if not getattr(compress, "by_block", False):
            raise ValueError(
                f"positions: a slot of {type(compress).__name__} may depend on several "
                "texts, use a compression by blocks such as Conv1dCompression"
            )

        # Each compressed slot represents $c$ tokens, which are older than the memory. A
        # query sees a slot if all $c$ tokens are of its own text.
        mem_len, c_mem_len = held
        i = torch.arange(seq_len, device=device)[:, None]  # [seq_len, 1]
        n_slots = torch.arange(c_mem_len, 0, -1, device=device)  # [c_mem_len]
        oldest = mem_len + i + compress.rate * n_slots  # [seq_len, c_mem_len]
        slots = positions[:, None] >= oldest[..., None]  # [seq_len, c_mem_len, batch]
        mask = causal_mask(seq_len, mem_len, device=device, positions=positions)
        return torch.cat((slots, mask), dim=1)  # [seq_len, k_len, batch]

    def cores(self) -> list[TransformerXLLayer]:
        """The layers without their compression functions, the lowest first."""
        return [layer.core for layer in self.stack()]

    def contexts(
        self, memory: CompressiveMemory | None, empty: Tensor
    ) -> list[tuple[Tensor, Tensor]]:
        """The compressed memory and the memory of each layer, as pairs.

        Both are `empty` before the first segment.
        """
        if not memory or not memory.mem:
            return [(empty, empty)] * len(self.layers)
        return list(zip(memory.c_mem, memory.mem, strict=True))

    def stack(self) -> list[CompressiveTransformerLayer]:
        """The layers, the lowest first."""
        return [cast(CompressiveTransformerLayer, layer) for layer in self.layers]


def newest(states: Tensor, length: int) -> Tensor:
    """The last `length` states.

    If others are dropped, the result is a copy and not a view, so that the storage of
    the dropped states can be freed.
    """
    dropped = max(len(states) - length, 0)
    return states[dropped:].clone() if dropped else states
