r"""# One and many

Languages have one form of a word for a number, two, or up to six. GNU gettext says of a
number which form is meant, by a rule for each language, and so do we: the rules are
those of Babel, and the standard library reads them. What a file itself says of its
rules is never run.
"""

from __future__ import annotations

from functools import lru_cache
from gettext import c2py

# What is said in English needs nothing that an extra installs.
_ENGLISH = 2, "(n != 1)"


def _rule(language: str) -> tuple[int, str]:
    """How many forms a language has, and which one is meant by a number `n`.

    Babel is asked for it. Where it knows nothing of a language, the rule of English
    has to do.
    """
    if language == "en":
        return _ENGLISH
    from babel import UnknownLocaleError
    from babel.messages.plurals import get_plural

    try:
        found = get_plural(language.replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        return _ENGLISH
    return int(found.num_plurals), str(found.plural_expr)


def plural_forms(language: str) -> str:
    """The rule of a language as the head of a PO file has it."""
    forms, expression = _rule(language)
    return f"nplurals={forms}; plural={expression};"


def forms_of(language: str) -> int:
    """How many forms a language has."""
    return _rule(language)[0]


@lru_cache(maxsize=100)
def table(language: str) -> str:
    """The form of each number from 0 on, a digit each, for a program without the rule.

    The last digit stands for all that follow, or, after 200 of them, the last hundred
    comes again and again.
    """
    form = c2py(_rule(language)[1])
    digits = "".join(str(form(number)) for number in range(200))
    return digits.rstrip(digits[-1]) + digits[-1]
