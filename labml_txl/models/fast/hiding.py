r"""# Hiding keys with a sum

[A mask](../masking.md) without a mask: only the square of the segment can hold keys of
the future, and a sum puts $-\infty$ there.

| measured | gain | without | with |
| --- | ---: | ---: | ---: |
| hiding, size M | 4.1 × | 1.3 ms | 0.3 ms |
| hiding, size L | 4.4 × | 2.0 ms | 0.5 ms |

It gains where the memory is long beside the segment. A mask of your own is written over
the scores as it is, and gains nothing. For one query nothing is hidden at all.

`test_hiding_with_a_sum_equals_the_causal_mask` holds it equal to the mask.
"""

import math

import torch
from torch import Tensor


def hide(scores: Tensor, mask: Tensor | None) -> None:
    r"""Write $-\infty$ over `scores` where $i$ may not see $j$.

    `scores` are `[batch, heads, seq_len, k_len]`, and `mask` is
    `[seq_len, k_len, batch or 1]`, true where $i$ may see $j$. Without a mask of your
    own only the segment's own square is touched, since no key of the memory lies in
    the future.
    """
    if mask is not None:
        scores.masked_fill_(~mask.permute(2, 0, 1)[:, None], -math.inf)
        return
    # A sum is several times faster than `masked_fill_` with a mask for all heads.
    seq_len = scores.shape[-2]
    if seq_len > 1:
        scores[..., -seq_len:] += future(seq_len, scores.dtype, scores.device)


def future(seq_len: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    r"""$-\infty$ above the diagonal, where keys come after the query; 0 elsewhere."""
    square = torch.full((seq_len, seq_len), -math.inf, dtype=dtype, device=device)
    return square.triu(1)  # [seq_len, seq_len]
