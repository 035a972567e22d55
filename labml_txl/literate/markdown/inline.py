"""# Reading the Markdown of a note

Notes contain parts that must not be changed by accident: code, formulas and the targets
of links. This module divides a note into pieces, each of one kind, so that later steps
can change pieces of some kinds and leave the others. Joined, the pieces are identical
to the note.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import unescape

# Two characters that texts do not contain.
OBJECT = "\ufffc"
EDGE = "\x00"

# The end of a line that is not the end of a paragraph.
TURN = r"\n(?![ \t]*\n)"
# Text in a formula, with a formula in it that has its own dollar signs.
_WORDS = rf"(?:[^{{}}$\n]|{TURN})"
_BRACES = rf"\{{(?:{_WORDS}|\{{{_WORDS}*\}})*\}}"
_WITHIN = rf"\$(?:{_WORDS}|{_BRACES})+\$"
WORDED = rf"\\(?:text[a-z]*|mbox|hbox)\{{{_WORDS}*(?:{_WITHIN}{_WORDS}*)+\}}"
# A formula between brackets with backslashes. In Markdown these are plain brackets, so
# we require TeX between them: a command, an index or an exponent. In a docstring
# without an `r`, a backslash and its letter may have become a control character.
_INSIDE = rf"(?:{WORDED}|\\[^()\[\]\n]|[^\\$\n]|{TURN})"
TEX_INSIDE = (
    rf"(?={_INSIDE}*?(?:\\[A-Za-z]{{2}}|\x08[A-Za-z]|[\w)\]}}'][ ]?\^[ ]?[\w{{(\\*+-]"
    r"|(?<![^\W\d_])[^\W\d_]_(?:\{|[^\W_](?!\w))))"
)
SQUARE = rf"\\\[ {TEX_INSIDE} (?P<square>{_INSIDE}+?) \\\](?![(\[])"
# Symbols and operators without words. Between round brackets, these are a formula too.
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
      (to an address), `"image"` or `"citation"` (a link to a key). A formula in `$$`
      inside a line is `"math"`, and so is one with blanks inside its dollar signs if it
      contains a command of TeX. Text in `\(` and `\)` or `\[` and `\]` is a formula if
      it contains TeX or only symbols. Of two sums of money, as in `$5-$10`, the first
      dollar sign is a separate text;
    - `raw`: the piece as it is written;
    - `body`: its content: the code, the TeX, the words of the link;
    - `target`: the address or key of a link, otherwise empty;
    - `start`: its position in the note.
    """

    kind: str
    raw: str
    body: str
    target: str
    start: int

    @property
    def tex(self) -> str:
        r"""The formula, with `\(…\)` instead of dollar signs in its text."""
        body = self.body.strip()
        return _WORDED.sub(lambda m: _DOLLARS.sub(r"\\(\1\\)", m[0]), body)


_WORDED = re.compile(WORDED)
_DOLLARS = re.compile(r"\$([^$]+)\$")
# The address of a link, in which brackets are balanced. A title may follow.
_PAIR = r"\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)"
_ADDRESS = rf"<[^<>\n]*>|[^()\s]*(?:{_PAIR}[^()\s]*)*"
_TITLE = r"""(?:\s+(?:"[^"]*"|'[^']*'))?"""
_LEADS = rf"\([ ]*(?P<NAME>{_ADDRESS}){_TITLE}[ ]*\)"
LEADS = _LEADS.replace("NAME", "address")
# A picture with its attributes.
PICTURE = re.compile(
    rf"!\[[^\]]*\]\([ ]*(?:{_ADDRESS}){_TITLE}[ ]*\)(?:\{{[^{{}}]*\}})?"
)
# The options after the opening fence of a block of code.
_OPTION = r"""[ \t]+\w+=(?:"[^"\n]*"|'[^'\n]*')"""
_OPTIONS = rf"[ \t]*\.?[\w#.+-]*(?:[ \t]*\{{[^\n]*\}}|(?:{_OPTION})*)"

# The environments of TeX that are formulas without dollar signs.
_ENVIRONMENTS = r"(?:align|alignat|equation|gather)\*?"
# A formula that may contain blank lines.
_ROWS = rf"(?:{WORDED}|\\.|[^\\$])+?"

