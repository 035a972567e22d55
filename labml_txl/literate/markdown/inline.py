r"""# Reading the Markdown of a note

A note is mostly words, but some of it must never be touched by accident: code, formulas
and the targets of links. This module cuts a note into pieces, each of one kind. The
later steps change the pieces that they understand and pass on the rest.

The law: the pieces, put together, are the note.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import unescape

# Neither sign is part of any text.
OBJECT = "\ufffc"
EDGE = "\x00"

# The end of a line that is not the end of a paragraph.
TURN = r"\n(?![ \t]*\n)"
# Words within a formula, with a formula within them: they have dollars of their own.
_WORDS = rf"(?:[^{{}}$\n]|{TURN})"
_BRACES = rf"\{{(?:{_WORDS}|\{{{_WORDS}*\}})*\}}"
_WITHIN = rf"\$(?:{_WORDS}|{_BRACES})+\$"
WORDED = rf"\\(?:text[a-z]*|mbox|hbox)\{{{_WORDS}*(?:{_WITHIN}{_WORDS}*)+\}}"
# A formula between brackets with backslashes. In Markdown those are brackets and no
# more, so it is one only if it holds TeX: a command, an index or an exponent. A
# docstring without an `r` may hold a sign instead of the backslash of a command.
_INSIDE = rf"(?:{WORDED}|\\[^()\[\]\n]|[^\\$\n]|{TURN})"
TEX_INSIDE = (
    rf"(?={_INSIDE}*?(?:\\[A-Za-z]{{2}}|\x08[A-Za-z]|[\w)\]}}'][ ]?\^[ ]?[\w{{(\\*+-]"
    r"|(?<![^\W\d_])[^\W\d_]_(?:\{|[^\W_](?!\w))))"
)
SQUARE = rf"\\\[ {TEX_INSIDE} (?P<square>{_INSIDE}+?) \\\](?![(\[])"
# Symbols and signs, and no word: between round ones, that too can only be a formula.
SYMBOLS = (
    r"\s*(?!-)(?=[^A-Za-z\\]*[A-Za-z])"
    rf"(?:(?![^\W\d_]{{2}})[^\W_]|[ =<>+/,()'-]|{TURN})+"
)
ROUND = (
    rf"\\\( (?P<round> {TEX_INSIDE} {_INSIDE}+?"
    rf" | (?<![\w)\]]\\\() {SYMBOLS} (?=\\\)(?![ ]?\d)) ) \\\)"
)


@dataclass(frozen=True)
class Piece:
    r"""A part of a note.

    - `kind`: `"text"`, `"code"`, `"fence"` (a block of code), `"math"`, `"display"` (a
      formula on lines of its own), `"include"` (an equation of the registry), `"link"`
      (to an address) or `"citation"` (a link to a key). A formula between two pairs of
      dollars and within words is `"math"`, and so is one with blanks inside its dollars
      if it holds a word of TeX. One between `\(` and `\)` or `\[` and `\]` is a formula
      if it can be nothing else. Of two sums of money, as in `$5-$10`, the first dollar
      is a text of its own;
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

    @property
    def tex(self) -> str:
        """The formula, with brackets where words in it hold a formula with dollars."""
        body = self.body.strip()
        return _WORDED.sub(lambda m: _DOLLARS.sub(r"\\(\1\\)", m[0]), body)


_WORDED = re.compile(WORDED)
_DOLLARS = re.compile(r"\$([^$]+)\$")
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

# What TeX takes for a formula without any dollars.
_ENVIRONMENTS = r"(?:align|alignat|equation|gather)\*?"
# A formula that may have empty lines in it.
_ROWS = rf"(?:{WORDED}|\\.|[^\\$])+?"

