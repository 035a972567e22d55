r"""Weights in 8 bits.

A file in the format of safetensors that contains only what a prediction needs. It is
small enough to be committed, or to be loaded in a browser.

| tensor | type | content |
|---|---|---|
| `NAME`, of two axes or more | `I8` | $n_{ij}$, from −127 to 127 |
| `NAME:scale` | `F32` | $s_i$, one for each row |
| `NAME`, of one axis | `F32` | a bias or a norm, unchanged |

A weight is $s_i \, n_{ij}$, where a row consists of all elements with the same index of
the first axis. The largest weight of a row is 127 steps, so the rounding error of a
weight is at most half a step, which is a 254th of the largest weight.

The header also has metadata, which are strings: `format`, `step`, `text` (a digest of
the training text), as JSON `config` and `vocabulary`, and a `digest` of all this and of
the tensors.
"""

from pathlib import Path

import torch
from torch import Tensor

from labml_txl.models import LanguageModel
from labml_txl.training.runs.checkpoint import (
    Checkpoint,
    build_model,
    check_numbers,
    make_metadata,
    read_checkpoint,
    serialize,
)
from labml_txl.training.text.files import TrainingError, replace_file

FORMAT = "labml_txl 8 bits 1"
STEPS = 127
SCALE = ":scale"


def quantize(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Tensors of two axes or more in 8 bits, each with a scale for every row."""
    small = {}
    for name, tensor in tensors.items():
        if tensor.ndim < 2:
            small[name] = tensor.detach().float().cpu().contiguous()
            continue
        rows = tensor.detach().float().cpu().flatten(1)  # [rows, columns]
        scale = rows.abs().amax(1) / STEPS  # [rows]
        # A row of zeros has the scale 0, so we divide it by 1 instead.
        steps = rows / scale.where(scale > 0, torch.ones(()))[:, None]
        small[name] = steps.round().to(torch.int8).view(tensor.shape)
        small[name + SCALE] = scale
    return small


def dequantize(small: dict[str, Tensor]) -> dict[str, Tensor]:
    """Convert the result of `quantize` back to 32 bits."""
    return {
        name: tensor.float() * small[name + SCALE].view(-1, *[1] * (tensor.ndim - 1))
        if name + SCALE in small
        else tensor
        for name, tensor in small.items()
        if not name.endswith(SCALE)
    }


def save_small(checkpoint: Checkpoint, path: Path) -> None:
    """Write the model of a checkpoint, whole or not at all.

    Raises `TrainingError` for weights that are not finite.
    """
    small = quantize(checkpoint.part("model"))
    check_numbers(small)
    contents = serialize(small, make_metadata(checkpoint, FORMAT))
    with replace_file(path) as file:
        file.write(contents)


def load_small(path: Path) -> tuple[LanguageModel, Checkpoint]:
    """The model of a file, in evaluation mode, and its checkpoint.

    Raises `TrainingError`, in one line, if the file is missing, truncated or in another
    format.
    """
    if not path.is_file():
        raise TrainingError(f"there are no weights {path}")
    known = read_checkpoint(path, FORMAT)
    try:
        model = build_model(known.config, len(known.words), dequantize(known.tensors))
    except (RuntimeError, TrainingError) as error:
        reason = str(error).partition("\n")[0]
        raise TrainingError(f"{path} is damaged: {reason}") from None
    return model, known
