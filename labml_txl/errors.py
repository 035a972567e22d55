"""Errors that the command line reports in one line."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

# Characters that control a terminal, except line feeds and tabs, and those that change
# the direction of writing.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class UserError(Exception):
    """An error that the user can correct, with a message of one line."""

    status = 1


class UsageError(UserError):
    """An error in the command line, or in the folder in which it was called."""

    status = 2


def suggest(word: str, names: Iterable[str]) -> str:
    """Suggest the most similar name; empty if no name is similar."""
    near = get_close_matches(word, names, n=1, cutoff=0.7)
    return f"did you mean {near[0]!r}?" if near else ""


def escape_controls(text: str) -> str:
    r"""Replace control characters by escapes such as `\x1b`."""
    return _CONTROLS.sub(lambda sign: ascii(sign[0])[1:-1], text)
