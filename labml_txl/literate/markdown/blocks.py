"""# The blocks of a text

`markdown-it-py` finds the blocks of a text: it reads Markdown as CommonMark defines it,
which is what authors of comments write and what GitHub and notebooks show, it gives the
lines of each block, and it needs a time in proportion to the length of the text. We add
rules for what our pages have besides: formulas on lines of their own, `{{ name }}`,
admonitions, tabs, and tables with formulas and code in their cells.

The blocks that contain text become `Leaf` values, which know the position of each of
their lines in the text. How pages must write a block so that Python-Markdown reads the
same is decided here too, line by line, where the two grammars differ: see `Layout`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.rules_block import (
    StateBlock,
    html_block,
    list_block,
    paragraph,
    reference,
)
from markdown_it.token import Token

from labml_txl.literate.markdown.inline import SYMBOLS, TEX
from labml_txl.literate.markdown.message import read_message


@dataclass(frozen=True, slots=True)
class Leaf:
    """A block of a text that contains no other blocks.

    - `kind`: `paragraph`, `heading`, `item` (the first paragraph of an item), `cell`,
      `title`, `fence`, `indented` (code), `drawing`, `display`, `include` or `html`;
    - `places`: the ranges of its lines in the text, without marks and indentation;
    - `level`: that of a heading;
    - `info`: the language of a block of code, or the TeX of a formula.
    """

    kind: str
    places: tuple[range, ...]
    level: int = 0
    info: str = ""


@dataclass
class Layout:
    """Where each line of a text has its content, and what Python-Markdown needs.

    The two grammars differ in this: for Python-Markdown, what belongs to an item of a
    list is indented by four spaces, whatever its mark; a list and a table begin after a
    blank line; and a block of code with a fence ends with a fence.

    - `starts`, `begins`, `ends`: the positions of each line, of its content and of its
      end;
    - `prefix`: what Python-Markdown needs before the content of each line;
    - `follow`: the same for another line of a block that begins on this line;
    - `apart`: the lines that need a blank line before them, with its prefix;
    - `closed`: the lines after which a fence must be closed, with the fence.
    """

    starts: tuple[int, ...]
    begins: list[int]
    ends: list[int]
    prefix: list[str]
    follow: list[str]
    apart: dict[int, str] = field(default_factory=dict)
    closed: dict[int, str] = field(default_factory=dict)


def blocks(text: str, *, indented: bool = True) -> tuple[list[Leaf], Layout]:
    """The leaves of a text, in order, and its layout.

    If not `indented`, indented lines are not code, as in a text that is indented as a
    whole.
    """
    starts, position = [], 0
    lines = text.split("\n")
    for line in lines:
        starts.append(position)
        position += len(line) + 1
    ends = [start + len(line) for start, line in zip(starts, lines, strict=True)]
    empty = [""] * len(lines)
    layout = Layout(tuple(starts), starts, ends, empty, [*empty])
    reader = _Reader(text, layout)
    reader.read(_parser(indented).parse(text, {}))
    return reader.leaves, layout


@cache
def _parser(indented: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["block"])
    ruler = parser.block.ruler
    ends = ["paragraph", "reference", "blockquote", "list"]
    ruler.before("code", "formula", _formula, {"alt": ends})
    ruler.before("code", "include", _include, {"alt": ends})
    ruler.before("code", "admonition", _admonition, {"alt": ends})
    ruler.before("code", "cells", _table, {"alt": ["paragraph", "reference"]})
    ruler.before("reference", "footnote", _footnote, {"alt": ["paragraph"]})
    ruler.before("reference", "definition", _definition, {"alt": ["paragraph"]})
    ruler.at("reference", _reference)
    ruler.at("list", _list, {"alt": ends[:3]})
    ruler.before("lheading", "drawing", _drawing)
    ruler.at("html_block", _html, {"alt": ends[:3]})
    ruler.before("html_block", "opening", _opening, {"alt": ends})
    if not indented:
        parser.disable("code")
    return parser


# Rules for what CommonMark does not have


_ENVIRONMENT = re.compile(
    r"(?:\\|\x08)b?egin\{((?:align|alignat|equation|gather)\*?)\}"
)


def _formula(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """A formula on lines of its own."""
    start = state.bMarks[first] + state.tShift[first]
    src = state.src
    if (
        src[start : start + 2] not in {"$$", "\\[", "\\b"}
        and src[start : start + 5] != "\x08egin"
    ):
        return False
    found = _formula_at(src, start)
    if found is None:
        return False
    end, tex = found
    line = first
    while line < last and state.eMarks[line] < end:
        line += 1
    stop = state.eMarks[min(line, last - 1)]
    if line >= last or src[end:stop].strip():
        return False
    inside = range(first + 1, line + 1)
    if any(not state.isEmpty(n) and state.sCount[n] < state.blkIndent for n in inside):
        return False
    if state.is_code_block(first):
        after = line + 1
        if after < last and state.is_code_block(after) and not state.isEmpty(after):
            return False
    if not silent:
        state.line = line + 1
        token = state.push("formula", "", 0)
        token.map, token.info = [first, line + 1], tex
        token.content = state.getLines(first + 1, line + 1, state.blkIndent, False)
    return True


def _formula_at(src: str, start: int) -> tuple[int, str] | None:
    """The end of the formula that begins at a position, and how it is opened."""
    if src.startswith("$$", start):
        end = src.find("$$", start + 2)
        first = src[start + 2 : end].partition("\n")[0] if end > 0 else ""
        body = src[start + 2 : end]
        rows = not first.strip() and bool(re.search(r"\n[ \t>]*\Z", body))
        if end < 0 or not body.strip() or (not rows and _BLANK.search(body)):
            return None
        return (end + 2, "$$") if not rows or not _has_dollar(body) else None
    if src.startswith("\\[", start):
        end = src.find("\\]", start + 2)
        body = src[start + 2 : end] if end > 0 else ""
        if not body.strip() or "\\[" in body or _has_dollar(body):
            return None
        rows = body.lstrip(" \t").startswith("\n")
        single = not _BLANK.search(body) and (
            TEX.search(body) or SYMBOLS.fullmatch(body)
        )
        return (end + 2, "\\[") if rows or single else None
    match = _ENVIRONMENT.match(src, start)
    if match is None:
        return None
    closing = f"\\end{{{match[1]}}}"
    end = src.find(closing, match.end())
    if end < 0 or _has_dollar(src[match.end() : end]):
        return None
    return end + len(closing), "\\begin"


_BLANK = re.compile(r"\n[ \t>]*\n")


def _has_dollar(body: str) -> bool:
    """Whether a formula contains a dollar sign, except in text in the formula."""
    if "$" not in body:
        return False
    return any(
        (piece.kind == "text" and "$" in piece.raw)
        or (piece.kind == "math" and piece.raw.startswith("$") and "\\text" not in body)
        for piece in read_message(body).pieces
    )


_INCLUDE = re.compile(r"\{\{[ ]*([\w.-]+)[ ]*\}\}[ ]*\Z")


def _include(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """A line such as `{{ Memory.update }}`."""
    start = state.bMarks[first]
    match = _INCLUDE.match(state.src[start : state.eMarks[first]])
    if match is None or state.tShift[first]:
        return False
    if not silent:
        state.line = first + 1
        token = state.push("include", "", 0)
        token.map, token.info = [first, first + 1], match[1]
    return True


# The definition of a footnote, which CommonMark takes for that of a link if it is one
# word; not an address alone, which it is without the extension for footnotes.
_FOOTNOTE = re.compile(r"\[\^[^\]\n]+\]:[ \t]*(?:(?![^\s:/]*[:/.]\S)\S|\Z)")


def _footnote(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """A footnote, which ends the paragraph or the footnote above it."""
    start = state.bMarks[first] + state.tShift[first]
    if not _FOOTNOTE.match(state.src, start, state.eMarks[first]):
        return False
    if state.is_code_block(first):
        return False
    if not silent:
        paragraph(state, first, last, False)
        _parse_indented(state, state.line, last)
    return True


_ADDRESS = re.compile(r"\[(?:[^\]\\]|\\.)*\]:[ \t]*(?:[^\s<]*[/.#:]|<|\Z)")


def _reference(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """The definition of a link, as in `[name]: https://…`; `[a]: None` is text."""
    start = state.bMarks[first] + state.tShift[first]
    if not _ADDRESS.match(state.src, start, state.eMarks[first]):
        return False
    return reference(state, first, last, silent)


# What begins the definition of a term, below it.
_DEFINES = re.compile(r"[ \t]*:[ ]+(?=\S)")


def _definition(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """The definition of a term, which ends the term or the definition above it."""
    if not _DEFINES.match(state.src, state.bMarks[first], state.eMarks[first]):
        return False
    above = first - 1 if first and not state.isEmpty(first - 1) else first - 2
    if above < 0 or state.isEmpty(above) or state.is_code_block(first):
        return False
    if not silent:
        token = state.push("definition_open", "dd", 1)
        paragraph(state, first, last, False)
        token.map = [first, state.line]
        state.push("definition_close", "dd", -1)
        _parse_indented(state, state.line, last)
    return True


def _parse_indented(state: StateBlock, first: int, last: int, title: str = "") -> None:
    """The indented blocks below an admonition, a footnote or a definition."""
    indent, end = state.blkIndent + 4, first
    while end < last and (state.isEmpty(end) or state.sCount[end] >= indent):
        end += 1
    while end > first and state.isEmpty(end - 1):
        end -= 1
    token = state.push("indented_open", "div", 1)
    token.map, token.info = [first - 1, end], title
    before = state.blkIndent, state.parentType, state.lineMax
    state.blkIndent, state.parentType, state.lineMax = indent, "indented", end
    state.md.block.tokenize(state, first, end)
    state.blkIndent, state.parentType, state.lineMax = before
    state.push("indented_close", "div", -1)
    state.line = end


_ADMONITION = re.compile(
    r"(?:!!!|\?\?\?\+?)[ ]*[\w-]+(?:[ ]+[\w-]+)*(?P<title>[ ]+\"[^\"]*\")?[ ]*\Z"
    r"|===[!+]{0,2}[ ]+(?P<tab>\"[^\"]*\")[ ]*\Z"
)


def _admonition(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """An admonition, a fold or a tab, with the indented blocks below it."""
    start = state.bMarks[first] + state.tShift[first]
    if state.src[start : start + 3] not in {"!!!", "???", "==="}:
        return False
    match = _ADMONITION.match(state.src[start : state.eMarks[first]])
    if match is None or state.is_code_block(first):
        return False
    if not silent:
        title = (match["title"] or match["tab"] or "").strip()
        _parse_indented(state, first + 1, last, title)
    return True


_RULE = re.compile(r"[ ]*\|?[ ]*:?-+:?[ ]*(?:\|[ ]*:?-+:?[ ]*)*\|?[ ]*\Z")


def _table(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """A table. A bar in code or in a formula does not end a cell."""
    if first + 1 >= last or state.sCount[first + 1] < state.blkIndent:
        return False
    if state.is_code_block(first) or state.is_code_block(first + 1):
        return False
    start = state.bMarks[first + 1] + state.tShift[first + 1]
    if state.src[start : start + 1] not in {"|", ":", "-"}:
        return False
    rule = state.getLines(first + 1, first + 2, state.blkIndent, False)
    head = state.getLines(first, first + 1, state.blkIndent, False)
    if "|" not in rule + head or not _RULE.match(rule) or "|" not in head:
        return False
    columns = len(cells(head))
    if columns != len(cells(rule)):
        return False
    if silent:
        return True
    ends = state.md.block.ruler.getRules("blockquote")
    end = first + 2
    while (
        end < last
        and not state.isEmpty(end)
        and (state.sCount[end] >= state.blkIndent and not state.is_code_block(end))
    ):
        if any(rule(state, end, last, True) for rule in ends):
            break
        end += 1
    token = state.push("cells", "", 0)
    token.map, token.level = [first, end], columns
    state.line = end
    return True


def cells(row: str) -> list[range]:
    """The positions of the cells of a row of a table, without the blanks around."""
    bars = [
        piece.start + n
        for piece in read_message(row).pieces
        if piece.kind == "text"
        for n, sign in enumerate(piece.raw)
        if sign == "|"
    ]
    bars = [n for n in bars if row[n - 1 : n] != "\\"]
    edges = [-1, *bars, len(row)]
    if not row[: edges[1]].strip() and bars:
        edges.pop(0)
    if len(edges) > 2 and not row[edges[-2] + 1 :].strip():
        edges.pop()
    found = []
    for start, end in pairwise(edges):
        words = row[start + 1 : end]
        begin = start + 1 + len(words) - len(words.lstrip())
        found.append(range(begin, begin + len(words.strip())))
    return found


# A line of a drawing: boxes, arrows, or words with wide gaps between them.
_DRAWN = re.compile(r"[\u2500-\u259f]|\+[-=]{2,}|[-=]{2,}[+>]|<[-=]{2,}|\S {3,}\S")
_STROKES = re.compile(r"(?=.*[|/\\+])[-=|/\\<>^v+_.'`*:\s]+\Z")


def _drawing(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Lines that are shown as they are drawn: a diagram, or columns without marks."""
    # Only the first line of a paragraph is asked, so that no line is read twice.
    if silent or (first and not state.isEmpty(first - 1) and state.blkIndent == 0):
        return False
    end = first
    while end < last and not state.isEmpty(end):
        if state.sCount[end] < state.blkIndent:
            return False
        end += 1
    rows = state.getLines(first, end, state.blkIndent, False).split("\n")
    drawn = sum(bool(_DRAWN.search(row) or _STROKES.match(row)) for row in rows)
    if drawn < 2 or 2 * drawn < len(rows) or "$" in "".join(rows):
        return False
    state.line = end
    token = state.push("drawing", "", 0)
    token.map = [first, end]
    return True


