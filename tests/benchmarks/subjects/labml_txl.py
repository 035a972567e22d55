"""This project's models, and the sliding window that evaluation is compared with."""

import torch.nn.functional as F
from torch import Tensor

from labml_txl.models import AttentionReconstructionLoss, Cache
from labml_txl.training import build, configure
from tests.benchmarks.sizes import Size
from tests.benchmarks.subjects.subject import Memory, Subject

SIZES = (
    *("d_model", "heads", "d_ff", "n_layers", "batch", "seq_len", "mem_len", "dropout"),
)


class Xl(Subject):
    """Transformer-XL as a language model."""

    def __init__(self, size: Size, **settings: object) -> None:
        sizes = {name: getattr(size, name) for name in SIZES}
        config = configure(sizes, {"attention_dropout": size.dropout}, settings)
        self.model = build(config, size.n_vocab)

    def logits(self, tokens: Tensor, memory: Memory) -> tuple[Tensor, Memory]:
        # Keys and values of the memory are kept with it, as `generate` keeps them.
        cache = memory or Cache(self.model, None, tokens.shape[1])
        return cache.read(tokens), cache

    def loss(
        self, tokens: Tensor, targets: Tensor, memory: Memory
    ) -> tuple[Tensor, Memory]:
        logits, memory = self.model(tokens, memory)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten()), memory

    def generate(self, tokens: Tensor, memory: Memory, n_tokens: int) -> Tensor:
        chosen: Tensor = self.model.generate(tokens, n_tokens, memory, temperature=0)
        return chosen


class Compressive(Xl):
    """The Compressive Transformer with the attention reconstruction loss."""

    def __init__(self, size: Size) -> None:
        lengths = {
            "c_mem_len": size.c_mem_len,
            "compression_rate": size.compression_rate,
        }
        super().__init__(size, model="compressive", **lengths)
        layers = self.model.transformer.layers
        self.reconstruction = AttentionReconstructionLoss(layers)

    def loss(
        self, tokens: Tensor, targets: Tensor, memory: Memory
    ) -> tuple[Tensor, Memory]:
        loss, memory = super().loss(tokens, targets, memory)
        return loss + self.reconstruction(memory.read, memory.old), memory


class Vanilla(Xl):
    """A Transformer without memory: every prediction reads its whole window."""

    def __init__(self, size: Size) -> None:
        super().__init__(size, encoding="absolute")

    def logits(self, tokens: Tensor, memory: Memory) -> tuple[Tensor, Memory]:
        # One prediction, that of the token behind the window.
        x = self.model.embed(tokens)
        y, _ = self.model.transformer.advance(x, None, self.model.lengths)
        return self.model.head(y[-1:]), None


SUBJECTS = {"xl": Xl, "compressive": Compressive, "vanilla": Vanilla}
