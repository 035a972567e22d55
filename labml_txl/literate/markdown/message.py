"""# A message as a value

A message, which is the unit of translation, and each of its translations are scanned
once, by `read_message`. The catalogs, the lint, the check of what is foreign and the
links of a page take this value: its pieces, and the objects that a translation must
contain unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, pairwise, zip_longest

from labml_txl.literate.markdown.inline import Piece, flatten, plain_text, scan

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


@dataclass(frozen=True)
class Divided:
    """A message as its objects and the texts between them.

    - `objects`: what a translation must contain unchanged. Each has a kind and a text:
      `formula`, `code`, `markup` (a tag or a comment), `link` (the end of one) or
      `placeholder` (a name in braces);
    - `texts`: the texts before, between and after the objects.
    """

    objects: tuple[Object, ...]
    texts: tuple[str, ...]

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


@dataclass(frozen=True)
class Message:
    """A message, or a translation of one, and its pieces."""

    text: str
    pieces: tuple[Piece, ...]

    @property
    def plain(self) -> str:
        """Its text without markup."""
        return plain_text(self.pieces)

    @property
    def links(self) -> Iterable[Piece]:
        """Its links, which lead to an address, a number or a key."""
        return (piece for piece in self.pieces if piece.kind in {"link", "citation"})

    @cached_property
    def _solid(self) -> list[tuple[int, int, str]]:
        """Where its code and its formulas are, also those in links."""
        return [
            (piece.start, piece.start + len(piece.raw), _KINDS[piece.kind])
            for piece in flatten(self.pieces)
            if piece.kind in _KINDS
        ]

    @cached_property
    def formulas(self) -> Divided:
        """The message, divided at its formulas only."""
        return _divide(self.text, [one for one in self._solid if one[2] == "formula"])

    @cached_property
    def divided(self) -> Divided:
        """The message, divided at all of its objects."""
        spans, rest = [*self._solid], self.text
        for start, end, _ in spans:
            rest = _blank(rest, start, end)
        for kind, pattern in _PATTERNS.items():
            for match in pattern.finditer(rest):
                spans.append((*match.span(), kind))
                rest = _blank(rest, *match.span())
        return _divide(self.text, spans)

    def find_objects(self, translation: str) -> Divided:
        """Those of its objects that a translation contains, the longest found first."""
        spans, rest = list[tuple[int, int, str]](), translation
        for kind, raw in sorted(self.divided.objects, key=_length, reverse=True):
            if (start := rest.find(raw)) >= 0:
                spans.append((start, start + len(raw), kind))
                rest = _blank(rest, start, start + len(raw))
        return _divide(translation, spans)


@lru_cache(maxsize=20_000)
def read_message(text: str) -> Message:
    """Parse a message or a translation; the same text is parsed once."""
    return Message(text, scan(text))


def replace_ends(text: str, message: str) -> str:
    """Replace the ends of the links of a message by ends of Markdown links."""
    for end in set(_END.findall(message)):
        text = text.replace(end, f"](#{end[2:-1]})")
    return text


def _length(one: Object) -> int:
    return len(one[1])


def _blank(text: str, start: int, end: int) -> str:
    """The text with blanks in place of an object, so that positions stay the same."""
    return f"{text[:start]}{' ' * (end - start)}{text[end:]}"


def _divide(text: str, spans: list[tuple[int, int, str]]) -> Divided:
    objects, texts, position = list[Object](), list[str](), 0
    for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        # Code within the end of a link belongs to it.
        if start >= position:
            objects.append((kind, text[start:end]))
            texts.append(text[position:start])
            position = end
    return Divided(tuple(objects), (*texts, text[position:]))
