"""The device that runs a model, and the precision."""

import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch

from labml_txl.training.config import Config
from labml_txl.training.objective import Objective
from labml_txl.training.text.files import TrainingError

PRECISIONS = {
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
}

# The number of memory lengths for which a layer can be compiled.
LENGTHS = 64


@dataclass(frozen=True)
class Machine:
    """A device, and the data type in which it multiplies."""

    device: torch.device
    dtype: torch.dtype

    def autocast(self) -> AbstractContextManager[Any]:
        """A context in which products are computed in the chosen precision."""
        if self.dtype == torch.float32:
            return nullcontext()
        return torch.autocast(self.device.type, self.dtype)


def find_machine(config: Config) -> Machine:
    """The device and the data type for a configuration."""
    device = find_device(config.device)
    return Machine(device, find_precision(config.precision, device))


def compile_layers(objective: Objective) -> None:
    """Let `torch.compile` compile each layer when it first runs.

    All layers share their compiled code, which is compiled again for each length of the
    memory until the memory is full. The first steps therefore take long.
    """
    limits: Any = torch.compiler.config
    limits.recompile_limit = LENGTHS
    for layer in objective.model.transformer.layers:
        layer.compile(dynamic=False)


@contextmanager
def allow_compiling(config: Config) -> Iterator[None]:
    """Within this block the model may be compiled. Failure raises `TrainingError`."""
    try:
        with warnings.catch_warnings():
            # The compiler accesses the gradient of a layer's input, which causes a
            # warning.
            leaf = "The .grad attribute of a Tensor that is not a leaf"
            warnings.filterwarnings("ignore", leaf)
            yield
    except RuntimeError as error:
        if not config.compile or not type(error).__module__.startswith("torch._"):
            raise
        # The message has many lines, of which the first is the most likely to name the
        # cause.
        why = str(error).strip().splitlines()[0]
        raise TrainingError(
            f"the model could not be compiled ({why}): install a C++ compiler, or "
            "leave out --compile"
        ) from None


def disable_compiling() -> AbstractContextManager[Any]:
    """Within this block no layer is compiled, because evaluation has other shapes."""
    stance: AbstractContextManager[Any] = torch.compiler.set_stance("force_eager")
    return stance


def find_device(name: str) -> torch.device:
    """The device of that name; for `auto`, a GPU if there is one."""
    there = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
        "cpu": True,
    }
    if name == "auto":
        name = next(kind for kind in there if there[kind])
    if not there[name]:
        raise TrainingError(f"device = {name!r} is not available to PyTorch")
    if name != "cuda":
        return torch.device(name)
    return torch.device(name, torch.cuda.current_device())


def find_precision(name: str, device: torch.device) -> torch.dtype:
    """The precision of that name; for `auto`, the one in which the device is fast."""
    if name != "auto":
        if name == "float16" and device.type != "cuda":
            raise TrainingError(f"precision = 'float16' needs a GPU, not {device.type}")
        return PRECISIONS[name]
    if device.type != "cuda":
        return torch.float32
    return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
