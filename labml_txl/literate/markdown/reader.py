r"""# Where the messages of a text stand

Reads Markdown as far as it must be understood to tell its messages: which lines are one
paragraph, which are headings, items and cells, and what is no text to be translated at
all. It looks for the parts of a text in the order in which Python-Markdown does, so
that the page shows as one what a translator gets as one.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby, islice, pairwise, takewhile

from labml_txl.literate.markdown.inline import PICTURE, scan
from labml_txl.literate.markdown.tokens import OBJECT


@dataclass(frozen=True)
class Span:
    """Where a message stands in a text."""

    start: int
    end: int
    kind: str
    level: int = 0
    anchor: str = ""


def spans(text: str) -> Iterator[Span]:
    """The messages in the order of the text, with nothing but words in them."""
    try:
        found = [*_document(_lines(text))]
    except RecursionError:
        # So deep in each other stand the lists and quotations of no writer.
        found = [Span(0, len(text), "paragraph")]
    for span in found:
        yield from _trimmed(text, span)


_HEADING = re.compile(
    r"(?P<marks>\#{1,6})[ ]*(?P<words>(?:\\.|[^\\])*?)[ ]*\#*"
    r"(?:[ ]*\{:?[ ]*(?P<list>[#.][^{}]*)\})?[ ]*$"
)
_UNDERLINE = re.compile(r"(?:=+|-+)[ ]*$")
_RULE = re.compile(
    r"[ ]{0,3}(?:(?:-[ ]{0,2}){3,}|(?:_[ ]{0,2}){3,}|(?:\*[ ]{0,2}){3,})[ ]*$"
)
_COLUMNS = re.compile(r"[ ]*\|?[ ]*:?-+:?[ ]*(?:\|[ ]*:?-+:?[ ]*)*\|?[ ]*$")
_INDENT = re.compile(r"[ ]{4}|[ ]{0,3}\t")
_ITEM = re.compile(r"[ ]{0,3}(?:[-+*]|\d+\.)[ ]+")
_NESTED = re.compile(r"[ ]{4,7}(?:[-+*]|\d+\.)[ ]+")
_QUOTED = re.compile(r"[ ]{0,3}>[ ]?")
_BOX = re.compile(
    r'(?:!!![ ]?[\w-]+(?:[ ]+[\w-]+)*|(?:\?\?\?\+?|===\+?!?)(?:[ ]+[\w-]+)*(?=[ ]+"))'
    r'(?:[ ]+"(?P<words>[^"\n]*)")?[ ]*$'
)
_REFERENCE = re.compile(
    r"""[ ]{0,3}\[[^\[\]]*\]:[ ]*\S+[ ]*(?:"[^"]*"|'[^']*'|\([^()]*\))?[ ]*$"""
)
_BLOCK_TAG = (
    r"</?(?:address|article|aside|blockquote|body|caption|center|col|colgroup|dd|"
    r"details|div|dl|dt|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|li|"
    r"main|nav|ol|p|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)\b[^<>]*>"
)
_TAGS = re.compile(rf"(?:\s*{_BLOCK_TAG})+\s*")
_ENDING_TAGS = re.compile(rf"(?:\s*{_BLOCK_TAG})+\s*\Z")
_ATTRIBUTES = re.compile(r"\s*\{:[^{}\n]*\}\s*\Z")
_SOLID = re.compile(
    r"^[ ]*(?:<!--.*?-->|<(?P<tag>script|style|pre|svg)\b.*?</(?P=tag)>)[ ]*$",
    re.DOTALL | re.MULTILINE,
)
_BREAK = re.compile(r" {2,}\n(?:[ ]{0,3}>)*[ \t]*")


@dataclass(frozen=True)
class _Line:
    """A line within a list, a quotation or the text itself: what is left of it."""

    start: int
    text: str

    def without(self, mark: re.Pattern[str]) -> _Line:
        """The line without a mark at its start, if it has it."""
        match = mark.match(self.text)
        cut = match.end() if match else 0
        return _Line(self.start + cut, self.text[cut:])


