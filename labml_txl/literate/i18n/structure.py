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
from itertools import combinations

from labml_txl.literate.i18n.aligned import (
    SENTENCE_END,
    align,
    count_units,
    divide,
    find_left_over,
)
from labml_txl.literate.i18n.entities import WEIGHTS, Compared, Entity
from labml_txl.literate.markdown.message import Marked, Place, read_message


def find_other_structure(compared: Compared) -> Iterator[tuple[str, str]]:
    """Yield the code of a fault, as in `lint.RULES`, and what was found."""
    for code, rule in RULES:
        for line in rule(compared):
            yield code, line


def _is_inside(place: Place, part: Place) -> bool:
    return part[0] <= place[0] and place[1] <= part[1]


def _named(
    entities: Sequence[Entity], part: Place, *, ours: bool = True
) -> list[Entity]:
    """The entities that a part of the English, or of the translation, names."""
    return [
        e
        for e in entities
        if any(_is_inside(place, part) for place in (e.ours if ours else e.theirs))
    ]


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


def find_moved_parts(compared: Compared) -> Iterator[str]:
    """Links and emphases whose entities are now all outside of them."""
    parts = [*_parts(compared)]
    for kind, part, other in parts:
        here = _named(compared.entities, part.place)
        there = _named(compared.entities, other.place, ours=False)
        if any(e in there for e in here):
            continue
        # An ordinary word may be said otherwise, unless it or another one has moved.
        others = [one.place for _, _, one in parts if one != other]
        size = count_units(part.words)
        strange = any(
            e in compared.once or (len(e.ours) == 1 and e.kind != "word") for e in there
        )
        for e in compared.once:
            if e in here:
                start, end = e.theirs[0]
                moved = any(_is_inside((start, end), place) for place in others)
                # Its noun may follow the link, as in [live][1]のページ.
                between = compared.theirs[other.place[1] : start]
                follows = kind == "link" and re.fullmatch(r"\s+[の的]?", between)
                if not follows and (moved or strange or e.kind != "word"):
                    yield f"“{e.name[:40]}” is not in the {kind}"
                    break
            elif e in there and not here and size < 3:
                yield f"“{e.name[:40]}” is in the {kind}"
                break


# Names and numbers that have changed places

# Of so many objects and of so many other entities, to bound the time.
_MOST_OBJECTS, _MOST_OTHERS, _FARTHEST = 12, 60, 150
_CLAUSE = re.compile(r"[,;:](?=\s)|[、，；：]|[()（）]")
_RANGE = re.compile(" to |[–-]")
_SENTENCE = re.compile(r"[.!?](?=\s)|[。！？]")
# A sentence of another order may have a part of this: 1 in 1,000 sound ones has more.
_LEAST_VOTES = 0.3


def find_exchanged(compared: Compared) -> Iterator[str]:
    """Yield two objects or numbers of which each is beside the words of the other.

    Each other entity votes with how much nearer it is to the one than to the other, in
    the English times in the translation: a vote is negative if it has changed sides.
    """
    objects = [e for e in compared.once if e.kind in {"object", "number"}][
        :_MOST_OBJECTS
    ]
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
        if votes < -_LEAST_VOTES or _is_turned(compared, one, other):
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


# Clauses

_OUR_BORDER = re.compile(
    r"[,;:.!?—](?=\s|$)(?: (?:and|but|while|whereas)\b)?"
    r"|(?<![\d%] )\b(?:and|while|whereas)\b"
)
_THEIR_BORDER = re.compile("[、，；。：！？—]")


# Conditions


# What a condition begins with in English, and what marks it in other languages. In
# Japanese a mark follows its condition, in Chinese the condition follows its mark.
_CONNECTORS: Sequence[tuple[str, Mapping[str, str]]] = (
    (
        "if|when|whenever|as long as|provided|once",
        {
            "ja": "場合|とき|時[にはの、]|なら(?!な)|れば(?!な[らり]|いけ)|けば|せば"
            "|てば|えば|たら|だら|限り|[るいうたす]と、",
            "zh": "如果|若|当|只要|只有|一旦|假如|倘若",
        },
    ),
    ("because|since", {"ja": "ので|ため|から[、です]", "zh": "因为|由于"}),
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
        for english, marks in _CONNECTORS:
            mark = marks.get(language)
            was = _our_condition(compared.ours, here, english)
            if not mark or not was:
                continue
            now = _their_condition(compared.theirs, there, mark, after=language == "ja")
            whole = _named(compared.once, here)
            inside = _named(whole, was)
            outside = [e for e in whole if e not in inside]
            # Both may be larger: what is so tells them apart.
            inside = [e for e in inside if e.kind != "word"] or inside
            outside = [e for e in outside if e.kind != "word"] or outside
            if now and inside and not _named(inside, now, ours=False):
                for e in _named(outside, now, ours=False)[:1]:
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
        inside = _named(compared.entities, here)
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
