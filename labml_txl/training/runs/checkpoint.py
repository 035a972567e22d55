r"""# Checkpoints

A run on disk: tensors in a safetensors file, everything else in a JSON file beside it.
A checkpoint is there whole, or the one before it is.

```text
runs/xl/
  best.json   best-750.safetensors    the model with the least validation loss
  last.json   last-1000.safetensors   the newest state, with all that resuming needs
  curve.jsonl curve.png curve.svg     the losses
  sample.txt                          what the model writes
```

The JSON file names the file of tensors that belongs to it. It is written last, by one
change of name, and only then the old tensors are removed. Whenever a process is killed,
the JSON file names tensors that are whole.

Neither format can hold code, so a checkpoint from a stranger is safe to read.
"""

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor, nn

from labml_txl.models import CompressiveMemory, LanguageModel
from labml_txl.training.runs.build import Memory, build
from labml_txl.training.runs.config import Config, configure
from labml_txl.training.runs.machine import fill, find_device, whole
from labml_txl.training.text.cache import TrainingError, written_whole
from labml_txl.training.text.vocabulary import Vocabulary, vocabulary

FORMAT = "labml_txl checkpoint 1"


@dataclass(frozen=True)
class Checkpoint:
    r"""A run at one step. The names of tensors say what they belong to, with a dot.

    `model.*` is always there. `optimizer.*`, `memory.*` and `random.*` are there where
    training can be resumed.
    """

    config: Config
    words: Vocabulary
    tensors: dict[str, Tensor]
    step: int = 0  # updates that were made
    position: int = 0  # tokens that each reader has read
    progress: dict[str, Any] = field(default_factory=dict)  # losses and the like

    def part(self, name: str) -> dict[str, Tensor]:
        r"""The tensors of one part, without its name in front."""
        return {
            key.removeprefix(f"{name}."): tensor
            for key, tensor in self.tensors.items()
            if key.startswith(f"{name}.")
        }


def restore(path: Path, device: str) -> tuple[LanguageModel, Checkpoint]:
    r"""The model of a checkpoint, ready to be asked, and the checkpoint."""
    checkpoint = load_checkpoint(path)
    model = build(checkpoint.config, len(checkpoint.words))
    load_parameters(model, checkpoint.part("model"))
    return model.to(find_device(device)).eval(), checkpoint


def save_checkpoint(checkpoint: Checkpoint, path: Path) -> None:
    r"""Write a checkpoint whose JSON file is `path`."""
    tensors = path.with_name(f"{path.stem}-{checkpoint.step}.safetensors")
    with written_whole(tensors) as file:
        # Tensors that share storage, as views do, are written each by itself.
        contents = {
            name: tensor.detach().cpu().contiguous().clone()
            for name, tensor in checkpoint.tensors.items()
        }
        file.write(save(contents))
    document = {
        "format": FORMAT,
        "tensors": tensors.name,
        "step": checkpoint.step,
        "position": checkpoint.position,
        "progress": checkpoint.progress,
        "config": dataclasses.asdict(checkpoint.config),
        "vocabulary": {
            "kind": checkpoint.words.kind,
            "symbols": checkpoint.words.symbols,
        },
    }
    with written_whole(path) as file:
        file.write(json.dumps(document, indent=2).encode())
    for old in path.parent.glob(f"{path.stem}-*.safetensors"):
        if old != tensors:
            old.unlink()


def load_checkpoint(path: Path, name: str = "best") -> Checkpoint:
    r"""Read a checkpoint: a JSON file, or a folder of which `name` is read.

    Raises `TrainingError`, in one line, for a file that is missing, truncated, or none
    of ours.
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
    try:
        contents = load_file(tensors)
    except (SafetensorError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise TrainingError(f"{tensors} is truncated or damaged ({reason})") from None
    words = document["vocabulary"]
    return Checkpoint(
        config=configure(document["config"]),
        words=vocabulary(words["kind"], words["symbols"]),
        tensors=contents,
        step=document["step"],
        position=document["position"],
        progress=document["progress"],
    )


def read_document(path: Path) -> dict[str, Any]:
    r"""The JSON file of a checkpoint."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise TrainingError(f"{path} is truncated, or no checkpoint at all") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise TrainingError(f"{path} is no checkpoint of labml_txl")
    wanted = {"tensors", "step", "position", "progress", "config", "vocabulary"}
    missing = sorted(wanted - document.keys())
    if missing or Path(str(document["tensors"])).name != document["tensors"]:
        raise TrainingError(f"{path} is damaged: {', '.join(missing) or 'tensors'}")
    return document


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
        fill(parameter, tensors[name])


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
