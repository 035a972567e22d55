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
from html import unescape

from labml_txl.literate.markdown.tokens import EDGE


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


# The end of a line that is not the end of a paragraph.
_TURN = r"\n(?![ \t]*\n)"
# What a link leads to: brackets in it stand in pairs. A title may follow.
_PAIR = r"\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)"
_ADDRESS = rf"<[^<>\n]*>|[^()\s]*(?:{_PAIR}[^()\s]*)*"
_TITLE = r"""(?:\s+(?:"[^"]*"|'[^']*'))?"""
_LEADS = rf"\([ ]*(?P<NAME>{_ADDRESS}){_TITLE}[ ]*\)"
LEADS = _LEADS.replace("NAME", "address")
# A picture, with what is said of its looks.
PICTURE = re.compile(
    rf"!\[[^\]]*\]\([ ]*(?:{_ADDRESS}){_TITLE}[ ]*\)(?:\{{[^{{}}]*\}})?"
)
# What may stand behind the sign of a block of code.
_OPTION = r"""[ \t]+\w+=(?:"[^"\n]*"|'[^'\n]*')"""
_OPTIONS = rf"[ \t]*\.?[\w#.+-]*(?:[ \t]*\{{[^\n]*\}}|(?:{_OPTION})*)"

# The order matters: what is inside a block of code or a code span is neither a formula
# nor a link, and two dollars are not two times one.
_PIECE = re.compile(
    rf"""
    (?P<fence> ^(?P<indent>[ >]*)(?P<mark>`{{3,}}|~{{3,}}){_OPTIONS}[ \t]*\n
        (?:(?P=indent)[^\n]*\n|[ \t>]*\n)*? (?P=indent)(?P=mark)[ \t]*$ )
    | (?P<code> (?<!`)(?P<ticks>`+)(?!`) (?P<inner>(?:[^\n]|{_TURN})+?)
        (?<!`)(?P=ticks)(?!`) )
    | (?P<escape> \\(?P<sign>[\\`*_{{}}\[\]()>\#+.!$-]) )
    | (?P<display> \$\$ (?P<tex>(?:\\.|[^\\\n]|{_TURN})+?) \$\$ )
    | (?P<math> \$(?!\s) (?P<inline>(?:\\.|[^\\$\n]|{_TURN})+?) (?<!\s)\$ )
    | (?P<include> ^\{{\{{[ ]*(?P<key>[\w.-]+)[ ]*\}}\}}[ ]*$ )
    | (?P<image> !\[(?P<alternative>[^\]]*)\]{_LEADS.replace("NAME", "file")} )
    | (?P<link> (?<!!)\[(?P<words>(?:[^\[\]`$\\\n]|{_TURN}|\\.|`[^`]*`|\$[^$]*\$
            |\[[^\[\]]*\](?![(\[]))+)\]
        (?: {LEADS} | \[(?P<reference>[^\]]+)\] ) )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

_BODY = {
    "fence": "fence",
    "code": "inner",
    "escape": "sign",
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
    position = start = 0
    while match := _PIECE.search(note, start):
        # Several names match at once; the outermost is the kind.
        kind = next(name for name in _BODY if match[name] is not None)
        if kind == "display" and not _stands_alone(match):
            start = match.start() + 1
            continue
        if match.start() > position:
            words = note[position : match.start()]
            yield Piece("text", words, words, "", position)
        target = match["address"] or match["reference"] or match["file"] or ""
        if match["reference"]:
            kind, body = "citation", match["words"]
        else:
            kind, body = "text" if kind == "escape" else kind, match[_BODY[kind]]
        yield Piece(kind, match[0], body, target.strip("<>"), match.start())
        position = start = match.end()
    if position < len(note):
        yield Piece("text", note[position:], note[position:], "", position)


# The signs of a quotation and the indentation of a list.
_EDGE = re.compile(r"(?:[ ]{0,3}>[ ]?)*(?:[ ]{4})*")


def _stands_alone(match: re.Match[str]) -> bool:
    """Whether a formula between two pairs of dollars has its lines for itself."""
    note, start, end = match.string, *match.span()
    before = note[note.rfind("\n", 0, start) + 1 : start]
    after = note[end:].partition("\n")[0]
    within = all(line.startswith(before) for line in match[0].split("\n")[1:])
    return within and bool(_EDGE.fullmatch(before)) and not after.strip()


def rewrite(note: str, change: Callable[[Piece], str]) -> str:
    """The note with each piece replaced by what `change` makes of it."""
    return "".join(change(piece) for piece in scan(note))


def line_of(note: str, position: int) -> int:
    """How many lines below the first line of the note a position lies."""
    return note.count("\n", 0, position)


_HIDDEN = re.compile(
    r"</?[A-Za-z][^<>]*>|<!--.*?-->|(?<=\S)\{:?[ ]*[#.][^{}\n]*\}", re.DOTALL
)
_AUTOMATIC = re.compile(r"<((?:https?://|mailto:)[^<>\s]+|[^\s<>@]+@[^\s<>@]+)>")
_STARS = re.compile(r"(\*{1,3})(?=[^\s*])(.+?)(?<=[^\s*])\1")
_LINES = re.compile(r"(?<!\w)(_{1,3})(?=[^\s_])(.+?)(?<=[^\s_])\1(?!\w)")
_ENTITY = re.compile(r"&(?:#\d+|#x[\da-fA-F]+|[A-Za-z\d]+);")


def plain(note: str) -> str:
    """The words of a note alone, for titles and descriptions."""
    kept: list[str] = []

    def words(piece: Piece) -> str:
        if piece.kind in {"fence", "include", "image"}:
            return ""
        if piece.kind in {"link", "citation"}:
            return rewrite(piece.body, words)
        if piece.kind == "text" and piece.raw == piece.body:
            return piece.raw.replace(EDGE, "")
        # In code, in a formula and behind a backslash no sign is a mark.
        kept.append(piece.body)
        return f"{EDGE}{len(kept) - 1}{EDGE}"

    text = _AUTOMATIC.sub(r"\1", rewrite(note, words))
    text = _ENTITY.sub(lambda match: unescape(match[0]), _HIDDEN.sub("", text))
    text = " ".join(_LINES.sub(r"\2", _STARS.sub(r"\2", text)).split())
    text = re.sub(f"{EDGE}(\\d+){EDGE}", lambda match: kept[int(match[1])], text)
    return " ".join(text.split())
