r"""# Segment-level memory

A text is read in segments. What every layer computed for one segment is kept and read
again with the next, so that the context grows beyond the segment.

The memory of a model is a list with one tensor a layer, `[mem_len, batch, d_model]`,
oldest state first. An empty list is the memory of a model that has read nothing.

Memory is a **value**. It goes into a forward pass, and what will be remembered comes
out. No module keeps it and nobody changes it in place, so one memory can be continued
in two ways, saved, or thrown away.

```python
mem: list[Tensor] = []
for x in segments:
    y, states = model(x, mem)
    mem = update_memory(mem, states, mem_len=512)
```
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from labml_txl.models.arguments import check_memory, check_update


class MemoryLengths(NamedTuple):
    r"""How many states a model remembers, for each layer and sequence."""

    mem_len: int
    c_mem_len: int = 0  # compressed ones; only the Compressive Transformer has any


def extend_context(mem: Tensor | None, x: Tensor) -> Tensor:
    r"""$\tilde{\mathbf h} = [\mathrm{SG}(\mathbf m) \circ \mathbf h]$: the memory, then
    the segment.

    $\mathrm{SG}$ stops the gradient and $\circ$ joins along time. `mem` is
    `[mem_len, batch, d_model]` or `None`, `x` is `[seq_len, batch, d_model]`.
    """
    if mem is None:
        return x
    check_memory(mem.shape, x.shape)
    # Section 3.2 remembers [one whole segment][txl.recurrence], $\mathbf h_\tau$;
    # section 3.3 remembers [$M$ states][txl.memory], $\mathbf m_\tau$, from as many
    # segments as they span. The gradient ends here: learning reaches back to the start
    # of the segment, while the values reach back further with every layer.
    return torch.cat((mem.detach(), x))  # [mem_len + seq_len, batch, d_model]


def update_memory(
    mem: Sequence[Tensor], states: Sequence[Tensor], mem_len: int
) -> list[Tensor]:
    r"""What is remembered of the old memory and the new states: the last `mem_len`.

    `states` holds `[seq_len, batch, d_model]` for each layer; `mem` as many tensors, or
    none. A memory may be longer or shorter than a segment. It starts short and grows
    until it is full. With `mem_len=0` nothing is remembered.
    """
    check_update(mem, states, mem_len)
    if not mem_len:
        return []
    if not mem:
        return [new.detach()[-mem_len:] for new in states]
    return [
        _last(old.detach(), new.detach(), mem_len)
        for old, new in zip(mem, states, strict=True)
    ]


def _last(old: Tensor, new: Tensor, mem_len: int) -> Tensor:
    # Cut first, join then: what is dropped is never copied. In the example with
    # `mem_len` 4 and segments of 3, one old state is still remembered.
    #
    # | old memory | new states | remembered |
    # |---|---|---|
    # | `a b c d` | `e f g` | `d e f g` |
    # | `a b` | `e f g` | `b e f g` |
    kept = max(mem_len - len(new), 0)
    kept_old = old[max(len(old) - kept, 0) :]
    return torch.cat((kept_old, new[-mem_len:]))


def reset_memory(mem: Sequence[Tensor], ended: Tensor) -> list[Tensor]:
    r"""Forget what some sequences of a batch have read, and keep the memory of others.

    `ended` is `[batch]`, true where a new text begins. The forgotten states become
    zeros, with which the Compressive Transformer's paper starts every memory. Zeros are
    still attended to. To hide them, so that a text begins as with no memory at all,
    give `causal_mask` the number of states that each sequence still has.
    """
    if not mem:
        return []
    if ended.shape != mem[0].shape[1:2]:
        raise ValueError(
            f"ended {list(ended.shape)} wants one truth value a sequence: "
            f"{list(mem[0].shape[1:2])}"
        )
    return [states.masked_fill(ended[:, None], 0.0) for states in mem]
