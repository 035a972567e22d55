r"""`txl import FOLDER` makes a run of published weights.

The folder is as Hugging Face's `TransfoXLLMHeadModel` has it, or holds a state dict of
the authors' PyTorch code.

```sh
txl import transfo-xl-wt103
txl import transfo-xl-wt103 --out runs/wt103
```

| in the folder | what it is |
|---|---|
| `config.json` | the settings, under the names of the authors' code |
| `model.safetensors`, `pytorch_model.bin` or `model.pt` | the weights |
| `vocab.pkl`, `vocab.bin` or `vocab.txt` | the words |

Nothing that a file holds is executed.
"""

from dataclasses import dataclass
from pathlib import Path

from labml_txl.options import argument, option
from labml_txl.training.commands import report


@dataclass(frozen=True)
class Options:
    r"""What `txl import` can be told."""

    folder: Path = argument("a folder with published weights", metavar="FOLDER")
    out: Path = option(
        Path("runs/published"), "the folder of the run", metavar="FOLDER"
    )


def run(options: Options) -> int:
    r"""Write a run of a published model, and say what it is."""
    from labml_txl.training.published.load import import_run

    model = import_run(options.folder, options.out)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    report(
        f"{options.out}: {parameters / 1e6:,.1f} million parameters, "
        f"{model.n_vocab:,} words"
    )
    return 0
