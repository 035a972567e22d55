"""# The code of training

This code trains a model, evaluates it and generates text with it. If you only want to
use it, start with [Train a model](../train.md), which explains each command.

Two pages explain what training is:

- [`step`](step.md): one step of training, in plain PyTorch.
- [`streams`](streams.md): how a text is divided into batches, so that the memory of
  each sequence comes from the tokens before it.

The other pages contain what a complete program needs:

- [`config`](config.md): all settings of a run.
- [`vanilla`](vanilla.md): a Transformer with absolute positions, to compare with.
- [`objective`](objective.md): the model, the loss and the optimizer for a
  configuration.
- [`evaluation`](evaluation.md): the loss on a text, with any length of memory.
- [`trainer`](trainer.md): a whole run, with checkpoints from which it can continue.
- [`generation`](generation.md): continuing a prompt.

Three pages measure how far back a model uses its context, and one changes a text for
this purpose:

- [`context`](context.md): the length of context that still lowers the loss.
- [`scenes`](scenes.md): Shakespeare with new names in each scene and repeated lines,
  so that a memory saves more.
- [`returns`](returns.md): what a name costs when it returns, by its distance.
- [`recall`](recall.md): a task in which the distance to the answer can be chosen.

The [live page](../live.md) shows what a trained model does with its memory.

The modules that these pages use are not explained here, but are in the repository:
corpora and vocabularies in `text`, the folder of a run in `runs`, published weights in
`published`, and the command line in `commands`.
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
    from labml_txl.training.returns import recorded
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
    "recorded",
    "save_checkpoint",
    "with_memory",
]

# The modules that define these names. A module is imported only when one of its names
# is used, so that the command line can start without waiting for PyTorch.
_MODULES = {
    "config": ("Config", "configure"),
    "evaluation": ("compare_speed", "evaluate", "with_memory"),
    "generation": ("Sampling", "continue_text"),
    "objective": ("build", "cross_entropy", "make_optimizer"),
    "returns": ("recorded",),
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


# Python calls this function for names that are not defined in the module.
__getattr__ = _imported


def load_published(folder: str | Path) -> "LanguageModel":
    r"""Load published weights of Transformer-XL.

    `folder` contains files in the format of Hugging Face's `TransfoXLLMHeadModel`, or a
    state dict of the authors' PyTorch code. The model that is returned computes $\ln p$
    of each next token, `[seq_len, batch, n_vocab]`, and the next memory. Raises
    `TrainingError` if the folder contains no such model.
    """
    from labml_txl.training.published.load import load

    return load(Path(folder))[0]
