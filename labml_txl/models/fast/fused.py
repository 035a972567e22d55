r"""# Fused attention in evaluation

PyTorch's fused attention goes through the keys block by block, so that the scores of a
block stay in the processor's cache, from the product to the weighted values.

| measured | gain | without | with |
| --- | ---: | ---: | ---: |
| whole batches, size M | 1.0 × | 21.1 ms | 20.2 ms |
| batches that fit the cache, size M | 1.0 × | 19.6 ms | 19.9 ms |
| one query, size M | 1.0 × | 9.3 ms | 9.3 ms |
| whole batches, size L | 1.0 × | 51.6 ms | 50.2 ms |
| batches that fit the cache, size L | 1.0 × | 50.8 ms | 49.8 ms |
| one query, size L | 1.0 × | 24.9 ms | 25.1 ms |
| whole batches, size M, batch 32 | 1.4 × | 118.8 ms | 86.4 ms |
| batches that fit the cache, size M, batch 32 | 1.0 × | 73.9 ms | 74.9 ms |
| one query, size M, batch 32 | 1.0 × | 30.7 ms | 30.5 ms |

It gains where the scores of a whole batch leave the cache. Where
[batches fit the cache](batches.md), as they do by default, it gains no time, only the
memory of one tensor of scores. It takes something to add to the scores, which is all
that is not content, terms (b) and (d). It has no gradient for that, and no dropout on a
CPU, so in training it is not used.

`test_the_fused_kernel_equals_the_short_form` holds it equal to the short form.
"""

import torch.nn.functional as F
from torch import Tensor

from labml_txl.models.distances import DistanceKeys
from labml_txl.models.fast.hiding import hide
from labml_txl.models.fast.products import position_scores


def fused_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    u: Tensor,
    distances: DistanceKeys,
    scale: float,
    mask: Tensor | None,
) -> Tensor:
    r"""[The weighted values][txl.weighted_values], without a gradient or dropout."""
    others = position_scores(q * scale, distances, k.shape[2], scale)
    hide(others, mask)
    return F.scaled_dot_product_attention(
        q + u, k, v, attn_mask=others, scale=scale
    )  # [batch, heads, seq_len, d_k]
