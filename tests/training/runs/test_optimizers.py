"""Muon moves the matrices that it is made for, and AdamW everything else."""

import copy
import math
from typing import Any

import pytest
import torch
from torch import nn

from labml_txl.training.objective import (
    Objective,
    build,
    find_linear_weights,
    make_optimizer,
)
from tests.training.small import small

MODELS: dict[str, dict[str, Any]] = {
    "xl": {},
    "untied": {"tied": False},
    "learned": {"encoding": "learned"},
    "vanilla": {"encoding": "absolute", "mem_len": 0},
    "compressive": {
        "model": "compressive",
        "c_mem_len": 3,
        "reconstruction": "auto_encoding",
    },
}

# The ends of the names of what Muon moves.
MAPS = (
    *("query.weight", "key.weight", "value.weight", "output.weight"),
    *("projection.weight", "expand.weight", "contract.weight"),
)


def objective(**settings: Any) -> Objective:
    config = small(**settings)
    return Objective(build(config, 11), config)


@pytest.mark.parametrize("kind", MODELS)
def test_muon_trains_exactly_the_matrices_of_layers(kind: str) -> None:
    module = objective(**MODELS[kind])
    mapped = {id(parameter) for parameter in find_linear_weights(module)}
    names = {n for n, p in module.named_parameters() if id(p) in mapped}
    wanted = {n for n, _ in module.named_parameters() if n.endswith(MAPS)}
    assert names == wanted
    assert len(names) >= 2 * 6

    # Every parameter has exactly one group.
    optimizer = make_optimizer(module, small(optimizer="muon", **MODELS[kind]))
    moved = [id(p) for group in optimizer.param_groups for p in group["params"]]
    assert sorted(moved) == sorted(id(p) for p in module.parameters())


def stepped(module: nn.Module, **settings: Any) -> nn.Module:
    """A copy of a module after one step, with gradients that are the same each time."""
    module = copy.deepcopy(module)
    draw = torch.Generator().manual_seed(3)
    for parameter in module.parameters():
        parameter.grad = torch.randn(parameter.shape, generator=draw)
        if parameter.ndim == 2:
            # No direction with hardly any gradient: five rounds do not lift that.
            u, lengths, v = torch.linalg.svd(parameter.grad, full_matrices=False)
            parameter.grad = u * torch.linspace(1, 0.1, len(lengths)) @ v
    make_optimizer(module, small(**settings)).step()
    return module


def test_muon_steps_equally_in_all_directions_and_adamw_trains_the_rest() -> None:
    rate, decay = 0.01, 0.5
    # Wide enough for what other lengths would be to be told from these.
    module = objective(d_model=96, d_ff=192)
    settings = {"learning_rate": rate, "min_learning_rate": 0.0, "weight_decay": decay}
    adamw, moved = (
        dict(stepped(module, optimizer=name, **settings).named_parameters())
        for name in ("adamw", "muon")
    )
    for name, parameter in module.named_parameters():
        if not name.endswith(MAPS):
            assert torch.equal(moved[name], adamw[name]), name
            continue
        # The decay first, and then a step against the gradient.
        step = (parameter * (1 - rate * decay) - moved[name]) / rate
        lengths = torch.linalg.svdvals(step.detach())
        # The authors promise singular values between 0.5 and 1.5, in 16 bits.
        lengths /= 0.2 * math.sqrt(max(parameter.shape))
        assert lengths.min() > 0.4, name
        assert lengths.max() < 1.6, name
        assert 0.7 < lengths.mean() < 1.3, name
