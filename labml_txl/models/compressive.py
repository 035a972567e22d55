r"""# Compressive Transformer

Transformer-XL with a second memory: what falls out of the first one is compressed and
kept much longer, at a coarser grain.

```text
oldest                        newest
┌────────────┬──────────┬──────────┐
│ compressed │ memory   │ segment  │
│ n_cm       │ n_m      │ n_s      │
└────────────┴──────────┴──────────┘
 ◄ dropped    ◄ c to 1   ◄ kept
```

Each layer attends to all three at [a cost of][cmp.attention_cost]
$O(n_s^2 + n_s\,(n_m + n_{cm}))$. A compressed memory stands for $c$ tokens, so $l$
layers reach back [over a range of][cmp.temporal_range] $l\,(n_m + c\,n_{cm})$ tokens.
Transformer-XL with as many memories reaches $l\,(n_m + n_{cm})$. A compressed memory
has one position, like any other: distances are counted in memories, not in tokens.

Departures from the paper:

- The norm stands before attention and before the feed-forward network by default, as
  in `TransformerXLLayer`; `norm="post"` is the paper's order.
- Algorithm 1 compresses $n_s$ states after each segment. `remember` waits until whole
  blocks of $c$ have fallen out, so segments of any length lose nothing.
"""

from collections.abc import Sequence
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn

from labml_txl.models.arguments import check_memories, check_memory, check_segment
from labml_txl.models.compression import Compression
from labml_txl.models.feed_forward import FeedForward
from labml_txl.models.memory import MemoryLengths, reset_memory
from labml_txl.models.relative_attention import RelativeAttention
from labml_txl.models.transformer_xl import TransformerXLLayer, final_norm, fresh_copy


class CompressiveMemory(NamedTuple):
    r"""All that is remembered, a value like the memory of Transformer-XL.

    Each field has one tensor a layer, oldest state first, or is empty. The last two are
    what the compression losses ask for: `loss(memory.read, memory.old)`.
    """

    mem: list[Tensor]
    c_mem: list[Tensor]
    read: list[Tensor]  # what each layer has read in the last segment
    old: list[Tensor]  # what fell out of memory and was compressed with it

    @classmethod
    def empty(cls) -> "CompressiveMemory":
        r"""The memory before the first segment."""
        # Departure: the paper starts with [zeros][cmp.initial_memory] for $m_0$ and
        # $cm_0$, and attends to them. Here a memory that was never written does not
        # exist: it is empty, and grows. `reset` is where zeros come in.
        return cls([], [], [], [])

    def detach(self) -> "CompressiveMemory":
        r"""The same values, cut from the graph that back-propagation would follow."""
        return CompressiveMemory(*([m.detach() for m in states] for states in self))

    def reset(self, ended: Tensor) -> "CompressiveMemory":
        r"""Forget some sequences of the batch: `ended` is as for `reset_memory`."""
        return CompressiveMemory(*(reset_memory(states, ended) for states in self))


