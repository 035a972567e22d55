"""What the benchmark asks of every library."""

from typing import Any, Protocol

from torch import Tensor, nn

Memory = Any
"""Whatever a library takes and gives back; `None` before the first segment."""


class Subject(Protocol):
    """One library's model. Tokens are `[seq_len, batch]`, as this project has them."""

    model: nn.Module

    def loss(
        self, tokens: Tensor, targets: Tensor, memory: Memory
    ) -> tuple[Tensor, Memory]:
        """The mean loss of a training step, and the next memory."""

    def logits(self, tokens: Tensor, memory: Memory) -> tuple[Tensor, Memory]:
        """`[seq_len, batch, n_vocab]` or what holds as many numbers; next memory."""

    def generate(self, tokens: Tensor, memory: Memory, n_tokens: int) -> Tensor:
        """Continue `tokens` greedily, `[n_tokens, batch]`, one token at a time."""


def generate_by_logits(
    subject: Subject, tokens: Tensor, memory: Memory, n_tokens: int
) -> Tensor:
    """Greedy generation by a library's forward pass, one token in, one token out."""
    import torch

    chosen = []
    for _ in range(n_tokens):
        logits, memory = subject.logits(tokens, memory)
        tokens = logits[-1:].argmax(-1)
        chosen.append(tokens)
    return torch.cat(chosen)
