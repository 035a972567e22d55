r"""# Reading the Markdown of a note

A note is mostly words, but some of it must never be touched by accident: code, formulas
and the targets of links. This module cuts a note into pieces, each of one kind. The
later steps change the pieces that they understand and pass on the rest.

The law: the pieces, put together, are the note.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Piece:
    """A part of a note.

    - `kind`: `"text"`, `"code"`, `"fence"` (a block of code), `"math"`, `"display"` (a
      formula on lines of its own), `"include"` (an equation of the registry), `"link"`
      (to an address) or `"citation"` (a link to a key);
    - `raw`: the piece as it is written;
    - `body`: what is inside: the code, the TeX, the words of the link;
    - `target`: the address or key of a link, else empty;
    - `start`: where the piece begins in the note.
    """

    kind: str
    raw: str
    body: str
    target: str
    start: int


# The order matters: what is inside a block of code or a code span is neither a formula
# nor a link, and two dollars are not two times one.
_PIECE = re.compile(
    r"""
    (?P<fence> ^[ ]*(?P<mark>```+|~~~+)[^\n]*\n .*? ^[ ]*(?P=mark)[ ]*$ )
    | (?P<code> (?<!`)(?P<ticks>`+)(?!`) (?P<inner>.+?) (?<!`)(?P=ticks)(?!`) )
    | (?P<escape> \\[\\`$\[\]] )
    | (?P<display> \$\$ (?P<tex>.+?) \$\$ )
    | (?P<math> \$(?!\s) (?P<inline>(?:\\.|[^\\$])+?) (?<!\s)\$ )
    | (?P<include> ^\{\{[ ]*(?P<key>[\w.-]+)[ ]*\}\}[ ]*$ )
    | (?P<image> !\[(?P<alternative>[^\]]*)\]\((?P<file>[^)\s]+)\) )
    | (?P<link> (?<!!)\[(?P<words>(?:[^\[\]`$]|`[^`]*`|\$[^$]*\$)+)\]
        (?: \((?P<address>[^)\s]+)(?:[ ]"[^"]*")?\) | \[(?P<reference>[^\]]+)\] ) )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

_BODY = {
    "fence": "fence",
    "code": "inner",
    "escape": "escape",
    "display": "tex",
    "math": "inline",
    "include": "key",
    "image": "alternative",
    "link": "words",
}


def scan(note: str) -> tuple[Piece, ...]:
    """Cut a note into its pieces."""
    return tuple(_pieces(note))


def _pieces(note: str) -> Iterator[Piece]:
    position = 0
    for match in _PIECE.finditer(note):
        if match.start() > position:
            words = note[position : match.start()]
            yield Piece("text", words, words, "", position)
        # Several names match at once; the outermost is the kind.
        kind = next(name for name in _BODY if match[name] is not None)
        target = match["address"] or match["reference"] or match["file"] or ""
        body = match[_BODY[kind]]
        name = "citation" if match["reference"] else kind
        yield Piece(
            "text" if kind == "escape" else name,
            match[0],
            body,
            target,
            match.start(),
        )
        position = match.end()
    if position < len(note):
        yield Piece("text", note[position:], note[position:], "", position)


def rewrite(note: str, change: Callable[[Piece], str]) -> str:
    """The note with each piece replaced by what `change` makes of it."""
    return "".join(change(piece) for piece in scan(note))


def line_of(note: str, position: int) -> int:
    """How many lines below the first line of the note a position lies."""
    return note.count("\n", 0, position)


def plain(note: str) -> str:
    """The words of a note alone, for titles and descriptions."""

    def words(piece: Piece) -> str:
        return "" if piece.kind in {"fence", "include", "image"} else piece.body

    text = rewrite(note, words)
    return re.sub(
        r"\s+", " ", re.sub(r"[*_]{1,2}(\S.*?)[*_]{1,2}", r"\1", text)
    ).strip()
