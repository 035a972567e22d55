r"""# The commands

`txl data`, `txl train`, `txl evaluate`, `txl generate`, `txl import` and `txl recall`:
what they accept, and what they do with it. One file a command, each with its options
and a function that runs it.

What is wrong with the input is told in one line, and the exit status is 1; a wrong use
of the command line gives 2, and a run that a signal has stopped gives 128 and the
number of the signal. Nothing here is loaded by `import` but the options: PyTorch is
asked for when a command runs.

In the order of reading:

- `data`: fetch a text and say what it is.
- `presets`: the baseline, and the configurations of the papers.
- `train`: train a model, or go on training one.
- `evaluate`: measure how well a model predicts.
- `generate`: let a model continue a text.
- `published`: make a run of published weights.
- `recall`: show how far back both memories reach.

## In your shell

`txl completion` prints what lets a shell complete commands, options and their values
with the Tab key. The next shell that you open knows them:

```sh
txl completion bash >>~/.bash_completion
txl completion zsh >~/.zfunc/_txl     # a folder of your fpath
txl completion fish >~/.config/fish/completions/txl.fish
```
"""

import sys

from labml_txl.options import about, option
from labml_txl.training.runs.config import CHOICES, FIELDS


def device_option() -> str:
    r"""The option that says where a model runs: the same for every command."""
    return option("auto", about(FIELDS["device"]).meaning, choices=CHOICES["device"])


def report(line: str) -> None:
    r"""Progress goes to the error output, so that results can be redirected."""
    print(line, file=sys.stderr, flush=True)
