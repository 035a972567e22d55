"""# The tags in a note

Markdown may contain HTML, and a comment may speak of it. What the author wrote is what
stands on the page: a tag is an element only where the author used it as one, and
otherwise it is text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

_NAMES = """
    a abbr acronym article aside b bdi bdo blockquote br caption center cite code col
    colgroup data dd del details dfn div dl dt em figcaption figure footer h1 h2 h3 h4
    h5 h6 header hr i img input ins kbd label li lit-formula mark nav ol p pre progress
    q rp rt ruby s samp section small span strike strong sub summary sup table tbody td
    tfoot th thead time tr tt u ul var wbr
"""
# The elements that notes may contain.
TAGS = frozenset(_NAMES.split())
_VOID = frozenset({"area", "br", "col", "hr", "img", "input", "source", "track", "wbr"})
_MARK = re.compile(
    r"<!--|<[?!]|</(?![A-Za-z])"
    # Not an address, which is a link of Markdown.
    r"|<(?!(?:https?|ftp)://|mailto:|[^\s<>@]+@[^\s<>@]+>)"
    r"(?P<end>/?)(?P<name>[A-Za-z][^\s/<>]*)[^<>]*>?"
)


# The elements that mean something within another one only.
_PARTS = {
    **dict.fromkeys(("caption", "col", "colgroup", "td", "th", "tr"), "table"),
    **dict.fromkeys(("tbody", "tfoot", "thead"), "table"),
    **{"dd": "dl", "dt": "dl", "figcaption": "figure", "summary": "details"},
}
# The elements that begin a line, an item or a cell, or stand in another element.
_BLOCKS = frozenset(
    {"article", "aside", "blockquote", "center", "details", "div", "dl", "figure"}
    | {"footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "nav", "ol"}
    | {"p", "pre", "section", "table", "ul"}
)
# The elements without attributes that remain in a note that speaks of others.
_KEPT = frozenset({"details", "table", *_PARTS})
# What shows nothing of its own without attributes, and changes of a text.
_IDLE = frozenset({"a", "data", "del", "ins", "label", "s", "span", "strike", "time"})
# Attributes that an author left out, as in `<section ...>`.
_OMITTED = re.compile(r"(?:\s|=[\"']?)(?:\.{3}|…)[\"']?[\s/>]")
_NEEDED = {
    "img": re.compile(r"\bsrc\b"),
    "input": re.compile(r"\btype=[\"']?(?:checkbox|radio)\b"),
}
# What is between the names of two tags, but in no element.
_NOTHING = re.compile(r"\s*|\s+(?:and|or|to|/|-)\s+|,\s+|\s*(?:\.{3}|…)\s*")
_ID = re.compile(r"\s(?:id|name)\s*=")
# What stands around a tag of which a text speaks.
_QUOTES = frozenset("\"'“”‘’«»„「」『』")
_LINE_BEFORE = frozenset(">|*+-#.)")


def find_stray(text: str) -> tuple[range, ...]:
    """The positions of tags that are text, or that a browser would not parse as meant.

    The latter are tags without a partner, as in `List<int>`, text that a browser parses
    as a comment, elements that notes may not contain, parts of a table without the
    table, a tag that does not end, as in `m <n`, and one that ends in a slash, as in
    `<s n="1"/>`, unless it is an anchor or an element without content.

    Notes are about programs, and some programs are about HTML. Such a note speaks of a
    tag between quotes, of `<p> and </p>` and `<section ...>`, of a block or a comment
    within a line, of a `<br>` between words, and of `<ins>`, which nobody uses in a
    note. Where it speaks of one tag, it does so of all tags without attributes.
    """
    return _Finder(text).find()


@dataclass(frozen=True)
class _Tag:
    """An opening tag that waits for its partner."""

    name: str
    place: range
    bare: bool  # without attributes
    spoken: bool


class _Finder:
    """Finds the tags of one text that are no elements."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found = list[range]()
        self._bare = list[range]()  # of elements, without attributes
        self._opened = list[_Tag]()
        self._names = Counter[str]()  # of the opened ones
        self._speaks = False

    def find(self) -> tuple[range, ...]:
        """The positions of the tags, in order."""
        text, position, last = self._text, 0, self._text.rfind("-->")
        while match := _MARK.search(text, position):
            position, tag = match.end(), match[0]
            place, name = range(*match.span()), (match["name"] or "").lower()
            if tag == "<!--":
                end = text.index("-->", position) + 3 if position <= last else 0
                position = max(position, end)
                if not end or not (self._begins_line(place) and self._ends_line(end)):
                    self._found.append(place)
            # Without its end, a tag would take in what follows the note.
            elif name not in TAGS or not tag.endswith(">") or _OMITTED.search(tag):
                self._found.append(place)
                self._speaks |= bool(match["end"]) and tag.endswith(">")
            elif match["end"]:
                self._close(name, place)
            else:
                self._open(name, place, tag)
        self._speak(*(one.place for one in self._opened))
        if self._speaks:
            self._found += self._bare
        return tuple(sorted(self._found, key=min))

    def _speak(self, *places: range) -> None:
        self._found += places
        self._speaks |= bool(places)

    def _open(self, name: str, place: range, tag: str) -> None:
        bare = not tag[len(name) + 1 :].strip(" />")
        spoken = self._is_spoken(name, place, bare)
        needed = name in _NEEDED and not _NEEDED[name].search(tag)
        if name in _PARTS and not self._names[_PARTS[name]]:
            self._speak(place)
        elif name in _VOID or (name == "a" and tag.endswith("/>")):
            # `<img>` and an `<input>` that is no box of a task list are names.
            if spoken or needed or not self._is_break(name, place):
                self._speak(place)
            elif bare:
                self._bare.append(place)
        elif tag.endswith("/>"):
            self._speak(place)
        else:
            self._opened.append(_Tag(name, place, bare, spoken))
            self._names[name] += 1

    def _close(self, name: str, place: range) -> None:
        if not self._names[name]:
            self._speak(place)
            return
        while self._opened[-1].name != name:
            other = self._opened.pop()
            self._names[other.name] -= 1
            self._speak(other.place)
        opening = self._opened.pop()
        self._names[name] -= 1
        text, first = self._text, opening.place
        named = _ID.search(text, first.start, first.stop)
        idle = opening.bare or (name in _BLOCKS and not named)
        empty = idle and not self._opened
        if (
            opening.spoken
            or self._at(place.stop) in _QUOTES
            or (empty and _NOTHING.fullmatch(text, first.stop, place.start))
        ):
            self._speak(first, place)
        elif (opening.bare or name == "span") and name not in _KEPT:
            attached = name in {"sub", "sup"} and self._at(first.start - 1).isalnum()
            self._bare += [] if attached else [first, place]

    def _is_spoken(self, name: str, place: range, bare: bool) -> bool:
        """Whether a text speaks of a tag, as far as what stands before it tells."""
        before = self._at(place.start - 1)
        if self._opened:
            if self._opened[-1].spoken:
                return True
        elif name in _BLOCKS and not self._begins_line(place, _LINE_BEFORE):
            return True
        return before in _QUOTES or before in {":", "="} or (bare and name in _IDLE)

    def _is_break(self, name: str, place: range) -> bool:
        """Whether an element without content is none that stands between words."""
        if name == "hr":
            return self._ends_line(place.stop)
        before, after = self._at(place.start - 1), self._at(place.stop)
        return (
            name != "br"
            or bool(self._opened)
            or self._is_in_cell(place.start)
            or not (before in {" ", "("} or after == " ")
            or self._begins_line(place, frozenset("|>"))
            or self._ends_line(place.stop, frozenset("|<"))
        )

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self._text))]

    def _is_in_cell(self, position: int) -> bool:
        line = self._lines[bisect_right(self._lines, position) - 1]
        return self._at(line) == "|"

    def _at(self, position: int) -> str:
        return self._text[position : position + 1] if position >= 0 else ""

    def _begins_line(self, place: range, signs: frozenset[str] = frozenset()) -> bool:
        """Whether only blanks are before a place on its line, or one of some signs."""
        position = place.start - 1
        while self._at(position) in {" ", "\t"}:
            position -= 1
        return self._at(position) in {"", "\n", *signs}

    def _ends_line(self, position: int, signs: frozenset[str] = frozenset()) -> bool:
        while self._at(position) in {" ", "\t"}:
            position += 1
        return self._at(position) in {"", "\n", *signs}
