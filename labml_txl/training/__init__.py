# ---
# keywords: [from_pretrained, pretrained weights, transfo-xl-wt103]
# ---
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
corpora in `corpora`, the options of sampling in `sampling`, vocabularies in `text`, the
folder of a run in `runs`, published weights in `published`, and the command line in
`commands`.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from labml_txl.lazy import lazy_names

if TYPE_CHECKING:
    from labml_txl.models import LanguageModel
    from labml_txl.training.config import Config as Config
    from labml_txl.training.config import configure as configure
    from labml_txl.training.corpora import open_corpus as open_corpus
    from labml_txl.training.evaluation import compare_speed as compare_speed
    from labml_txl.training.evaluation import evaluate as evaluate
    from labml_txl.training.evaluation import with_memory as with_memory
    from labml_txl.training.generation import continue_text as continue_text
    from labml_txl.training.objective import build as build
    from labml_txl.training.objective import cross_entropy as cross_entropy
    from labml_txl.training.objective import make_optimizer as make_optimizer
    from labml_txl.training.returns import recorded as recorded
    from labml_txl.training.runs.checkpoint import Checkpoint as Checkpoint
    from labml_txl.training.runs.checkpoint import save_checkpoint as save_checkpoint
    from labml_txl.training.runs.machine import find_device as find_device
    from labml_txl.training.runs.plots import COLOURS as COLOURS
    from labml_txl.training.runs.plots import described as described
    from labml_txl.training.runs.plots import draw as draw
    from labml_txl.training.runs.plots import progress as progress
    from labml_txl.training.sampling import Sampling as Sampling
    from labml_txl.training.streams import Streams as Streams

# The public names and their modules. A module is imported only when one of its names is
# used, so that the command line can start without waiting for PyTorch.
_PUBLIC = {
    "COLOURS": "runs.plots",
    "Checkpoint": "runs.checkpoint",
    "Config": "config",
    "Sampling": "sampling",
    "Streams": "streams",
    "build": "objective",
    "compare_speed": "evaluation",
    "configure": "config",
    "continue_text": "generation",
    "cross_entropy": "objective",
    "described": "runs.plots",
    "draw": "runs.plots",
    "evaluate": "evaluation",
    "find_device": "runs.machine",
    "make_optimizer": "objective",
    "open_corpus": "corpora",
    "progress": "runs.plots",
    "recorded": "returns",
    "save_checkpoint": "runs.checkpoint",
    "with_memory": "evaluation",
}
__all__ = sorted((*_PUBLIC, "load_published"))
__getattr__ = lazy_names(__name__, _PUBLIC)


def load_published(folder: str | Path) -> "LanguageModel":
    r"""Load published weights of Transformer-XL.

    `folder` contains files in the format of Hugging Face's `TransfoXLLMHeadModel`, or a
    state dict of the authors' PyTorch code. The model that is returned computes $\ln p$
    of each next token, `[seq_len, batch, n_vocab]`, and the next memory. Raises
    `TrainingError` if the folder contains no such model.
    """
    from labml_txl.training.published.load import load

    return load(Path(folder))[0]
