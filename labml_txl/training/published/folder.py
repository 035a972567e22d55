"""The folder of a published model.

It contains `config.json`, in which the settings have the names of the authors' code,
and one file of tensors: `model.safetensors` or `pytorch_model.bin`, which
`transformers` writes, or `model.pt` with a state dict of the authors' PyTorch code.
"""

import json
import pickletools
import zipfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from labml_txl.training.config import Config, configure
from labml_txl.training.text.files import (
    PYTORCH,
    SAFETENSORS,
    SettingError,
    TrainingError,
    make_unreadable,
)

FILES = ("model.safetensors", "pytorch_model.bin", "model.pt")

# How the names begin that a pickle of tensors may have, and those of modules.
OWN, MODULES = ("torch ", "torch.", "collections "), "torch.nn.modules."

# Settings that must be there; and those that need not, with what they are then.
WANTED = ("n_layer", "n_head", "d_model", "d_inner", "mem_len", "cutoffs", "n_vocab")
OPTIONAL: dict[str, Any] = {
    "div_val": 1,
    "clamp_len": -1,
    "same_length": False,
    "dropout": 0.0,
    "dropatt": 0.0,
    "untie_r": False,
    "tie_weight": True,
    "tie_word_embeddings": True,
    "proj_share_all_but_first": True,
    "tie_projs": None,
    "tgt_len": 128,
}
# Settings of which we implement only one value, and this value.
ONLY: dict[str, Any] = {
    "pre_lnorm": False,
    "attn_type": 0,
    "sample_softmax": -1,
    "layer_norm_epsilon": 1e-5,
}


def read_tensors(folder: Path) -> tuple[Path, dict[str, Tensor]]:
    """The file of tensors of a folder, and its tensors by their names.

    Raises `TrainingError`, in one line, if the file is truncated or contains anything
    else.
    """
    found = [folder / name for name in FILES if (folder / name).is_file()]
    if not found:
        raise TrainingError(f"{folder} has none of {', '.join(FILES)}")
    path = found[0]
    tensors = (
        read_safetensors(path) if path.suffix == ".safetensors" else read_torch(path)
    )
    return path, {name.removeprefix("module."): one for name, one in tensors.items()}


def read_safetensors(path: Path) -> dict[str, Tensor]:
    """The tensors of a file in the format of safetensors."""
    try:
        return load_file(path)
    except (SafetensorError, OSError) as error:
        reason = f"truncated or damaged ({str(error).splitlines()[0]})"
        raise make_unreadable(path, SAFETENSORS, reason) from None


def read_torch(path: Path) -> dict[str, Tensor]:
    """The tensors of a file that PyTorch wrote. No other objects are created."""
    try:
        state = torch.load(
            path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path)
        )
    # Whatever PyTorch stumbles over, the file is at fault.
    except Exception:
        if contains_code(path):
            raise TrainingError(
                f"{path} holds a whole module or other objects, whose code would have "
                "to be run: save its weights only, with torch.save(model.state_dict(), "
                "...)"
            ) from None
        reason = "truncated, damaged, or not a state dict"
        raise make_unreadable(path, PYTORCH, reason) from None
    if is_state(state):
        return dict(state)
    # Training programs put it into a checkpoint, beside the state of the optimizer.
    parts = state.items() if isinstance(state, dict) else ()
    inner = [repr(name) for name, part in parts if is_state(part) and part]
    place = f", which it has under {inner[0]}: save that alone" if inner else ""
    raise TrainingError(
        f"{path} is not a state dict: expected a tensor for each name{place}"
    )


def is_state(one: object) -> bool:
    """Whether this is a state dict: a tensor for each name."""
    return isinstance(one, Mapping) and all(
        isinstance(name, str) and isinstance(part, Tensor) for name, part in one.items()
    )


