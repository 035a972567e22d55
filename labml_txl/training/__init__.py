r"""# The code of training

The code that trains a model, evaluates it and generates text with it. To use it, begin
with [Train a model](../train.md): each command, with its time and what it
prints.

Five packages, in the order of reading. Each imports only from those above it.

- [`text`](text/index.md): corpora, vocabularies and streams of tokens.
- [`runs`](runs/index.md): one run, from its configuration to its checkpoints.
- [`published`](published/index.md): weights that were published, as a run.
- [`measures`](measures/index.md): how good, how fast and how far-sighted a model is.
- [`commands`](commands/index.md): the commands, such as `txl train`, and their options.
"""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from labml_txl.models import LanguageModel


def load_published(folder: str | Path) -> "LanguageModel":
    r"""The model of a published folder: see [`load`](published/load.md).

    `folder` has the form of Hugging Face's `TransfoXLLMHeadModel`, or holds a state
    dict of the authors' PyTorch code. Calling the model gives $\ln p$ of each next
    token, `[seq_len, batch, n_vocab]`, and the next memory. Raises `TrainingError`, in
    one line, for a folder that holds no such model.
    """
    # Whoever imports a command need not wait for PyTorch.
    from labml_txl.training.published.load import load

    return load(Path(folder))[0]
