"""compressive-transformer-pytorch, without the gates that the paper does not have.

At its first compression it stops learning its keys and values for ever (`detach_` on
their weight). Its later steps are therefore cheaper than those of the other libraries.
"""

import torch.nn.functional as F
from compressive_transformer_pytorch import (  # type: ignore[import-not-found]
    CompressiveTransformer,
)
from compressive_transformer_pytorch.autoregressive_wrapper import (  # type: ignore[import-not-found]
    AutoregressiveWrapper,
)
from torch import Tensor

from tests.benchmarks.sizes import Size
from tests.benchmarks.subjects.subject import Memory, Subject


class Compressive(Subject):
    """As published."""

    def __init__(self, size: Size) -> None:
        self.model = CompressiveTransformer(
            num_tokens=size.n_vocab,
            dim=size.d_model,
            depth=size.n_layers,
            heads=size.heads,
            seq_len=size.seq_len,
            mem_len=size.mem_len,
            cmem_len=size.c_mem_len,
            cmem_ratio=size.compression_rate,
            gru_gated_residual=False,
            enhanced_recurrence=False,
            attn_dropout=size.dropout,
            ff_dropout=size.dropout,
            attn_layer_dropout=size.dropout,
        )

    def logits(self, tokens: Tensor, memory: Memory) -> tuple[Tensor, Memory]:
        logits, memory, _ = self.model(tokens.t(), memories=memory)
        return logits.transpose(0, 1), memory

    def loss(
        self, tokens: Tensor, targets: Tensor, memory: Memory
    ) -> tuple[Tensor, Memory]:
        logits, memory, auxiliary = self.model(tokens.t(), memories=memory)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.t().flatten())
        return loss + auxiliary.sum(), memory

    def generate(self, tokens: Tensor, memory: Memory, n_tokens: int) -> Tensor:
        # Its model moves its memory once a full segment; its own loop knows that.
        start = tokens.t()
        chosen: Tensor = AutoregressiveWrapper(self.model).generate(start, n_tokens)
        return chosen.t()


SUBJECTS = {"compressive": Compressive}
