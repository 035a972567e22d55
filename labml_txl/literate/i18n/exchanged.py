"""# Names and numbers that have changed places

Finds two objects or numbers that are both in the translation, but each is where the
other should be: beside the words that are beside the other in the English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from labml_txl.literate.i18n.aligned import count_units
from labml_txl.literate.i18n.entities import WEIGHTS, Compared, Entity
from labml_txl.literate.markdown.message import Place

# Of so many objects and of so many other entities, to bound the time.
_MOST, _MOST_OTHERS, _FARTHEST = 12, 60, 150
_CLAUSE = re.compile(r"[,;:](?=\s)|[、，；：]|[()（）]")
_RANGE = re.compile(" to |[–-]")
_SENTENCE = re.compile(r"[.!?](?=\s)|[。！？]")
# A sentence of another order may have a part of this: 1 in 1,000 sound ones has more.
_LEAST = 0.3


def find_exchanged(compared: Compared) -> Iterator[str]:
    """Yield two objects or numbers of which each is beside the words of the other.

    Each other entity votes with how much nearer it is to the one than to the other, in
    the English times in the translation: a vote is negative if it has changed sides.
    """
    objects = [e for e in compared.once if e.kind in {"object", "number"}][:_MOST]
    others = [e for e in compared.entities if len(e.ours) == len(e.theirs) > 0]
    whole = {place for e in others for place in e.ours}
    # Of “Transformer-XL”, “Transformer” is no word of its own.
    others = [e for e in others if not any(_is_part(p, whole) for p in e.ours)]
    near = {
        (one.name, e.name): (
            _nearness(compared.ours, one.ours, e.ours),
            _nearness(compared.theirs, one.theirs, e.theirs, 1.8),
        )
        for one in objects
        for e in others[:_MOST_OTHERS]
    }
    for one, other in combinations(objects, 2):
        votes = 0.0
        for e in others[:_MOST_OTHERS]:
            if e not in (one, other):
                here, there = near[one.name, e.name], near[other.name, e.name]
                turned = (here[0] - there[0]) * (here[1] - there[1])
                votes += turned * WEIGHTS.get(e.kind, 1)
        if _RANGE.fullmatch(compared.message, one.ours[0][1], other.ours[0][0]):
            votes = 0
        if votes < -_LEAST or _is_turned(compared, one, other):
            yield f"{one.name[:40]} and {other.name[:40]} have changed places"


_FROM = re.compile(r"\b(?:from|turns|maps) (?:about )?\Z")
_TO = re.compile(r"[^.,;]{0,20} (?:in)?to (?:about )?")
_INSTEAD = re.compile(r"[^.,;]{0,20} (?:instead of|rather than) [^.,;]{0,12}")


def _is_turned(compared: Compared, one: Entity, other: Entity) -> bool:
    """Whether one is said to be instead of the other, or to become the other."""
    text, there = compared.message, compared.translation
    (start, end), (to, _) = one.ours[0], other.ours[0]
    (at, last), (begin, after) = one.theirs[0], other.theirs[0]
    if to >= end and _INSTEAD.fullmatch(text, end, to):
        return bool(
            re.compile("[^、。]{0,12}?(?:では?なく|の代わり)").match(there, last)
            or re.search("(?:不是|而非|代替|取代)[^，。]{0,6}$", there[:at])
        )
    return bool(
        after <= at
        and to >= end
        and _FROM.search(text, 0, start)
        and _TO.fullmatch(text, end, to)
        and (
            re.search("[从由把将][^，。]{0,6}$", there[:begin])
            or re.compile("[^、。]{0,12}[をから]").match(there, after, at)
        )
    )


def _is_part(place: Place, others: set[Place]) -> bool:
    return any(o != place and o[0] <= place[0] and place[1] <= o[1] for o in others)


def _nearness(
    text: str, ours: Sequence[Place], others: Sequence[Place], scale: float = 1
) -> float:
    """Of the nearest two places: 1 side by side, less with words or signs between."""
    return max(
        1
        / (1 + count_units(between) / scale)
        / (1 + 2 * len(_SENTENCE.findall(between)) + 2 * len(_CLAUSE.findall(between)))
        if len(between) <= _FARTHEST
        else 0.0
        for one in ours
        for other in others
        for between in [text[min(one[1], other[1]) : max(one[0], other[0])]]
    )
