r"""# Reading with a cache

A state does not change while it is remembered, and neither do the parameters. So its
key and its value are computed once, when it is read, and not again for everything that
is read later.

| measured | gain | without | with |
| --- | ---: | ---: | ---: |
| 16 tokens of 1 at once, size M | 2.0 × | 103.3 ms | 52.4 ms |
| 16 tokens of 8 at once, size M | 2.6 × | 493.9 ms | 191.4 ms |
| 16 tokens of 1 at once, size L | 4.0 × | 1,071.6 ms | 269.0 ms |
| 16 tokens of 2 at once, size L | 3.9 × | 1,782.1 ms | 458.6 ms |

It gains most where a token is read at a time, as in generation. It gives no gradient,
so it gains nothing in training: there the parameters change after each segment.

`test_reading_with_a_cache_equals_reading_without` holds it equal to
[the language model](../language_model.md) without a cache.

**A cache is written in place.** It is the one exception to the rule that nothing edits
what its caller holds: a copy of all keys for each token would cost more than the
attention itself. `cache.copy()` is for reading on in two ways, and `cache.memory()`
gives a value from which the model's own `forward` reads on.

**Windows, not a ring.** The newest rows stand in a tensor with free room behind them. A
new row is written there, and the oldest is left behind. Once the room is used up, what
is still wanted moves to the front. With as much free room as rows, that is one copied
row for each row that is read. A ring would save this copy, but its keys leave the order
of time: its distances would have to be rotated with every token, its empty slots
hidden, and a compressed memory kept apart. In a trial, a ring read single tokens of one
sequence 1.0 (size M) and 1.1 times (size L) as fast, and those of 16 sequences 1.3
times (size M).

```text
room used up    · · · · c d e f
moved           c d e f · · · ·
g is read       c d e f g · · ·      c is no longer wanted
                · d e f g · · ·
```
"""

import copy
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from labml_txl.models.compressive import (
    CompressiveMemory,
    CompressiveTransformerLayer,
    newest,
)
from labml_txl.models.distances import DistanceKeys
from labml_txl.models.fast.attention import attend
from labml_txl.models.fast.one_token import (
    OneToken,
    in_long_rows,
    one_query,
    one_thread,
)
from labml_txl.models.memory import MemoryLengths
from labml_txl.models.transformer_xl import TransformerXLLayer

if TYPE_CHECKING:
    from labml_txl.models.language_model import LanguageModel


class Cache:
    r"""A memory, and the keys and values of all that is in it, layer by layer.

    `memory` is what the model has returned for the text so far; `None` is that of
    `batch` sequences not yet begun. `dtype` is the type of the layers' weights while
    single tokens are read: see [16-bit weights](one_token.md).
    """

    def __init__(
        self,
        model: "LanguageModel",
        memory: Any = None,
        batch: int = 1,
        dtype: torch.dtype | None = None,
    ) -> None:
        self.model = model
        stack = model.transformer
        memory = model.begin(batch) if memory is None else memory
        weight = stack.cores()[0].self_attn.query.weight
        empty = weight.new_empty(0, batch, len(weight))  # [0, batch, d_model]
        self.layers = [
            LayerCache(layer, core, c_mem.detach(), mem.detach(), model.lengths, dtype)
            for layer, core, (c_mem, mem) in zip(
                stack.layers, stack.cores(), stack.contexts(memory, empty), strict=True
            )
        ]

    @torch.inference_mode()
    def read(self, tokens: Tensor) -> Tensor:
        r"""The logits of the token after each of `tokens`, which are then remembered.

        `tokens` are `[seq_len, batch]`, the logits `[seq_len, batch, n_vocab]`.
        """
        stack = self.model.transformer
        mem_len = self.layers[0].keys.rows().shape[2]
        with one_thread() if tokens.numel() == 1 else nullcontext():
            x = self.model.embed(tokens)  # [seq_len, batch, d_model]
            mask = stack.mask(len(x), mem_len, self.model.lengths, x.device)
            for layer in self.layers:
                x = layer.read(x, mask)  # [seq_len, batch, d_model]
            y = stack.norm(x)  # [seq_len, batch, d_model]
            logits: Tensor = self.model.head(y)  # [seq_len, batch, n_vocab]
        return logits

    def copy(self) -> "Cache":
        r"""Another cache that has read the same, and reads on by itself."""
        twin = copy.copy(self)
        twin.layers = [layer.copy() for layer in self.layers]
        return twin

    @torch.inference_mode(False)
    def memory(self) -> Any:
        r"""What is remembered, as a value that `forward` of the model takes.

        It holds nothing for a loss of the compression.
        """
        mem = [layer.states.rows().transpose(0, 1).clone() for layer in self.layers]
        if isinstance(self.layers[0].layer, CompressiveTransformerLayer):
            c_mem = [layer.c_mem.clone() for layer in self.layers]
            return CompressiveMemory(mem, c_mem, [], [])
        return mem


