r"""Weights in 8 bits.

Small enough to be committed, or to be read in a browser: a file of safetensors with
nothing but what predicting needs.

| tensor | type | holds |
|---|---|---|
| `NAME`, of two axes or more | `I8` | $n_{ij}$, from −127 to 127 |
| `NAME:scale` | `F32` | $s_i$, one for each row |
| `NAME`, of one axis | `F32` | a bias or a norm, as it is |

A weight is $s_i \, n_{ij}$, where a row is all that belongs to one index of the first
axis. The largest weight of a row is 127 steps, so no weight is off by more than half a
step: a 254th of the largest.

The header also has metadata, which are strings: `format`, `step`, `text` (a digest of
what was read), and as JSON `config` and `vocabulary`.
"""

from pathlib import Path

import torch
from safetensors.torch import save
from torch import Tensor

from labml_txl.models import LanguageModel
from labml_txl.training.runs.checkpoint import (
    Checkpoint,
    metadata_of,
    model_of,
    read_checkpoint,
)
from labml_txl.training.text.files import TrainingError, written_whole

FORMAT = "labml_txl 8 bits 1"
STEPS = 127
SCALE = ":scale"


def in_eight_bits(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    r"""Tensors of two axes or more in 8 bits, each with a scale for every row."""
    small = {}
    for name, tensor in tensors.items():
        if tensor.ndim < 2:
            small[name] = tensor.detach().float().cpu().contiguous()
            continue
        rows = tensor.detach().float().cpu().flatten(1)  # [rows, columns]
        scale = rows.abs().amax(1) / STEPS  # [rows]
        # A row of zeros has no step; any will do.
        steps = rows / scale.where(scale > 0, torch.ones(()))[:, None]
        small[name] = steps.round().to(torch.int8).view(tensor.shape)
        small[name + SCALE] = scale
    return small


def in_full(small: dict[str, Tensor]) -> dict[str, Tensor]:
    r"""What `in_eight_bits` has made small, in 32 bits again."""
    return {
        name: tensor.float() * small[name + SCALE].view(-1, *[1] * (tensor.ndim - 1))
        if name + SCALE in small
        else tensor
        for name, tensor in small.items()
        if not name.endswith(SCALE)
    }


def save_small(checkpoint: Checkpoint, path: Path) -> None:
    r"""Write the model of a checkpoint, whole or not at all."""
    small = in_eight_bits(checkpoint.part("model"))
    contents = save(small, metadata_of(checkpoint, FORMAT))
    with written_whole(path) as file:
        file.write(contents)


def load_small(path: Path) -> tuple[LanguageModel, Checkpoint]:
    r"""The model of a file, in evaluation mode, and what is known of it.

    Raises `TrainingError`, in one line, for a file that is missing, truncated, or none
    of ours.
    """
    if not path.is_file():
        raise TrainingError(f"there are no weights {path}")
    known = read_checkpoint(path, FORMAT)
    try:
        model = model_of(known.config, len(known.words), in_full(known.tensors))
    except (RuntimeError, TrainingError) as error:
        reason = str(error).partition("\n")[0]
        raise TrainingError(f"{path} is damaged: {reason}") from None
    return model, known
