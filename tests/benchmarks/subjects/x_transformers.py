"""x-transformers with memory: relative positions are a bias per bucket of distances.

That is less work than Transformer-XL's: no term depends on content and distance.
"""

from torch import Tensor
from x_transformers import (  # type: ignore[import-not-found]
    Decoder,
    TransformerWrapper,
)

from tests.benchmarks.sizes import Size
from tests.benchmarks.subjects.subject import Memory, Subject


class Xl(Subject):
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


SUBJECTS = {"xl": Xl}
