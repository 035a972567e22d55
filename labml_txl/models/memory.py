# ---
# keywords: [gradient, gradients, does gradient flow into memory, stop-gradient,
#   tgt_len, ext_len, hidden states, _update_mems, cached, stop gradient, initial
#   memory, empty memory, memory update, concatenate, memory per layer, share memory
#   between layers, new document, clear memory]
# ---
"""# Segment-level memory

A long text is cut into segments, and the model processes one segment after the other.
Each layer keeps the states that were its input in the last segments, and attends to
them again while it processes the next one, so its context is longer than the segment.
These states are the memory of the layer.

![Three segments of three states each, and a memory of four. The first segment has no
memory; the second attends to the three states of the first; the third attends to the
newest four, and the older states have been dropped.](figure:memory-steps)

The number in a box says to which token the state belongs. The figure shows the input of
the layer, which is what it keeps. Its output is the input of the next layer, which
keeps it in its own memory. [The picture of the worked
case](../papers/transformer_xl.md#recurrence-over-segments) shows the values of such
states.

The memory of a whole model is a list with a tensor `[mem_len, batch, d_model]` for each
layer, in which the oldest state comes first. Before the first segment this list is
empty; a layer then gets `None`.

No module stores the memory. It is an argument of each forward pass, and the functions
on this page return a new list instead of changing the old one. Therefore the same
memory can be used for two continuations of a text, or saved, or discarded when the next
text begins:

```python
mem: list[Tensor] = []
for x in segments:
    y, states = model(x, mem)
    mem = update_memory(mem, states, mem_len=512)
```

The [live page](../live.md) shows what a trained model gains from its memory at each
character of a text.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from labml_txl.models.arguments import check_ended, check_memory, check_update


class MemoryLengths(NamedTuple):
    """How many states each layer remembers of each text in a batch.

    - `mem_len`: the number of states in the memory, $M$ in the paper on Transformer-XL.
    - `c_mem_len`: the number of slots in the compressed memory, which only the
      [Compressive Transformer](compressive.md) has.
    """

    mem_len: int
    c_mem_len: int = 0


def extend_context(mem: Tensor | None, x: Tensor) -> Tensor:
    r"""Put the memory in front of the segment:
    $\tilde{\mathbf h} = [\mathrm{SG}(\mathbf m) \circ \mathbf h]$.

    $\mathrm{SG}$ stops the gradient, and $\circ$ joins two sequences of states. `mem`
    is `[mem_len, batch, d_model]`, or `None` for no memory; `x` is
    `[seq_len, batch, d_model]`. Returns `[mem_len + seq_len, batch, d_model]`.
    """
    if mem is None:
        return x
    check_memory(mem.shape, x.shape)
    # Section 3.2 of the paper begins with [the whole previous segment][txl.recurrence],
    # $\mathbf h_\tau$, as the memory. Later it allows the last $M$ states, from one or
    # more segments, and calls them $\mathbf m_\tau$. This line computes [the
    # formula][txl.memory] of section 3.3, with $\mathbf m_\tau$. The gradient stops at
    # these states, so back-propagation stays within one segment, although information
    # comes from earlier ones. `update_memory` has already detached what it keeps; we
    # detach here too, so that the equation also holds for a memory that a caller has
    # made in another way.
    return torch.cat((mem.detach(), x))  # [mem_len + seq_len, batch, d_model]


def update_memory(
    mem: Sequence[Tensor], states: Sequence[Tensor], mem_len: int
) -> list[Tensor]:
    """The memory for the next segment: in each layer, the last `mem_len` states.

    - `mem`: the memory so far, a tensor `[old_len, batch, d_model]` for each layer, or
      an empty list before the first segment.
    - `states`: the states of the new segment, `[seq_len, batch, d_model]` for each
      layer, as the model returns them.
    - `mem_len`: how many states to keep. It may be smaller or larger than `seq_len`.
      The memory is shorter until that many states have been processed, and it is always
      empty if `mem_len` is 0.
    """
    check_update(mem, states, mem_len)
    if not mem_len:
        return []
    old_states = mem or [new[:0] for new in states]
    return [
        _last(old.detach(), new.detach(), mem_len)
        for old, new in zip(old_states, states, strict=True)
    ]


def _last(old: Tensor, new: Tensor, mem_len: int) -> Tensor:
    # A segment of `mem_len` states or more replaces all old ones. We slice before we
    # concatenate, so that nothing is copied that is then dropped. With `mem_len` 4 and
    # segments of 3:
    #
    # | old memory | new states | new memory |
    # |---|---|---|
    # | `a b c d` | `e f g` | `d e f g` |
    # | `c d` | `e f g` | `d e f g` |
    kept = max(mem_len - len(new), 0)
    kept_old = old[max(len(old) - kept, 0) :]
    return torch.cat((kept_old, new[-mem_len:]))


def reset_memory(mem: Sequence[Tensor], ended: Tensor) -> list[Tensor]:
    """Clear the memory where a text of the batch has ended.

    `ended` is `[batch]`, true where the next segment begins a new text. All texts of a
    batch are in one tensor, so the memory of a single one cannot be made shorter.
    Instead, its states are replaced by zeros, which carry nothing over from the old
    text. But they take some weight of attention, because the softmax gives some to
    every key that is not masked. If that matters, mask them:
    [`causal_mask`](masking.md) with `remembered` leaves only the newest states of each
    memory visible, as many as belong to the current text.
    """
    if not mem:
        return []
    check_ended(ended, mem[0].shape[1])
    return [states.masked_fill(ended[:, None], 0.0) for states in mem]
