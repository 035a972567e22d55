r"""A run on disk: tensors in a safetensors file, the rest in a JSON file beside it.

Checkpoints are written atomically: there is always one complete checkpoint, the new one
or the one before it.

```text
runs/xl/
  last.json   last-1000.safetensors   the newest state, for a resumed run
  best.json   best-750.safetensors    the same at the lowest validation loss
  curve.jsonl curve.png curve.svg     the losses
  sample.txt                          a text that the model generated
  run.lock                            the lock of the process that writes here
```

The JSON file contains the name and the digest of the file of tensors that belongs to
it. It is written after the new tensors, and the old tensors are removed after it, so it
always refers to a complete file, even if the process is killed. Neither format can
contain code, so it is safe to load a checkpoint from an untrusted source.
"""

import dataclasses
import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from labml_txl.models import CompressiveMemory, LanguageModel
from labml_txl.training.config import Config, configure
from labml_txl.training.objective import Memory, build
from labml_txl.training.runs.machine import find_device
from labml_txl.training.text.files import TrainingError, checksum, written_whole
from labml_txl.training.text.vocabulary import Vocabulary, vocabulary

FORMAT = "labml_txl checkpoint 1"

# The fields of the JSON file, with examples. A value must have the type of its example.
KINDS: dict[str, object] = {
    "tensors": "last-1000.safetensors",
    "sha256": "",
    "step": 1000,
    "position": 0,
    "progress": {},
    "text": "",
    "config": {},
    "vocabulary": {},
}
VOCABULARY: dict[str, object] = {"kind": "characters", "symbols": ""}
PROGRESS: dict[str, object] = {"seconds": 0.0, "scaler": {}}

# The state that the optimizers have for each parameter.
MUON = {"momentum_buffer"}
ADAMW = {"step", "exp_avg", "exp_avg_sq"}


@dataclass(frozen=True)
class Checkpoint:
    r"""A run at one step. The name of each tensor has a prefix for its part.

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
        r"""The tensors of one part, with names without its prefix."""
        return {
            key.removeprefix(f"{name}."): tensor
            for key, tensor in self.tensors.items()
            if key.startswith(f"{name}.")
        }


def restore(path: Path, device: str) -> tuple[LanguageModel, Checkpoint]:
    r"""The model of a checkpoint, in evaluation mode, and the checkpoint."""
    checkpoint = load_checkpoint(path)
    model = model_of(checkpoint.config, len(checkpoint.words), checkpoint.part("model"))
    return model.to(find_device(device)), checkpoint


def model_of(config: Config, n_vocab: int, tensors: dict[str, Tensor]) -> LanguageModel:
    r"""The model of a configuration with these tensors, in evaluation mode.

    The tensors are not copied. Raises `TrainingError` if they do not fit the
    configuration; a configuration of a huge model takes no memory before this check.
    """
    with undrawn():
        model = build(config, n_vocab)
    adopt(model, tensors)
    return model.eval()


def save_checkpoint(checkpoint: Checkpoint, *paths: Path) -> None:
    r"""Write a checkpoint under each of the paths, which are those of JSON files."""
    # Tensors that share storage, such as views, are written separately.
    contents = save(
        {
            name: tensor.detach().cpu().contiguous().clone()
            for name, tensor in checkpoint.tensors.items()
        }
    )
    digest = hashlib.sha256(contents).hexdigest()
    for path in paths:
        with written_whole(tensors_of(path, checkpoint.step)) as file:
            file.write(contents)
        _write_document(checkpoint, digest, path)


def tensors_of(path: Path, step: int) -> Path:
    r"""The file of tensors that belongs to a JSON file. Its name contains the step."""
    stem = path.stem.removesuffix(f"-{step}")
    return path.with_name(f"{stem}-{step}.safetensors")


def _write_document(checkpoint: Checkpoint, digest: str, path: Path) -> None:
    tensors = tensors_of(path, checkpoint.step)
    document = {
        "format": FORMAT,
        "tensors": tensors.name,
        "sha256": digest,
        "step": checkpoint.step,
        "position": checkpoint.position,
        "progress": checkpoint.progress,
        "text": checkpoint.text,
        "config": dataclasses.asdict(checkpoint.config),
        "vocabulary": {
            "kind": checkpoint.words.kind,
            "symbols": checkpoint.words.symbols,
        },
    }
    with written_whole(path) as file:
        file.write(json.dumps(document, indent=2, allow_nan=False).encode())
    for old in path.parent.glob(f"{path.stem}-*.safetensors"):
        if old != tensors:
            old.unlink()


def load_checkpoint(path: Path, name: str = "best") -> Checkpoint:
    r"""Load a checkpoint from a JSON file, or from the file `name` of a folder.

    Raises `TrainingError`, in one line, if a file is missing, truncated or not a
    checkpoint, or if the tensors have changed since they were written.
    """
    if path.is_dir():
        names = (name, "last", "best")
        found = [path / f"{n}.json" for n in names if (path / f"{n}.json").is_file()]
        if not found:
            raise TrainingError(f"there is no checkpoint in {path}")
        path = found[0]
    if not path.is_file():
        raise TrainingError(f"there is no checkpoint {path}")
    document = read_document(path)
    tensors = path.with_name(document["tensors"])
    if not tensors.is_file():
        raise TrainingError(f"there is no file {tensors}")
    try:
        contents = load_file(tensors)
        whole = checksum(tensors) == document["sha256"]
    except (SafetensorError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise TrainingError(f"{tensors} is truncated or damaged ({reason})") from None
    if not whole:
        raise TrainingError(f"{tensors} is damaged: it is not what was written")
    try:
        config = configure(document["config"])
        words = vocabulary(
            **{name: document["vocabulary"][name] for name in VOCABULARY}
        )
    except TrainingError as error:
        raise TrainingError(f"{path} is damaged: {error}") from None
    return Checkpoint(
        config=config,
        words=words,
        tensors=contents,
        step=document["step"],
        position=document["position"],
        progress=document["progress"],
        text=document["text"],
    )


def read_document(path: Path) -> dict[str, Any]:
    r"""The JSON file of a checkpoint."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    # Python refuses to parse very deeply nested brackets and very long numbers.
    except (ValueError, RecursionError):
        raise TrainingError(f"{path} is truncated, or no checkpoint at all") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise TrainingError(f"{path} is no checkpoint of labml_txl")
    wrong = [*_misfits(document, KINDS)]
    if not wrong:
        wrong += _misfits(document["vocabulary"], VOCABULARY, "vocabulary.")
        wrong += _misfits(PROGRESS | document["progress"], PROGRESS, "progress.")
        # Before the first validation there is no best loss.
        if document["progress"].get("best") is not None:
            wrong += _misfits(document["progress"], {"best": 0.0}, "progress.")
    if not wrong:
        # The tensors must be in a file beside this one.
        fits = re.fullmatch(r"[\w.-]{1,200}\.safetensors", document["tensors"])
        wrong = [] if fits else ["tensors"]
    if wrong:
        raise TrainingError(
            f"{path} is damaged: there is no {', no '.join(wrong)} that could be read"
        )
    return document


