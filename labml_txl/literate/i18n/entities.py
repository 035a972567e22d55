"""# What a message and its translation both name

Rules on what belongs together compare entities: terms and ordinary words of the
glossary, names, code, formulas, placeholders and numbers. They are found once for each
message, with their places in both texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from labml_txl.literate.i18n.glossary import Glossary, find_titles
from labml_txl.literate.i18n.meaning import NEGATIVE, NOT
from labml_txl.literate.i18n.numbers import find_numbers
from labml_txl.literate.markdown.message import Place, blank, read_message

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
    message: str, translation: str, glossary: Glossary, language: str
) -> Compared:
    """Find the entities of a message and its translation."""
    both = [*map(read_message, (message, translation))]
    titles = find_titles(message, translation)
    ours, theirs = texts = tuple(
        blank(one.divided.blanked, (at for t in titles for at in find_all(t, one.text)))
        for one in both
    )
    entities = [
        *_pair("object", *(one.divided.named for one in both)),
        *_pair("number", *map(find_numbers, texts)),
    ]
    for kind, name, *places in glossary.entities(ours, theirs, language):
        entities.append(Entity(name, kind, *places))
    if negative := NEGATIVE.get(language.partition("-")[0]):
        found = NOT.finditer(ours), negative.finditer(theirs)
        entities += _pair("word", *((("not", m.span()) for m in one) for one in found))
    known = {e.name for e in entities}
    latin = (((m[0], m.span()) for m in _LATIN.finditer(text)) for text in texts)
    entities += (e for e in _pair("name", *latin) if e.theirs and e.name not in known)
    return Compared(message, translation, language, ours, theirs, entities)


def _pair(
    kind: str,
    ours: Iterable[tuple[str | Decimal, Place]],
    theirs: Iterable[tuple[str | Decimal, Place]],
) -> Iterator[Entity]:
    """The entities of the message, with their places in both texts."""
    found: dict[str | Decimal, tuple[list[Place], list[Place]]] = {}
    for which, one in enumerate((ours, theirs)):
        for name, place in one:
            found.setdefault(name, ([], []))[which].append(place)
    return (Entity(f"{name}", kind, *both) for name, both in found.items() if both[0])


def find_all(raw: str, text: str) -> list[Place]:
    """Where a string is in a text."""
    return [match.span() for match in re.finditer(re.escape(raw), text)]


_LATIN = re.compile(r"(?<![A-Za-z\d_-])[A-Z][\w-]*[A-Za-z\d](?![A-Za-z\d_])", re.ASCII)
