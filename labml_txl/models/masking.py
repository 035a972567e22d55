r"""# Masks

No token may see what comes after it. A mask says which keys a query may see, and the
scores of all others become $-\infty$ before the softmax.
"""

import torch
from torch import Tensor


def causal_mask(
    seq_len: int,
    mem_len: int = 0,
    remembered: Tensor | None = None,
    device: torch.device | None = None,
    span: int | None = None,
) -> Tensor:
    r"""The mask that a model uses by itself, written out: true where $i$ may see $j$.

    Key $j$ is visible to query $i$ if $j \le M + i$, with $M$ = `mem_len`: the whole
    memory, the segment's past, and the token itself.

    `remembered` is `[batch]`, how many of the newest states of the memory belong to
    each sequence's present text. Older ones are hidden from that sequence. `span` is
    how many keys each query sees at most: the nearest ones, its own among them. Returns
    `[seq_len, mem_len + seq_len, batch]`, or 1 instead of `batch` without `remembered`.
    """
    i = torch.arange(seq_len, device=device)[:, None, None]  # [seq_len, 1, 1]
    j = torch.arange(mem_len + seq_len, device=device)[:, None]  # [k_len, 1]
    past = j <= mem_len + i  # [seq_len, k_len, 1]

    # With the whole memory in sight, the last query of a segment sees $L - 1$ keys more
    # than the first. The authors evaluate with `same_length`, where all see equally
    # many: a span of $M$ in their PyTorch code, of $M + 1$ in that for TensorFlow.
    if span is not None:
        past = past & (j > mem_len + i - span)  # [seq_len, k_len, 1]
    if remembered is None:
        return past
    return past & (j >= mem_len - remembered)  # [seq_len, k_len, batch]
