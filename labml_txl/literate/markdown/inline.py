"""# The pieces of a line of text

A paragraph, a heading, an item or a cell contains parts that must not be changed by
accident: code, formulas and the targets of links. `scan` divides the text of one such
block into pieces, each of one kind, so that later steps can change pieces of some kinds
and leave the others. Joined, the pieces are identical to the text.

The time that `scan` takes grows in proportion to the length of the text: it goes from
left to right, looks up the partner of a sign in a list that it makes once, and never
reads a part of the text again because a sign had no partner.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from itertools import chain, groupby


@dataclass(frozen=True, slots=True)
class Piece:
    r"""A part of a text.

    - `kind`: in a line, `"text"`, `"escape"` (as in `\*`), `"code"`, `"math"`, `"link"`
      (to an address), `"image"`, `"citation"` (a link to a key) or `"address"` (a URL
      without marks). Between lines, `"fence"` (a block of code), `"drawing"` (lines
      that are shown as they are drawn), `"display"` (a formula on lines of its own),
      `"include"` (what the page inserts by its name), `"html"`, or `"marks"` (the marks
      of headings, lists and tables, and blank lines). `"own"` is text of the engine. A
      formula in `$$` inside a line is `"math"`. Text in `\(` and `\)` or `\[` and `\]`
      is a formula if it contains TeX or only symbols;
    - `raw`: the piece as it is written;
    - `body`: its content: the code, the TeX, the words of the link;
    - `target`: the address or key of a link, otherwise empty;
    - `start`: its position in the text;
    - `host`: the piece as Python-Markdown must read it, if that differs from `raw`;
    - `inside`: the pieces of the words of a link.
    """

    kind: str
    raw: str
    body: str
    target: str = ""
    start: int = 0
    host: str | None = None
    inside: tuple[Piece, ...] = ()

    @property
    def tex(self) -> str:
        r"""The formula, with `\(…\)` instead of dollar signs in its text."""
        body = self.body.strip()
        return _WORDED.sub(lambda m: _DOLLARS.sub(r"\\(\1\\)", m[0]), body)


# Text in a formula, with a formula in it that has its own dollar signs.
_TURN = r"\n(?![ \t]*\n)"
_WORDS = rf"(?:[^{{}}$\n]|{_TURN})"
_BRACES = rf"\{{(?:{_WORDS}|\{{{_WORDS}*\}})*\}}"
_WITHIN = rf"\$(?:{_WORDS}|{_BRACES})+\$"
WORDED = rf"\\(?:text[a-z]*|mbox|hbox)\{{{_WORDS}*(?:{_WITHIN}{_WORDS}*)+\}}"
_WORDED = re.compile(WORDED)
_DOLLARS = re.compile(r"\$([^$]+)\$")
# The address of a link, in which brackets are balanced. A title may follow.
_PAIR = r"\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)"
_ADDRESS = rf"<[^<>\n]*>|[^()\s]*(?:{_PAIR}[^()\s]*)*"
_TITLE = r"""(?:\s+(?:"[^"]*"|'[^']*'))?"""
LEADS = rf"\([ ]*(?P<address>{_ADDRESS}){_TITLE}[ ]*\)"
_LEADS = re.compile(LEADS)
_KEY = re.compile(r"\[([^\[\]]*)\]")
# A picture with its attributes.
PICTURE = re.compile(
    rf"!\[[^\]]*\]\([ ]*(?:{_ADDRESS}){_TITLE}[ ]*\)(?:\{{[^{{}}]*\}})?"
)

# The characters that may begin a piece.
_SIGN = re.compile(r"[`$\\\[\]<]|!\[|(?<![\w/\"'=])https?://(?=[\w\[])")
_ESCAPED = frozenset("\\`*_{}[]()>#+.!$-")
# TeX without dollar signs: a command, an index or an exponent. In a docstring without
# an `r`, a backslash and its letter may have become a control character.
TEX = re.compile(
    r"\\[A-Za-z]{2}|\x08[A-Za-z]|[\w)\]}'][ ]?\^[ ]?[\w{(\\*+-]"
    r"|(?<![^\W\d_])[^\W\d_]_(?:\{|[^\W_](?!\w))"
)
# Symbols and operators without words. Between round brackets, these are a formula too.
SYMBOLS = re.compile(
    r"\s*(?!-)(?=[^A-Za-z\\]*[A-Za-z])(?:(?![^\W\d_]{2})[^\W_]|[ \n=<>+/,()'-])+"
)
_PAIRS = re.compile(r"\\.|\$", re.DOTALL)
_TEXT = re.compile(r"\\(?:text[a-z]*|mbox|hbox)\{")
_TAG = re.compile(r"<(?:[^<>\s]*|/?[A-Za-z][^<>]*)>")
_URL = re.compile(r"https?://[^\s<>\"'`|\\\[\]{}]+", re.ASCII)


def scan(text: str) -> tuple[Piece, ...]:
    """Divide the text of a block into its pieces."""
    return tuple(_join(_Scanner(text).pieces()))


def _join(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces, with adjacent plain texts as one, except for dollar signs."""
    for plain, run in groupby(pieces, lambda p: p.kind == "text" and p.raw != "$"):
        if plain:
            first, *rest = run
            raw = first.raw + "".join(piece.raw for piece in rest)
            yield Piece("text", raw, raw, "", first.start)
        else:
            yield from run


@dataclass
class _Bracket:
    """An opening bracket that waits for its partner."""

    start: int
    position: int  # of the first character inside
    index: int  # of the first piece inside


class _Scanner:
    """Scans one text. Its lists of partners are made once, when they are needed."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._no_double = self._no_comment = False

    def pieces(self) -> list[Piece]:
        text, found, position = self._text, list[Piece](), 0
        open_: list[_Bracket] = []

        def add(kind: str, end: int, body: str, target: str = "") -> int:
            found.append(Piece(kind, text[start:end], body, target, start))
            return end

        while match := _SIGN.search(text, position):
            start = match.start()
            if start > position:
                words = text[position:start]
                found.append(Piece("text", words, words, "", position))
            sign = match[0]
            if sign in {"[", "!["}:
                open_.append(_Bracket(start, match.end(), len(found) + 1))
                position = add("text", match.end(), sign)
            elif sign == "]":
                position = add("text", start + 1, sign)
                if open_ and (link := self._link(open_[-1], start, found)):
                    bracket = open_.pop()
                    found[bracket.index - 1 :] = [link]
                    position = bracket.start + len(link.raw)
                    # There are no links in links.
                    open_.clear()
                elif open_:
                    open_.pop()
            elif part := self._part(sign, start):
                kind, end, body = part
                position = add(kind, end, body)
            else:
                position = add("text", start + 1, text[start])
        if position < len(text):
            found.append(Piece("text", text[position:], text[position:], "", position))
        return found

    def _part(self, sign: str, start: int) -> tuple[str, int, str] | None:
        """The piece that a sign begins: its kind, its end and its content."""
        text = self._text
        if sign == "`":
            return self._code(start)
        if sign == "$":
            return self._formula(start)
        if sign == "\\":
            return self._escape(start)
        if sign == "<":
            if text.startswith("<!--", start):
                return self._comment(start)
            tag = _TAG.match(text, start)
            return ("text", tag.end(), tag[0]) if tag else None
        url = _URL.match(text, start)
        words = url[0].rstrip(".,;:!?*_") if url else ""
        while words.endswith(")") and words.count("(") < words.count(")"):
            words = words[:-1].rstrip(".,;:!?*_")
        return ("address", start + len(words), words) if words[8:] else None

    def _comment(self, start: int) -> tuple[str, int, str] | None:
        end = -1 if self._no_comment else self._text.find("-->", start + 4)
        self._no_comment = end < 0
        return ("text", end + 3, self._text[start : end + 3]) if end > 0 else None

    # Code

    @cached_property
    def _ticks(self) -> dict[int, list[int]]:
        """The positions of all runs of backticks, by the number of backticks."""
        runs: dict[int, list[int]] = {}
        for match in re.finditer("`+", self._text):
            runs.setdefault(len(match[0]), []).append(match.start())
        return runs

    def _code(self, start: int) -> tuple[str, int, str] | None:
        text = self._text
        if text[start - 1 : start] == "`":
            return None
        end = start + 1
        while text[end : end + 1] == "`":
            end += 1
        runs = self._ticks.get(end - start, [])
        n = bisect_left(runs, end)
        if n == len(runs):
            return ("text", end, text[start:end])
        return ("code", runs[n] + end - start, text[end : runs[n]])

    # Formulas

    @cached_property
    def _dollars(self) -> list[int]:
        """The positions of all dollar signs without a backslash before them."""
        return [m.start() for m in _PAIRS.finditer(self._text) if m[0] == "$"]

    @cached_property
    def _worded(self) -> list[tuple[int, int]]:
        """Where a formula contains text that contains formulas in dollar signs."""
        text, partners, open_ = self._text, dict[int, int](), list[int]()
        for match in re.finditer(r"\\.|[{}]", text, re.DOTALL):
            if match[0] == "{":
                open_.append(match.start())
            elif match[0] == "}" and open_:
                partners[open_.pop()] = match.start()
        found = list[tuple[int, int]]()
        for match in _TEXT.finditer(text):
            end = partners.get(match.end() - 1, 0)
            inside = text.count("$", match.start(), end) if end else 0
            if inside and inside % 2 == 0 and (not found or found[-1][1] < end):
                found.append((match.start(), end))
        return found

    def _end_of_words(self, start: int, position: int) -> int:
        """The end of text in a formula around a position, which begins at `start`."""
        n = bisect_right(self._worded, (position, len(self._text))) - 1
        if n >= 0 and start < self._worded[n][0] and position < self._worded[n][1]:
            return self._worded[n][1]
        return 0

    def _formula(self, start: int) -> tuple[str, int, str] | None:
        text, dollars = self._text, self._dollars
        n = bisect_left(dollars, start)
        if text.startswith("$$", start) and (whole := self._double_dollars(start, n)):
            return whole
        n += 1
        while n < len(dollars) and (past := self._end_of_words(start, dollars[n])):
            n = bisect_left(dollars, past)
        if n >= len(dollars):
            return None
        end = dollars[n]
        body = text[start + 1 : end]
        if not body.strip() or not is_formula(body, text[end + 1 : end + 2]):
            return None
        # Two sums of money, as in `$5-$10`.
        money = body[0].isdigit() and text[end + 1 : end + 2].isdigit()
        if money and not {"\\", "\n"} & set(body):
            return None
        if body[0].isspace() or body[-1].isspace():
            line = body.strip(" ")
            if "\n" in line or line != line.strip() or not _COMMAND.search(line):
                return None
            return "math", end + 1, line
        return "math", end + 1, body

    def _double_dollars(self, start: int, n: int) -> tuple[str, int, str] | None:
        """A formula in double dollar signs."""
        if self._no_double:
            return None
        dollars = self._dollars
        for at in range(n + 2, len(dollars) - 1):
            if dollars[at + 1] == dollars[at] + 1 and dollars[at] > start + 2:
                end = dollars[at]
                return "math", end + 2, self._text[start + 2 : end]
        self._no_double = True
        return None

    def _escape(self, start: int) -> tuple[str, int, str] | None:
        text = self._text
        sign = text[start + 1 : start + 2]
        if sign in {"(", "["} and (formula := self._brackets(start, sign)):
            return formula
        return ("escape", start + 2, sign) if sign in _ESCAPED and sign else None

    def _brackets(self, start: int, sign: str) -> tuple[str, int, str] | None:
        r"""A formula between `\(` and `\)` or between `\[` and `\]`.

        In Markdown these are plain brackets, so we require TeX or only symbols.
        """
        text = self._text
        end = self._end_of_brackets(start + 2)
        if end < 0 or text[end + 1] != {"(": ")", "[": "]"}[sign]:
            return None
        body, after = text[start + 2 : end], text[end + 2 : end + 4]
        if not body:
            return None
        if TEX.search(body):
            return None if sign == "[" and after[:1] in {"(", "["} else (
                "math", end + 2, body
            )  # fmt: skip
        called = re.match(r"[\w)\]]", text[start - 1 : start]) if start else None
        number = re.match(r"[ ]?\d", after)
        if sign == "(" and not called and not number and SYMBOLS.fullmatch(body):
            return "math", end + 2, body
        return None

    def _end_of_brackets(self, position: int) -> int:
        start = position
        while match := _PAIRS.search(self._text, position):
            position = match.end()
            if match[0] == "$":
                return -1
            if match[0][1] in "()[]":
                return match.start()
            if past := self._end_of_words(start - 1, match.end()):
                position = past
        return -1

    # Links

    def _link(self, bracket: _Bracket, end: int, found: list[Piece]) -> Piece | None:
        """The link or the image whose words end at a closing bracket."""
        text, start = self._text, bracket.start
        image = text[start] == "!"
        body = text[bracket.position : end]
        if leads := _LEADS.match(text, end + 1):
            kind, target, stop = "link", leads["address"].strip("<>"), leads.end()
        elif not image and (key := _KEY.match(text, end + 1)):
            # Without a key, as in `[`Name`][]`, the words are the key.
            kind, target, stop = "citation", key[1] or body.strip("`"), key.end()
        else:
            return None
        # Code such as `self.blocks[index](x)` is no link.
        if not image and (not body or is_called(text, start)):
            return None
        raw, inside = text[start:stop], tuple(_join(found[bracket.index : -1]))
        if image:
            return Piece("image", raw, body, target, start)
        return Piece(kind, raw, body, target, start, None, inside)


_CODE = re.compile(r"[A-Za-z0-9_)\]]")


def is_called(text: str, start: int) -> bool:
    """Whether a bracket belongs to code such as `blocks[index](x)`."""
    return start > 0 and bool(_CODE.match(text, start - 1))


_COMMAND = re.compile(r"\\[A-Za-z]{2}")
_SURE = re.compile(r"\\[A-Za-z]|[\^_={}<>+*|]")
_BRIEF = re.compile(r"\w{1,2}'*|[\d.,]+")
_WORD = re.compile(
    r"(?<![A-Za-z])(?!(?:a?(?:sin|cos|tan)h?|a?rg|dim|det|exp|gcd|inf|ker|lim|ln|log|max"
    r"|min|mod|sup)(?![A-Za-z]))[A-Za-z]{2,}"
)


def is_formula(body: str, after: str) -> bool:
    """Whether text between two dollar signs can be a formula.

    `after` is the next character. Names of variables, as in `$HOME/$USER`, sums of
    money, as in `$5 and US$ 7`, and the ends of patterns, as in `^a+$|^b+$`, are none.
    """
    words = body.strip()
    sure = _SURE.search(words)
    if words[0] == "|" and words[-1] in "+*?":
        return False
    joined = (after.isalnum() and after.isascii()) or after in {"_", "{"}
    whole = words[-1] not in "/:=_^,.-" and (sure or _BRIEF.fullmatch(words))
    if joined and not whole:
        return False
    spaced = any(sign.isspace() for sign in words)
    return bool(sure) or not (spaced and _WORD.search(words))


def fence(code: str) -> str:
    """The fence for a block of this code: more backticks than the code contains."""
    return "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))


# A command without an argument may be part of a path. A backslash before a bracket is
# an escape of Markdown, unless TeX follows.
_STRAY = re.compile(r"\$\$|\\(?!end\{)[A-Za-z]+(?=\{)|\\[(\[]")


def find_stray_tex(pieces: Iterable[Piece]) -> Iterator[tuple[int, str]]:
    """TeX outside of the formulas of a block: its position and its beginning."""
    pieces = tuple(pieces)
    words = {"text", "escape"}
    shown = "".join(p.raw if p.kind in words else "." * len(p.raw) for p in pieces)
    first, last = (pieces[0].start if pieces else 0), len(shown)
    for match in _STRAY.finditer(shown):
        if match[0][1:] in {"(", "["}:
            ends = (shown.find(end, match.end()) for end in ("\\)", "\\]"))
            end = min((one for one in ends if one >= 0), default=last)
            if end == last or not re.search(r"\\[A-Za-z]|\^", shown[match.end() : end]):
                continue
        yield first + match.start(), match[0]


# The words of a text

_HIDDEN = re.compile(r"</?[A-Za-z][^<>]*>|(?<=\S)\{:?[ ]*[#.][^{}\n]*\}")
_AUTOMATIC = re.compile(r"<((?:https?://|mailto:)[^<>\s]+|[^\s<>@]+@[^\s<>@]+)>")
_ENTITY = re.compile(r"&(?:#\d+|#x[\da-fA-F]+|[A-Za-z\d]+);")


def plain_text(pieces: Iterable[Piece]) -> str:
    """The text of some pieces without markup, for titles and descriptions."""
    words: list[str] = []
    run = ""  # of text in which marks of emphasis are looked for
    solid: list[tuple[int, str]] = []
    for piece in flatten(pieces):
        if piece.kind in {
            "fence",
            "drawing",
            "include",
            "image",
            "own",
            "marks",
            "html",
        }:
            continue
        if piece.kind == "text":
            run += piece.raw
        else:
            # Code, formulas and escaped characters contain no markup.
            solid.append((len(run), piece.body))
            run += "x"
    words = _remove_marks(run, solid)
    return " ".join("".join(words).split())


def flatten(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces, with those of the words of links in place of the links."""
    for piece in pieces:
        if piece.kind in {"link", "citation"}:
            yield from piece.inside
        else:
            yield piece


def _remove_marks(run: str, solid: list[tuple[int, str]]) -> list[str]:
    """The characters of a text without marks and tags, and with `solid` put back."""
    bodies = dict(solid)
    hidden = bytearray(len(run))
    for start, end in chain.from_iterable(find_emphasis(run)):
        hidden[start:end] = b"\1" * (end - start)
    for match in _HIDDEN.finditer(run):
        hidden[match.start() : match.end()] = b"\1" * len(match[0])
    for start, end in _comments(run):
        hidden[start:end] = b"\1" * (end - start)
    shown: dict[int, str] = {}
    for match in _AUTOMATIC.finditer(run):
        hidden[match.start()] = hidden[match.end() - 1] = 1
        inside = range(match.start(1), match.end(1))
        hidden[inside.start : inside.stop] = b"\0" * len(inside)
    for match in _ENTITY.finditer(run):
        hidden[match.start() + 1 : match.end()] = b"\1" * (len(match[0]) - 1)
        shown[match.start()] = unescape(match[0])
    return [
        bodies.get(n) or shown.get(n) or sign
        for n, sign in enumerate(run)
        if not hidden[n]
    ]


def _comments(text: str) -> Iterator[tuple[int, int]]:
    position = 0
    while (start := text.find("<!--", position)) >= 0:
        end = text.find("-->", start + 4)
        if end < 0:
            return
        position = end + 3
        yield start, position


# Emphasis

_RUN = re.compile(r"\*{1,3}(?!\*)|_{1,3}(?!_)|\*{4,}|_{4,}")
_NAME = re.compile(r"(?<!\w)__[a-z][a-z0-9]*(?:_[a-z0-9]+)*__(?!\w)")


Range = tuple[int, int]


def find_emphasis(text: str) -> Iterator[tuple[Range, Range]]:
    """The stars and underscores around emphasised words, as pairs of their ranges.

    A run of signs opens emphasis if a word follows it, and closes if one precedes it.
    Signs between letters or digits of code, as in `2*x`, and those of a name such as
    `__init__` do neither.
    """
    names = [match.span() for match in _NAME.finditer(text)]
    waiting: dict[str, list[Range]] = {}
    for match in _RUN.finditer(text):
        start, end, run = match.start(), match.end(), match[0]
        n = bisect_right(names, (start, len(text))) - 1
        if len(run) > 3 or (n >= 0 and start < names[n][1]):
            continue
        before, after = text[start - 1 : start], text[end : end + 1]
        opens, closes = _flanks(run, before, after)
        stack = waiting.get(run)
        if closes and stack:
            opening = stack.pop()
            # What was opened in between has no partner.
            for other in waiting.values():
                while other and other[-1] > opening:
                    other.pop()
            yield opening, (start, end)
        elif opens:
            waiting.setdefault(run, []).append((start, end))


def _flanks(run: str, before: str, after: str) -> tuple[bool, bool]:
    opens = bool(after) and not after.isspace()
    closes = bool(before) and not before.isspace()
    if _CODE.match(before) and re.match(r"[A-Za-z0-9_(]", after):
        return False, after == "("
    if run[0] == "_":
        return opens and not before.isalnum(), closes and not after.isalnum()
    # Before a word or a bracket, signs only open; behind one, they only close.
    if opens and closes:
        left, right = before.isalnum(), after.isalnum()
        if left and not right:
            opens = False
        elif right and not left and not _is_closing(before):
            closes = False
    return opens, closes


def _is_closing(sign: str) -> bool:
    return sign in ".,;:!?)]}»”’'\"。，、！？）」』】》：；…%`"
