r"""# One and many

Languages have one form of a word for a number, two, or up to six. GNU gettext says of a
number which form is meant, by a rule for each language, and so do we: the rules are
those of Babel, and the standard library reads them. What a file itself says of its
rules is never run.
"""

from __future__ import annotations

from functools import lru_cache
from gettext import c2py
from typing import Any

from babel import UnknownLocaleError
from babel.messages.plurals import get_plural


def _rule(language: str) -> Any:
    """What Babel knows of a language, or of English where it knows nothing."""
    try:
        return get_plural(language.replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        return get_plural("en")


def plural_forms(language: str) -> str:
    """The rule of a language as the head of a PO file has it."""
    return str(_rule(language).plural_forms).rstrip(";") + ";"


def forms_of(language: str) -> int:
    """How many forms a language has."""
    return int(_rule(language).num_plurals)


@lru_cache(maxsize=100)
def table(language: str) -> str:
    """The form of each number from 0 on, a digit each, for a program without the rule.

    The last digit stands for all that follow, or, after 200 of them, the last hundred
    comes again and again.
    """
    form = c2py(str(_rule(language).plural_expr))
    digits = "".join(str(form(number)) for number in range(200))
    return digits.rstrip(digits[-1]) + digits[-1]
