r"""# Fused attention in evaluation

PyTorch's fused attention goes through the keys block by block, so that the scores of a
block stay in the processor's cache, from the product to the weighted values.

<!-- gain fused -->

It takes something to add to the scores, which is all that is not content, terms (b) and
(d). It has no gradient for that, and no dropout on a CPU. So it gains nothing in
training: there it is not used.

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