def contains_code(path: Path) -> bool:
    """Whether a file is a program, or its pickles name anything but tensors.

    Nothing is created.
    """
    try:
        with ExitStack() as stack:
            stream: IO[bytes] = stack.enter_context(path.open("rb"))
            if zipfile.is_zipfile(path):
                members = stack.enter_context(zipfile.ZipFile(path))
                names = members.namelist()
                # Programs of `torch.jit` and of `torch.export`.
                if any("/code/" in n or n.endswith("archive_format") for n in names):
                    return True
                (name,) = (n for n in names if n.endswith("/data.pkl"))
                stream = stack.enter_context(members.open(name))
            # Older versions of PyTorch write other pickles before that of the module.
            while True:
                for opcode, value, _ in pickletools.genops(stream):
                    # The name of a class, which newer pickles have as a text.
                    name, named = str(value), opcode.name == "GLOBAL"
                    foreign = named and not name.startswith(OWN)
                    module = named or "UNICODE" in opcode.name
                    if foreign or (module and name.startswith(MODULES)):
                        return True
    # After the last pickle, or in a damaged one.
    except Exception:
        return False


def read_settings(folder: Path) -> dict[str, Any]:
    """The settings in `config.json`, and those that it leaves out.

    Raises `TrainingError`, in one line, for what is missing or not implemented here.
    """
    path = folder / "config.json"
    if not path.is_file():
        raise TrainingError(
            f"{folder} has no config.json, which contains the sizes of the model"
        )
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    # Python refuses to parse very deeply nested brackets and very long numbers.
    except (ValueError, RecursionError):
        raise TrainingError(f"{path} is truncated or not JSON") from None
    if not isinstance(given, dict):
        raise TrainingError(f"{path} is not a JSON object of settings")
    for name, value in ONLY.items():
        if given.get(name, value) != value:
            raise TrainingError(
                f"{path} has {name} = {given[name]!r}: only {value!r} can be imported"
            )
    n_vocab = given.get("vocab_size", given.get("n_token"))
    width = {"d_embed": given.get("d_model")}
    settings = OPTIONAL | width | given | {"n_vocab": n_vocab}
    for name in WANTED:
        if settings.get(name) is None:
            raise TrainingError(f"{path} has no {name}, which is required")
    return settings


def make_config(settings: Mapping[str, Any], published: bool) -> Config:
    """The settings of a run. `published` weights are those of `transformers`."""
    d_model, n_head, d_head = (settings.get(n) for n in ("d_model", "n_head", "d_head"))
    if d_head is not None and d_head * n_head != d_model:
        raise SettingError(f"n_head = {n_head} of d_head = {d_head} is not d_model")
    n_tails = len(settings["cutoffs"])
    return configure(
        {
            "text": "wikitext-103",
            "vocabulary": "words",
            "n_layers": settings["n_layer"],
            "heads": settings["n_head"],
            "d_model": settings["d_model"],
            "d_ff": settings["d_inner"],
            "dropout": settings["dropout"],
            "attention_dropout": settings["dropatt"],
            "norm": "post",
            "mem_len": settings["mem_len"],
            "seq_len": settings["tgt_len"],
            "same_length": settings["same_length"],
            "clamp_len": max(settings["clamp_len"], 0),
            # Their memory begins with zeros, that of the authors' PyTorch code
            # with nothing.
            "zero_memory": published and settings["mem_len"] > 0,
            "tied": settings["tie_weight"] and settings["tie_word_embeddings"],
            "cutoffs": tuple(settings["cutoffs"]),
            "div_val": settings["div_val"],
            "d_embed": settings["d_embed"]
            if settings["d_embed"] != settings["d_model"]
            else 0,
            # Any other way to share them is to have them apart, with equal values.
            "tied_projections": not n_tails
            or find_shared_projections(settings) == [False] + [True] * n_tails,
        }
    )


def find_shared_projections(settings: Mapping[str, Any]) -> list[bool]:
    """For each cluster, whether embedding and head share its projection."""
    n_tails = len(settings["cutoffs"])
    by_name = settings["tie_projs"]
    if isinstance(by_name, list) and len(by_name) == n_tails + 1:
        return [bool(one) for one in by_name]
    return [False] + [settings["proj_share_all_but_first"]] * n_tails
