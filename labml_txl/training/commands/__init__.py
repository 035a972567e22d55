"""The commands of training: a file for each, with its options and its function.

Errors in the input are reported in one line, with the exit status 1. Wrong use of the
command line gives the status 2, and a run that a signal has stopped gives 128 plus the
number of the signal. Importing these modules only defines the options; PyTorch is
imported when a command runs.
"""

import sys

from labml_txl.errors import escape_controls
from labml_txl.options import option, option_of
from labml_txl.training.config import CHOICES, FIELDS


def device_option() -> str:
    """The option for the device, which is the same for every command."""
    return option(
        "auto", option_of(FIELDS["device"]).meaning, choices=CHOICES["device"]
    )


def report(line: str) -> None:
    """Print progress to the error output, so that results can be redirected."""
    print(escape_controls(line), file=sys.stderr, flush=True)
