"""Several processes that train one model, each with its own part of the batch.

`torchrun` starts the processes and tells each of them its number in the environment.
They hold the same parameters and exchange gradients, so that all of them take the same
step. Only the first one writes files and prints.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.rendezvous import rendezvous
from torch.distributed.tensor import DTensor, distribute_tensor

from labml_txl.training.text.files import SettingError

# How long a process waits for the others, which may have a large text to encode.
PATIENCE = timedelta(hours=12)


@dataclass(frozen=True)
class Processes:
    """The processes of a run, as one of them sees them.

    - `rank`: the number of this process; the first one is 0.
    - `size`: the number of all processes.
    - `local`: the number of this process on its machine, and of the GPU that it uses.
    """

    rank: int = 0
    size: int = 1
    local: int = 0

    @property
    def first(self) -> bool:
        """Whether this is the process that writes and prints."""
        return self.rank == 0

    def columns(self, batch: int, parts: int = 1) -> list[slice]:
        """The sequences of a batch that this process works on, in `parts` parts.

        Raises `SettingError` if the batch cannot be divided evenly.
        """
        width, rest = divmod(batch, self.size * parts)
        if rest or not width:
            raise SettingError(
                f"batch = {batch} cannot be divided among {self.size} processes, "
                f"with {parts} parts each: give a multiple of {self.size * parts}"
            )
        first = self.rank * parts
        return [slice(n * width, (n + 1) * width) for n in range(first, first + parts)]

    def gather(self, *values: float) -> Tensor:
        """The values of every process, `[size, len(values)]`, in double precision."""
        rows = torch.zeros(self.size, len(values), dtype=torch.float64)
        rows[self.rank] = torch.tensor(values, dtype=torch.float64)
        if self.size > 1:
            dist.all_reduce(rows)
        return rows

    def join_parts(self, tensor: Tensor, dim: int) -> Tensor:
        """The parts of a tensor that the processes hold, joined along `dim`."""
        if self.size == 1:
            return tensor
        parts = [torch.empty_like(tensor) for _ in range(self.size)]
        dist.all_gather(parts, tensor.contiguous())
        return torch.cat(parts, dim)

    @contextmanager
    def run_one_by_one(self) -> Iterator[None]:
        """Let the first process of each machine run this block before the others."""
        if self.local:
            self.wait()
        yield
        if not self.local:
            self.wait()

    def wait(self) -> None:
        """Wait until all processes have come here."""
        self.gather()


ALONE = Processes()


@contextmanager
def join_processes(device: str = "auto") -> Iterator[Processes]:
    """Join the processes that `torchrun` has started; without it there is only one.

    If the block fails, only one of the processes raises the error, the first to fail.
    The others exit, since they fail only because that one has ended, or with the same
    error.
    """
    if "WORLD_SIZE" not in os.environ:
        yield ALONE
        return
    processes = Processes(*(int(os.environ[n]) for n in NAMES))
    backend = "gloo"
    if device in ("auto", "cuda") and torch.cuda.is_available():
        if processes.local >= torch.cuda.device_count():
            raise SettingError(
                f"process {processes.local} has no GPU: this machine has "
                f"{torch.cuda.device_count()}"
            )
        torch.cuda.set_device(processes.local)
        backend = "cpu:gloo,cuda:nccl"
    store, rank, size = next(iter(rendezvous("env://")))
    # After a restart, the store still has what the earlier processes wrote.
    attempt = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
    store = dist.PrefixStore(attempt, store)  # type: ignore[attr-defined]
    dist.init_process_group(
        backend, store=store, rank=rank, world_size=size, timeout=PATIENCE
    )
    try:
        yield processes
    except Exception as error:
        if is_first(store):
            raise
        raise SystemExit(getattr(error, "status", 1)) from None
    dist.destroy_process_group()


NAMES = ("RANK", "WORLD_SIZE", "LOCAL_RANK")


def is_first(store: Any) -> bool:
    """Whether this process is the first one that fails."""
    with suppress(RuntimeError):
        return int(store.add("failed", 1)) == 1
    return True


def is_lost(error: RuntimeError) -> bool:
    """Whether an error says that another process cannot be reached any more."""
    return isinstance(error, dist.DistError) or "gloo" in str(error)


def gather_whole(tensor: Tensor) -> Tensor:
    """A tensor with all its elements, of which each process may hold a part."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def copy_like(tensor: Tensor, other: Tensor) -> Tensor:
    """A copy of a whole tensor, placed and divided in the same way as `other`."""
    if isinstance(other, DTensor):
        tensor = tensor.to(other.device_mesh.device_type)
        return distribute_tensor(tensor, other.device_mesh, other.placements)
    return tensor.to(other.device, copy=True)
