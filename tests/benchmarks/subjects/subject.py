"""What the benchmark asks of every library."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

Memory = Any
"""Whatever a library takes and gives back; `None` before the first segment."""


class Subject:
    """One library's model. Tokens are `[seq_len, batch]`, as this project has them."""

    model: Any

    logits: Callable[[Tensor, Memory], tuple[Tensor, Memory]]
    """`[seq_len, batch, n_vocab]` or what holds as many numbers, and the next memory.

    A subject that only trains has no need of it, and computes its `loss` itself.
    """

    def loss(
        self, tokens: Tensor, targets: Tensor, memory: Memory
    ) -> tuple[Tensor, Memory]:
        """The mean loss of a training step, and the next memory."""
        logits, memory = self.logits(tokens, memory)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten()), memory

    def generate(self, tokens: Tensor, memory: Memory, n_tokens: int) -> Tensor:
        """Continue `tokens` greedily, `[n_tokens, batch]`, one token in and one out."""
        chosen = []
        for _ in range(n_tokens):
            logits, memory = self.logits(tokens, memory)
            tokens = logits[-1:].argmax(-1)
            chosen.append(tokens)
        return torch.cat(chosen)
