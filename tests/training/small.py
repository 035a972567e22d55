"""A small text and a small model, which trains in seconds."""

import json
from pathlib import Path
from typing import Any

from safetensors import safe_open
from safetensors.torch import load_file

from labml_txl.training.config import Config, configure
from labml_txl.training.corpora import open_corpus
from labml_txl.training.runs.checkpoint import serialize
from labml_txl.training.runs.machine import find_machine
from labml_txl.training.trainer import Trainer

WORDS = ("to ", "be ", "or ", "not ", "that ", "is ", "the ", "question, ")


def small_text(folder: Path, length: int = 3000) -> Path:
    """Words in an order that is the same each time and not quite regular."""
    path = folder / "text.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    words = (WORDS[(7 * n * n + n // 3) % len(WORDS)] for n in range(length))
    path.write_text("".join(words)[:length])
    return path


def small(**changes: Any) -> Config:
    """A configuration for which a step takes milliseconds."""
    sizes = {
        "n_layers": 2,
        "heads": 2,
        "d_model": 16,
        "d_ff": 32,
        "mem_len": 5,
        "seq_len": 6,
        "batch": 4,
        "steps": 8,
        "warmup": 2,
        "learning_rate": 0.01,
        "log_interval": 1,
        "save_interval": 4,
        "eval_tokens": 100,
        "device": "cpu",
    }
    return configure(sizes, changes)


def small_trainer(folder: Path, **changes: Any) -> Trainer:
    """A run in `folder`, on the small text."""
    folder.mkdir(parents=True, exist_ok=True)
    config = small(text=str(small_text(folder)), **changes)
    return Trainer(config, open_corpus(config.text), folder, find_machine(config))


def rewritten(path: Path, **changes: object) -> Path:
    """The same checkpoint with other metadata and their digest; tables are added to."""
    with safe_open(path, framework="pt") as file:
        known = file.metadata()
    for name, value in changes.items():
        old = json.loads(known[name]) if isinstance(value, dict) else {}
        new = json.dumps(old | value) if isinstance(value, dict) else str(value)
        known[name] = new
    del known["digest"]
    path.write_bytes(
        serialize({n: t.clone() for n, t in load_file(path).items()}, known)
    )
    return path
