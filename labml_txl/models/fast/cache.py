# ---
# keywords: [cache invalidation]
# ---
"""# Keys and values in a cache

The memory contains states, from which each layer computes keys and values. As long as a
state is in the memory, and the parameters do not change, its key and its value do not
change either. A cache keeps them, so that they need not be computed again for each
segment.

| measured | gain | without | with |
| --- | ---: | ---: | ---: |
| evaluation with memory, size M | 1.20 × | 313 ms | 262 ms |
| evaluation with memory, size L | 1.34 × | 792 ms | 593 ms |
| generation, size M | 3.62 × | 297 ms | 82 ms |
| generation, size L | 8.44 × | 1,711 ms | 203 ms |

It saves most if the model processes one token at a time, as in generation. With whole
segments, it saves more if the memory is long compared with the segment; `txl evaluate`
uses a cache on a CPU if the cache is not too large. In training a cache is of no use,
because the parameters change after each segment, and no gradients flow through it.

A test compares it with [the language model](../language_model.md) without a cache.

**A cache is changed in place.** The memory itself is never changed, but a cache is,
because copying all keys and values for each token would take more time than attention.
To continue a text in two ways, make a copy with `cache.copy()`. `cache.memory()`
returns the memory that `forward` of the model accepts.

**A window that moves.** Keys and values are the rows of a tensor that has free rows at
its end. A new row is written into the first free one, and the oldest row is dropped by
moving the beginning of the window. When no row is free, the whole window is copied to
the beginning of the tensor. Since there are as many free rows as used ones, this is on
average one copied row for each new one.

```text
no free row             · · · · c d e f
moved                   c d e f · · · ·
g is added              c d e f g · · ·
c is dropped            · d e f g · · ·
```

A ring buffer would not need these copies. But its rows are not in the order of time, so
the distances would have to be rotated with every token, unused rows would have to be
masked, and the compressed memory would need a tensor of its own. In a trial, of which
no record was kept, a ring buffer was 1.0 times (size M) and 1.1 times (size L) as fast
as the window for single tokens of one sequence, and 1.3 times as fast for those of 16
sequences (size M).
"""

import copy
from collections import deque
from collections.abc import Callable
from contextlib import nullcontext
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn

from labml_txl.models.arguments import check_memory, check_targets, is_plain
from labml_txl.models.compressive import (
    CompressiveMemory,
    CompressiveTransformer,
    CompressiveTransformerLayer,
    newest,
)
from labml_txl.models.distances import DistanceKeys
from labml_txl.models.dropout import Dropout
from labml_txl.models.fast.attention import RelativeMultiHeadAttention, attend
from labml_txl.models.fast.one_token import (
    OneToken,
    distances_by_rows,
    is_small,
    join_projections,
    one_query,
    split,
    use_threads,
)
from labml_txl.models.language_model import LanguageModel, Reader
from labml_txl.models.memory import MemoryLengths
from labml_txl.models.relative_attention import RelativeAttention
from labml_txl.models.transformer_xl import TransformerXL, TransformerXLLayer


