"""# Numbers and names that have changed places

Finds two numbers, formulas or names that are all in the translation, but each in the
place of the other: one instead of the other, or from one to the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from labml_txl.literate.i18n.glossary import Place
from labml_txl.literate.i18n.meaning import NEGATIVE

# In a longer text, what belongs together may be sentences apart.
_MOST_CHARACTERS = 1_000

# A number, a formula, code or a placeholder.
_ONE = (
    r"((?<![\d.])\d[\d.,]*\d|(?<![\d.])\d|\$[^$\n]{1,80}\$|`[^`\n]{1,80}`|\{\w{1,40}\})"
)
_INSTEAD = re.compile(
    rf"{_ONE}[^.,;]{{0,20}}? (?:instead of|rather than) [^.,;]{{0,12}}?{_ONE}"
)
_INTO = re.compile(
    rf"(?:from|turns?|maps?|compress\w*) (?:about )?{_ONE}[^.,;]{{0,20}}?"
    rf" (?:in)?to (?:about )?{_ONE}"
)


def find_turned_round(
    message: str, translation: str, language: str
) -> Iterator[tuple[str, str]]:
    """Yield two numbers or names, one instead of the other or from one to the other.

    Both texts contain their code and formulas.
    """
    if language.partition("-")[0] not in NEGATIVE or len(message) > _MOST_CHARACTERS:
        return

    def make_pattern(words: str) -> str:
        return rf"(?<![\d.]){re.escape(words)}(?![.,]?\d)"

    pairs = [
        (first, second)
        for pattern in (_INSTEAD, _INTO)
        for first, second in pattern.findall(message)
        if len(_places(first, message)) == len(_places(second, message)) == 1
    ]
    for first, second in pairs:
        one, other = make_pattern(first), make_pattern(second)
        instead = (
            rf"{one}[^、。]{{0,12}}?(?:では?なく|の代わり)[^。]*?{other}"
            rf"|{other}[^，。]{{0,12}}?(?:不是|而非|代替|取代)[^，。]{{0,6}}?{one}"
        )
        into = (
            rf"{other}[^、。]{{0,12}}?[をから][^、。]{{0,10}}?{one}[^、。]{{0,12}}?[にへ]"
            rf"|[从由把将][^，。]{{0,6}}?{other}[^，。]{{0,12}}?[到至为降升成]"
            rf"[^，。]{{0,6}}?{one}"
        )
        turned = instead if (first, second) in _INSTEAD.findall(message) else into
        if re.search(turned, translation):
            yield first, second


def _places(raw: str, text: str) -> list[Place]:
    """Where an object or a number is in a text."""
    pattern = re.escape(raw)
    if raw[0].isdigit():
        pattern = rf"(?<![\d.,A-Za-z_]){pattern}(?![.,]?\d|[A-Za-z_])"
    return [match.span() for match in re.finditer(pattern, text)]