class CompressiveTransformerLayer(nn.Module):
    r"""A layer of Transformer-XL, and a compression function of its own.

    `compress` is one of `COMPRESSIONS`; the other arguments are those of
    `TransformerXLLayer`, which this layer contains as `core`.
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
    ) -> Tensor:
        r"""One segment through one layer.

        `x` is `[seq_len, batch, d_model]`, `mem` is `[mem_len, batch, d_model]` and
        `c_mem` is `[c_mem_len, batch, d_model]`. `mask` is `[seq_len, k_len, batch or
        1]` with `k_len = c_mem_len + mem_len + seq_len`. Returns the shape of `x`.
        """
        # [Attention to everything][cmp.attention], then
        # [a sum and a norm][cmp.attention_norm], then
        # [the feed-forward network][cmp.feed_forward] with another sum and norm: all
        # that a layer of Transformer-XL does.
        check_segment(x.shape, self.size)
        context = concat_memory(x, mem, c_mem)  # [k_len, batch, d_model]
        return self.core.read(x, context, mask)  # [seq_len, batch, d_model]

    def compress_oldest(
        self, x: Tensor, mem: Tensor, c_mem: Tensor, mem_len: int
    ) -> tuple[Tensor, Tensor, Tensor]:
        r"""What stays in memory, what falls out of it, and that compressed.

        `x` is what the layer has read in this segment.
        """
        states = torch.cat((mem, x))  # [mem_len + seq_len, batch, d_model]

        # [The oldest][cmp.old_memory], in whole blocks. Algorithm 1 takes the $n_s$
        # oldest of the memory. That is the same if the memory is full and $c$ divides
        # $n_s$; what is short of a block waits for the next segment.
        surplus = max(len(states) - mem_len, 0)
        n_old = surplus - surplus % self.compress.rate
        old = states[:n_old]  # [n_old, batch, d_model]

        # [The memory][cmp.memory_update] keeps all others: $n_m$, and what waits.
        kept = states[n_old:].clone() if n_old else states

        # [Compress][cmp.new_compressed], each layer with its own function.
        usage = None
        if self.compress.needs_usage and n_old:
            usage = self.usage(x, mem, c_mem)[:n_old]  # [n_old, batch]
        new_cm = self.compress(old, usage) if n_old else old
        return kept, old, new_cm

    @torch.no_grad()
    def usage(self, x: Tensor, mem: Tensor | None, c_mem: Tensor | None) -> Tensor:
        r"""The average attention that memory and segment receive from the segment.

        Over all heads, and over those queries that can see the key. Returns
        `[mem_len + seq_len, batch]`. `MostUsedCompression` needs it; nothing else does,
        so it is computed anew here instead of being carried out of every forward pass.
        """
        core, attention = self.core, self.core.self_attn
        context = core.before(core.norm_self_attn, concat_memory(x, mem, c_mem))
        q = attention.split_heads(attention.query(context[-len(x) :]))
        k = attention.split_heads(attention.key(context))

        scores = attention.scores(q, k, attention.distances(len(context) - 1, -1))
        received = attention.weights(scores).sum(2).mean(1)  # [batch, k_len]

        # Each key of the memory is seen by all queries, the last of the segment by one.
        seen_by = torch.arange(len(context), 0, -1, device=x.device).clamp(max=len(x))
        average = (received / seen_by).t()  # [k_len, batch]
        return average[0 if c_mem is None else len(c_mem) :]


def concat_memory(x: Tensor, mem: Tensor | None, c_mem: Tensor | None) -> Tensor:
    r"""Compressed memory, memory and segment, from the oldest to the newest."""
    # [Both memories joined][cmp.memories],
    # $\mathbf{mem}^{(i)} = \mathrm{concat}(\mathbf{cm}_t^{(i)}, \mathbf m_t^{(i)})$,
    # and the segment behind them. The memory gives no gradient. The compressed memory
    # gives as much of one as its owner has left in it: without an auxiliary loss, this
    # is how the compression function learns.
    parts = []
    if c_mem is not None:
        check_memory(c_mem.shape, x.shape, "compressed memory")
        parts.append(c_mem)
    if mem is not None:
        check_memory(mem.shape, x.shape)
        parts.append(mem.detach())
    return torch.cat((*parts, x))  # [k_len, batch, d_model]


class CompressiveTransformer(nn.Module):
    r"""A stack of `n_layers` layers like `layer`, each with initial values of its own.

    Every layer has its own compression function, $f_c^{(i)}$.
    """

    def __init__(self, layer: CompressiveTransformerLayer, n_layers: int) -> None:
        super().__init__()
        if n_layers < 1:
            raise ValueError(f"{n_layers=} must be at least 1")
        self.size = layer.size
        self.layers = nn.ModuleList(fresh_copy(layer) for _ in range(n_layers))
        self.norm = final_norm(layer.norm, layer.size)

    def forward(
        self,
        x: Tensor,
        mem: Sequence[Tensor] = (),
        c_mem: Sequence[Tensor] = (),
        mask: Tensor | None = None,
    ) -> tuple[Tensor, list[Tensor]]:
        r"""One segment through all layers.

        `x` is [the embedded segment][cmp.embedding], `[seq_len, batch, d_model]`. `mem`
        and `c_mem` have a tensor for each layer, or are empty. Returns the output,
        shaped like `x`, and the states that each layer has read, for `remember`.

        For `mask` see `CompressiveTransformerLayer`.
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
        r"""Raise `ValueError` if `memory` does not fit a segment of this shape."""
        check_segment(segment, self.size)
        if memory is not None:
            n_layers = len(self.layers)
            check_memories(memory.mem, segment, n_layers)
            check_memories(memory.c_mem, segment, n_layers, "compressed memory")

    def advance(
        self,
        x: Tensor,
        memory: CompressiveMemory | None,
        lengths: MemoryLengths,
        keep_graph: bool = False,
    ) -> tuple[Tensor, CompressiveMemory]:
        r"""`forward`, and what is remembered afterwards: see `remember`."""
        memory = memory or CompressiveMemory.empty()
        y, read = self(x, memory.mem, memory.c_mem)
        return y, self.remember(memory, read, lengths, keep_graph)

    def remember(
        self,
        memory: CompressiveMemory | None,
        read: Sequence[Tensor],
        lengths: MemoryLengths,
        keep_graph: bool = False,
    ) -> CompressiveMemory:
        r"""Newest in, oldest compressed, oldest compressed dropped, in every layer.

        `keep_graph` leaves the compressed memory in the graph of its compression, for
        back-propagation through time.
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
                kept, old, new_cm = layer.compress_oldest(read[i], mem, c_mem, mem_len)

                # [The compressed memory][cmp.compressed_update] keeps its newest
                # $n_{cm}$. Where nothing was compressed it stays the same tensor.
                if len(new_cm):
                    c_mem = newest(torch.cat((c_mem, new_cm)), c_mem_len)
                new.mem.append(kept)
                new.c_mem.append(c_mem)
                new.old.append(old)
        return new

    def mask(
        self, seq_len: int, mem_len: int, lengths: MemoryLengths, device: torch.device
    ) -> None:
        r"""Each token sees both memories, and all of its segment's past."""

    def cores(self) -> list[TransformerXLLayer]:
        r"""The layers without their compression, from the lowest to the highest."""
        return [layer.core for layer in self.stack()]

    def contexts(
        self, memory: CompressiveMemory | None, empty: Tensor
    ) -> list[tuple[Tensor, Tensor]]:
        r"""Compressed memory and memory of each layer; `empty` stands for none."""
        if not memory or not memory.mem:
            return [(empty, empty)] * len(self.layers)
        return list(zip(memory.c_mem, memory.mem, strict=True))

    def stack(self) -> list[CompressiveTransformerLayer]:
        r"""The layers, from the lowest to the highest."""
        return [cast(CompressiveTransformerLayer, layer) for layer in self.layers]


def newest(states: Tensor, length: int) -> Tensor:
    r"""The last `length` states, in storage of their own."""
    dropped = max(len(states) - length, 0)
    return states[dropped:].clone() if dropped else states
