r"""# Dropout

Dropout sets random numbers to zero while a model learns. This one asks the random
generator for sixteen bits a number, which makes it several times faster on a CPU.

Each number is dropped with probability $p$ and the others are divided by $1 - p$, so
that the expected sum stays what it was. In evaluation nothing is changed.

Dropout needs one random decision for every attention weight, millions in each step.
PyTorch's own dropout draws at least 32 bits for each on a CPU, one after another, and
its bookkeeping took more time than the softmax and all sums of the attention together.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

# Sixteen bits tell 65,536 cases apart.
CASES = 1 << 16


class Dropout(nn.Module):
    r"""Dropout with probability `p`, drawn sixteen bits at a time on a CPU.

    $p$ is rounded to a multiple of $2^{-16}$, so $0.1$ becomes $0.100006$. The numbers
    that stay are divided by exactly the probability that they stay with.
    """

    def __init__(self, p: float) -> None:
        super().__init__()
        if not 0 <= p < 1:
            raise ValueError(f"dropout probability {p} is not in [0, 1)")
        self.p = p

    def extra_repr(self) -> str:
        r"""Show $p$ where the module is printed."""
        return f"p={self.p}"

    def forward(self, x: Tensor) -> Tensor:
        r"""Drop numbers of `x` in training; give `x` itself in evaluation."""
        if not self.training or self.p == 0:
            return x
        # A GPU has a fused kernel, which draws its numbers in parallel.
        if x.device.type != "cpu":
            return F.dropout(x, self.p)
        return x * keep_factors(x, self.p)


def keep_factors(x: Tensor, p: float) -> Tensor:
    r"""Factors for `x`: 0 with probability `p`, $1/(1-p)$ otherwise, in its shape."""
    # One draw of 64 bits serves four numbers: the same bytes, read as 16-bit integers
    # from $-2^{15}$ to $2^{15} - 1$.
    words = torch.empty(x.numel() // 4 + 1, dtype=torch.int64)
    bits = words.random_(-(2**63), None).view(torch.int16)[: x.numel()]

    # The lowest `dropped` of the 65,536 cases mean "drop". The comparison writes ones
    # and zeros of the type of `x` at once, instead of truth values to be converted.
    dropped = min(round(p * CASES), CASES - 1)
    keep = torch.empty(x.shape, dtype=x.dtype)
    torch.ge(bits.view(x.shape), dropped - CASES // 2, out=keep)
    return keep.mul_(CASES / (CASES - dropped))