# The order matters: what is inside a block of code or a code span is neither a formula
# nor a link, and two dollars are not two times one.
_PIECE = re.compile(
    rf"""
    # Most signs begin none of them.
    (?= [`$\\\x08\[!{{] | ^[ \t\n>~] )
    (?: (?P<fence> ^(?P<indent>[ >]*)(?P<mark>`{{3,}}|~{{3,}}){_OPTIONS}[ \t]*\n
        (?:(?P=indent)[^\n]*\n|[ \t>]*\n)*? (?P=indent)(?P=mark)[ \t]*$ )
    | (?P<indented> (?:\A|(?<=\n\n))(?P<block>(?:[ ]{{4}}[^\n]*(?:\n|\Z)|[ \t]*\n)+) )
    | (?P<code> (?<!`)(?P<ticks>`+)(?!`) (?P<inner>(?:[^\n]|{TURN})+?)
        (?<!`)(?P=ticks)(?!`) )
    | (?P<rounded> {ROUND} )
    | (?P<squared> {SQUARE} )
    | (?P<apart> \\\[[ \t]*\n (?P<rows>(?:{WORDED}|\\[^\[]|[^\\$])+?)
        \n[ \t>]*\\\](?=[ \t]*$) )
    | (?P<single> \\\[ (?P<symbols>{SYMBOLS}) \\\](?=[ \t]*$) )
    | (?P<escape> \\(?P<sign>[\\`*_{{}}\[\]()>\#+.!$-]) )
    | (?P<display> \$\$ (?P<tex>(?:\\.|[^\\\n]|{TURN})+?) \$\$ )
    | (?P<parted> \$\$[ \t]*\n (?P<parts>{_ROWS}) \n[ \t>]*\$\$(?=[ \t]*$) )
    | (?P<bare> (?P<whole> (?:\\b|\x08)egin\{{(?P<name>{_ENVIRONMENTS})\}}
        {_ROWS} \\end\{{(?P=name)\}} ) )
    | (?P<money> (?P<sum>\$)(?=\d[^$\\\n]*\$\d) )
    | (?P<math> \$(?!\s) (?P<inline>(?:{WORDED}|\\.|[^\\$\n]|{TURN})+?) (?<!\s)\$ )
    | (?P<loose> \$[ ]* (?P<wide>(?=[^$\n]*\\[A-Za-z])(?:{WORDED}|\\.|[^\\$\n])+?)
        [ ]*\$ )
    | (?P<include> ^\{{\{{[ ]*(?P<key>[\w.-]+)[ ]*\}}\}}[ ]*$ )
    | (?P<image> !\[(?P<alternative>[^\]]*)\]{_LEADS.replace("NAME", "file")} )
    | (?P<link> (?<!!)\[(?P<words>(?:[^\[\]`$\\\n]|{TURN}|\\.|`[^`]*`|\$[^$]*\$
            |\[[^\[\]]*\](?![(\[]))+)\]
        (?: {LEADS} | \[(?P<reference>[^\]]+)\] ) ) )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

_BODY = {
    "fence": "fence",
    "indented": "block",
    "code": "inner",
    "rounded": "round",
    "squared": "square",
    "apart": "rows",
    "single": "symbols",
    "escape": "sign",
    "display": "tex",
    "parted": "parts",
    "bare": "whole",
    "money": "sum",
    "math": "inline",
    "loose": "wide",
    "include": "key",
    "image": "alternative",
    "link": "words",
}
_KINDS = {
    "escape": "text",
    "indented": "fence",
    "money": "text",
    **dict.fromkeys(("display", "loose", "rounded", "squared"), "math"),
}
# A formula on lines of its own. The last four are none unless they stand so.
_DISPLAYED = ("display", "squared", "apart", "single", "parted", "bare")
# Without a line for itself, the bracket of these is one of Markdown.
_SQUARE = ("apart", "single")


def scan(note: str, *, moved: bool = False) -> tuple[Piece, ...]:
    """Cut a note into its pieces.

    A note that is `moved` to the right as a whole has no code by indentation.
    """
    return tuple(_pieces(note, moved))


def _pieces(note: str, moved: bool) -> Iterator[Piece]:
    position = start = 0
    while match := _PIECE.search(note, start):
        # Several names match at once; the outermost is the kind.
        kind = next(name for name in _BODY if match[name] is not None)
        alone = kind in _DISPLAYED and _stands_alone(match)
        torn = kind in _DISPLAYED[2:] and not alone
        raw = match[0]
        if torn and kind in _SQUARE:
            kind, raw = "escape", raw[:2]
        elif torn or (kind == "indented" and (moved or not _is_code(match))):
            start = match.start() + 1
            continue
        if match.start() > position:
            words = note[position : match.start()]
            yield Piece("text", words, words, "", position)
        target = match["address"] or match["reference"] or match["file"] or ""
        if match["reference"]:
            kind, body = "citation", match["words"]
        else:
            body = raw[1:] if kind == "escape" else match[_BODY[kind]]
            kind = "display" if alone else _KINDS.get(kind, kind)
        yield Piece(kind, raw, body, target.strip("<>"), match.start())
        position = start = match.start() + len(raw)
    if position < len(note):
        yield Piece("text", note[position:], note[position:], "", position)


# The signs of a quotation and the indentation of a list.
_EDGE = re.compile(r"(?:[ ]{0,3}>[ ]?)*[ ]*")


def _stands_alone(match: re.Match[str]) -> bool:
    """Whether a formula between two pairs of dollars has its lines for itself."""
    note, start, end = match.string, *match.span()
    before = note[note.rfind("\n", 0, start) + 1 : start]
    after = note[end:].partition("\n")[0]
    lines = match[0].split("\n")[1:]
    within = all(line.startswith(before) or not line.strip() for line in lines)
    return within and bool(_EDGE.fullmatch(before)) and not after.strip()


_ITEM = re.compile(r"[ ]{0,3}(?:[-+*]|\d+\.)[ ]")


def _is_code(match: re.Match[str]) -> bool:
    """Whether lines that are moved to the right are code, and not part of an item."""
    block = match["block"].strip()
    if not block or _ALONE.fullmatch(block):
        return False
    return not in_item(match.string, match.start())


# Nobody moves a formula to the right to have it shown as code.
_ALONE = re.compile(
    rf"\$\$[^$]+\$\$|\\\[\s*{TEX_INSIDE}.+\\\]"
    rf"|\\begin\{{({_ENVIRONMENTS})\}}.+\\end\{{\1\}}",
    re.DOTALL,
)


def in_item(note: str, position: int) -> bool:
    """Whether lines that are moved to the right belong to an item of a list."""
    end = len(note[:position].rstrip())
    while end > 0:
        start = note.rfind("\n\n", 0, end)
        paragraph = note[max(start, 0) : end].lstrip("\n")
        if not paragraph.startswith("    "):
            return bool(_ITEM.match(paragraph))
        end = start
    return False


def fence(code: str) -> str:
    """What begins and ends a block of this code: more backticks than stand in it."""
    return "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))


def rewrite(note: str, change: Callable[[Piece], str]) -> str:
    """The note with each piece replaced by what `change` makes of it."""
    return "".join(change(piece) for piece in scan(note))


def outside_code(
    pattern: re.Pattern[str],
    change: Callable[[re.Match[str]], str],
    note: str,
    *,
    moved: bool = False,
) -> str:
    """The note with what a pattern finds replaced, unless it begins within code."""
    if not pattern.search(note):
        return note
    pieces = [p for p in scan(note, moved=moved) if p.kind in {"fence", "code"}]
    starts = [piece.start for piece in pieces]

    def changed(match: re.Match[str]) -> str:
        before = bisect_right(starts, match.start())
        piece = pieces[before - 1] if before else None
        within = piece and match.start() < piece.start + len(piece.raw)
        return match[0] if within else change(match)

    return pattern.sub(changed, note)


def line_of(note: str, position: int) -> int:
    """How many lines below the first line of the note a position lies."""
    return note.count("\n", 0, position)


def outside(pieces: Iterable[Piece]) -> Iterator[tuple[int, str]]:
    """TeX that no formula of a note holds: its place, and how it begins."""
    shown = (p.raw if p.kind == "text" else "." * len(p.raw) for p in pieces)
    for match in _STRAY.finditer("".join(shown)):
        yield match.start(), match[0]


# A backslash without an argument may be part of a path. One before a bracket takes
# from it any meaning for Markdown, unless there is TeX behind it.
_STRAY = re.compile(
    r"\$\$|\\(?!end\{)[A-Za-z]+(?=\{)"
    r"|\\[(\[](?=(?:(?!\\[)\]]|\n\n).)*(?:\\[A-Za-z]|\^).*?\\[)\]])",
    re.DOTALL,
)


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
