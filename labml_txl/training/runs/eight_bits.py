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

import dataclasses
import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from labml_txl.models import LanguageModel
from labml_txl.training.config import configure
from labml_txl.training.runs.checkpoint import Checkpoint, model_of
from labml_txl.training.text.files import TrainingError, written_whole
from labml_txl.training.text.vocabulary import vocabulary

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
    words = {"kind": checkpoint.words.kind, "symbols": checkpoint.words.symbols}
    about = {
        "format": FORMAT,
        "step": str(checkpoint.step),
        "text": checkpoint.text,
        "config": json.dumps(dataclasses.asdict(checkpoint.config)),
        "vocabulary": json.dumps(words),
    }
    contents = save(in_eight_bits(checkpoint.part("model")), about)
    with written_whole(path) as file:
        file.write(contents)


def load_small(path: Path) -> tuple[LanguageModel, Checkpoint]:
    r"""The model of a file, in evaluation mode, and what is known of it.

    Raises `TrainingError`, in one line, for a file that is missing, truncated, or none
    of ours.
    """
    if not path.is_file():
        raise TrainingError(f"there are no weights {path}")
    try:
        with safe_open(path, framework="pt") as file:
            about: dict[str, str] = file.metadata() or {}
            small = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise TrainingError(f"{path} is truncated or damaged ({reason})") from None
    if about.get("format") != FORMAT:
        raise TrainingError(f"{path} holds no weights in 8 bits of labml_txl")
    try:
        config = configure(json.loads(about["config"]))
        words: Any = vocabulary(**json.loads(about["vocabulary"]))
        known = Checkpoint(config, words, {}, int(about["step"]), text=about["text"])
        model = model_of(config, len(words), in_full(small))
    except (KeyError, ValueError, TypeError, RuntimeError) as error:
        raise TrainingError(f"{path} is damaged ({error!r})") from None
    except TrainingError as error:
        raise TrainingError(f"{path} is damaged: {error}") from None
    return model, known
