r"""# The code of training

The code that trains a model, evaluates it and generates text with it. To use it, begin
with [Train a model](../train.md): each command, with its time and what it
prints.

In the order of reading:

- [`streams`](streams.md): readers that never jump, so that memory is the true past.
- [`config`](config.md): all settings of a run in one value.
- [`vanilla`](vanilla.md): the Transformer without memory, to compare with.
- [`objective`](objective.md): from a configuration to a model, its loss and its
  optimizer.
- [`evaluation`](evaluation.md): each token predicted once.
- [`trainer`](trainer.md): the loop, and how it goes on after a stop.
- [`generation`](generation.md): a prompt, continued.
- [`context`](context.md): how much of the past a model uses to its profit.
- [`scenes`](scenes.md): a text in which names and lines return, so that memory pays.
- [`recall`](recall.md): a task whose answer lies a chosen number of tokens back.

What these pages use stands beside them in the repository: corpora and vocabularies in
`text`, the folder of a run in `runs`, published weights in `published`, and the command
line in `commands`.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labml_txl.models import LanguageModel
    from labml_txl.training.config import Config, configure
    from labml_txl.training.evaluation import compare_speed, evaluate, with_memory
    from labml_txl.training.generation import Sampling, continue_text
    from labml_txl.training.objective import build, cross_entropy, make_optimizer
    from labml_txl.training.runs.checkpoint import Checkpoint, save_checkpoint
    from labml_txl.training.runs.machine import find_device
    from labml_txl.training.runs.plots import COLOURS, described, draw, progress
    from labml_txl.training.streams import Streams
    from labml_txl.training.text.corpora import open_corpus

__all__ = [
    "COLOURS",
    "Checkpoint",
    "Config",
    "Sampling",
    "Streams",
    "build",
    "compare_speed",
    "configure",
    "continue_text",
    "cross_entropy",
    "described",
    "draw",
    "evaluate",
    "find_device",
    "load_published",
    "make_optimizer",
    "open_corpus",
    "progress",
    "save_checkpoint",
    "with_memory",
]

# Where these names are defined. Whoever imports a command need not wait for PyTorch, so
# a module is imported when one of its names is asked for.
_MODULES = {
    "config": ("Config", "configure"),
    "evaluation": ("compare_speed", "evaluate", "with_memory"),
    "generation": ("Sampling", "continue_text"),
    "objective": ("build", "cross_entropy", "make_optimizer"),
    "runs.checkpoint": ("Checkpoint", "save_checkpoint"),
    "runs.machine": ("find_device",),
    "runs.plots": ("COLOURS", "described", "draw", "progress"),
    "streams": ("Streams",),
    "text.corpora": ("open_corpus",),
}


def _imported(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# Python asks this function for what the module does not have.
__getattr__ = _imported


def load_published(folder: str | Path) -> "LanguageModel":
    r"""The model of a published folder.

    `folder` has the form of Hugging Face's `TransfoXLLMHeadModel`, or holds a state
    dict of the authors' PyTorch code. Calling the model gives $\ln p$ of each next
    token, `[seq_len, batch, n_vocab]`, and the next memory. Raises `TrainingError`, in
    one line, for a folder that holds no such model.
    """
    from labml_txl.training.published.load import load

    return load(Path(folder))[0]
