"""# Numbers and names that have changed places

Finds two numbers, formulas or names that are all in the translation, but each in the
place of the other: one instead of the other, from one to the other, or each beside the
term of the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

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


def find_exchanged(
    message: str,
    translation: str,
    objects: Sequence[str],
    terms: Mapping[str, tuple[Sequence[Place], Sequence[Place]]],
) -> Iterator[tuple[str, str]]:
    """Yield two of the objects, each of which is now beside the term of the other.

    `objects` are numbers, names, formulas and placeholders. `terms` are those of
    `Glossary.places`. A term or an object that occurs more than once tells nothing.
    """
    if len(message) > _MOST_CHARACTERS:
        return
    once = {
        term: (here[0], there[0])
        for term, (here, there) in terms.items()
        if len(here) == len(there) == 1
    }
    beside: dict[str, tuple[str, str]] = {}
    for raw in dict.fromkeys(objects):
        ours, theirs = (_places(raw, text) for text in (message, translation))
        if len(ours) == len(theirs) == 1:
            now = _find_nearest(
                translation, theirs[0], {t: at[1] for t, at in once.items()}
            )
            was = _find_nearest(message, ours[0], {t: at[0] for t, at in once.items()})
            if was and now:
                beside[raw] = was, now
    for (one, (was, now)), (other, there) in combinations(beside.items(), 2):
        if was != now and there == (now, was):
            yield one, other


def _places(raw: str, text: str) -> list[Place]:
    """Where an object or a number is in a text."""
    pattern = re.escape(raw)
    if raw[0].isdigit():
        pattern = rf"(?<![\d.,A-Za-z_]){pattern}(?![.,]?\d|[A-Za-z_])"
    return [match.span() for match in re.finditer(pattern, text)]


_COMMA = re.compile(r"[,;:.、，。；：]|\b(?:and|but|while|whereas)\b")


def _find_nearest(text: str, place: Place, terms: Mapping[str, Place]) -> str:
    """The term that is clearly nearer to a place than all others, or `""`."""

    def distance(at: Place) -> int:
        left, right = sorted((place, at))
        between = text[left[1] : right[0]]
        return len(between) + 8 * len(_COMMA.findall(between))

    ordered = sorted((distance(at), term) for term, at in terms.items())
    if len(ordered) > 1 and ordered[0][0] * 1.5 + 1 < ordered[1][0]:
        return ordered[0][1]
    return ""