def _misfits(
    values: dict[str, Any], examples: dict[str, object], where: str = ""
) -> Iterator[str]:
    r"""The names whose values have a wrong type or are out of range."""
    for name, example in examples.items():
        value = values.get(name)
        fits = type(value) is type(example)
        if not fits or (isinstance(value, int | float) and not 0 <= value < 2.0**63):
            yield where + name


def prefixed(name: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    r"""The tensors, with a prefix and a dot before their names."""
    return {f"{name}.{key}": tensor for key, tensor in tensors.items()}


def optimizer_state(
    objective: nn.Module, optimizer: torch.optim.Optimizer
) -> dict[str, Tensor]:
    r"""The optimizer's state for each parameter, under the name of the parameter."""
    return {
        f"optimizer.{name}:{key}": value
        for name, parameter in objective.named_parameters()
        for key, value in optimizer.state.get(parameter, {}).items()
    }


def load_optimizer(
    objective: nn.Module, optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor]
) -> None:
    r"""Restore the state that `optimizer_state` returned.

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
            raise TrainingError(f"the checkpoint has no use for optimizer.{name}")
        for what, one in state.items():
            optimizer.state[parameter][what] = one.to(parameter.device, copy=True)


def load_parameters(model: nn.Module, tensors: dict[str, Tensor]) -> None:
    r"""Copy tensors into the parameters of the same names."""
    check_fit(model, tensors)
    for name, parameter in model.named_parameters():
        parameter.data.copy_(tensors[name])


def check_fit(model: nn.Module, tensors: dict[str, Tensor]) -> None:
    r"""Raise `TrainingError` if the tensors do not fit the parameters of the model."""
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
    r"""Within this block, models are constructed without values, which takes no RAM.

    `adopt` gives them values.
    """
    with torch.device("meta"), _Undrawn():
        yield


class _Undrawn(TorchFunctionMode):
    r"""Skips the initial values: PyTorch needs a second to draw the first of them."""

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if func in (nn.init.normal_, nn.init.uniform_, nn.init.kaiming_uniform_):
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        return func(*args, **kwargs)


def adopt(model: nn.Module, tensors: dict[str, Tensor]) -> None:
    r"""Use tensors as the parameters of the same names, without a copy."""
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
    compressive = isinstance(memory, CompressiveMemory)
    fields: dict[str, Any] = memory._asdict() if compressive else {"mem": memory}
    return {
        f"{name}.{layer}": states
        for name, layers in fields.items()
        for layer, states in enumerate(layers)
    }


def memory_of(
    tensors: dict[str, Tensor], config: Config, device: torch.device
) -> Memory:
    r"""The memory whose tensors `memory_tensors` returned.

    Raises `ValueError` if the states do not fit the model and its batch.
    """
    fields: dict[str, list[Tensor]] = {kind: [] for kind in CompressiveMemory._fields}
    for kind, layers in fields.items():
        while (key := f"{kind}.{len(layers)}") in tensors:
            layers.append(tensors[key].to(device))
            known = tensors[key].is_floating_point()
            if not known or tensors[key].shape[1:] != (config.batch, config.d_model):
                raise ValueError(
                    f"memory.{key} is {list(tensors[key].shape)} of "
                    f"{tensors[key].dtype}"
                )
        if len(layers) not in (0, config.n_layers):
            raise ValueError(f"memory.{kind} has {len(layers)} layers")
    if config.model == "compressive":
        return CompressiveMemory(**fields)
    return fields["mem"]
