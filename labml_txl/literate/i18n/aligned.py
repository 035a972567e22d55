"""# Which sentence stands for which

Aligns the sentences of a message with those of its translation, as Gale and Church did
(*A Program for Aligning Sentences in Bilingual Corpora*, 1993): up to three stand for
those whose length fits, and here, which name the same. What is left over on one side
was left out, or added.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from labml_txl.literate.i18n.entities import WEIGHTS, Compared
from labml_txl.literate.markdown.message import Place

# How many characters stand for an English word, and their variance: in the 2,800
# translations of this project, in each language, of five words or more.
_LENGTHS: Mapping[str, tuple[float, float]] = {"ja": (2.36, 4.4), "zh": (1.55, 1.31)}
# A short sentence varies more, as if it had so many words more.
_SMOOTHING = 8
# What it costs that several sentences stand together, what a common name saves, and
# what has to be saved by leaving a sentence over: 1 in 2,000 sound ones saves more.
_TOGETHER, _SHARED, _SAVED = 1, 2, 2.75
# Of a pair that does not fit, the square of the difference in standard deviations.
_FITS = 1.0
# A heading, or a few words, may be left out.
_FEW_WORDS = 4
_STEPS = ((1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1))
_LEFT_OVER = ((1, 0), (0, 1))
# Sentences stand for those of about the same place.
_BAND = 5

_UNIT = re.compile(r"[A-Za-z0-9]+|[^\W\dA-Za-z]")
SENTENCE_END = re.compile(r"[。！？：；][^\w\s]{0,3}\s*|[.!?;:][^\w\s]{0,3}(?:\s+|$)")
_Pairs = Sequence[tuple[Place, Place]]


def count_units(text: str) -> int:
    """The number of words; in a script without spaces, of characters."""
    return len(_UNIT.findall(text))


def align(compared: Compared) -> _Pairs:
    """The places of the sentences of a message, and of those that stand for them.

    Of several, only those are told apart whose length fits.
    """
    pairs = _find_path(compared, _STEPS)[1]
    rate, variance = _lengths(compared)
    found = []
    for here, there in pairs:
        words = count_units(compared.ours[slice(*here)])
        off = count_units(compared.theirs[slice(*there)]) - rate * words
        if len(pairs) == 1 or off**2 < _FITS * variance * (words + _SMOOTHING):
            found.append((here, there))
    return found


def _lengths(compared: Compared) -> tuple[float, float]:
    return _LENGTHS.get(compared.language.partition("-")[0], (1.0, 1.0))


def find_left_over(compared: Compared) -> Iterator[str]:
    """Sentences that were left out, and those that were added."""
    if compared.language.partition("-")[0] not in _LENGTHS:
        return
    whole, _ = _find_path(compared, _STEPS)
    cost, pairs = _find_path(compared, _STEPS + _LEFT_OVER)
    texts = [
        (compared.message[slice(*ours)].strip(), compared.translation[slice(*theirs)])
        for ours, theirs in pairs
    ]
    lost = [ours for ours, theirs in texts if not theirs]
    added = [theirs for ours, theirs in texts if not ours]
    # Where both are left over, a sentence was translated freely.
    if whole - cost < _SAVED or (lost and added):
        return
    rate, _ = _lengths(compared)
    for one in lost:
        if count_units(one) >= _FEW_WORDS:
            yield f"“{one[:60]}” has no counterpart"
    for one in added:
        if count_units(one) >= _FEW_WORDS * rate:
            yield f"“{one[:60]}” is not in the English"


def _find_path(
    compared: Compared, steps: Sequence[tuple[int, int]]
) -> tuple[float, _Pairs]:
    """What the best alignment costs, and its pairs."""
    rate, variance = _lengths(compared)
    ours = divide(compared.ours, SENTENCE_END)
    theirs = divide(compared.theirs, SENTENCE_END)
    both = [(e, WEIGHTS.get(e.kind, 1)) for e in compared.entities]
    both = [(e, weight) for e, weight in both if e.ours and e.theirs]
    words = [count_units(compared.ours[slice(*at)]) + 0.5 for at in ours]
    signs = [count_units(compared.theirs[slice(*at)]) + 0.5 for at in theirs]
    named, there = (
        [
            {
                (e.name, weight)
                for e, weight in both
                for p in (e.theirs if side else e.ours)
                if a <= p[0] < b
            }
            for a, b in places
        ]
        for side, places in ((0, ours), (1, theirs))
    )

    def cost(first: int, last: int, begin: int, end: int) -> float:
        if first == last or begin == end:
            return 0
        size = sum(words[first:last])
        off = (sum(signs[begin:end]) - rate * size) ** 2
        shared = set().union(*named[first:last]) & set().union(*there[begin:end])
        return (
            off / variance / (size + _SMOOTHING) / 2
            + _TOGETHER * (last - first + end - begin - 2)
            - _SHARED * sum(weight for _, weight in shared)
        )

    best: dict[Place, tuple[float, Place]] = {(0, 0): (0, (0, 0))}
    for i in range(len(ours) + 1):
        middle = i * len(theirs) // max(1, len(ours))
        for j in range(max(0, middle - _BAND), min(len(theirs), middle + _BAND) + 1):
            before = [(i - a, j - b) for a, b in steps]
            known = [
                (best[k, m][0] + cost(k, i, m, j), (k, m))
                for k, m in before
                if (k, m) in best
            ]
            if known:
                best[i, j] = min(known)
    at = len(ours), len(theirs)
    if at not in best:
        return float("inf"), ()
    total, pairs = best[at][0], list[tuple[Place, Place]]()
    while at != (0, 0):
        (k, m), (i, j) = best[at][1], at
        pairs.append((_join(ours[k:i]), _join(theirs[m:j])))
        at = k, m
    return total, pairs[::-1]


def divide(text: str, border: re.Pattern[str]) -> Sequence[Place]:
    """The places of the parts of a text that end at a border, such as sentences."""
    ends = [0, *(match.end() for match in border.finditer(text)), len(text)]
    return [(start, end) for start, end in pairwise(ends) if start < end]


def _join(places: Sequence[Place]) -> Place:
    return (places[0][0], places[-1][1]) if places else (0, 0)
