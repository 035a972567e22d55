"""TransfoXL of transformers 4.35.2, the last release before it was deprecated."""

from torch import Tensor
from transformers import (  # type: ignore[import-not-found]
    TransfoXLConfig,
    TransfoXLLMHeadModel,
)

from tests.benchmarks.sizes import Size
from tests.benchmarks.subjects.subject import Memory, Subject


class Xl(Subject):
    """One softmax over all symbols, as the other libraries have it."""

    def __init__(self, size: Size) -> None:
        self.model = TransfoXLLMHeadModel(
            TransfoXLConfig(
                vocab_size=size.n_vocab,
                cutoffs=[],
                d_model=size.d_model,
                d_embed=size.d_model,
                n_head=size.heads,
                d_head=size.d_model // size.heads,
                d_inner=size.d_ff,
                n_layer=size.n_layers,
                mem_len=size.mem_len,
                div_val=1,
                dropout=size.dropout,
                dropatt=size.dropout,
                untie_r=True,
            )
        )

    def logits(self, tokens: Tensor, memory: Memory) -> tuple[Tensor, Memory]:
        out = self.model(input_ids=tokens.t(), mems=memory)
        return out.prediction_scores.transpose(0, 1), out.mems

    def loss(
        self, tokens: Tensor, targets: Tensor, memory: Memory
    ) -> tuple[Tensor, Memory]:
        # The model moves the labels by one itself.
        out = self.model(input_ids=tokens.t(), mems=memory, labels=targets.t())
        return out.loss, out.mems


SUBJECTS = {"xl": Xl}
