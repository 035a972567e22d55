r"""# Reading with a cache

A state does not change while it is remembered, and neither do the parameters. So its
key and its value are computed once, when it is read, and not again for everything that
is read later.

| measured | gain | without | with |
| --- | ---: | ---: | ---: |
| evaluation with memory, size M | 1.11 × | 247 ms | 221 ms |
| evaluation with memory, size L | 1.30 × | 542 ms | 417 ms |
| generation, size M | 3.31 × | 192 ms | 58 ms |
| generation, size L | 10.02 × | 1,346 ms | 134 ms |

It gains most where a token is read at a time, as in generation. With whole segments it
gains the more, the longer the memory is beside them: on a CPU `txl evaluate` reads with
a cache, if there is room for it. It gives no gradient, so it gains nothing in training:
there the parameters change after each segment.

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
from collections import deque
from collections.abc import Callable
from contextlib import nullcontext
from functools import cached_property
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from labml_txl.models.arguments import check_memory, check_tokens
from labml_txl.models.compressive import (
    CompressiveMemory,
    CompressiveTransformerLayer,
    newest,
)
from labml_txl.models.distances import DistanceKeys
from labml_txl.models.fast.attention import attend
from labml_txl.models.fast.one_token import (
    OneToken,
    distances_by_rows,
    one_query,
    split,
    threads,
    threads_for,
)
from labml_txl.models.memory import MemoryLengths
from labml_txl.models.transformer_xl import TransformerXLLayer

if TYPE_CHECKING:
    from labml_txl.models.language_model import LanguageModel


class Cache:
    r"""A memory, and the keys and values of all that is in it, layer by layer.

    `memory` is what the model has returned for the text so far; `None` is that of
    `batch` sequences not yet begun.
    """

    def __init__(
        self,
        model: "LanguageModel",
        memory: Any = None,
        batch: int = 1,
    ) -> None:
        self.model = model
        stack = model.transformer
        memory = model.begin(batch) if memory is None else memory
        weight = stack.cores()[0].norm_self_attn.weight
        # Whatever the batch of the memory is: `read` compares it with the tokens'.
        mem = memory.mem if isinstance(memory, CompressiveMemory) else memory or ()
        if mem and mem[0].dim() == 3:
            batch = mem[0].shape[1]
        stack.check((1, batch, stack.size), memory)
        empty = weight.new_empty(0, batch, stack.size)  # [0, batch, d_model]
        self.layers = [
            LayerCache(layer, core, c_mem.detach(), mem.detach(), model.lengths)
            for layer, core, (c_mem, mem) in zip(
                stack.layers, stack.cores(), stack.contexts(memory, empty), strict=True
            )
        ]

    def read(self, tokens: Tensor) -> Tensor:
        r"""The logits of the token after each of `tokens`, which are then remembered.

        `tokens` are `[seq_len, batch]`, the logits `[seq_len, batch, n_vocab]`.
        """
        return self.through(tokens, self.model.head)

    def losses(self, tokens: Tensor, targets: Tensor) -> Tensor:
        r"""$-\ln p$ of the token after each of `tokens`, in nats: `[seq_len, batch]`.

        `LanguageModel.losses`, with the cache in place of the memory.
        """
        return self.through(tokens, lambda y: self.model.head.losses(y, targets))

    @torch.inference_mode()
    def through(self, tokens: Tensor, head: Callable[[Tensor], Tensor]) -> Tensor:
        r"""What `head` makes of `tokens` behind all layers."""
        check_tokens(tokens)
        stack = self.model.transformer
        first = self.layers[0]
        mem_len, shape = len(first) - len(first.c_mem), first.c_mem.shape
        check_memory((mem_len, *shape[1:]), (*tokens.shape, stack.size))
        one = tokens.numel() == 1
        with threads(threads_for(first.core)) if one else nullcontext():
            x = self.model.embed(tokens)  # [seq_len, batch, d_model]
            mask = stack.mask(len(x), len(first), self.model.lengths, x.device)
            for layer in self.layers:
                x = layer.read(x, mask)  # [seq_len, batch, d_model]
            return head(stack.norm(x))

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
        mem = [layer.memory() for layer in self.layers]
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
    ) -> None:
        self.layer = layer
        self.core = core
        self.lengths = lengths
        self.c_mem = c_mem.clone()
        # As they were read, oldest first: only compression and `memory` join them.
        self.states = deque([mem.clone()])

        # The weights of queries, keys and values, one below the other: one product.
        attention = core.self_attn
        parts = (attention.query, attention.key, attention.value)
        self.weights = torch.cat([part.weight.detach() for part in parts])
        self.pairs = Window(self.project(torch.cat((c_mem, mem)))[1:])
        self.distances, self.bias_of_one = self.project_distances(len(self))

    def __len__(self) -> int:
        r"""How many keys are remembered."""
        return len(self.pairs)

    @cached_property
    def one_token(self) -> OneToken:
        r"""The products for single tokens, which have weights of their own."""
        return OneToken(self.core, self.c_mem.shape[1])

    def copy(self) -> "LayerCache":
        r"""Another one, whose keys and values are its own."""
        twin = copy.copy(self)
        twin.one_token = self.one_token
        twin.states, twin.pairs = self.states.copy(), Window(self.pairs.rows())
        return twin

    def memory(self) -> Tensor:
        r"""The states that are remembered, `[mem_len, batch, d_model]`."""
        return torch.cat((self.c_mem[:0], *self.states))

    @torch.no_grad()
    def project(self, x: Tensor) -> Tensor:
        r"""Queries, keys and values of `x`: `[3, batch, heads, len, d_k]`."""
        z = self.core.before(self.core.norm_self_attn, x)
        return split(F.linear(z, self.weights), self.core.self_attn)

    @torch.no_grad()
    def project_distances(self, k_len: int) -> tuple[DistanceKeys, Tensor]:
        r"""The distances of a context twice as long, so that it may grow."""
        return distances_by_rows(self.core.self_attn, 2 * k_len)

    def read(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        r"""A segment through one layer: `TransformerXLLayer.forward`, with a cache."""
        n_distances = len(self) + len(x) + 1
        if self.distances.keys.shape[-1] < n_distances:
            self.distances, self.bias_of_one = self.project_distances(n_distances)
        return self.read_one(x, mask) if len(x) == 1 else self.read_many(x, mask)

    def read_one(self, x: Tensor, mask: Tensor | None) -> Tensor:
        r"""One token of each sequence."""
        one, core = self.one_token, self.core
        z = one.project(core.before(core.norm_self_attn, x))
        projected = split(z, core.self_attn)
        pairs = self.pairs.append(projected[1:])
        if mask is not None:
            # With `same_length` it sees the newest keys, as many as are remembered.
            pairs = pairs[..., -max(self.lengths.mem_len, 1) :, :]

        # One query is not shifted, so it needs no column for −1.
        seen = slice(-pairs.shape[-2] - 1, -1)
        near = DistanceKeys(self.distances.keys[..., seen], self.bias_of_one[..., seen])
        values = one_query(projected[0], pairs[0], pairs[1], near)
        self.forget(x)
        return one.finish(x, values)

    def read_many(self, x: Tensor, mask: Tensor | None) -> Tensor:
        r"""A longer segment."""
        projected = self.project(x)  # [3, batch, heads, len, d_k]
        keys, values = self.pairs.append(projected[1:])

        # The nearest `k_len + 1` distances, down to the column for −1: the mask of a
        # model shows no key of the future.
        n_distances = keys.shape[2] + 1
        near = DistanceKeys(*(part[..., -n_distances:] for part in self.distances))
        attended = attend(self.core.self_attn, projected[0], keys, values, near, mask)
        self.forget(x)
        return self.core.finish(x, attended)

    def forget(self, x: Tensor) -> None:
        r"""Remember `x`; drop or compress what is older than the memory reaches."""
        surplus = len(self) - len(self.c_mem) - self.lengths.mem_len
        if not isinstance(self.layer, CompressiveTransformerLayer):
            self.states.append(x)
            self.drop(max(surplus, 0))
            return
        if surplus < self.layer.compress.rate:
            self.states.append(x)
            return

        # [Compress][cmp.new_compressed] as the layer does it. Only what is new in the
        # compressed memory gets keys and values.
        kept, old, new = self.layer.compress_oldest(
            x, self.memory(), self.c_mem, self.lengths.mem_len
        )
        c_mem_len = len(self.c_mem)
        self.c_mem = newest(torch.cat((self.c_mem, new)), self.lengths.c_mem_len)
        self.states = deque([kept])
        pairs = self.project(new)[1:]
        self.pairs.replace(c_mem_len, len(old), pairs, len(self.c_mem))

    def drop(self, surplus: int) -> None:
        r"""Leave the oldest states behind, with their keys and values."""
        self.pairs.drop(surplus)
        while surplus:
            oldest = self.states.popleft()
            if len(oldest) > surplus:
                self.states.appendleft(oldest[surplus:])
            surplus -= min(surplus, len(oldest))


class Window:
    r"""The newest rows of something that grows, with time on the last but one axis."""

    def __init__(self, rows: Tensor) -> None:
        self.storage, self.start, self.end = rows, 0, rows.shape[-2]
        self.move(1)

    def __len__(self) -> int:
        return self.end - self.start

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
        border = self.start + n_first + n_old
        self.storage[..., border - kept : border, :] = torch.cat(
            (self.rows()[..., :n_first, :], new), dim=-2
        ).narrow(-2, n_first + new.shape[-2] - kept, kept)
        self.start = border - kept
