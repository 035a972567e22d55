r"""# Optimizers

From gradients to steps. **AdamW** divides the mean of a parameter's gradients by the
root of the mean of their squares, each element for itself. It is the default.

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

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn
from torch.optim import Optimizer

from labml_txl.models import LanguageModel
from labml_txl.training.runs.config import Config
from labml_txl.training.text.cache import TrainingError

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
