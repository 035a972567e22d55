"""labml-nn's Transformer-XL and Compressive Transformer, trained as its pages do."""

import torch
import torch.nn.functional as F
from labml_nn.transformers.compressive import (  # type: ignore[import-not-found]
    AttentionReconstructionLoss,
    CompressiveTransformer,
    CompressiveTransformerLayer,
    Conv1dCompression,
)
from labml_nn.transformers.feed_forward import (  # type: ignore[import-not-found]
    FeedForward,
)
from labml_nn.transformers.xl import (  # type: ignore[import-not-found]
    TransformerXL,
    TransformerXLLayer,
)
from labml_nn.transformers.xl.relative_mha import (  # type: ignore[import-not-found]
    RelativeMultiHeadAttention,
)
from torch import Tensor, nn

from tests.benchmarks.sizes import Size
from tests.benchmarks.subjects.subject import Memory, Subject


def causal(seq_len: int, mem_len: int) -> Tensor:
    past = torch.ones(seq_len, seq_len, dtype=torch.bool).tril()
    memory = torch.ones(seq_len, mem_len, dtype=torch.bool)
    return torch.cat((memory, past), dim=1)[..., None]


class Xl(Subject):
    """Embedding, model and head."""

    def __init__(self, size: Size) -> None:
        self.size = size
        d = size.d_model
        self.embedding = nn.Embedding(size.n_vocab, d)
        self.transformer = self.build()
        self.head = nn.Linear(d, size.n_vocab)
        self.model: nn.Module = nn.ModuleList(
            [self.embedding, self.transformer, self.head]
        )

    def parts(self) -> dict[str, object]:
        size = self.size
        return {
            "d_model": size.d_model,
            "self_attn": RelativeMultiHeadAttention(
                size.heads, size.d_model, size.dropout
            ),
            "feed_forward": FeedForward(size.d_model, size.d_ff, size.dropout),
            "dropout_prob": size.dropout,
        }

    def build(self) -> nn.Module:
        layer = TransformerXLLayer(**self.parts())
        model: nn.Module = TransformerXL(layer, self.size.n_layers)
        return model

    def logits(self, tokens: Tensor, memory: Memory) -> tuple[Tensor, Memory]:
        mem: list[Tensor] = memory or []
        mask = causal(len(tokens), len(mem[0]) if mem else 0)
        y, states = self.transformer(self.embedding(tokens), mem, mask)
        if mem:
            states = [torch.cat(pair) for pair in zip(mem, states, strict=True)]
        return self.head(y), [state[-self.size.mem_len :] for state in states]


class Compressive(Xl):
    """With compressed memory and its reconstruction loss. It is only trained here."""

    def build(self) -> nn.Module:
        size = self.size
        layer = CompressiveTransformerLayer(
            **self.parts(),
            compress=Conv1dCompression(size.compression_rate, size.d_model),
        )
        self.stack = CompressiveTransformer(layer, size.n_layers)
        self.reconstruction = AttentionReconstructionLoss(self.stack.layers)
        model: nn.Module = self.stack
        return model

    @torch.no_grad()
    def merge(
        self, mem: list[Tensor], compressed: list[Tensor], states: list[Tensor]
    ) -> tuple[list[Tensor], list[Tensor], list[Tensor]]:
        size = self.size
        if mem:
            states = [torch.cat(pair) for pair in zip(mem, states, strict=True)]
        # The oldest states, as many as a whole number of compressed ones.
        rate = size.compression_rate
        n_old = -(-max(len(states[0]) - size.mem_len, 0) // rate) * rate
        if not n_old:
            return states, compressed, []
        old = [state[:n_old] for state in states]
        new = [
            layer.compress(state)
            for layer, state in zip(self.stack.layers, old, strict=True)
        ]
        if compressed:
            new = [torch.cat(pair) for pair in zip(compressed, new, strict=True)]
        return (
            [state[n_old:] for state in states],
            [state[-size.c_mem_len :] for state in new],
            old,
        )

    def loss(
        self, tokens: Tensor, targets: Tensor, memory: Memory
    ) -> tuple[Tensor, Memory]:
        mem, compressed = memory or ([], [])
        seen = len(mem[0]) if mem else 0
        seen += len(compressed[0]) if compressed else 0
        mask = causal(len(tokens), seen)
        y, states = self.transformer(self.embedding(tokens), mem, compressed, mask)
        loss = F.cross_entropy(self.head(y).flatten(0, 1), targets.flatten())
        *memory, old = self.merge(mem, compressed, states)
        if old:
            loss = loss + self.reconstruction(states, old)
        return loss, memory


SUBJECTS = {"xl": Xl, "compressive": Compressive}
