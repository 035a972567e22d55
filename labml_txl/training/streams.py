# ---
# keywords: [shuffle, LMShuffledIterator, document boundaries, does order matter]
# ---
"""# Contiguous streams

This page divides a text into batches for a model with [memory](../models/memory.md).

Most models are trained on shuffled samples. With memory this is not possible, because
the states that a sequence remembers must come from the tokens just before its segment.
Therefore each sequence of a batch goes through the text without a gap: the `batch`
sequences start at equal distances in the text, and all of them move on by `seq_len`
tokens in each step. For recurrent networks this is known as stateful batching.

```text
text        a b c d e f g h i j k l            batch = 2, seq_len = 2
sequence 0  [a b] [c d] [e f] …
sequence 1  [g h] [i j] [k l] …
```

**At the end, the text starts again.** Each sequence has a part of the text, which ends
where the part of the next sequence begins. A sequence that has reached this place
simply continues, and after the last token of the text comes the first. This has three
consequences. No token is left out. Only the transition from the end to the beginning of
the text is not a real continuation. And a single number, the position, is enough to
resume all sequences later. In one epoch each sequence advances by `n_tokens / batch`
tokens, so after `batch` epochs it has gone through the whole text.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from labml_txl.training.text.files import TrainingError


@dataclass(frozen=True)
class Streams:
    """A text, divided into sequences that are processed in parallel.

    - `tokens`: the text, `[n_tokens]`.
    - `batch`: the number of sequences.
    - `seq_len`: the length of a segment.

    Raises `TrainingError` unless the text has more tokens than there are sequences.
    """

    tokens: Tensor
    batch: int
    seq_len: int

    def __post_init__(self) -> None:
        if len(self.tokens) <= self.batch:
            raise TrainingError(
                f"a text of {len(self.tokens)} tokens is too short for "
                f"batch={self.batch} sequences"
            )

    @property
    def epoch(self) -> float:
        """By how many tokens each sequence advances in one epoch."""
        return len(self.tokens) / self.batch

    def starts(self) -> Tensor:
        """The index of the token at which each sequence starts, `[batch]`."""
        return torch.arange(self.batch) * len(self.tokens) // self.batch

    def segment(self, position: int) -> tuple[Tensor, Tensor]:
        """The next segment of each sequence, after `position` tokens.

        Returns tokens and targets, both `[seq_len, batch]`. The target of a token is
        the token that follows it in the text.
        """
        times = position % len(self.tokens) + torch.arange(self.seq_len + 1)[:, None]
        places = (self.starts() + times) % len(self.tokens)
        read = self.tokens[places].long()
        return read[:-1], read[1:]
