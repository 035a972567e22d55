r"""# Long memories, head by head

Attention over thousands of keys has more scores than a processor's cache holds. In
evaluation each head then goes through it alone, and each of its products is taken as
[a linear layer](linear.md): the keys are the weights, and term (d) is the bias.

| measured | gain | without | with |
| --- | ---: | ---: | ---: |
| evaluation, size L, segment 512, memory 1,600 | 1.1 × | 166.1 ms | 147.5 ms |
| evaluation, size L, segment 512, memory 3,800 | 1.1 × | 315.8 ms | 276.9 ms |

It gains where a single head has hundreds of thousands of scores, and more the longer
the segment is. With fewer scores [the fused kernel](fused.md) is as fast, and in
training [gradients by hand](gradients.md) cut the queries into blocks.

`test_one_head_at_a_time_equals_the_short_form` holds it equal to the short form.
"""

import torch
from torch import Tensor

from labml_txl.models.distances import DistanceKeys
from labml_txl.models.fast.hiding import hide
from labml_txl.models.fast.linear import linear
from labml_txl.models.fast.shift import shift_view

# With fewer scores of a head, the fused kernel is as fast.
MANY = 1 << 19


def is_long(q: Tensor, k: Tensor) -> bool:
    r"""Whether a head has so many scores that it had better go alone."""
    # `torch.func` sees each operation, and knows none that writes into its result.
    transformed = torch._C._are_functorch_transforms_active()
    return q.shape[2] * k.shape[2] >= MANY and not transformed


def head_by_head(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    u: Tensor,
    distances: DistanceKeys,
    scale: float,
    mask: Tensor | None,
) -> Tensor:
    r"""[The weighted values][txl.weighted_values], without a gradient or dropout.

    `q` is `[batch, heads, seq_len, d_k]`, `k` and `v` are `[batch, heads, k_len, d_k]`,
    `u` is `[heads, 1, d_k]`, and `mask` is `[seq_len, k_len, batch or 1]`.
    """
    q = q * scale  # [batch, heads, seq_len, d_k]
    with_u = q + scale * u  # [batch, heads, seq_len, d_k]
    keys, bias = distances.keys, (scale * distances.bias).contiguous()
    a = torch.empty_like(q)
    for b in range(len(q)):
        seen = mask if mask is None or mask.shape[2] == 1 else mask[..., b : b + 1]
        for h in range(len(keys)):
            # Terms (b) and (d), shifted; then (a) and (c).
            by_distance = linear(q[b, h], keys[h].mT, bias[h, 0])
            others = shift_view(by_distance[None, None], k.shape[2])
            hide(others, seen)
            scores = linear(with_u[b, h], k[b, h].contiguous())  # [seq_len, k_len]
            scores += others[0, 0]
            # Room for the next head: else the system would be asked for more.
            del by_distance, others
            torch.softmax(scores, -1, out=scores)
            a[b, h] = linear(scores, v[b, h].contiguous().mT)
    return a  # [batch, heads, seq_len, d_k]
