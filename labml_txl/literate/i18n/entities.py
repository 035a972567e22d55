"""# What a message and its translation both name

Rules on what belongs together compare entities: terms and ordinary words of the
glossary, names, code, formulas, placeholders and numbers. They are found once for each
message, with their places in both texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from labml_txl.literate.i18n.glossary import Glossary, Place

# The address of a link, after its words.
_ADDRESS = re.compile(r"\]\([^()\s]*+\)|\]\[[^\[\]\n]*+\]")
_NUMBER = re.compile(r"(?<![A-Za-z\d_.,])\d(?:[\d.,]*\d)?(?![A-Za-z_])")
# A title that stays in English.
_TITLE = re.compile(r"(?<=[*\[])[^*\[\]\s]++(?: [^*\[\]\s]++){2,}+(?=[*\]])")
# A negation, as a word or as a part of one.
_NOT = re.compile(
    r"\b(?:not|no|never|cannot|nor|neither|nothing|none)\b|n't", re.IGNORECASE
)
_NEGATIONS = {
    "ja": re.compile("ません|な[いくし](?!で)|(?<![はま必])ず(?=[、。に])"),
    "zh": re.compile("[不没无](?![同论管])"),
}

# How much an entity tells of what stands for what, by its kind: for all others, 1.
WEIGHTS: Mapping[str, float] = {"word": 0.6}


class Entity(NamedTuple):
    """What both texts may name, and where.

    Its kind is `object` (code, a formula or a placeholder), `number`, or one of those
    of `Glossary.entities`.
    """

    name: str
    kind: str
    ours: Sequence[Place]
    theirs: Sequence[Place]


@dataclass(frozen=True)
class Compared:
    """A message and its translation, both as they are, and what they name.

    `ours` and `theirs` are the texts with blanks in place of their addresses, code,
    formulas and placeholders, so that places in them are places in the texts.
    """

    message: str
    translation: str
    language: str
    ours: str
    theirs: str
    entities: Sequence[Entity]

    @cached_property
    def once(self) -> Sequence[Entity]:
        """The entities that each of the texts has exactly once."""
        return [e for e in self.entities if len(e.ours) == len(e.theirs) == 1]


def compare(
    message: str,
    translation: str,
    objects: Iterable[str],
    glossary: Glossary,
    language: str,
) -> Compared:
    """Find the entities; `objects` are the code, formulas and placeholders."""
    solid = [raw for raw in dict.fromkeys(objects) if not raw.startswith("]")]
    entities: list[Entity] = []
    titles = [raw for raw in _TITLE.findall(message) if raw in translation]
    ours, theirs = (
        _blank_objects(text, [*solid, *titles]) for text in (message, translation)
    )
    no_address = [_ADDRESS.sub(_blank, text) for text in (message, translation)]
    for raw in solid:
        places = [find_all(raw, text) for text in no_address]
        entities.append(Entity(raw, "object", *places))
    entities += _numbers(ours, theirs)
    for kind, name, here, there in glossary.entities(ours, theirs, language):
        entities.append(Entity(name, kind, here, there))
    if negation := _NEGATIONS.get(language.partition("-")[0]):
        places = [
            [match.span() for match in pattern.finditer(text)]
            for pattern, text in ((_NOT, ours), (negation, theirs))
        ]
        entities.append(Entity("not", "word", *places))
    known = {e.name for e in entities}
    for name, (here, there) in _latin(ours, theirs).items():
        if name not in known:
            entities.append(Entity(name, "name", here, there))
    return Compared(message, translation, language, ours, theirs, entities)


def find_all(raw: str, text: str) -> list[Place]:
    """Where a string is in a text."""
    return [match.span() for match in re.finditer(re.escape(raw), text)]


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _blank_objects(text: str, objects: Sequence[str]) -> str:
    text = _ADDRESS.sub(_blank, text)
    for raw in sorted(objects, key=len, reverse=True):
        text = text.replace(raw, "\0" * len(raw))
    return text.replace("\0", " ")


def _numbers(ours: str, theirs: str) -> Iterator[Entity]:
    """The numbers of the message; 1,003 is 1003."""
    places: list[Mapping[str, list[Place]]] = []
    for text in (ours, theirs):
        found: dict[str, list[Place]] = {}
        for match in _NUMBER.finditer(text):
            found.setdefault(match[0].replace(",", ""), []).append(match.span())
        places.append(found)
    for number, here in places[0].items():
        yield Entity(number, "number", here, places[1].get(number, []))


_LATIN = re.compile(r"(?<![A-Za-z\d_-])[A-Z][\w-]*[A-Za-z\d](?![A-Za-z\d_])", re.ASCII)


def _latin(ours: str, theirs: str) -> Mapping[str, tuple[list[Place], list[Place]]]:
    """The names that both texts have in Latin letters."""
    places: dict[str, tuple[list[Place], list[Place]]] = {}
    for which, text in enumerate((ours, theirs)):
        for match in _LATIN.finditer(text):
            places.setdefault(match[0], ([], []))[which].append(match.span())
    return {name: both for name, both in places.items() if all(both)}


class Part(NamedTuple):
    """A link or an emphasis: its address or its mark, and the place of its words."""

    end: str
    place: Place


_EMPHASIS = re.compile(
    r"(?<![*A-Za-z\d])(\*{1,2})(?![\s*])([^*\n]+?)(?<![\s*])\1(?!\*)"
)
_LINK = re.compile(r"(?<!!)\[([^\[\]\n]+)\](\([^()\s]+\)|\[[^\[\]\n]+\])")


def find_links(text: str) -> list[Part]:
    """The links of a text, with the address or its number as the end."""
    return [Part(m[2], m.span(1)) for m in _LINK.finditer(text)]


def find_emphases(text: str) -> list[Part]:
    """The emphases of a text, with their asterisks as the end."""
    return [Part(m[1], m.span(2)) for m in _EMPHASIS.finditer(text)]
