"""compressive-transformer-pytorch, without the gates that the paper does not have.

At its first compression it stops learning its keys and values for ever (`detach_` on
their weight). Its later steps are therefore cheaper than those of the other libraries.
"""

import torch.nn.functional as F
from compressive_transformer_pytorch import (  # type: ignore[import-not-found]
    CompressiveTransformer,
)
from torch import Tensor

from tests.benchmarks.sizes import Size
from tests.benchmarks.subjects.subject import Memory, Subject


class Compressive(Subject):
    """As published. It is only trained here."""

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

    def loss(
        self, tokens: Tensor, targets: Tensor, memory: Memory
    ) -> tuple[Tensor, Memory]:
        logits, memory, auxiliary = self.model(tokens.t(), memories=memory)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.t().flatten())
        return loss + auxiliary.sum(), memory


SUBJECTS = {"compressive": Compressive}
