r"""# Masks

A language model predicts each token from those before it, so no query may attend to a
key that comes later. A mask says which keys each query may attend to. The scores of all
other keys are set to $-\infty$ before the softmax, which gives them the weight 0.
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
    r"""The mask of a language model with memory: true where query $i$ may see key $j$.

    The keys begin with the memory, so query $i$ is key $M + i$, with $M$ = `mem_len`.
    It sees all keys with $j \le M + i$: the memory, the tokens of the segment before it
    and itself. Attention applies this mask when it is given none.

    - `seq_len`: the number of queries, which is the length of the segment.
    - `mem_len`: the length of the memory.
    - `remembered`: `[batch]`, how many of the newest states in memory belong to the
      current text of each sequence. The older ones are masked.
    - `device`: where to create the mask.
    - `span`: the greatest number of keys that a query sees, which are the nearest ones,
      including its own. `None` is no limit.

    Returns `[seq_len, mem_len + seq_len, batch]`, or 1 in place of `batch` if
    `remembered` is not given.
    """
    i = torch.arange(seq_len, device=device)[:, None, None]  # [seq_len, 1, 1]
    j = torch.arange(mem_len + seq_len, device=device)[:, None]  # [k_len, 1]
    past = j <= mem_len + i  # [seq_len, k_len, 1]

    # Without a span, the last query of a segment sees $L - 1$ more keys than the first.
    # The authors evaluate with the option `same_length`, with which all queries see the
    # same number of keys: $M$ in their PyTorch code, $M + 1$ in that for TensorFlow.
    if span is not None:
        past = past & (j > mem_len + i - span)  # [seq_len, k_len, 1]
    if remembered is None:
        return past
    return past & (j >= mem_len - remembered)  # [seq_len, k_len, batch]
