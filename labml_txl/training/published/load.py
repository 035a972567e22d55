"""Load the model of a published folder, or convert it to a run.

`load_published` returns the model, and `txl import` writes a run with it.

```sh
txl import transfo-xl-wt103 --out runs/published
txl evaluate runs/published --part test --batch 16
txl generate runs/published --prompt "The sea" --top-k 40
```

With the weights that the authors published, the second command measures the perplexity
on WikiText-103, which is 18.3 in the paper: their configuration has the settings of
their evaluation, a memory of 1,600 tokens, `same_length` and a `clamp_len` of 1,000. We
have not run it, because neither the weights nor the text were available to us.
"""

from pathlib import Path

from labml_txl.models import LanguageModel
from labml_txl.training.config import Config
from labml_txl.training.objective import build, build_clusters
from labml_txl.training.published.folder import (
    make_config,
    read_settings,
    read_tensors,
)
from labml_txl.training.published.names import Tensors, parameters
from labml_txl.training.published.vocabulary import read_words
from labml_txl.training.runs.checkpoint import (
    Checkpoint,
    add_prefix,
    adopt,
    save_checkpoint,
    skip_init,
)
from labml_txl.training.runs.lock import lock_folder
from labml_txl.training.text.files import SettingError, TrainingError


def load(folder: Path) -> tuple[LanguageModel, Config]:
    """The model of a published folder, in evaluation mode, and its configuration.

    Raises `TrainingError`, in one line, if the folder contains no such model.
    """
    if folder.is_file():
        raise TrainingError(
            f"{folder} is a file: give the folder that contains it and config.json"
        )
    if not folder.is_dir():
        raise TrainingError(f"the folder {folder} does not exist")
    settings = read_settings(folder)
    path, tensors = read_tensors(folder)
    file = Tensors(path, tensors)
    try:
        config, n_vocab = make_config(settings, file.published), settings["n_vocab"]
        with skip_init():
            model = build(config, n_vocab)
        found = parameters(file, settings, build_clusters(config, n_vocab) is None)
    # Whatever is wrong with a number, its table is at fault.
    except (
        SettingError,
        ArithmeticError,
        RuntimeError,
        TypeError,
        ValueError,
    ) as error:
        reason = str(error).partition("\n")[0]
        raise TrainingError(
            f"config.json does not describe a valid model: {reason}"
        ) from None
    wanted = {name for name, _ in model.named_parameters()}
    adopt(model, {name: one for name, one in found.items() if name in wanted})
    return model.eval(), config


def import_run(folder: Path, out: Path) -> LanguageModel:
    """Write a run of a published model: tensors, configuration and vocabulary."""
    model, config = load(folder)
    words = read_words(folder)
    if words is None:
        raise TrainingError(
            f"{folder} has no vocabulary: expected vocab.pkl, vocab.bin or vocab.txt"
        )
    if len(words) != model.n_vocab:
        raise TrainingError(
            f"{folder} has a vocabulary of {len(words)} words, and a model of "
            f"{model.n_vocab}"
        )
    with lock_folder(out):
        if (out / "last.safetensors").exists():
            raise TrainingError(
                f"{out} already contains a run: choose another folder with --out"
            )
        tensors = add_prefix("model", dict(model.named_parameters()))
        save_checkpoint(Checkpoint(config, words, tensors), out / "last.safetensors")
    return model
