r"""# The machine

Where a model runs and in which precision, and how several processes share one run.

Several processes are started by `torchrun`, which tells each its number. Each has its
own readers and their memory, and their gradients are averaged:

```sh
torchrun --no-python --nproc-per-node 2 txl train xl
```

Each process then holds the whole model. With `--fsdp` each keeps its share of the
parameters, their gradients and what the optimizer remembers of them. The whole is put
together for a step and taken apart again.
"""

import os
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor
from torch.nn.parallel import DistributedDataParallel

from labml_txl.training.runs.build import Objective
from labml_txl.training.runs.config import Config
from labml_txl.training.text.cache import SettingError, TrainingError

PRECISIONS = {
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
}

# How many lengths of the memory a compiled layer knows.
LENGTHS = 64


@dataclass(frozen=True)
class Machine:
    r"""A device, the type of numbers that it multiplies, and this process's number."""

    device: torch.device
    dtype: torch.dtype
    rank: int = 0
    world: int = 1

    @property
    def leads(self) -> bool:
        r"""Whether this process writes files and reports."""
        return self.rank == 0

    def autocast(self) -> AbstractContextManager[Any]:
        r"""Where products are taken in the chosen precision."""
        if self.dtype == torch.float32:
            return nullcontext()
        return torch.autocast(self.device.type, self.dtype)

    def average(self, values: list[float]) -> list[float]:
        r"""The mean over all processes of each number."""
        if self.world == 1:
            return values
        shared = torch.tensor(values, dtype=torch.float64, device=self.device)
        dist.all_reduce(shared)
        mean: list[float] = (shared / self.world).tolist()
        return mean

    def gather(self, value: Any) -> list[Any]:
        r"""The values of all processes, in the order of their numbers."""
        if self.world == 1:
            return [value]
        gathered: list[Any] = [None] * self.world
        dist.all_gather_object(gathered, value)
        return gathered

    def wait(self) -> None:
        r"""Wait for all processes, before any of them leaves the group.

        The threads of the group may still hold tensors, and need Python's lock to let
        them go. While this process waits, they can. A process that left at once could
        wait for them forever.
        """
        if self.world > 1:
            dist.barrier()


def leads() -> bool:
    r"""Whether this process is the first of its group, or alone."""
    return os.environ.get("RANK", "0") == "0"


def find_machine(config: Config) -> Machine:
    r"""The machine that a configuration asks for.

    Under `torchrun` the process joins its group; `leave` ends that.
    """
    local = int(os.environ.get("LOCAL_RANK", "0"))
    world = int(os.environ.get("WORLD_SIZE", "1"))
    if config.batch % (world * config.accumulate):
        raise SettingError(
            f"batch={config.batch} is not a multiple of {world} processes times "
            f"accumulate={config.accumulate}"
        )
    device = find_device(config.device, local)
    if world > 1 and not dist.is_initialized():
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    rank = dist.get_rank() if world > 1 else 0
    return Machine(device, find_precision(config.precision, device), rank, world)


def share(objective: Objective, config: Config, world: int) -> nn.Module:
    r"""The objective, shared between `world` processes as the configuration asks for.

    `torch.compile` translates its layers first, if that is asked for. All layers are
    one program, which is translated anew for each length of the memory until that is
    full. So the first steps take long.
    """
    if config.compile:
        torch._dynamo.config.recompile_limit = LENGTHS
        for layer in objective.model.transformer.layers:
            layer.compile(dynamic=False)
    if config.fsdp:
        if world == 1:
            raise SettingError(
                "fsdp shares parameters between processes: start them with torchrun"
            )
        # One unit: memory is compressed, and the reconstruction loss is computed, with
        # parameters of layers whose own forward pass is over.
        fully_shard(objective)
    elif world > 1:
        # Before anything is compressed, the compression has no gradient.
        return DistributedDataParallel(
            objective, find_unused_parameters=config.model == "compressive"
        )
    return objective


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


@contextmanager
def put_together(objective: nn.Module) -> Iterator[None]:
    r"""Within this block every process has the whole parameters of the model."""
    if not isinstance(objective, FSDPModule):
        yield
        return
    objective.unshard()
    try:
        yield
    finally:
        objective.reshard()


def whole(tensor: Tensor) -> Tensor:
    r"""A tensor of which each process may have a share. All processes must ask."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def fill(goal: Tensor, tensor: Tensor) -> None:
    r"""Copy a whole tensor into one of which each process may have a share."""
    if isinstance(goal, DTensor):
        shared = distribute_tensor(
            tensor.to(goal.device), goal.device_mesh, goal.placements
        )
        goal.to_local().detach().copy_(shared.to_local())
    else:
        goal.data.copy_(tensor)


def leave() -> None:
    r"""Leave the group of processes, if there is one."""
    if dist.is_initialized():
        dist.destroy_process_group()


def find_device(name: str, local: int = 0) -> torch.device:
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
    if name != "cuda":
        return torch.device(name)
    torch.cuda.set_device(local)
    return torch.device("cuda", local)


def find_precision(name: str, device: torch.device) -> torch.dtype:
    r"""The precision of that name; for `auto` what the device is fast in."""
    if name != "auto":
        if name == "float16" and device.type != "cuda":
            raise TrainingError(f"precision = 'float16' needs a GPU, not {device.type}")
        return PRECISIONS[name]
    if device.type != "cuda":
        return torch.float32
    return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
