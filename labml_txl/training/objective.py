"""# From a configuration to a model

This page constructs the three objects of a [step of training](step.md) from a
[configuration](config.md): the model, the loss that training minimizes, and the
optimizer. To change a part of the architecture, change the function on this page that
constructs it.

There are two optimizers. **AdamW**, the default, divides the running mean of the
gradients by the square root of the running mean of their squares, separately for each
element of a parameter.

**Muon** processes a matrix as a whole. It changes the running mean of the gradients so
that all singular values become nearly equal, which gives directions with small
gradients the same weight as those with large ones. This makes sense only for matrices
that transform states. With `--optimizer muon`, the weights of linear layers are
therefore trained with Muon, and everything else with AdamW: embedding and head,
convolutions, layer norms, biases, and the vectors $u$ and $v$.

Muon was proposed by Keller Jordan and others
([Muon](https://kellerjordan.github.io/posts/muon/), 2024). We scale its updates to the
size that AdamW's typically have ([arXiv:2502.16982](https://arxiv.org/abs/2502.16982),
section 2.2), so that in long runs both can use the same learning rate and weight decay.
In short runs the updates of AdamW are larger than typical, and Muon needs a higher
rate: for the default model `--learning-rate 0.01`.
"""

from collections.abc import Callable, Sequence
from functools import partial
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

# A target that is ignored.
IGNORED = -100

# The memory of a model. Its type depends on the model; training only passes it on.
Memory = Any


def build(config: Config, n_vocab: int) -> LanguageModel:
    """The language model for a configuration, with new initial values.

    `n_vocab` is the number of different tokens.
    """
    return LanguageModel(
        STACKS[config.model](config),
        n_vocab,
        MemoryLengths(config.mem_len, config.c_mem_len),
        tied=config.tied,
        clusters=build_clusters(config, n_vocab),
        zero_memory=config.zero_memory,
    )


def build_clusters(config: Config, n_vocab: int) -> Clusters | None:
    """The clusters of a large vocabulary, or `None` if there is only one.

    Raises `SettingError` if they do not fit `n_vocab` or `d_model`.
    """
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


def build_transformer_xl(config: Config) -> TransformerXL:
    """Transformer-XL, or the vanilla Transformer if positions are absolute."""
    layer = TransformerXLLayer(
        d_model=config.d_model,
        self_attn=build_attention(config),
        feed_forward=build_feed_forward(config),
        dropout_prob=config.dropout,
        norm=config.norm,
    )
    stack = AbsoluteTransformer if config.encoding == "absolute" else TransformerXL
    return stack(layer, config.n_layers, config.same_length)


def build_compressive_transformer(config: Config) -> CompressiveTransformer:
    """The Compressive Transformer, with a compression function for each layer."""
    compression = COMPRESSIONS[config.compression]
    layer = CompressiveTransformerLayer(
        d_model=config.d_model,
        self_attn=build_attention(config),
        feed_forward=build_feed_forward(config),
        dropout_prob=config.dropout,
        compress=compression(config.compression_rate, config.d_model),
        norm=config.norm,
    )
    return CompressiveTransformer(layer, config.n_layers)


def build_attention(config: Config) -> RelativeMultiHeadAttention:
    """Relative attention, or attention without distances if positions are absolute."""
    if config.encoding == "absolute":
        absolute = AbsoluteAttention(
            config.heads, config.d_model, config.attention_dropout
        )
        # A layer only calls it, and it has the same arguments as relative attention.
        return cast(RelativeMultiHeadAttention, absolute)
    return RelativeMultiHeadAttention(
        config.heads,
        config.d_model,
        config.attention_dropout,
        config.encoding,
        config.clamp_len,
    )


def build_feed_forward(config: Config) -> FeedForward:
    """The feed-forward network of a layer."""
    return FeedForward(config.d_model, config.d_ff, config.dropout)


# The models by the names that the command line accepts.
STACKS: dict[str, Callable[[Config], TransformerXL | CompressiveTransformer]] = {
    "xl": build_transformer_xl,
    "compressive": build_compressive_transformer,
}