def _lines(text: str) -> Iterator[_Line]:
    """The lines of a text. A block of code is one line, and has one sign.

    Lines of a displayed formula and of HTML count as empty.
    """
    found = [p for p in scan(text) if p.kind in {"fence", "display", "include"}]
    ranges = [(p.start, p.start + len(p.raw), p.kind) for p in found]
    ranges += [(*match.span(), "html") for match in _SOLID.finditer(text)]
    whole = [
        (start, end, kind)
        for start, end, kind in ranges
        if not text[text.rfind("\n", 0, start) + 1 : start].strip(" >")
        and not text[end:].partition("\n")[0].strip()
    ]
    whole.sort(reverse=True)
    position = 0
    for line in text.split("\n"):
        end = position + len(line) + 1
        while whole and whole[-1][1] <= position:
            whole.pop()
        start, _, kind = whole[-1] if whole else (end, end, "")
        if start >= end:
            yield _Line(position, "" if _TAGS.fullmatch(line) else line)
        elif kind == "fence" and start >= position:
            yield _Line(position, re.sub(r"[^ >].*", OBJECT, line))
        elif kind != "fence":
            yield _Line(position, "")
        position = end


def _document(lines: Iterable[_Line]) -> Iterator[Span]:
    """The messages of a text or a quotation, which empty lines cut into blocks."""
    depth = 0
    for empty, block in groupby(lines, lambda line: not line.text.strip()):
        if not empty:
            depth = yield from _placed([*block], 0, depth)


# Finds messages, and says how many lists and boxes are open behind them.
_Spans = Generator[Span, None, int]


def _placed(block: list[_Line], level: int, depth: int) -> _Spans:
    """A block goes into the innermost list or box that it is indented for."""
    while block and level < depth and _INDENT.match(block[0].text):
        block, level = [line.without(_INDENT) for line in block], level + 1
    return (yield from _block(block, level))


def _block(block: list[_Line], level: int, kind: str = "paragraph") -> _Spans:
    """Lines without an empty one between them, read in the order of Python-Markdown.

    What ends a paragraph may stand in any line, and then the lines above and below it
    are blocks of their own.
    """
    while block:
        if found := _first(_BOX, block):
            return (yield from _box(block, *found, level, kind))
        if code := _indented(block):
            block = block[code:]
        elif columns := _columns(block):
            for line in (block[0], *block[2:]):
                yield from islice(_cells(line), columns)
            return level
        elif found := _first(_HEADING, block):
            number, match = found
            yield from _block(block[:number], level, kind)
            yield _heading(match, block[number].start)
            block, kind = block[number + 1 :], "paragraph"
        elif len(block) > 1 and _UNDERLINE.match(block[1].text):
            yield _span(block[:1], "heading", 1 if block[1].text[0] == "=" else 2)
            block, kind = block[2:], "paragraph"
        elif found := _first(_RULE, block):
            yield from _block(block[: found[0]], level, kind)
            block, kind = block[found[0] + 1 :], "paragraph"
        elif _ITEM.match(block[0].text):
            return (yield from _list(block, level))
        elif found := _first(_QUOTED, block):
            yield from _block(block[: found[0]], level, kind)
            yield from _document(line.without(_QUOTED) for line in block[found[0] :])
            return level
        elif found := _first(_REFERENCE, block):
            yield from _block(block[: found[0]], level, kind)
            block = block[found[0] + 1 :]
        else:
            yield from _paragraphs(block, kind)
            return level
    return level


def _paragraphs(block: list[_Line], kind: str) -> Iterator[Span]:
    """A paragraph, or several with blocks of code between them."""
    for code, lines in groupby(block, lambda line: line.text.strip() == OBJECT):
        if not code:
            yield _span([*lines], kind)
        kind = "paragraph"


def _first(
    mark: re.Pattern[str], block: list[_Line]
) -> tuple[int, re.Match[str]] | None:
    """The first line that a mark stands at, by its number, and the mark."""
    for number, line in enumerate(block):
        if match := mark.match(line.text):
            return number, match
    return None