class Cache(Reader):
    """A reader that keeps the keys and values of all states in memory.

    For the arguments see `Reader`. Raises `ValueError` if the model does not fit.
    """

    def __init__(
        self,
        model: LanguageModel,
        memory: Any = None,
        batch: int = 1,
    ) -> None:
        if not self.fits(model):
            raise ValueError(
                "a cache does not call the layers, and these have hooks or are of "
                "another class: use the model without a cache"
            )
        self.model = model
        stack: Any = model.transformer
        weight = stack.cores()[0].self_attn.content_bias
        empty = weight.new_empty(0, batch, stack.size)  # [0, batch, d_model]
        memory = model.begin(empty) if memory is None else memory
        self.small = is_small(stack.cores()[0])
        # `check` needs a batch size. `read` checks later that the tokens have the same
        # one.
        mem: Any = getattr(memory, "mem", () if memory is None else memory)
        if len(mem) and isinstance(mem[0], Tensor) and mem[0].dim() == 3:
            empty = weight.new_empty(0, mem[0].shape[1], stack.size)
        stack.check((1, *empty.shape[1:]), memory)
        self.layers = [
            LayerCache(layer, core, c_mem.detach(), mem.detach(), model.lengths)
            for layer, core, (c_mem, mem) in zip(
                stack.layers, stack.cores(), stack.contexts(memory, empty), strict=True
            )
        ]

    @classmethod
    def fits(cls, model: LanguageModel) -> bool:
        """Whether the layers are those of this package, and nothing is hooked on them.

        A cache implements the computation of the layers itself, so it cannot be used if
        a layer is of another class or has hooks.
        """
        stack: Any = model.transformer
        return (
            is_plain(model, LanguageModel)
            and is_plain(stack, TransformerXL, CompressiveTransformer)
            and all(map(is_ours, stack.layers, stack.cores()))
        )

    def read(self, tokens: Tensor, positions: Tensor | None = None) -> Tensor:
        """Process a segment: the logits, as for `Reader.read`."""
        return self.process_segment(tokens, positions, self.model.head)

    def losses(
        self, tokens: Tensor, targets: Tensor, positions: Tensor | None = None
    ) -> Tensor:
        """Process a segment: the losses, as for `LanguageModel.losses`."""
        check_targets(targets, tokens)
        losses_of = self.model.losses_of
        return self.process_segment(tokens, positions, lambda y: losses_of(y, targets))

    def process_segment(
        self,
        tokens: Tensor,
        positions: Tensor | None,
        head: Callable[[Tensor], Tensor],
    ) -> Tensor:
        """Process a segment and apply `head` to the output of the last layer."""
        one = tokens.numel() == 1 and self.small
        with use_threads(1) if one else nullcontext():
            with torch.inference_mode():
                y = self.output(tokens, positions)  # [seq_len, batch, d_model]
            # The result is an ordinary tensor, with which a model can be trained.
            with torch.no_grad():
                return head(self.model.transformer.norm(y))

    def output(self, tokens: Tensor, positions: Tensor | None) -> Tensor:
        """Process a segment: the output of the last layer, before the last norm."""
        stack, first = self.model.transformer, self.layers[0]
        x = self.model.embed_tokens(tokens, positions)  # [seq_len, batch, d_model]
        held = MemoryLengths(len(first) - len(first.c_mem), len(first.c_mem))
        shape = (held.mem_len, *first.c_mem.shape[1:])
        check_memory(shape, (*tokens.shape, stack.size))
        mask = stack.mask(len(x), held, self.model.lengths, x.device, positions)
        for layer in self.layers:
            x = layer.read(x, mask)  # [seq_len, batch, d_model]
        return x

    def copy(self) -> "Cache":
        """A copy, which can continue the text independently of this cache."""
        twin = copy.copy(self)
        twin.layers = [layer.copy() for layer in self.layers]
        return twin

    @torch.inference_mode(False)
    def memory(self) -> Any:
        """The memory, as `forward` of the model accepts it.

        Its fields for a loss of the compression are empty.
        """
        mem = [layer.memory() for layer in self.layers]
        if isinstance(self.layers[0].layer, CompressiveTransformerLayer):
            c_mem = [layer.c_mem.clone() for layer in self.layers]
            return CompressiveMemory(mem, c_mem, [], [])
        return mem


def is_ours(layer: nn.Module, core: TransformerXLLayer) -> bool:
    """Whether a layer is one of this package's, without hooks."""
    return (
        is_plain(layer, TransformerXLLayer, CompressiveTransformerLayer)
        and is_plain(core, TransformerXLLayer)
        and is_plain(core.self_attn, RelativeAttention, RelativeMultiHeadAttention)
        and is_plain(core.self_attn.dropout, Dropout, nn.Dropout)
    )


