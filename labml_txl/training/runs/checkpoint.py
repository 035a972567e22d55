"""A run on disk: a checkpoint is one file in the format of safetensors.

```text
runs/xl/
  last.safetensors            the newest state, for a resumed run
  best.safetensors            the same at the lowest validation loss
  curve.jsonl .png .svg       the losses
  sample.txt                  a text that the model generated
  run.lock                    the lock of the process that writes here
```

The file contains the tensors and, as text in its metadata, everything else, with a
digest of it all, so that a file of which a single bit has changed is refused. It is
written atomically: if the process is killed, the previous checkpoint is still complete.
The format cannot contain code, so it is safe to load a checkpoint from an untrusted
source.
"""

import dataclasses
import hashlib
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from labml_txl.models import CompressiveMemory, LanguageModel
from labml_txl.training.config import Config, configure
from labml_txl.training.objective import Memory, build
from labml_txl.training.runs.machine import find_device
from labml_txl.training.runs.processes import copy_like
from labml_txl.training.text.files import (
    SAFETENSORS,
    TrainingError,
    make_unreadable,
    replace_file,
)
from labml_txl.training.text.vocabulary import Vocabulary, read_vocabulary
from labml_txl.training.text.vocabulary import compute_digest as digest_of_words

FORMAT = "labml_txl checkpoint 2"

# What a file says of its tensors, apart from its digest.
KEYS = {
    *("format", "step", "text", "config", "vocabulary"),
    *("position", "progress"),
}

# What `progress` needs for resuming.
PROGRESS = {"seconds", "scaler"}

# The state that the optimizers have for each parameter.
MUON = {"momentum_buffer"}
ADAMW = {"step", "exp_avg", "exp_avg_sq"}


@dataclass(frozen=True)
class Checkpoint:
    """A run at one step. The name of each tensor has a prefix for its part.

    A checkpoint always contains `model.*`. It contains `optimizer.*`, `memory.*` and
    `random.*` if training can be resumed from it.
    """

    config: Config
    words: Vocabulary
    tensors: dict[str, Tensor]
    step: int = 0  # steps that were taken
    position: int = 0  # tokens that each sequence has processed
    progress: dict[str, Any] = field(default_factory=dict)  # losses and the like
    text: str = ""  # a digest of the training text

    def part(self, name: str) -> dict[str, Tensor]:
        """The tensors of one part, with names without its prefix."""
        return {
            key.removeprefix(f"{name}."): tensor
            for key, tensor in self.tensors.items()
            if key.startswith(f"{name}.")
        }


def restore(path: Path, device: str) -> tuple[LanguageModel, Checkpoint]:
    """The model of a checkpoint, in evaluation mode, and the checkpoint."""
    checkpoint = load_checkpoint(path)
    model = build_model(
        checkpoint.config, len(checkpoint.words), checkpoint.part("model")
    )
    return model.to(find_device(device)), checkpoint


def build_model(
    config: Config, n_vocab: int, tensors: dict[str, Tensor]
) -> LanguageModel:
    """The model of a configuration with these tensors, in evaluation mode.

    The tensors are not copied. Raises `TrainingError` if they do not fit the
    configuration; a configuration of a huge model takes no memory before this check.
    """
    with skip_init():
        model = build(config, n_vocab)
    adopt(model, tensors)
    return model.eval()


def save_checkpoint(checkpoint: Checkpoint, *paths: Path) -> None:
    """Write a checkpoint under each of the paths.

    Raises `TrainingError`, and writes nothing, if a tensor is not finite: no run could
    be resumed from such a file.
    """
    check_numbers(checkpoint.tensors)
    # Tensors that share storage, as views do, are written each by itself.
    tensors = {
        name: tensor.detach().cpu().contiguous().clone()
        for name, tensor in checkpoint.tensors.items()
    }
    resuming = {
        "position": str(checkpoint.position),
        "progress": json.dumps(checkpoint.progress, allow_nan=False),
    }
    contents = serialize(tensors, make_metadata(checkpoint, FORMAT) | resuming)
    for path in paths:
        with replace_file(path) as file:
            file.write(contents)


def serialize(tensors: dict[str, Tensor], metadata: dict[str, str]) -> bytes:
    """The bytes of a file with these tensors and metadata, and a digest of both."""
    return save(tensors, metadata | {"digest": compute_digest(tensors, metadata)})


