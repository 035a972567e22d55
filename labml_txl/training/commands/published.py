"""`txl import FOLDER` converts published weights to a run.

The folder is in the format of Hugging Face's `TransfoXLLMHeadModel`, or contains a
state dict of the authors' PyTorch code.

```sh
txl import transfo-xl-wt103
txl import transfo-xl-wt103 --out runs/wt103
```

| in the folder | what it is |
|---|---|
| `config.json` | the settings, under the names of the authors' code |
| `model.safetensors`, `pytorch_model.bin` or `model.pt` | the weights |
| `vocab.pkl`, `vocab.bin` or `vocab.txt` | the words |

No code in a file is executed.
"""

from dataclasses import dataclass
from pathlib import Path

from labml_txl.options import argument, option
from labml_txl.training.commands import report


@dataclass(frozen=True)
class Options:
    """The options of `txl import`."""

    folder: Path = argument("folder with the published weights", metavar="FOLDER")
    out: Path = option(Path("runs/published"), "folder for the run", metavar="FOLDER")


def run(options: Options) -> int:
    """Write a run of a published model, and describe it."""
    from labml_txl.training.published.load import import_run

    model = import_run(options.folder, options.out)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    report(
        f"{options.out}: {parameters / 1e6:,.1f} million parameters, "
        f"{model.n_vocab:,} words"
    )
    return 0
