"""What goes wrong, told in one line to the person at the command line."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

# What a terminal might obey: control characters but line end and tabulator, and those
# that turn the direction of writing.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class UserError(Exception):
    """Something that the user can put right: one line, and the exit status 1."""

    status = 1


class UsageError(UserError):
    """The command line, or the place it was called in, does not fit."""

    status = 2


def meant(word: str, names: Iterable[str]) -> str:
    """A question about the name that `word` is a slip of; empty where none is near.

    Dashes say nothing about what a name is, so they are not compared.
    """
    known = {name.strip("-"): name for name in names}
    near = get_close_matches(word.strip("-"), known, n=1, cutoff=0.7)
    return f"is {known[near[0]]} meant?" if near else ""


def plain(text: str) -> str:
    r"""The text with an escape like `\x1b` for whatever a terminal might obey."""
    return _CONTROLS.sub(lambda sign: ascii(sign[0])[1:-1], text)
