r"""Where a model runs, and in which precision."""

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

# How many lengths of the memory a compiled layer knows.
LENGTHS = 64


@dataclass(frozen=True)
class Machine:
    r"""A device, and the type of numbers that it multiplies."""

    device: torch.device
    dtype: torch.dtype

    def autocast(self) -> AbstractContextManager[Any]:
        r"""Where products are taken in the chosen precision."""
        if self.dtype == torch.float32:
            return nullcontext()
        return torch.autocast(self.device.type, self.dtype)


def find_machine(config: Config) -> Machine:
    r"""The machine that a configuration asks for."""
    device = find_device(config.device)
    return Machine(device, find_precision(config.precision, device))


def compile_layers(objective: Objective) -> None:
    r"""Have `torch.compile` translate the layers when they run first.

    All layers are one program, which is translated anew for each length of the memory
    until that is full. So the first steps take long.
    """
    limits: Any = torch.compiler.config
    limits.recompile_limit = LENGTHS
    for layer in objective.model.transformer.layers:
        layer.compile(dynamic=False)


@contextmanager
def translating(config: Config) -> Iterator[None]:
    r"""Within this block the model may be compiled: if it cannot be, say so."""
    try:
        with warnings.catch_warnings():
            # The compiler itself looks for the gradient of what a layer reads.
            leaf = "The .grad attribute of a Tensor that is not a leaf"
            warnings.filterwarnings("ignore", leaf)
            yield
    except RuntimeError as error:
        if not config.compile or not type(error).__module__.startswith("torch._"):
            raise
        # If the fault is named anywhere, then in the first line of many.
        why = str(error).strip().splitlines()[0]
        raise TrainingError(
            f"the model could not be compiled ({why}): install a C++ compiler, or "
            "leave --compile out"
        ) from None


def as_written() -> AbstractContextManager[Any]:
    r"""Within this block no layer is compiled: reading has shapes of its own."""
    stance: AbstractContextManager[Any] = torch.compiler.set_stance("force_eager")
    return stance


def find_device(name: str) -> torch.device:
    r"""The device of that name; for `auto` a GPU where there is one."""
    there = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
        "cpu": True,
    }
    if name == "auto":
        name = next(kind for kind in there if there[kind])
    if not there[name]:
        raise TrainingError(f"device = {name!r} is not there: PyTorch finds none")
    return torch.device(name, 0) if name == "cuda" else torch.device(name)


def find_precision(name: str, device: torch.device) -> torch.dtype:
    r"""The precision of that name; for `auto` what the device is fast in."""
    if name != "auto":
        if name == "float16" and device.type != "cuda":
            raise TrainingError(f"precision = 'float16' needs a GPU, not {device.type}")
        return PRECISIONS[name]
    if device.type != "cuda":
        return torch.float32
    return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
