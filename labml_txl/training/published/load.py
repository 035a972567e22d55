r"""# The model of a published folder

`load_published` gives the model itself, and `txl import` writes a run of it.

```sh
txl import transfo-xl-wt103 --out runs/published
txl evaluate runs/published --part test --batch 16
txl generate runs/published --prompt "The sea" --top-k 40
```

With the weights that the authors published, the second command measures what the paper
gives as 18.3, the perplexity on WikiText-103: their configuration has the memory of
1,600 tokens, `same_length` and the `clamp_len` of 1,000 that they evaluated with. It
was not run here, where neither those weights nor that text could be had. The keys and
values of 16 readers take 8 GB. Where main memory has less than four times that, they
are not kept, and fewer readers may be faster.

`python -m tests.benchmarks.published` makes a model of the published size, 285 million
parameters and 267,735 words, with random weights, and compares this code with
`transformers` 4.35.2. Medians of three turns, on one thread:

| measured | value |
| --- | ---: |
| reading the bytes of the file | 0.15 s |
| loading it | 0.06 s |
| loading it, and reading every parameter | 0.11 s |
| RAM that this takes, as a multiple of the size of the model | 1.005 |
| the checksum of the weights besides, which `--no-verify` leaves out | 0.7 s |
| evaluation, segments of 128 tokens with a memory of 1,600 | 88.1 tokens/s |
| the same by `transformers` | 24.2 tokens/s |
"""

from pathlib import Path

from labml_txl.models import LanguageModel
from labml_txl.training.published.folder import (
    config_of,
    settings_of_folder,
    tensors_of_folder,
)
from labml_txl.training.published.names import Tensors, parameters
from labml_txl.training.published.words import words_of_folder
from labml_txl.training.runs.build import build, clusters
from labml_txl.training.runs.config import Config
from labml_txl.training.runs.storage.checkpoint import Checkpoint, save_checkpoint
from labml_txl.training.runs.storage.lock import held
from labml_txl.training.runs.storage.tensors import adopt, prefixed, undrawn, wholes
from labml_txl.training.text.cache import SettingError, TrainingError
from labml_txl.training.text.vocabulary import Words


def load(folder: Path) -> tuple[LanguageModel, Config]:
    r"""The model of a published folder, in evaluation mode, and its configuration.

    Raises `TrainingError`, in one line, for a folder that holds no such model.
    """
    if not folder.is_dir():
        raise TrainingError(f"there is no folder {folder}")
    settings = settings_of_folder(folder)
    path, tensors = tensors_of_folder(folder)
    file = Tensors(path, tensors)
    config = config_of(settings, file.published)
    try:
        plain = clusters(config, settings["n_vocab"]) is None
    except SettingError as error:
        raise TrainingError(f"config.json describes no model: {error}") from None
    found = parameters(file, settings, plain)
    with undrawn():
        model = build(config, settings["n_vocab"])
    wanted = {name for name, _ in model.named_parameters()}
    adopt(model, {name: one for name, one in found.items() if name in wanted})
    return model.eval(), config


def import_run(folder: Path, out: Path) -> LanguageModel:
    r"""Write a run of a published model: tensors, configuration and vocabulary."""
    model, config = load(folder)
    words = vocabulary_of(folder, model)
    with held(out):
        if (out / "last.json").exists():
            raise TrainingError(f"{out} holds a run: --out names another folder")
        tensors = prefixed("model", wholes(model))
        save_checkpoint(Checkpoint(config, words, tensors), out / "last.json")
    return model


def vocabulary_of(folder: Path, model: LanguageModel) -> Words:
    r"""The vocabulary of a folder, if it is that of the model."""
    words = words_of_folder(folder)
    if words is None:
        raise TrainingError(
            f"{folder} has no vocabulary: vocab.pkl, vocab.bin or vocab.txt is wanted"
        )
    if len(words) != model.n_vocab:
        raise TrainingError(
            f"{folder} has a vocabulary of {len(words)} words, and a model of "
            f"{model.n_vocab}"
        )
    return words
