"""x-transformers with memory: relative positions are a bias per bucket of distances.

That is less work than Transformer-XL's: no term depends on content and distance.
"""

import torch.nn.functional as F
from torch import Tensor
from x_transformers import (  # type: ignore[import-not-found]
    Decoder,
    TransformerWrapper,
)

from tests.benchmarks.sizes import Size
from tests.benchmarks.subjects.subject import Memory, generate_by_logits


class Xl:
    """Its decoder with `rel_pos_bias`, at the sizes of the others."""

    def __init__(self, size: Size) -> None:
        self.model = TransformerWrapper(
            num_tokens=size.n_vocab,
            max_seq_len=size.seq_len,
            max_mem_len=size.mem_len,
            use_abs_pos_emb=False,
            attn_layers=Decoder(
                dim=size.d_model,
                depth=size.n_layers,
                heads=size.heads,
                attn_dim_head=size.d_model // size.heads,
                ff_mult=size.d_ff // size.d_model,
                rel_pos_bias=True,
                attn_dropout=size.dropout,
                ff_dropout=size.dropout,
            ),
        )

    def logits(self, tokens: Tensor, memory: Memory) -> tuple[Tensor, Memory]:
        logits, memory = self.model(tokens.t(), mems=memory, return_mems=True)
        return logits.transpose(0, 1), memory

    def loss(
        self, tokens: Tensor, targets: Tensor, memory: Memory
    ) -> tuple[Tensor, Memory]:
        logits, memory = self.logits(tokens, memory)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten()), memory

    def generate(self, tokens: Tensor, memory: Memory, n_tokens: int) -> Tensor:
        return generate_by_logits(self, tokens, memory, n_tokens)


SUBJECTS = {"xl": Xl}