def compute_digest(tensors: dict[str, Tensor], metadata: dict[str, str]) -> str:
    """A SHA-256 digest of metadata, and of the names, types, shapes and bytes."""
    about = {
        name: (str(tensor.dtype), list(tensor.shape))
        for name, tensor in tensors.items()
    }
    digest = hashlib.sha256(json.dumps([metadata, about], sort_keys=True).encode())
    for name in sorted(tensors):
        digest.update(tensors[name].reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def check_numbers(tensors: dict[str, Tensor]) -> None:
    """Raise `TrainingError` if a number is not finite, with the name of its tensor."""
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not tensor.isfinite().all():
            raise TrainingError(f"{name} contains nan or infinity")


def make_metadata(checkpoint: Checkpoint, form: str) -> dict[str, str]:
    """What a file of some form says of its tensors, for `read_checkpoint`."""
    words = {
        "kind": checkpoint.words.kind,
        "symbols": checkpoint.words.symbols,
        "digest": digest_of_words(checkpoint.words),
    }
    return {
        "format": form,
        "step": str(checkpoint.step),
        "text": checkpoint.text,
        "config": json.dumps(dataclasses.asdict(checkpoint.config)),
        "vocabulary": json.dumps(words),
    }


def restore_vocabulary(known: dict[str, str]) -> Vocabulary:
    """The vocabulary that `make_metadata` described.

    Raises `ValueError` if it has another digest.
    """
    # A file that was written before there were digests has none.
    digest = known.pop("digest", None)
    words = read_vocabulary(**known)
    if digest not in (None, digest_of_words(words)):
        raise ValueError("the vocabulary differs from its digest")
    return words


def load_checkpoint(path: Path, name: str = "best") -> Checkpoint:
    """Read a checkpoint: a file, or a folder of which `name` is read."""
    if path.is_dir():
        files = [path / f"{each}.safetensors" for each in (name, "last", "best")]
        path = next((file for file in files if file.is_file()), path)
    if path.is_dir():
        raise TrainingError(f"there is no checkpoint in {path}")
    if not path.is_file():
        raise TrainingError(f"there is no checkpoint {path}")
    return read_checkpoint(path, FORMAT)


def read_checkpoint(path: Path, form: str) -> Checkpoint:
    """The checkpoint in a file.

    Raises `TrainingError`, in one line, for a file that is truncated, of another form,
    or not as it was written, and for tensors that are not finite.
    """
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        reason = f"truncated or damaged ({str(error).splitlines()[0]})"
        raise make_unreadable(path, SAFETENSORS, reason) from None
    if metadata.get("format") != form:
        raise TrainingError(f"{path} does not have the format {form!r}")
    known = {name: text for name, text in metadata.items() if name != "digest"}
    # A file that was written before there were digests has none. An unknown key may be
    # a digest whose name is damaged.
    digest = metadata.get("digest")
    if digest != compute_digest(tensors, known) and (digest or known.keys() - KEYS):
        raise TrainingError(
            f"{path} is damaged: its contents differ from its digest; use another "
            "checkpoint"
        )
    try:
        check_numbers(tensors)
        step, position = int(known["step"]), int(known.get("position", 0))
        progress = json.loads(known.get("progress", "{}"))
        # Before the first validation there is no best loss.
        losses = progress.get("best") or 0.0, progress.get("seconds", 0.0)
        if not all(type(n) is float and 0 <= n < math.inf for n in losses):
            raise ValueError("progress")
        config = configure(json.loads(known["config"]))
        if not 0 <= step <= config.steps:
            raise ValueError(f"step {step} of {config.steps}")
        if not 0 <= position <= step * config.seq_len * config.bptt:
            raise ValueError(f"position {position} at step {step}")
        return Checkpoint(
            config,
            restore_vocabulary(json.loads(known["vocabulary"])),
            tensors,
            step,
            position,
            progress,
            known["text"],
        )
    # Whatever is wrong with a value, the file is at fault. Brackets may be so deep, or
    # numbers so long, that Python refuses to read them.
    except (
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        reason = str(error).partition("\n")[0]
        raise TrainingError(f"{path} is damaged ({reason})") from None
    except TrainingError as error:
        raise TrainingError(f"{path} is damaged: {error}") from None


def add_prefix(name: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """The tensors, with a prefix and a dot before their names."""
    return {f"{name}.{key}": tensor for key, tensor in tensors.items()}


def collect_optimizer_state(
    objective: nn.Module, optimizer: torch.optim.Optimizer
) -> dict[str, Tensor]:
    """The optimizer's state for each parameter, under the name of the parameter."""
    return {
        f"optimizer.{name}:{key}": value
        for name, parameter in objective.named_parameters()
        for key, value in optimizer.state.get(parameter, {}).items()
    }


def load_optimizer(
    objective: nn.Module, optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor]
) -> None:
    """Restore the state that `collect_optimizer_state` returned.

    Raises `TrainingError` for any other tensors, because PyTorch does not check them.
    """
    parameters = dict(objective.named_parameters())
    given: dict[str, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        name, _, what = key.rpartition(":")
        given.setdefault(name, {})[what] = tensor
    wanted = {
        parameter: MUON if "momentum" in group else ADAMW
        for group in optimizer.param_groups
        for parameter in group["params"]
    }
    for name, state in given.items():
        parameter = parameters.get(name)
        # A running mean has the shape of the parameter; the number of steps is a
        # scalar.
        if (
            parameter is None
            or state.keys() != wanted[parameter]
            or any(
                one.dtype != torch.float32
                or one.shape != (() if what == "step" else parameter.shape)
                for what, one in state.items()
            )
        ):
            raise TrainingError(f"unexpected tensor optimizer.{name} in the checkpoint")
        for what, one in state.items():
            step = one.to(parameter.device, copy=True)
            placed = step if what == "step" else copy_like(one, parameter)
            optimizer.state[parameter][what] = placed


def load_parameters(model: nn.Module, tensors: dict[str, Tensor]) -> None:
    """Copy tensors into the parameters of the same names."""
    check_fit(model, tensors)
    for name, parameter in model.named_parameters():
        parameter.data.copy_(copy_like(tensors[name], parameter.data))


def check_fit(model: nn.Module, tensors: dict[str, Tensor]) -> None:
    """Raise `TrainingError` if the tensors do not fit the parameters of the model."""
    parameters = dict(model.named_parameters())
    if parameters.keys() != tensors.keys():
        wrong = sorted(parameters.keys() ^ tensors.keys())
        raise TrainingError(
            f"the checkpoint is for a different model: {', '.join(wrong[:3])}"
        )
    for name, parameter in parameters.items():
        if parameter.shape != tensors[name].shape:
            raise TrainingError(
                f"{name} is {list(tensors[name].shape)} in the checkpoint and "
                f"{list(parameter.shape)} in the model"
            )


@contextmanager
def skip_init() -> Iterator[None]:
    """Within this block, models are constructed without values, which takes no RAM.

    `adopt` gives them values.
    """
    with torch.device("meta"), _Undrawn():
        yield


class _Undrawn(TorchFunctionMode):
    """Skips the initial values: PyTorch needs a second to draw the first of them."""

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if func in (nn.init.normal_, nn.init.uniform_, nn.init.kaiming_uniform_):
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        return func(*args, **kwargs)


def adopt(model: nn.Module, tensors: dict[str, Tensor]) -> None:
    """Use tensors as the parameters of the same names, without a copy."""
    homes: dict[int, list[tuple[nn.Module, str]]] = {}
    for module in model.modules():
        for name, parameter in module.named_parameters(recurse=False):
            homes.setdefault(id(parameter), []).append((module, name))
    check_fit(model, tensors)
    for name, parameter in [*model.named_parameters()]:
        adopted = nn.Parameter(tensors[name].to(parameter.dtype))
        for module, key in homes[id(parameter)]:
            setattr(module, key, adopted)


def collect_memory(memory: Memory) -> dict[str, Tensor]:
    """The tensors of a memory, under names that `restore_memory` understands."""
    if memory is None:
        return {}
    compressive = isinstance(memory, CompressiveMemory)
    fields: dict[str, Any] = memory._asdict() if compressive else {"mem": memory}
    return {
        f"{name}.{layer}": states
        for name, layers in fields.items()
        for layer, states in enumerate(layers)
    }


def restore_memory(
    tensors: dict[str, Tensor],
    config: Config,
    device: torch.device,
    columns: slice = slice(None),
) -> Memory:
    """The memory whose tensors `collect_memory` returned, of some of the sequences.

    Raises `ValueError` if the states do not fit the model and its batch.
    """
    fields: dict[str, list[Tensor]] = {kind: [] for kind in CompressiveMemory._fields}
    for kind, layers in fields.items():
        while (key := f"{kind}.{len(layers)}") in tensors:
            known = tensors[key].is_floating_point()
            if not known or tensors[key].shape[1:] != (config.batch, config.d_model):
                raise ValueError(
                    f"memory.{key} is {list(tensors[key].shape)} of "
                    f"{tensors[key].dtype}"
                )
            layers.append(tensors[key][:, columns].contiguous().to(device))
        if len(layers) not in (0, config.n_layers):
            raise ValueError(f"memory.{kind} has {len(layers)} layers")
    if config.model == "compressive":
        return CompressiveMemory(**fields)
    return fields["mem"]