class LayerCache:
    """The states that one layer remembers, with their keys and values.

    The states are kept too, because compression and `Cache.memory` need them.

    - `layer`: the layer, and `core` the same without its compression function.
    - `c_mem`: the compressed memory, `[c_mem_len, batch, d_model]`. Its keys and values
      come before those of the memory.
    - `mem`: the memory, `[mem_len, batch, d_model]`.
    - `lengths`: how many states and compressed slots to keep.
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
        # The states of each segment, the oldest first. They are joined only when
        # needed.
        self.states = deque([mem.clone()])

        self.product = join_projections(core.self_attn)
        self.pairs = Window(self.project(torch.cat((c_mem, mem)))[1:])
        self.distances, self.bias_of_one = self.project_distances(len(self))

    def __len__(self) -> int:
        """The number of keys."""
        return len(self.pairs)

    @cached_property
    def one_token(self) -> OneToken:
        """The products for single tokens, whose weights are prepared once."""
        return OneToken(self.core, self.c_mem.shape[1])

    def copy(self) -> "LayerCache":
        """A copy with keys and values of its own."""
        twin = copy.copy(self)
        twin.one_token = self.one_token
        twin.states, twin.pairs = self.states.copy(), Window(self.pairs.rows())
        return twin

    def memory(self) -> Tensor:
        """The states in memory, `[mem_len, batch, d_model]`."""
        return torch.cat((self.c_mem[:0], *self.states))

    @torch.no_grad()
    def project(self, x: Tensor) -> Tensor:
        """Queries, keys and values of `x`: `[3, batch, heads, len, d_k]`."""
        z = self.core.before(self.core.norm_self_attn, x)
        return split(self.product(z), self.core.self_attn)

    @torch.no_grad()
    def project_distances(self, k_len: int) -> tuple[DistanceKeys, Tensor]:
        """Keys and biases for twice as many distances, since the context may grow."""
        return distances_by_rows(self.core.self_attn, 2 * k_len)

    def read(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Process a segment, as `TransformerXLLayer.forward` does with the memory."""
        n_distances = len(self) + len(x) + 1
        if self.distances.keys.shape[-1] < n_distances:
            self.distances, self.bias_of_one = self.project_distances(n_distances)
        one = len(x) == 1 and not self.core.training
        return self.read_one(x, mask) if one else self.read_many(x, mask)

    def read_one(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """Process one token of each sequence."""
        one, core = self.one_token, self.core
        z = one.project(core.before(core.norm_self_attn, x))
        projected = split(z, core.self_attn)
        keys, values = self.pairs.append(projected[1:])

        # A single query needs no shift, and therefore no column for the distance −1.
        seen = slice(-keys.shape[-2] - 1, -1)
        near = DistanceKeys(self.distances.keys[..., seen], self.bias_of_one[..., seen])
        attended = one_query(projected[0], keys, values, near, mask)
        self.forget(x)
        return one.finish(x, attended)

    def read_many(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """Process a segment of several tokens."""
        projected = self.project(x)  # [3, batch, heads, len, d_k]
        keys, values = self.pairs.append(projected[1:])

        # The nearest `k_len + 1` distances, down to −1, which the shift needs.
        n_distances = keys.shape[2] + 1
        near = DistanceKeys(*(part[..., -n_distances:] for part in self.distances))
        attended = attend(self.core.self_attn, projected[0], keys, values, near, mask)
        self.forget(x)
        return self.core.finish(x, attended)

    def forget(self, x: Tensor) -> None:
        """Add `x` to the memory, and drop or compress the oldest states."""
        surplus = len(self) - len(self.c_mem) - self.lengths.mem_len
        if not isinstance(self.layer, CompressiveTransformerLayer):
            self.states.append(x)
            self.drop(max(surplus, 0))
            return
        if surplus < self.layer.compress.rate:
            self.states.append(x)
            return

        # [Compress][cmp.new_compressed] as the layer does, and compute keys and values
        # of the new compressed slots.
        kept, old, new = self.layer.compress_oldest(
            x, self.memory(), self.c_mem, self.lengths.mem_len
        )
        c_mem_len = len(self.c_mem)
        self.c_mem = newest(torch.cat((self.c_mem, new)), self.lengths.c_mem_len)
        self.states = deque([kept])
        pairs = self.project(new)[1:]
        self.pairs.replace(c_mem_len, len(old), pairs, len(self.c_mem))

    def drop(self, surplus: int) -> None:
        """Drop the oldest `surplus` states with their keys and values."""
        self.pairs.drop(surplus)
        while surplus:
            oldest = self.states.popleft()
            if len(oldest) > surplus:
                self.states.appendleft(oldest[surplus:])
            surplus -= min(surplus, len(oldest))


class Window:
    """The newest rows of a tensor that grows along its last but one axis.

    `rows` are the first ones.
    """

    def __init__(self, rows: Tensor) -> None:
        self.storage, self.start, self.end = rows, 0, rows.shape[-2]
        self.move(1)

    def __len__(self) -> int:
        return self.end - self.start

    def rows(self) -> Tensor:
        """The rows, as a view that is valid until rows are added."""
        return self.storage[..., self.start : self.end, :]

    def append(self, new: Tensor) -> Tensor:
        """Add `new` rows at the end, and return all rows."""
        length = new.shape[-2]
        if self.end + length > self.storage.shape[-2]:
            self.move(length)
        self.storage[..., self.end : self.end + length, :] = new
        self.end += length
        return self.rows()

    def move(self, length: int) -> None:
        """Copy the rows to the beginning, so that `length` more rows can be added."""
        old = self.rows()
        n_rows = old.shape[-2]
        *outer, _, width = old.shape
        # The old storage is used again if it is large enough, because allocating a new
        # one takes more time than copying the rows.
        if self.start < n_rows + length:
            self.storage = old.new_empty(*outer, 2 * (n_rows + length), width)
        self.storage[..., :n_rows, :] = old
        self.start, self.end = 0, n_rows

    def drop(self, length: int) -> None:
        """Drop the oldest `length` rows."""
        self.start += length

    def replace(self, n_first: int, n_old: int, new: Tensor, kept: int) -> None:
        """Replace the rows that were compressed.

        - `n_first`: the number of rows of the compressed memory, which come first.
        - `n_old`: the number of rows after them, which are dropped.
        - `new`: the rows to add to those of the compressed memory, at most `n_old`.
        - `kept`: how many rows of the compressed memory are kept, the newest ones.
        """
        border = self.start + n_first + n_old
        self.storage[..., border - kept : border, :] = torch.cat(
            (self.rows()[..., :n_first, :], new), dim=-2
        ).narrow(-2, n_first + new.shape[-2] - kept, kept)
        self.start = border - kept
