"""This project's models, and the sliding window that their evaluation stands against.

`Xl` and `Compressive` are the published classes, put together as anybody would.
"""

from typing import cast

import torch.nn.functional as F
from torch import Tensor

from labml_txl.models import (
    AttentionReconstructionLoss,
    Cache,
    CompressiveTransformer,
    CompressiveTransformerLayer,
    Conv1dCompression,
    FeedForward,
    LanguageModel,
    MemoryLengths,
    RelativeMultiHeadAttention,
    TransformerXL,
    TransformerXLLayer,
)
from labml_txl.training.vanilla import AbsoluteAttention, AbsoluteTransformer
from tests.benchmarks.sizes import Size
from tests.benchmarks.subjects.subject import Memory, Subject


def attention(size: Size) -> RelativeMultiHeadAttention:
    return RelativeMultiHeadAttention(size.heads, size.d_model, size.dropout)


def feed_forward(size: Size) -> FeedForward:
    return FeedForward(size.d_model, size.d_ff, size.dropout)


class Xl(Subject):
    """Transformer-XL as a language model."""

    def __init__(self, size: Size) -> None:
        layer = TransformerXLLayer(
            d_model=size.d_model,
            self_attn=attention(size),
            feed_forward=feed_forward(size),
            dropout_prob=size.dropout,
        )
        transformer = TransformerXL(layer, size.n_layers)
        lengths = MemoryLengths(size.mem_len)
        self.model = LanguageModel(transformer, size.n_vocab, lengths)

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
        layer = CompressiveTransformerLayer(
            d_model=size.d_model,
            self_attn=attention(size),
            feed_forward=feed_forward(size),
            dropout_prob=size.dropout,
            compress=Conv1dCompression(size.compression_rate, size.d_model),
        )
        transformer = CompressiveTransformer(layer, size.n_layers)
        lengths = MemoryLengths(size.mem_len, size.c_mem_len)
        self.model = LanguageModel(transformer, size.n_vocab, lengths)
        self.reconstruction = AttentionReconstructionLoss(transformer.layers)

    def loss(
        self, tokens: Tensor, targets: Tensor, memory: Memory
    ) -> tuple[Tensor, Memory]:
        loss, memory = super().loss(tokens, targets, memory)
        return loss + self.reconstruction(memory.read, memory.old), memory


class Vanilla(Subject):
    """A Transformer without memory: every prediction reads its whole window."""

    def __init__(self, size: Size) -> None:
        # Called alike, though of another class.
        without_positions = AbsoluteAttention(size.heads, size.d_model, size.dropout)
        layer = TransformerXLLayer(
            d_model=size.d_model,
            self_attn=cast(RelativeMultiHeadAttention, without_positions),
            feed_forward=feed_forward(size),
            dropout_prob=size.dropout,
        )
        transformer = AbsoluteTransformer(layer, size.n_layers)
        self.model = LanguageModel(transformer, size.n_vocab, MemoryLengths(0))

    def logits(self, tokens: Tensor, memory: Memory) -> tuple[Tensor, Memory]:
        # One prediction, that of the token behind the window.
        x = self.model.embed(tokens)
        y, _ = self.model.transformer.advance(x, None, self.model.lengths)
        return self.model.head(y[-1:]), None


SUBJECTS = {"xl": Xl, "compressive": Compressive, "vanilla": Vanilla}
