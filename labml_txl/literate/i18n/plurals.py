"""# Plural forms

A label with a number has a form for each kind of number that a language distinguishes:
Russian has three, Arabic six, Japanese one. Which form a number takes is known from
CLDR, not from the header of a catalog, which a stranger may have written.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from gettext import c2py

from babel import Locale, UnknownLocaleError
from babel.messages.plurals import get_plural


@lru_cache
def plural_rule(language: str) -> tuple[int, str]:
    """The number of forms, and the expression of gettext that chooses one.

    A language that CLDR does not know has the two forms of English.
    """
    try:
        rule = get_plural(Locale.parse(language, sep="-"))
    except (UnknownLocaleError, ValueError):
        rule = get_plural(Locale("en"))
    return rule.num_plurals, rule.plural_expr


def form_of(language: str, count: int) -> int:
    """The index of the form that a number takes."""
    return _chooser(language)(count)


@lru_cache
def _chooser(language: str) -> Callable[[int], int]:
    return c2py(plural_rule(language)[1])