class LayerCache:
    r"""What one layer need not compute again.

    The states are kept with their keys and values: compression needs them, and so does
    `Cache.memory`. `c_mem` is the compressed memory, `[c_mem_len, batch, d_model]`,
    whose keys and values stand before those of the memory.
    """

    def __init__(
        self,
        layer: nn.Module,
        core: TransformerXLLayer,
        c_mem: Tensor,
        mem: Tensor,
        lengths: MemoryLengths,
        dtype: torch.dtype | None = None,
    ) -> None:
        self.layer = layer
        self.core = core
        self.lengths = lengths
        self.c_mem = c_mem
        self.states = Window(mem.transpose(0, 1))

        # The weights of queries, keys and values, one below the other: one product.
        attention = core.self_attn
        parts = (attention.query, attention.key, attention.value)
        self.weights = in_long_rows(torch.cat([part.weight.detach() for part in parts]))
        self.one_token = OneToken(core, self.weights, dtype)
        _, k, v = self.project(torch.cat((c_mem, mem)))
        self.keys, self.values = Window(k), Window(v)
        self.distances: DistanceKeys = self.project_distances(k.shape[2])

    def copy(self) -> "LayerCache":
        r"""Another one, whose windows are its own."""
        twin = copy.copy(self)
        twin.states, twin.keys, twin.values = (
            Window(window.rows()) for window in (self.states, self.keys, self.values)
        )
        return twin

    @torch.no_grad()
    def project(self, x: Tensor) -> Sequence[Tensor]:
        r"""Queries, keys and values of `x`, `[batch, heads, len, d_k]` each."""
        z = self.core.before(self.core.norm_self_attn, x)
        one = len(x) == 1
        projected = self.one_token.project(z) if one else F.linear(z, self.weights)
        return [self.core.self_attn.split_heads(p) for p in projected.chunk(3, dim=-1)]

    @torch.no_grad()
    def project_distances(self, k_len: int) -> DistanceKeys:
        r"""The distances of a context twice as long, so that it may grow."""
        attention = self.core.self_attn
        return DistanceKeys(
            *(part.contiguous() for part in attention.distances(2 * k_len, -1))
        )

    def read(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        r"""A segment through one layer: `TransformerXLLayer.forward`, with a cache."""
        q, k, v = self.project(x)
        keys, values = self.keys.append(k), self.values.append(v)

        # The nearest `k_len + 1` distances, down to the column for −1: the mask of a
        # model shows no key of the future.
        n_distances = keys.shape[2] + 1
        if self.distances.keys.shape[-1] < n_distances:
            self.distances = self.project_distances(n_distances)
        if len(x) == 1 and mask is None:
            # One query is not shifted, so it needs no column for −1.
            near = DistanceKeys(*(p[..., -n_distances:-1] for p in self.distances))
            values = one_query(self.core.self_attn, q, keys, values, near)
            self.forget(x)
            return self.one_token.finish(x, values)

        near = DistanceKeys(*(part[..., -n_distances:] for part in self.distances))
        attended = attend(self.core.self_attn, q, keys, values, near, mask)
        self.forget(x)
        return self.core.finish(x, attended)

    def forget(self, x: Tensor) -> None:
        r"""Remember `x`; drop or compress what is older than the memory reaches."""
        mem = self.states.rows().transpose(0, 1)  # [mem_len, batch, d_model]
        self.states.append(x.transpose(0, 1))
        surplus = len(mem) + len(x) - self.lengths.mem_len
        if surplus <= 0:
            return
        if not isinstance(self.layer, CompressiveTransformerLayer):
            for window in (self.states, self.keys, self.values):
                window.drop(surplus)
            return
        if surplus < self.layer.compress.rate:
            return

        # [Compress][cmp.new_compressed] as the layer does it. Only what is new in the
        # compressed memory gets keys and values.
        _, old, new = self.layer.compress_oldest(
            x, mem, self.c_mem, self.lengths.mem_len
        )
        c_mem_len = len(self.c_mem)
        self.c_mem = newest(torch.cat((self.c_mem, new)), self.lengths.c_mem_len)
        self.states.drop(len(old))
        _, *projected = self.project(new)
        for window, rows in zip((self.keys, self.values), projected, strict=True):
            window.replace(c_mem_len, len(old), rows, len(self.c_mem))


class Window:
    r"""The newest rows of something that grows, with time on the last but one axis."""

    def __init__(self, rows: Tensor) -> None:
        self.storage = rows.clone()
        self.start, self.end = 0, rows.shape[-2]

    def rows(self) -> Tensor:
        r"""The rows: a view, whose elements the next rows may overwrite."""
        return self.storage[..., self.start : self.end, :]

    def append(self, new: Tensor) -> Tensor:
        r"""Write `new` rows behind the others; returns all."""
        length = new.shape[-2]
        if self.end + length > self.storage.shape[-2]:
            self.move(length)
        self.storage[..., self.end : self.end + length, :] = new
        self.end += length
        return self.rows()

    def move(self, length: int) -> None:
        r"""To the front, where `length` more rows then have room."""
        old = self.rows()
        n_rows = old.shape[-2]
        *outer, _, width = old.shape
        # A storage that is large enough serves again: to get a new one costs more than
        # to move the rows.
        if self.start < n_rows + length:
            self.storage = old.new_empty(*outer, 2 * (n_rows + length), width)
        self.storage[..., :n_rows, :] = old
        self.start, self.end = 0, n_rows

    def drop(self, length: int) -> None:
        r"""Leave the oldest `length` rows behind."""
        self.start += length

    def replace(self, n_first: int, n_old: int, new: Tensor, kept: int) -> None:
        r"""Put `new` rows behind the first `n_first`, keep the newest `kept` of these,
        and leave out the `n_old` that follow. There are not more new rows than old.
        """
        first = torch.cat((self.rows()[..., :n_first, :], new), dim=-2)
        border = self.start + n_first + n_old
        self.start = border - kept
        self.storage[..., self.start : border, :] = first.narrow(
            -2, first.shape[-2] - kept, kept
        )
