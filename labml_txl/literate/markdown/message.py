"""# A message as a value

A message, which is the unit of translation, and each of its translations are scanned
once, by `read_message`. The catalogs, the lint, the check of what is foreign and the
links of a page take this value: its pieces, and the objects that a translation must
contain unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, pairwise, zip_longest
from typing import NamedTuple

from labml_txl.literate.markdown.inline import (
    Piece,
    find_emphasis,
    flatten,
    plain_text,
    scan,
)

# A kind of object and its text.
Object = tuple[str, str]

_TAG = re.compile(
    r"</?[A-Za-z][^<>]*>|<!--(?:(?!<!--).)*?-->|<[\w.+-]+(?::|@)[^\s<>]*>"
    # The word that an abbreviation is defined for.
    r"|^\*\[[^]\n]*\][ ]?:",
    re.M,
)
_END = re.compile(r"\]\[[^\[\]]*\]")
_BRACES = re.compile(r"\{[^{}]*\}")
_PATTERNS = {"markup": _TAG, "link": _END, "placeholder": _BRACES}
_KINDS = {"math": "formula", "display": "formula", "code": "code"}


# Where something is in a text.
Place = tuple[int, int]


@dataclass(frozen=True)
class Divided:
    """A message as its objects and the texts between them.

    An object is what a translation must contain unchanged. It has a kind and a place:
    `formula`, `code`, `markup` (a tag or a comment), `link` (the end of one) or
    `placeholder` (a name in braces).
    """

    text: str
    places: tuple[tuple[str, Place], ...]

    @property
    def named(self) -> Iterator[tuple[str, Place]]:
        """Its objects and their places, without the ends of links."""
        return (
            (self.text[slice(*at)], at) for kind, at in self.places if kind != "link"
        )

    @cached_property
    def objects(self) -> tuple[Object, ...]:
        """The kind and the text of each object."""
        return tuple((kind, self.text[slice(*at)]) for kind, at in self.places)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The texts before, between and after the objects."""
        inner = [end for _, place in self.places for end in place]
        ends = [0, *inner, len(self.text)]
        return tuple(self.text[a:b] for a, b in zip(ends[::2], ends[1::2], strict=True))

    @property
    def blanked(self) -> str:
        """The message with blanks in place of its objects, so that places are kept."""
        return blank(self.text, (place for _, place in self.places))

    def find(self, pattern: re.Pattern[str]) -> list[str]:
        """What matches a pattern in the texts."""
        return [found for text in self.texts for found in pattern.findall(text)]

    @property
    def words(self) -> str:
        """The texts as one, for rules that look at words: an object is a square."""
        return "□".join(self.texts)

    @property
    def has_joined(self) -> bool:
        """Whether two objects, or an object and a letter, could be parsed as one."""
        ends = ((a[-1:], b[:1]) for a, b in pairwise(self.texts))
        return "" in self.texts[1:-1] or any(
            (before.isascii() and before.isalnum())
            or (after.isascii() and (after.isalnum() or after == "_"))
            for before, after in ends
        )

    def replace(self, objects: Iterable[Object]) -> str:
        """The message with other objects in place of its own."""
        written = (raw for _, raw in objects)
        both = zip_longest(self.texts, written, fillvalue="")
        return "".join(chain.from_iterable(both))


class Marked(NamedTuple):
    """A link or an emphasis: its words, its end or its mark, the place of its words."""

    words: str
    end: str
    place: Place


@dataclass(frozen=True)
class Message:
    """A message, or a translation of one, and its pieces."""

    text: str
    pieces: tuple[Piece, ...]

    @property
    def plain(self) -> str:
        """Its text without markup."""
        return plain_text(self.pieces)

    @cached_property
    def links(self) -> Sequence[Marked]:
        """Its links, by their ends: an address, a number or a key."""
        found = (piece for piece in self.pieces if piece.kind in {"link", "citation"})
        return [
            Marked(p.body, p.raw[1 + len(p.body) :], (at, at + len(p.body)))
            for p, at in ((piece, piece.start + 1) for piece in found)
        ]

    @cached_property
    def emphases(self) -> Sequence[Marked]:
        """Its emphasized words, by their marks."""
        run = ["x"] * len(self.text)
        for piece in flatten(self.pieces):
            if piece.kind == "text":
                run[piece.start : piece.start + len(piece.raw)] = piece.raw
        return [
            Marked(self.text[end:begin], self.text[start:end], (end, begin))
            for (start, end), (begin, _) in find_emphasis("".join(run))
        ]

    @cached_property
    def _solid(self) -> list[tuple[str, Place]]:
        """Where its code and its formulas are, also those in links."""
        return [
            (_KINDS[piece.kind], (piece.start, piece.start + len(piece.raw)))
            for piece in flatten(self.pieces)
            if piece.kind in _KINDS
        ]

    @cached_property
    def formulas(self) -> Divided:
        """The message, divided at its formulas only."""
        return _divide(self.text, [one for one in self._solid if one[0] == "formula"])

    @cached_property
    def divided(self) -> Divided:
        """The message, divided at all of its objects."""
        found = [*self._solid]
        found += (("link", (at, at + len(end))) for _, end, (_, at) in self.links)
        for kind, pattern in _PATTERNS.items():
            rest = blank(self.text, (place for _, place in found))
            found += ((kind, match.span()) for match in pattern.finditer(rest))
        return _divide(self.text, found)


@lru_cache(maxsize=20_000)
def read_message(text: str) -> Message:
    """Parse a message or a translation; the same text is parsed once."""
    return Message(text, scan(text))


def replace_ends(text: str, message: str) -> str:
    """Replace the ends of the links of a message by ends of Markdown links."""
    for end in set(_END.findall(message)):
        text = text.replace(end, f"](#{end[2:-1]})")
    return text


def blank(text: str, places: Iterable[Place]) -> str:
    """The text with blanks in some places, so that positions stay the same."""
    signs = list(text)
    for start, end in places:
        signs[start:end] = " " * (end - start)
    return "".join(signs)


def _divide(text: str, found: list[tuple[str, Place]]) -> Divided:
    places, position = list[tuple[str, Place]](), 0
    for kind, (start, end) in sorted(found, key=lambda one: (one[1][0], -one[1][1])):
        # Code within the end of a link belongs to it.
        if start >= position:
            places.append((kind, (start, end)))
            position = end
    return Divided(text, tuple(places))