# The order matters: blocks of code and code spans contain neither formulas nor links,
# and `$$` is not two single dollar signs.
_PIECE = re.compile(
    rf"""
    # Most characters begin no piece.
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
# Formulas that may be on lines of their own. The last four must be.
_DISPLAYED = ("display", "squared", "apart", "single", "parted", "bare")
# Inside a line, the bracket of these is one of Markdown.
_SQUARE = ("apart", "single")


def scan(note: str, *, moved: bool = False) -> tuple[Piece, ...]:
    """Divide a note into its pieces.

    If the note is indented as a whole (`moved`), indented text is not code.
    """
    return tuple(_pieces(note, moved))


def _pieces(note: str, moved: bool) -> Iterator[Piece]:
    position = start = 0
    while match := _PIECE.search(note, start):
        # Several groups match at once; the outermost is the kind.
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


# The marks of a quotation and the indentation of a list.
PREFIX = re.compile(r"(?:[ ]{0,3}>[ ]?)*[ ]*")


def _stands_alone(match: re.Match[str]) -> bool:
    """Whether a formula is on lines of its own."""
    note, start, end = match.string, *match.span()
    before = note[note.rfind("\n", 0, start) + 1 : start]
    after = note[end:].partition("\n")[0]
    lines = match[0].split("\n")[1:]
    within = all(line.startswith(before) or not line.strip() for line in lines)
    return within and bool(PREFIX.fullmatch(before)) and not after.strip()


_ITEM = re.compile(r"[ ]{0,3}(?:[-+*]|\d+\.)[ ]")


def _is_code(match: re.Match[str]) -> bool:
    """Whether indented lines are code, and not part of a list item."""
    block = match["block"].strip()
    if not block or _ALONE.fullmatch(block):
        return False
    return not in_item(match.string, match.start())


# An indented formula is not meant to be shown as code.
_ALONE = re.compile(
    rf"\$\$[^$]+\$\$|\\\[\s*{TEX_INSIDE}.+\\\]"
    rf"|\\begin\{{({_ENVIRONMENTS})\}}.+\\end\{{\1\}}",
    re.DOTALL,
)


def in_item(note: str, position: int) -> bool:
    """Whether indented lines at a position belong to a list item."""
    end = len(note[:position].rstrip())
    while end > 0:
        start = note.rfind("\n\n", 0, end)
        paragraph = note[max(start, 0) : end].lstrip("\n")
        if not paragraph.startswith("    "):
            return bool(_ITEM.match(paragraph))
        end = start
    return False


def fence(code: str) -> str:
    """The fence for a block of this code: more backticks than the code contains."""
    return "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))


def rewrite(note: str, change: Callable[[Piece], str]) -> str:
    """The note with each piece replaced by the result of `change`."""
    return "".join(change(piece) for piece in scan(note))


def outside_code(
    pattern: re.Pattern[str],
    change: Callable[[re.Match[str]], str],
    note: str,
    *,
    moved: bool = False,
) -> str:
    """The note with the matches of a pattern replaced, except for those in code."""
    if not pattern.search(note):
        return note
    pieces = [p for p in scan(note, moved=moved) if p.kind in {"fence", "code"}]
    code = [range(p.start, p.start + len(p.raw)) for p in pieces]

    def changed(match: re.Match[str]) -> str:
        within = any(match.start() in place for place in code)
        return match[0] if within else change(match)

    return pattern.sub(changed, note)


def line_of(note: str, position: int) -> int:
    """The line of a position in the note, from 0."""
    return note.count("\n", 0, position)


def outside(pieces: Iterable[Piece]) -> Iterator[tuple[int, str]]:
    """TeX outside of the formulas of a note: its position and its beginning."""
    shown = (p.raw if p.kind == "text" else "." * len(p.raw) for p in pieces)
    for match in _STRAY.finditer("".join(shown)):
        yield match.start(), match[0]


# A command without an argument may be part of a path. A backslash before a bracket is
# an escape of Markdown, unless TeX follows.
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
    """The text of a note without markup, for titles and descriptions."""
    kept: list[str] = []

    def words(piece: Piece) -> str:
        if piece.kind in {"fence", "include", "image"}:
            return ""
        if piece.kind in {"link", "citation"}:
            return rewrite(piece.body, words)
        if piece.kind == "text" and piece.raw == piece.body:
            return piece.raw.replace(EDGE, "")
        # Code, formulas and escaped characters contain no markup.
        kept.append(piece.body)
        return f"{EDGE}{len(kept) - 1}{EDGE}"

    text = _AUTOMATIC.sub(r"\1", rewrite(note, words))
    text = _ENTITY.sub(lambda match: unescape(match[0]), _HIDDEN.sub("", text))
    text = " ".join(_LINES.sub(r"\2", _STARS.sub(r"\2", text)).split())
    text = re.sub(f"{EDGE}(\\d+){EDGE}", lambda match: kept[int(match[1])], text)
    return " ".join(text.split())
