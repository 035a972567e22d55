r"""# From a configuration to a model

Which parts a configuration asks for, put together, and the objective that training
makes smaller.

Whoever wants to change the architecture changes this page: each part is made in one
place, from the fields of `Config`.

The optimizer is made here too. **AdamW** divides the mean of a parameter's gradients by
the root of the mean of their squares, each element for itself. It is the default.

**Muon** treats a matrix as a whole. Its step is the mean of the gradients with all
singular values made nearly equal: no direction is left behind because its gradients are
small. That makes sense for matrices that transform states, and for nothing else. So
with `--optimizer muon` the weights of linear layers are Muon's. Everything else stays
with AdamW: embedding and head, convolutions, norms, biases and the vectors $u$ and $v$.

Muon is by Keller Jordan and others
([Muon](https://kellerjordan.github.io/posts/muon/), 2024). Its steps are scaled so that
they are as long as AdamW's are late in training
([arXiv:2502.16982](https://arxiv.org/abs/2502.16982), section 2.2): one learning rate
and one weight decay serve both. Early steps of AdamW are longer, so a short run with
Muon wants a higher rate: for the default model, `--learning-rate 0.01`.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

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
from labml_txl.training.config import Config
from labml_txl.training.text.files import SettingError, TrainingError
from labml_txl.training.vanilla import AbsoluteAttention, AbsoluteTransformer

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

    It is a module, so that what the reconstruction loss learns for itself is among its
    parameters.
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


# Muon's share of its mean of gradients that is kept a step, as its authors have it.
MOMENTUM = 0.95


def make_optimizer(objective: nn.Module, config: Config) -> Optimizer:
    r"""The optimizer that a configuration asks for, of all parameters of a module."""
    if config.optimizer == "adamw":
        return adamw([*objective.parameters()], config)
    maps = linear_maps(objective)
    mapped = {id(parameter) for parameter in maps}
    others = [p for p in objective.parameters() if id(p) not in mapped]
    return Together([muon(maps, config), adamw(others, config)])


def adamw(parameters: Sequence[nn.Parameter], config: Config) -> Optimizer:
    r"""AdamW, with weight decay for matrices only."""
    # A bias or a scale of a norm is not a map that could grow too complicated.
    groups = [
        {
            "params": [p for p in parameters if p.ndim > 1],
            "weight_decay": config.weight_decay,
        },
        {"params": [p for p in parameters if p.ndim <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(
        [group for group in groups if group["params"]],
        lr=config.learning_rate,
        betas=(config.beta1, config.beta2),
        fused=True,
    )


def muon(parameters: Sequence[nn.Parameter], config: Config) -> Optimizer:
    r"""Muon; raises `TrainingError` where PyTorch does not have it."""
    kind: Any = getattr(torch.optim, "Muon", None)
    if kind is None:
        raise TrainingError(
            f"optimizer = muon needs PyTorch 2.9 or newer, this is {torch.__version__}:"
            " adamw works with any"
        )
    optimizer: Optimizer = kind(
        parameters,
        lr=config.learning_rate,
        weight_decay=config.weight_decay,
        momentum=MOMENTUM,
        adjust_lr_fn="match_rms_adamw",
    )
    return optimizer


def linear_maps(objective: nn.Module) -> list[nn.Parameter]:
    r"""The weights of linear layers, but not of the head: what Muon is made for."""
    heads = [m.head for m in objective.modules() if isinstance(m, LanguageModel)]
    linear = [m for m in objective.modules() if isinstance(m, nn.Linear)]
    weights = (module.get_parameter("weight") for module in linear)
    of_heads = {id(weight) for head in heads for weight in head.parameters()}
    return [weight for weight in weights if id(weight) not in of_heads]


class Together(Optimizer):
    r"""Several optimizers that take their steps together, each of its own parameters.

    Their groups and what they remember are the parts' own, so whoever sets a learning
    rate or saves a state need not know how many there are.
    """

    def __init__(self, parts: Sequence[Optimizer]) -> None:
        super().__init__([group for part in parts for group in part.param_groups], {})
        self.parts = parts
        for part in parts:
            part.state = self.state

    def step(self, closure: Any = None) -> Any:
        r"""Move all parameters."""
        for part in self.parts:
            part.step()
