"""# Translations in which other things belong together

Finds translations whose words are right, but are joined otherwise: a link covers other
words, a formula is the name of something else, two clauses have exchanged a part of
what they say, a condition is the consequence, or a clause is missing.

A rule never understands a sentence. It compares where entities are, mostly those that
occur exactly once in both texts, so it is silent on what it cannot tell apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from labml_txl.literate.i18n.aligned import (
    SENTENCE_END,
    align,
    count_units,
    divide,
    find_left_over,
)
from labml_txl.literate.i18n.entities import Compared
from labml_txl.literate.i18n.exchanged import find_exchanged
from labml_txl.literate.markdown.message import Marked, Place, read_message


def find_other_structure(compared: Compared) -> Iterator[tuple[str, str]]:
    """Yield the code of a fault, as in `lint.RULES`, and what was found."""
    for code, rule in RULES:
        for line in rule(compared):
            yield code, line


def _is_inside(place: Place, part: Place) -> bool:
    return part[0] <= place[0] and place[1] <= part[1]


# Links and emphases

_COMMAS = re.compile("[,;.:!?、，；。：！？]")


def _parts(compared: Compared) -> Iterator[tuple[str, Marked, Marked]]:
    """The links of the same address, and the emphases of which there is one."""
    english, other = map(read_message, (compared.message, compared.translation))
    for kind, ours, theirs in (
        ("link", english.links, other.links),
        ("emphasis", english.emphases, other.emphases),
    ):
        for part in ours:
            there = [one for one in theirs if one.end == part.end]
            if len(there) == sum(one.end == part.end for one in ours) == 1:
                yield kind, part, there[0]


def find_swallowed(compared: Compared) -> Iterator[str]:
    """Links and emphases that cover a clause, or most of the sentence."""
    everything = [((0, len(compared.ours)), (0, len(compared.theirs)))]
    sentences = align(compared)
    for kind, part, other in _parts(compared):
        words, others = part.words, other.words
        clause = _COMMAS.search(others) and not _COMMAS.search(words)
        ends = re.search("[。！？]", others[:-1]) and not re.search("[.!?] ", words)
        was, now = (
            max(
                (
                    count_units(text[slice(*one.place)])
                    / max(1, count_units(text[slice(*pair[side])]))
                    # A title, which may be emphasized, is a sentence.
                    for pair in (sentences if kind == "link" else everything)
                    if pair[side][0] <= one.place[0] < pair[side][1]
                ),
                default=0.0,
            )
            for side, text, one in (
                (0, compared.ours, part),
                (1, compared.theirs, other),
            )
        )
        if ends or (clause and len(words.split()) <= 4) or min(now, 1) > was + 0.4:
            yield f"the {kind} “{others[:60]}” covers too much"


# The end of a link or an emphasis whose noun follows, as in [live][1]のページ.
_BESIDE = re.compile(r"\W{0,2}(?:\]\([^()\s]+\)|\]\[[^\[\]]+\])[の的]?")


def find_moved_parts(compared: Compared) -> Iterator[str]:
    """Links and emphases whose entities are now all outside of them."""
    parts = [*_parts(compared)]
    for kind, part, other in parts:
        here = [
            e
            for e in compared.entities
            if any(_is_inside(place, part.place) for place in e.ours)
        ]
        there = [
            e
            for e in compared.entities
            if any(_is_inside(place, other.place) for place in e.theirs)
        ]
        if any(e in there for e in here):
            continue
        # An ordinary word may be said otherwise, unless it or another one has moved.
        others = [one.place for _, _, one in parts if one != other]
        size = count_units(compared.message[slice(*part.place)])
        strange = any(
            e in compared.once or (len(e.ours) == 1 and e.kind != "word") for e in there
        )
        for e in compared.once:
            if e in here:
                start, end = e.theirs[0]
                moved = any(_is_inside((start, end), place) for place in others)
                between = compared.translation[other.place[1] : start]
                follows = _BESIDE.fullmatch(between)
                if not follows and (moved or strange or e.kind != "word"):
                    yield f"“{e.name[:40]}” is not in the {kind}"
                    break
            elif e in there and not here and size < 3:
                yield f"“{e.name[:40]}” is in the {kind}"
                break


# Clauses

_OUR_BORDER = re.compile(
    r"[,;:.!?—](?=\s|$)(?: (?:and|but|while|whereas)\b)?"
    r"|(?<![\d%] )\b(?:and|while|whereas)\b"
)
_THEIR_BORDER = re.compile("[、，；。：！？—]")


# Conditions


class Connector(NamedTuple):
    """What a condition begins with in English, and what marks it in other languages."""

    english: str
    marks: Mapping[str, str]


# In Japanese a mark follows its condition, in Chinese the condition follows its mark.
_CONNECTORS = (
    Connector(
        "if|when|whenever|as long as|provided|once",
        {
            "ja": "場合|とき|時[にはの、]|なら(?!な)|れば(?!な[らり]|いけ)|けば|せば"
            "|てば|えば|たら|だら|限り|[るいうたす]と、",
            "zh": "如果|若|当|只要|只有|一旦|假如|倘若",
        },
    ),
    Connector("because|since", {"ja": "ので|ため|から[、です]", "zh": "因为|由于"}),
)
# Where a condition ends in Chinese; “而且” continues it.
_THEN = re.compile("那么|则|就|所以|因此|才|[。；]|，(?!而且|并且|且|或|又)")


def find_turned_condition(compared: Compared) -> Iterator[str]:
    """Conditions and reasons that have become the consequence."""
    language = compared.language.partition("-")[0]
    ours = divide(compared.ours, SENTENCE_END)
    theirs = divide(compared.theirs, SENTENCE_END)
    if len(ours) != len(theirs):
        return
    for here, there in zip(ours, theirs, strict=True):
        for connector in _CONNECTORS:
            mark = connector.marks.get(language)
            was = _our_condition(compared.ours, here, connector.english)
            if not mark or not was:
                continue
            now = _their_condition(compared.theirs, there, mark, after=language == "ja")
            whole = [e for e in compared.once if _is_inside(e.ours[0], here)]
            inside = [e for e in whole if _is_inside(e.ours[0], was)]
            outside = [e for e in whole if e not in inside]
            # Both may be larger: what is so tells them apart.
            inside = [e for e in inside if e.kind != "word"] or inside
            outside = [e for e in outside if e.kind != "word"] or outside
            if now and inside and not any(_is_inside(e.theirs[0], now) for e in inside):
                for e in [e for e in outside if _is_inside(e.theirs[0], now)][:1]:
                    names = inside[0].name[:40], e.name[:40]
                    yield "“{}” is in the condition, here it is “{}”".format(*names)


def _our_condition(text: str, sentence: Place, words: str) -> Place | None:
    part = text[slice(*sentence)]
    found = [*re.finditer(rf"\b(?:{words})\b", part, re.IGNORECASE)]
    if len(found) != 1:
        return None
    comma = part.find(",", found[0].start())
    end = len(part) if comma < 0 else comma
    return sentence[0] + found[0].start(), sentence[0] + end


def _their_condition(
    text: str, sentence: Place, mark: str, *, after: bool
) -> Place | None:
    part = text[slice(*sentence)]
    found = [*re.finditer(mark, part)]
    if len(found) != 1:
        return None
    start, end = found[0].span()
    if not after:
        then = _THEN.search(part, end)
        end = then.start() if then else len(part)
    elif (topic := part.rfind("のは", 0, start)) >= 0 and "、" not in part[end:]:
        # “Y のは、X 場合だけ”: the condition is at the end.
        start, end = topic, start
    else:
        start, end = 0, start
    return sentence[0] + start, sentence[0] + end


# Comparisons

_THAN = re.compile(r"\bmore \w+ than\b|(?<!oth)(?<!rath)er than\b")
# What the two are compared with, and words that turn a comparison round together with
# its sides.
_COMPARED = {"ja": "{}(?:より|に比べ)", "zh": "(?:比|相比){}"}
_LESS = re.compile("少|低|小|短|遅|劣|悪|ほど|ない|狭|弱|更差|不|慢|没|弱|窄")


def find_turned_comparison(compared: Compared) -> Iterator[str]:
    """Comparisons whose sides have changed places, but not the adjective."""
    form = _COMPARED.get(compared.language.partition("-")[0])
    found = [*_THAN.finditer(compared.ours)]
    if not form or len(found) != 1:
        return
    (start, end), once = found[0].span(), compared.once
    for here in divide(compared.ours, _OUR_BORDER):
        nouns = [e for e in once if _is_inside(e.ours[0], here) and e.kind != "word"]
        before = [e for e in nouns if e.ours[0][1] <= start]
        after = [e for e in nouns if e.ours[0][0] >= end]
        if len(before) == len(after) == 1 and _is_inside((start, end), here):
            place = before[0].theirs[0]
            word = re.escape(compared.translation[slice(*place)])
            borders = divide(compared.theirs, _THEIR_BORDER)
            clause = next((c for c in borders if _is_inside(place, c)), place)
            part = compared.translation[slice(*clause)]
            if re.search(form.format(word), part) and not _LESS.search(part):
                names = before[0].name[:40], after[0].name[:40]
                yield "“{}” and “{}” are compared the other way round".format(*names)


# What is left out

# A longer text may say the same in other words.
_MOST_WORDS = 30
# How many characters a translation has for each English word: fewer than all sound ones
# of a few lines, and so few that a clause is missing if none of its words has a
# counterpart, or if no noun has one. Of this project's translations, one in a hundred
# has fewer than 1.3 (Japanese) and 1.0 (Chinese).
_LEAST = {"ja": (0.8, 1.3, 1.65), "zh": (0.65, 1.0, 1.25)}


def find_lost_words(compared: Compared) -> Iterator[str]:
    """Required words that have no counterpart."""
    if len(compared.ours.split()) <= _MOST_WORDS:
        for e in compared.entities:
            if e.kind == "required" and not e.theirs:
                yield f"“{e.name}” has no counterpart"


def find_left_out(compared: Compared) -> Iterator[str]:
    """Clauses of which the translation contains nothing."""
    least = _LEAST.get(compared.language.partition("-")[0])
    words = count_units(compared.ours)
    if not least or words < 8:
        return
    size = count_units(compared.theirs) / words
    if size < least[0] and words > 11 and not re.search(r"\d", compared.ours):
        yield f"it is too short for {words} English words"
    for here in divide(compared.ours, _OUR_BORDER) if size < least[2] else ():
        inside = [
            e for e in compared.entities if any(_is_inside(p, here) for p in e.ours)
        ]
        if len(inside) < 2 or any(e.theirs for e in inside):
            continue
        if size < least[1] or any(e.kind in {"term", "required"} for e in inside):
            yield "“{}” and “{}” have no counterpart".format(
                *(e.name[:30] for e in inside[:2])
            )


RULES: Sequence[tuple[str, Callable[[Compared], Iterator[str]]]] = (
    ("span", find_swallowed),
    ("span", find_moved_parts),
    ("misplaced", find_exchanged),
    ("meaning", find_left_over),
    ("meaning", find_turned_condition),
    ("meaning", find_turned_comparison),
    ("term", find_lost_words),
    ("meaning", find_left_out),
)
