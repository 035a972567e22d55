r"""The commands of training: one file each, with its options and what runs it.

What is wrong with the input is told in one line, and the exit status is 1; a wrong use
of the command line gives 2, and a run that a signal has stopped gives 128 and the
number of the signal. Nothing here is loaded by `import` but the options: PyTorch is
asked for when a command runs.
"""

import sys

from labml_txl.errors import plain
from labml_txl.options import about, option
from labml_txl.training.config import CHOICES, FIELDS


def device_option() -> str:
    r"""The option that says where a model runs: the same for every command."""
    return option("auto", about(FIELDS["device"]).meaning, choices=CHOICES["device"])


def report(line: str) -> None:
    r"""Progress goes to the error output, so that results can be redirected."""
    print(plain(line), file=sys.stderr, flush=True)