def _span(block: list[_Line], kind: str, level: int = 0) -> Span:
    return Span(block[0].start, block[-1].start + len(block[-1].text), kind, level)


def _indented(block: list[_Line]) -> int:
    """How many lines are indented, before the first that is not."""
    return sum(1 for _ in takewhile(lambda line: _INDENT.match(line.text), block))


def _box(
    block: list[_Line], number: int, match: re.Match[str], level: int, kind: str
) -> _Spans:
    """A box with a title: what is indented below it stands in it."""
    yield from _block(block[:number], level, kind)
    if match["words"]:
        start = block[number].start
        yield Span(start + match.start("words"), start + match.end("words"), "title")
    below = block[number + 1 :]
    end = _indented(below)
    depth = max(level + 1, (yield from _placed(below[:end], level, level + 1)))
    return (yield from _block(below[end:], level)) if below[end:] else depth


def _list(block: list[_Line], level: int) -> _Spans:
    """A list: an item ends where another begins, or the lines of one within it."""
    items: list[list[_Line]] = []
    for line in block:
        if _ITEM.match(line.text):
            items.append([line.without(_ITEM)])
        elif _NESTED.match(line.text) and not _INDENT.match(items[-1][0].text):
            items.append([line])
        else:
            items[-1].append(line)
    depth = level + 1
    for item in items:
        if _INDENT.match(item[0].text):
            depth = yield from _placed(item, level, depth)
        else:
            depth = yield from _block(item, level + 1, "item")
    return depth


def _heading(match: re.Match[str], start: int) -> Span:
    anchor = re.search(r"#([\w.:-]+)", match["list"] or "")
    return Span(
        start + match.start("words"),
        start + match.end("words"),
        "heading",
        len(match["marks"]),
        anchor[1] if anchor else "",
    )


def _columns(block: list[_Line]) -> int:
    """How many columns a table has; none if the lines are no table."""
    if len(block) < 2 or "|" not in block[1].text or not _COLUMNS.match(block[1].text):
        return 0
    first, second = (len([*_cells(line)]) for line in block[:2])
    return first if first == second else 0


def _cells(line: _Line) -> Iterator[Span]:
    """The cells of a row: a `|` in code or a formula divides nothing."""
    bars = [
        piece.start + match.start()
        for piece in scan(line.text)
        if piece.kind not in {"code", "math"}
        for match in re.finditer(r"(?<!\\)\|", piece.raw)
    ]
    edges = [-1, *bars, len(line.text)]
    for first, last in pairwise(edges):
        outside = first < 0 or last == len(line.text)
        if not outside or line.text[first + 1 : last].strip():
            yield Span(line.start + first + 1, line.start + last, "cell")


def _trimmed(text: str, span: Span) -> Iterator[Span]:
    """The span without tags, attributes and spaces around it.

    A forced line break divides two messages, and a picture on its own is the text for
    those who do not see it.
    """
    start, end = span.start, span.end
    if opening := _TAGS.match(text, start, end):
        start = opening.end()
    words = text[start:end]
    for ending in (_ENDING_TAGS, _ATTRIBUTES):
        if match := ending.search(words):
            words = words[: match.start()]
    position = 0
    for first, last in [*_breaks(words), (len(words), len(words))]:
        yield from _said(text, replace(span, start=start + position, end=start + first))
        position = last


def _breaks(words: str) -> Iterator[tuple[int, int]]:
    """Where lines are broken by force; within code or a link, none is."""
    for piece in scan(words):
        if piece.kind == "text":
            for match in _BREAK.finditer(piece.raw):
                yield piece.start + match.start(), piece.start + match.end()


def _said(text: str, span: Span) -> Iterator[Span]:
    words = text[span.start : span.end]
    start = span.start + len(words) - len(words.lstrip())
    end = start + len(words.strip())
    if PICTURE.fullmatch(text, start, end):
        yield Span(start + len("!["), text.index("]", start), "alternative")
    elif end > start:
        yield replace(span, start=start, end=end)
