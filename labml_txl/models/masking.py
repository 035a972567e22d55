# ---
# keywords: [attn_mask,
#   same_length]
# ---
r"""# Masks

A language model predicts each token from those before it, so no query may attend to a
key that comes later. A mask says which keys each query may attend to. The scores of all
other keys are set to $-\infty$ before the softmax, which gives them the weight 0.
"""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor


def causal_mask(
    seq_len: int,
    mem_len: int = 0,
    remembered: Tensor | None = None,
    device: torch.device | None = None,
    span: int | None = None,
    positions: Tensor | None = None,
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
    - `positions`: `[seq_len, batch]`, how many tokens of its text come before each
      token: see `text_positions`. A query sees no other text.

    Returns `[seq_len, mem_len + seq_len, batch]`, or 1 in place of `batch` if neither
    `remembered` nor `positions` is given.
    """
    i = torch.arange(seq_len, device=device)[:, None, None]  # [seq_len, 1, 1]
    j = torch.arange(mem_len + seq_len, device=device)[:, None]  # [k_len, 1]
    past = j <= mem_len + i  # [seq_len, k_len, 1]

    # Without a span, the last query of a segment sees $L - 1$ more keys than the first.
    # Most of the authors' scripts evaluate with the option `same_length`, with which
    # all queries see the same number of keys: $M$ in their PyTorch code, $M + 1$ in
    # that for TensorFlow.
    if span is not None:
        past = past & (j > mem_len + i - span)  # [seq_len, k_len, 1]
    # Before the key of a token at position $p$ of its text are $p$ keys of this text.
    if positions is not None:
        past = past & (j >= mem_len + i - positions[:, None])
    if remembered is None:
        return past
    return past & (j >= mem_len - remembered)  # [seq_len, k_len, batch]


def text_positions(begins: Tensor, before: Tensor | None = None) -> Tensor:
    """The position of each token in its text, `[seq_len, batch]`.

    It is 0 for the first token of a text, and the model uses it to keep texts apart
    that follow one another in a sequence.

    - `begins`: `[seq_len, batch]`, true for the first token of each text.
    - `before`: `[batch]`, the positions of the last tokens of the segment before, for
      texts that continue in this segment. Without it, each sequence begins a text.

    ```text
    token     the end of one text the next one begins
    position    0   1  2   3    4   0    1   2      3
    ```
    """
    i = torch.arange(len(begins), device=begins.device)[:, None]  # [seq_len, 1]
    newest = torch.where(begins, i, -1).cummax(0).values  # [seq_len, batch]
    first = 0 if before is None else -1 - before
    return i - torch.where(newest < 0, first, newest)  # [seq_len, batch]


def pad_left(texts: Sequence[Tensor], token: int = 0) -> tuple[Tensor, Tensor]:
    """Texts of different lengths as one batch in which all of them end together.

    - `texts`: the tokens of each text, `[length]`.
    - `token`: a token to put before the shorter ones. No token of a text sees it.

    Returns the tokens and their positions, both `[seq_len, batch]`, for
    `LanguageModel`. The targets of the added tokens are left out of the losses by -100.
    """
    if not texts or any(text.dim() != 1 or not len(text) for text in texts):
        raise ValueError("pad_left needs texts [length], none of them empty")
    seq_len = max(map(len, texts))
    columns = [F.pad(text, (seq_len - len(text), 0), value=token) for text in texts]
    positions = [torch.arange(seq_len) - (seq_len - len(text)) for text in texts]
    tokens = torch.stack(columns, 1)  # [seq_len, batch]
    return tokens, torch.stack(positions, 1).clamp(min=0).to(tokens.device)
