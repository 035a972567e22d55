r"""# Contiguous streams

A batch is a row of readers. Each reads one text, segment after segment without a gap,
so that what it remembers is what truly came before.

Shuffled samples are what most models learn from. Memory forbids them: the state that a
sequence remembers must come from the tokens just before it. So `batch` readers start at
equal distances in the text and all move on by `seq_len` tokens a step.

```text
text     a b c d e f g h i j k l            batch = 2, seq_len = 2
reader 0 [a b] [c d] [e f] …
reader 1 [g h] [i j] [k l] …
```

**The text is a ring.** A reader that comes to the end goes on at the beginning, and
where its part ends the next reader's part begins. So no reader ever jumps but at the
one place where the text ends, no token is left out, and a position, one number, says
where all of them are. An epoch is over when each has read `n_tokens / batch` tokens.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from labml_txl.training.text.files import TrainingError


@dataclass(frozen=True)
class Streams:
    r"""`batch` readers of `tokens`, `[n_tokens]`."""

    tokens: Tensor
    batch: int
    seq_len: int

    def __post_init__(self) -> None:
        if len(self.tokens) <= self.batch:
            raise TrainingError(
                f"a text of {len(self.tokens)} tokens is too short for "
                f"batch={self.batch} readers"
            )

    @property
    def epoch(self) -> float:
        r"""How many tokens each reader reads until all have been read once."""
        return len(self.tokens) / self.batch

    def starts(self) -> Tensor:
        r"""Where the readers begin, `[batch]`."""
        return torch.arange(self.batch) * len(self.tokens) // self.batch

    def segment(self, position: int) -> tuple[Tensor, Tensor]:
        r"""The segment after `position` tokens, and what follows each of its tokens.

        Both are `[seq_len, batch]`: the tokens, and the targets, which are the
        tokens one place further on.
        """
        times = position + torch.arange(self.seq_len + 1)[:, None]
        places = (self.starts() + times) % len(self.tokens)
        read = self.tokens[places].long()
        return read[:-1], read[1:]
