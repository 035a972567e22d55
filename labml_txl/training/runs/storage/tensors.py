r"""# From a run to tensors, and back

What a run consists of under names, as a checkpoint keeps it: parameters, what AdamW
remembers of each, the memory of every reader.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from labml_txl.models import CompressiveMemory
from labml_txl.training.runs.build import Memory
from labml_txl.training.runs.config import Config
from labml_txl.training.runs.machine import fill, whole
from labml_txl.training.text.cache import TrainingError


def wholes(module: nn.Module) -> dict[str, Tensor]:
    r"""The parameters of a module, each once and whole."""
    return {name: whole(tensor) for name, tensor in module.named_parameters()}


def prefixed(name: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    r"""The tensors, with a name and a dot in front of theirs."""
    return {f"{name}.{key}": tensor for key, tensor in tensors.items()}


def optimizer_state(
    objective: nn.Module, optimizer: torch.optim.Optimizer
) -> dict[str, Tensor]:
    r"""What AdamW remembers of each parameter, under the parameter's name."""
    return {
        f"optimizer.{name}:{key}": whole(value)
        for name, parameter in objective.named_parameters()
        for key, value in optimizer.state.get(parameter, {}).items()
    }


def load_optimizer(
    objective: nn.Module, optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor]
) -> None:
    r"""Give AdamW back what `optimizer_state` took."""
    parameters = dict(objective.named_parameters())
    for key, tensor in tensors.items():
        name, _, what = key.rpartition(":")
        parameter = parameters[name]
        if tensor.shape == parameter.shape:
            state = torch.zeros_like(parameter, requires_grad=False)
            fill(state, tensor)
        else:
            # A number, as the count of steps.
            state = tensor.to(parameter.device)
        optimizer.state[parameter][what] = state


def load_parameters(model: nn.Module, tensors: dict[str, Tensor]) -> None:
    r"""Copy tensors into the parameters of the same names."""
    check_fit(model, tensors)
    for name, parameter in model.named_parameters():
        fill(parameter, tensors[name])


def check_fit(model: nn.Module, tensors: dict[str, Tensor]) -> None:
    r"""Raise `TrainingError` for tensors that are not the parameters of a model."""
    parameters = dict(model.named_parameters())
    if parameters.keys() != tensors.keys():
        wrong = sorted(parameters.keys() ^ tensors.keys())
        raise TrainingError(
            f"the checkpoint is of another model: {', '.join(wrong[:3])}"
        )
    for name, parameter in parameters.items():
        if parameter.shape != tensors[name].shape:
            raise TrainingError(
                f"{name} is {list(tensors[name].shape)} in the checkpoint and "
                f"{list(parameter.shape)} in the model"
            )


@contextmanager
def undrawn() -> Iterator[None]:
    r"""Within this block a model is made without values: a structure that takes no RAM.

    `adopt` gives it values.
    """
    with torch.device("meta"), _Undrawn():
        yield


class _Undrawn(TorchFunctionMode):
    r"""Leaves initial values undrawn: PyTorch needs a second to draw the first."""

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if func in (nn.init.normal_, nn.init.uniform_, nn.init.kaiming_uniform_):
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        return func(*args, **kwargs)


def adopt(model: nn.Module, tensors: dict[str, Tensor]) -> None:
    r"""Make tensors the parameters of the same names, without a copy."""
    homes: dict[int, list[tuple[nn.Module, str]]] = {}
    for module in model.modules():
        for name, parameter in module.named_parameters(recurse=False):
            homes.setdefault(id(parameter), []).append((module, name))
    check_fit(model, tensors)
    for name, parameter in [*model.named_parameters()]:
        adopted = nn.Parameter(tensors[name].to(parameter.dtype))
        for module, key in homes[id(parameter)]:
            setattr(module, key, adopted)


def memory_tensors(memory: Memory) -> dict[str, Tensor]:
    r"""The tensors of a memory, under names that `memory_of` understands."""
    if memory is None:
        return {}
    if isinstance(memory, CompressiveMemory):
        fields: dict[str, list[Tensor]] = memory._asdict()
    else:
        fields = {"mem": memory}
    return {
        f"{name}.{layer}": states
        for name, layers in fields.items()
        for layer, states in enumerate(layers)
    }


def memory_of(
    tensors: dict[str, Tensor], name: str, config: Config, device: torch.device
) -> Memory:
    r"""The memory that `memory_tensors` took apart."""
    fields: dict[str, list[Tensor]] = {kind: [] for kind in CompressiveMemory._fields}
    for kind, layers in fields.items():
        while (key := f"{name}.{kind}.{len(layers)}") in tensors:
            layers.append(tensors[key].to(device))
    if config.model == "compressive":
        return CompressiveMemory(**fields)
    return fields["mem"]