class Objective(nn.Module):
    """The loss that training minimizes, as a function of a segment and the memory.

    It is a module, so that its parameters include those of the model and those that the
    reconstruction loss may have itself.
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
        self,
        tokens: Tensor,
        targets: Tensor,
        memory: Memory,
        positions: Tensor | None = None,
        n_targets: float | None = None,
    ) -> tuple[Tensor, Tensor, Memory]:
        r"""Process a segment and compute its losses.

        - `tokens`, `targets`: `[seq_len, batch]`, or `bptt` such segments in a row. A
          target of -100 is ignored.
        - `memory`: the memory from the segment before, or `None` at the beginning.
        - `positions`: the position of each token in its document, `[seq_len, batch]`,
          if the text has several, which do not see each other.
        - `n_targets`: the number to divide the sum of all losses by. The default is the
          number of targets that are not ignored. If this is a part of a batch, give the
          mean number of all parts, so that the mean of their losses is that of the
          batch.

        Returns the loss to differentiate, the loss to report, which is the mean of
        $-\ln p$ over the targets, in nats, and the memory for the next segment.
        """
        read = self.process_through_time if self.bptt > 1 else self.model.losses
        losses, memory = read(tokens, targets, memory, positions)
        counted = (targets != IGNORED).sum().clamp(min=1)
        nats = losses.sum() / (counted if n_targets is None else n_targets)
        if self.reconstruction is None:
            return nats, nats.detach(), memory

        # The second loss trains only the compression, and the first one everything
        # else. No parameter gets gradients from both, so the sum needs no weights.
        lost = self.reconstruction(memory.read, memory.old).to(nats.device)
        return nats + lost + self.nothing(memory), nats.detach(), memory

    def process_through_time(
        self,
        tokens: Tensor,
        targets: Tensor,
        memory: Memory,
        positions: Tensor | None,
    ) -> tuple[Tensor, Memory]:
        """Process several segments whose compressed memories remain in one graph.

        The next segments attend to the states that are compressed after one segment, so
        the gradient of their losses can flow back into the compression. If it has no
        loss of its own, it is trained in this way: see `NoReconstructionLoss`.
        """
        transformer = cast(CompressiveTransformer, self.model.transformer)
        losses = []
        for first in range(0, len(tokens), self.seq_len):
            part = slice(first, first + self.seq_len)
            read, wanted = tokens[part], targets[part]
            places = None if positions is None else positions[part]
            y, memory = transformer.advance(
                self.model.embed_tokens(read, places),
                memory,
                self.model.lengths,
                keep_graph=True,
                positions=places,
            )
            losses.append(self.model.losses_of(y, wanted))

        # The memory for the next step is detached, so the graph can be released.
        return torch.cat(losses), memory.detach()

    def nothing(self, memory: Memory) -> Tensor:
        """0, as a sum that contains every parameter of compression and decoders.

        Until the memory is full, nothing is compressed, and these parameters have no
        other part in the loss. `DistributedDataParallel` waits for a gradient of every
        parameter. With this term there always is one, at first 0.
        """
        layers = cast(CompressiveTransformer, self.model.transformer).stack()
        sums = [
            layer(x=x, compute=partial(total, cast(nn.Module, layer.compress)))
            for layer, x in zip(layers, memory.read, strict=True)
        ]
        if isinstance(self.reconstruction, nn.Module):
            sums.append(total(self.reconstruction))
        return 0 * sum(sums, torch.zeros(()))


def total(module: nn.Module) -> Tensor:
    """The sum of all elements of all parameters of a module."""
    return sum((p.sum() for p in module.parameters()), torch.zeros(()))


# The share of its running mean of gradients that Muon keeps in each step. This is the
# value of its authors.
MOMENTUM = 0.95


def make_optimizer(objective: nn.Module, config: Config) -> Optimizer:
    """The optimizer of a configuration for all parameters of `objective`."""
    if config.optimizer == "adamw":
        return make_adamw([*objective.parameters()], config)
    maps = find_linear_weights(objective)
    mapped = {id(parameter) for parameter in maps}
    others = [p for p in objective.parameters() if id(p) not in mapped]
    return Together([make_muon(maps, config), make_adamw(others, config)])


def make_adamw(parameters: Sequence[nn.Parameter], config: Config) -> Optimizer:
    """AdamW, with weight decay for matrices only."""
    # Biases and the scales of layer norms are vectors and get no decay, which would
    # pull the scales towards 0, although their neutral value is 1.
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


def make_muon(parameters: Sequence[nn.Parameter], config: Config) -> Optimizer:
    """Muon. Raises `TrainingError` if this version of PyTorch does not have it."""
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


def find_linear_weights(objective: nn.Module) -> list[nn.Parameter]:
    """The weights of all linear layers but the head, which Muon trains."""
    heads = [m.head for m in objective.modules() if isinstance(m, LanguageModel)]
    linear = [m for m in objective.modules() if isinstance(m, nn.Linear)]
    weights = (module.get_parameter("weight") for module in linear)
    of_heads = {id(weight) for head in heads for weight in head.parameters()}
    return [weight for weight in weights if id(weight) not in of_heads]


class Together(Optimizer):
    """Several optimizers, each for its own parameters, that are used like one.

    It shares the parameter groups and the state of its parts, so that a learning rate
    can be set and a state can be saved as with a single optimizer.
    """

    def __init__(self, parts: Sequence[Optimizer]) -> None:
        super().__init__([group for part in parts for group in part.param_groups], {})
        self.parts = parts
        for part in parts:
            part.state = self.state

    def step(self, closure: Any = None) -> Any:
        """Update all parameters."""
        for part in self.parts:
            part.step()
