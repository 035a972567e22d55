r"""# A few texts at a time

The texts of a batch do not know of each other. So attention may read them all at once
or a few at a time, and on a CPU a few at a time are faster.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

# As many scores as stay in a core's cache: a megabyte in single precision.
BLOCK = 1 << 18


def few_at_a_time(
    attention: Callable[[Tensor, Tensor, Tensor, Tensor | None], Tensor],
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
) -> Tensor:
    r"""`attention(q, k, v, mask)`, for a few texts of the batch after another.

    `q` is `[batch, heads, seq_len, d_k]`, `k` and `v` are `[batch, heads, k_len, d_k]`,
    and `mask` is `[seq_len, k_len, batch or 1]`.
    """
    n = texts_at_once(q, k)
    if n >= len(q):
        return attention(q, k, v, mask)
    masks: Sequence[Tensor | None] = [mask] * len(q)
    if mask is not None and mask.shape[2] > 1:
        masks = mask.split(n, dim=2)
    blocks = zip(q.split(n), k.split(n), v.split(n), masks, strict=False)
    return torch.cat([attention(*block) for block in blocks])


def texts_at_once(q: Tensor, k: Tensor) -> int:
    r"""How many texts of a batch go through attention together.

    A GPU takes all. On a CPU, scores of all texts would travel to main memory and back
    at every step; those of a few stay in the cache from the first product to the last.
    """
    batch, heads, seq_len, _ = q.shape
    if q.device.type != "cpu":
        return batch
    return max(1, BLOCK // (heads * seq_len * k.shape[2]))
