r"""# From a configuration to a model

Which parts a configuration asks for, put together, and the objective that training
makes smaller.

Whoever wants to change the architecture changes this page: each part is made in one
place, from the fields of `Config`.
"""

from collections.abc import Callable
from typing import Any, cast

import torch
from torch import Tensor, nn

from labml_txl.models import (
    COMPRESSIONS,
    LOSSES,
    Clusters,
    CompressiveTransformer,
    CompressiveTransformerLayer,
    FeedForward,
    LanguageModel,
    MemoryLengths,
    RelativeMultiHeadAttention,
    TransformerXL,
    TransformerXLLayer,
)
from labml_txl.models import cross_entropy as cross_entropy
from labml_txl.training.runs.config import Config
from labml_txl.training.runs.vanilla import AbsoluteAttention, AbsoluteTransformer
from labml_txl.training.text.cache import SettingError

# A memory of either model: a value that only the model looks into.
Memory = Any


def build(config: Config, n_vocab: int) -> LanguageModel:
    r"""The language model that a configuration describes, with fresh initial values."""
    return LanguageModel(
        STACKS[config.model](config),
        n_vocab,
        MemoryLengths(config.mem_len, config.c_mem_len),
        tied=config.tied,
        clusters=clusters(config, n_vocab),
        zero_memory=config.zero_memory,
    )


def clusters(config: Config, n_vocab: int) -> Clusters | None:
    r"""How a large vocabulary is cut; `None` where all words are treated alike."""
    if not config.cutoffs and not config.d_embed and config.div_val == 1:
        return None
    cut = Clusters(
        config.cutoffs, config.div_val, config.d_embed or None, config.tied_projections
    )
    try:
        cut.parts(n_vocab, config.d_model)
    except ValueError as error:
        raise SettingError(str(error)) from None
    return cut


def transformer_xl(config: Config) -> TransformerXL:
    r"""Transformer-XL, or the vanilla Transformer where positions are absolute."""
    layer = TransformerXLLayer(
        d_model=config.d_model,
        self_attn=attention(config),
        feed_forward=feed_forward(config),
        dropout_prob=config.dropout,
        norm=config.norm,
    )
    stack = AbsoluteTransformer if config.encoding == "absolute" else TransformerXL
    return stack(layer, config.n_layers, config.same_length)


def compressive_transformer(config: Config) -> CompressiveTransformer:
    r"""The Compressive Transformer: each layer has a compression function."""
    compression = COMPRESSIONS[config.compression]
    layer = CompressiveTransformerLayer(
        d_model=config.d_model,
        self_attn=attention(config),
        feed_forward=feed_forward(config),
        dropout_prob=config.dropout,
        compress=compression(config.compression_rate, config.d_model),
        norm=config.norm,
    )
    return CompressiveTransformer(layer, config.n_layers)


def attention(config: Config) -> RelativeMultiHeadAttention:
    r"""Attention by distance, or by content alone where positions are absolute."""
    if config.encoding == "absolute":
        absolute = AbsoluteAttention(
            config.heads, config.d_model, config.attention_dropout
        )
        # It is called in the same way, which is all that a layer asks for.
        return cast(RelativeMultiHeadAttention, absolute)
    return RelativeMultiHeadAttention(
        config.heads,
        config.d_model,
        config.attention_dropout,
        config.encoding,
        config.clamp_len,
    )


def feed_forward(config: Config) -> FeedForward:
    r"""The feed-forward network of a layer."""
    return FeedForward(config.d_model, config.d_ff, config.dropout)


# The models, by the names that the command line knows.
STACKS: dict[str, Callable[[Config], TransformerXL | CompressiveTransformer]] = {
    "xl": transformer_xl,
    "compressive": compressive_transformer,
}


class Objective(nn.Module):
    r"""What training makes smaller, in one forward pass.

    It is a module so that `DistributedDataParallel` can wrap it: gradients of all its
    parameters, the compression's too, are then shared between processes.
    """

    def __init__(self, model: LanguageModel, config: Config) -> None:
        super().__init__()
        self.model = model
        self.seq_len = config.seq_len
        self.bptt = config.bptt
        self.reconstruction = None
        if config.model == "compressive":
            layers = cast(CompressiveTransformer, model.transformer).layers
            self.reconstruction = LOSSES[config.reconstruction](layers)

    def forward(
        self, tokens: Tensor, targets: Tensor, memory: Memory
    ) -> tuple[Tensor, Tensor, Memory]:
        r"""The loss to differentiate, the loss to report, and the next memory.

        `tokens` and `targets` are `[seq_len, batch]`, or `bptt` segments of that length
        one after the other. The loss to report is the mean over tokens of $-\ln p$, in
        nats a token.
        """
        if self.bptt > 1:
            return self.through_time(tokens, targets, memory)
        nats, memory = self.model.losses(tokens, targets, memory)
        nats = nats.mean()
        if self.reconstruction is None:
            return nats, nats.detach(), memory

        # The Compressive Transformer learns to compress beside the task: this loss
        # moves the compression and nothing else, so the sum needs no weight.
        lost = self.reconstruction(memory.read, memory.old).to(nats.device)
        return nats + lost, nats.detach(), memory

    def through_time(
        self, tokens: Tensor, targets: Tensor, memory: Memory
    ) -> tuple[Tensor, Tensor, Memory]:
        r"""Several segments whose compressed memories stay in one graph.

        What is compressed behind one segment is read with the next ones. So the loss of
        a later segment tells the compression of an earlier one what to keep. The paper
        compares its losses with this: see `NoReconstructionLoss`.
        """
        transformer = cast(CompressiveTransformer, self.model.transformer)
        parts = []
        for read, wanted in zip(
            tokens.split(self.seq_len), targets.split(self.seq_len), strict=True
        ):
            y, memory = transformer.advance(
                self.model.embed(read), memory, self.model.lengths, keep_graph=True
            )
            parts.append(self.model.head.losses(y, wanted).mean())

        # The graph ends here: the next step begins with values.
        nats = torch.stack(parts).mean()
        return nats, nats.detach(), memory.detach()