_BULLET = re.compile(r"[-+*]|\d{1,9}(?=[.)])")


# In tokens: a list and its item are two.
_DEEPEST = 16


def _list(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """A list, as in CommonMark, unless it would end a paragraph by accident.

    A line of a paragraph may begin with a sign, as in a sum that is continued on the
    next line. So directly below a line of text, a list has two items, or the line ends
    with a colon. Marks deeper than `_DEEPEST` are text, because Python-Markdown reads
    nested lists by recursion.
    """
    if state.level > _DEEPEST:
        return False
    if silent and state.parentType == "paragraph" and not _is_introduced(state, first):
        return False
    return list_block(state, first, last, silent)


def _is_introduced(state: StateBlock, first: int) -> bool:
    src, above = state.src, state.eMarks[first - 1]
    start = state.bMarks[first] + state.tShift[first]
    if src[state.bMarks[first - 1] : above].rstrip().endswith(":"):
        return True
    if state.listIndent >= 0:
        return True  # in an item, or the next item
    mark = _BULLET.match(src, start)
    below = first + 1
    while mark and below < state.lineMax and not state.isEmpty(below):
        if state.sCount[below] <= state.sCount[first]:
            other = _BULLET.match(src, state.bMarks[below] + state.tShift[below])
            end = other.end() if other else 0
            blank = src[end : end + 2].lstrip(".)")[:1] in {" ", "\t"}
            if other and blank:
                return mark[0].isdigit() == other[0].isdigit()
        below += 1
    return False


_MARKDOWN = re.compile(r"<[a-z][\w-]*(?:\s[^<>]*)?\smarkdown(?:=[^<>]*)?>\s*\Z")


def _opening(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """A tag on its own line that says that Markdown follows: `<div markdown>`."""
    start = state.bMarks[first] + state.tShift[first]
    if state.src[start : start + 1] != "<" or state.is_code_block(first):
        return False
    if not _MARKDOWN.match(state.src[start : state.eMarks[first]]):
        return False
    if not silent:
        state.line = first + 1
        state.push("html_block", "", 0).map = [first, first + 1]
    return True


def _html(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """HTML, unless it is in code that begins in the line above."""
    above = state.src[state.bMarks[first - 1] : state.eMarks[first - 1]]
    if silent and state.parentType == "paragraph" and above.count("`") % 2:
        return False
    return html_block(state, first, last, silent)


# From tokens to leaves


_MARK = re.compile(r"[ \t]{0,3}(?:([-+*])|(\d{1,9})[.)])([ \t]*)")
_QUOTE = re.compile(r"[ ]{0,3}>[ ]?")
_HASHES = re.compile(r"[ \t]*(#{1,6})(?:[ \t]+|\Z)")
_CLOSING_HASHES = re.compile(r"(?:(?<=[ \t])|\A)#+[ \t]*\Z")


_SOLID_TOKENS = frozenset(
    {"fence", "code_block", "drawing", "formula", "include", "html_block"}
)


class _Reader:
    """Makes leaves of tokens, and fills the layout with what the containers give."""

    def __init__(self, text: str, layout: Layout) -> None:
        self._text, self._layout = text, layout
        self.leaves: list[Leaf] = []
        # The line at which the last paragraph ended, and whether an item just began.
        self._ended, self._item = -1, False

    def read(self, tokens: list[Token]) -> None:
        """Read the tokens of a text."""
        for n, token in enumerate(tokens):
            self._read(token, tokens[n + 1 : n + 2])

    def _read(self, token: Token, after: list[Token]) -> None:
        lines = range(*token.map) if token.map else range(0)
        kind = token.type
        if kind == "blockquote_open":
            self._quote(lines)
        elif kind in {"bullet_list_open", "ordered_list_open"}:
            self._separate(lines.start)
        elif kind == "list_item_open":
            self._item_of(lines)
            self._item = True
        elif kind == "definition_open":
            self._definition(lines)
        elif kind == "indented_open":
            self._read_indented(lines, token.info)
        elif kind == "paragraph_open":
            self._add("item" if self._item else "paragraph", lines)
            self._item, self._ended = False, lines.stop
        elif kind == "heading_open":
            self._heading(lines, int(token.tag[1]), token.markup)
        elif kind == "cells":
            self._table(lines, token.level)
        elif kind in _SOLID_TOKENS:
            self._item = False
            self._solid(kind, lines, token)
        elif kind == "hr":
            self._item = False

    def _separate(self, n: int) -> None:
        """Let a list or a table begin after a blank line.

        A list directly below the first paragraph of an item needs none.
        """
        if n == self._ended and self.leaves[-1].kind != "item":
            self._layout.apart.setdefault(n, self._layout.prefix[n])

    def _line(self, n: int) -> str:
        return self._text[self._layout.begins[n] : self._layout.ends[n]]

    def _strip(self, n: int, length: int) -> None:
        self._layout.begins[n] += length

    def _quote(self, lines: range) -> None:
        layout = self._layout
        for n in lines:
            if match := _QUOTE.match(self._line(n)):
                self._strip(n, match.end())
            layout.prefix[n] += "> "
            layout.follow[n] += "> "

    def _item_of(self, lines: range) -> None:
        layout, first = self._layout, lines.start
        match = _MARK.match(self._line(first))
        width = 0
        if match:
            blanks = match[3].expandtabs(4)
            rest = self._line(first)[match.end() :]
            width = match.end() if len(blanks) < 5 and rest else match.start(3) + 1
            self._strip(first, min(width, len(self._line(first))))
            layout.prefix[first] += f"{match[1]} " if match[1] else f"{match[2]}. "
        else:
            layout.prefix[first] += "- "
        layout.follow[first] += "    "
        for n in lines[1:]:
            line = self._line(n)
            blank = len(line) - len(line.lstrip(" \t"))
            tabs = line[:blank].startswith("\t")
            self._strip(n, 1 if tabs else min(blank, width))
            layout.prefix[n] += "    "
            layout.follow[n] += "    "

    def _definition(self, lines: range) -> None:
        first = lines.start
        # Each line of a paragraph above is a term, but not of one in a definition.
        above, prefix = self._ended - 1, self._layout.prefix
        near = above >= first - 2 and prefix[above] == prefix[first]
        if near and self.leaves[-1].kind == "paragraph":
            terms = self.leaves.pop()
            self.leaves += [Leaf(terms.kind, (place,)) for place in terms.places]
        if match := _DEFINES.match(self._line(first)):
            self._strip(first, match.end())
        prefix[first] += ":   "
        self._layout.follow[first] += "    "
        self._indent(lines[1:])

    def _read_indented(self, lines: range, title: str) -> None:
        layout, first = self._layout, lines.start
        if len(title) > 2:
            start = self._text.index(title, layout.begins[first]) + 1
            self.leaves.append(Leaf("title", (range(start, start + len(title) - 2),)))
        self._indent(lines[1:])

    def _indent(self, lines: range) -> None:
        for n in lines:
            line = self._line(n)
            blank = len(line) - len(line.lstrip(" \t"))
            self._strip(n, 1 if line[:1] == "\t" else min(blank, 4))
            self._layout.prefix[n] += "    "
            self._layout.follow[n] += "    "
        self._item = False

    def _places(self, lines: range) -> tuple[range, ...]:
        """The content of some lines without the blanks before and after the block."""
        found = []
        for n in lines:
            line = self._line(n)
            start = self._layout.begins[n] + len(line) - len(line.lstrip())
            found.append(range(start, max(start, self._layout.ends[n])))
        last = self._text[found[-1].start : found[-1].stop]
        found[-1] = range(found[-1].start, found[-1].start + len(last.rstrip()))
        return tuple(found)

    def _add(self, kind: str, lines: range, level: int = 0) -> None:
        self.leaves.append(Leaf(kind, self._places(lines), level))

    def _heading(self, lines: range, level: int, markup: str) -> None:
        self._item = False
        if markup in {"=", "-"}:
            self._add("heading", lines[:-1], level)
            return
        n = lines.start
        match = _HASHES.match(self._line(n))
        start = self._layout.begins[n] + (match.end() if match else 0)
        words = self._text[start : self._layout.ends[n]]
        words = (
            words[: closing.start()]
            if (closing := _CLOSING_HASHES.search(words))
            else words
        )
        if words.strip():
            begin = start + len(words) - len(words.lstrip())
            place = range(begin, begin + len(words.strip()))
            self.leaves.append(Leaf("heading", (place,), level))

    def _table(self, lines: range, columns: int) -> None:
        self._item = False
        self._separate(lines.start)
        for n in [lines.start, *lines[2:]]:
            start, row = self._layout.begins[n], self._line(n)
            for cell in cells(row)[:columns]:
                place = range(start + cell.start, start + cell.stop)
                if cell:
                    self.leaves.append(Leaf("cell", (place,)))

    def _solid(self, kind: str, lines: range, token: Token) -> None:
        """Code, a formula, an include or HTML."""
        layout = self._layout
        if kind == "html_block":
            self._add("html", lines)
            return
        if kind == "fence":
            closed = self._line(lines.stop - 1).strip()
            whole = len(lines) > 1 and closed.startswith(token.markup)
            if not whole or closed.strip(token.markup[0]):
                layout.closed[lines.stop - 1] = token.markup
        places = []
        for n in lines:
            start = layout.begins[n]
            places.append(range(start, max(start, layout.ends[n])))
        name = {"code_block": "indented", "formula": "display"}.get(kind, kind)
        self.leaves.append(Leaf(name, tuple(places), info=token.info))


def texts_of_html(html: str) -> Iterator[range]:
    """The positions of the texts between the tags of block elements in HTML."""
    if _SOLID.search(html):
        return
    position = 0
    for match in (*_TAG.finditer(html), None):
        end = match.start() if match else len(html)
        words = html[position:end]
        if words.strip():
            start = position + len(words) - len(words.lstrip())
            yield range(start, start + len(words.strip()))
        position = match.end() if match else end


_SOLID = re.compile(r"<(?:script|style|pre|svg)\b|<!--")
TAG = (
    r"</?(?:address|article|aside|blockquote|body|caption|center|col|colgroup|dd|"
    r"details|div|dl|dt|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|li|"
    r"main|nav|ol|p|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)\b[^<>]*>"
)
_TAG = re.compile(TAG)
