r"""# Where the messages of a text stand

Reads Markdown line by line, as far as it must be understood to tell its messages: which
lines are one paragraph, which are headings, items and cells, and what is no text to be
translated at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from labml_txl.literate.markdown.inline import scan


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
    return _Reader(text).spans()


_QUOTE = re.compile(r"(?:[ ]{0,3}>[ ]?)*")
_MARKER = re.compile(r"(?:(?:[-+*]|\d{1,9}[.)])[ ]+(?=\S))+")
_HEADING = re.compile(
    r"(?P<marks>\#{1,6})[ ]+(?P<words>.*?)[ ]*\#*"
    r"(?:[ ]*\{:?[ ]*(?P<list>[#.][^{}]*)\})?[ ]*$"
)
_UNDERLINE = re.compile(r"(?:=+|-+)[ ]*$")
_RULE = re.compile(r"(?:(?:\*[ ]*){3,}|(?:-[ ]*){3,}|(?:_[ ]*){3,})$")
_COLUMNS = re.compile(r"\|?[ ]*:?-+:?[ ]*(?:\|[ ]*:?-+:?[ ]*)*\|?[ ]*$")
_ADMONITION = re.compile(r'(?:!!!|\?\?\?\+?|===)[^"\n]*(?:"(?P<words>[^"\n]*)")?[ ]*$')
_REFERENCE = re.compile(r"\[[^\]^][^\]]*\]:[ ]*\S+")
_FOOTNOTE = re.compile(r"\[\^[^\]]+\]:[ ]+(?=\S)|:[ ]{1,3}(?=\S)")
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
_BREAK = re.compile(r"(?: {2,}|\\)\n[ \t]*")
_PICTURE = re.compile(r"!\[(?P<words>[^\]]*)\]\([^)\s]+\)(?:\{[^{}]*\})?")


@dataclass(frozen=True)
class _Line:
    """A line of a text: where it stands, and whether it holds words at all."""

    start: int
    end: int
    solid: bool


def _lines(text: str) -> Iterator[_Line]:
    """The lines; those of code, of displayed formulas and of comments are solid."""
    pieces = [p for p in scan(text) if p.kind in {"fence", "display", "include"}]
    ranges = [(p.start, p.start + len(p.raw)) for p in pieces]
    ranges += [match.span() for match in _SOLID.finditer(text)]
    whole = [
        (start, end)
        for start, end in ranges
        if not text[text.rfind("\n", 0, start) + 1 : start].strip(" >")
        and not text[end:].partition("\n")[0].strip()
    ]
    whole.sort(reverse=True)
    position = 0
    while position < len(text):
        end = text.find("\n", position) + 1 or len(text)
        while whole and whole[-1][1] <= position:
            whole.pop()
        solid = bool(whole) and whole[-1][0] < end
        yield _Line(position, end, solid)
        position = end


class _Reader:
    """Reads a text line by line and says where its messages stand."""

    def __init__(self, text: str) -> None:
        self._text = text
        # The lines of the paragraph that is being read, and what it is.
        self._open: list[tuple[int, int]] = []
        self._kind = "paragraph"
        # The columns of the lists and boxes around it.
        self._around: list[int] = []
        self._table = False

    def spans(self) -> Iterator[Span]:
        """The messages in the order of the text, with nothing but words in them."""
        for line in _lines(self._text):
            for span in self._line(line):
                yield from _trimmed(self._text, span)
        for span in self._close():
            yield from _trimmed(self._text, span)

    def _line(self, line: _Line) -> Iterator[Span]:
        text = self._text[line.start : line.end].rstrip("\n")
        if line.solid or not text.strip(" \t>"):
            yield from self._close()
            self._table = False
            return
        quote = _QUOTE.match(text)
        before = quote.end() if quote else 0
        rest = text[before:].lstrip(" \t")
        start = line.start + len(text) - len(rest)
        column = len(text[before:].expandtabs(4)) - len(rest.expandtabs(4))
        yield from self._words(rest, start, column)

    def _words(self, rest: str, start: int, column: int) -> Iterator[Span]:
        if self._table:
            yield from _cells(rest, start)
        elif self._open and self._changes(rest):
            yield from self._close_as(rest)
        elif match := _HEADING.match(rest):
            yield from self._close()
            yield _heading(match, start)
        elif _RULE.match(rest) or _REFERENCE.match(rest) or _is_tags(rest):
            yield from self._close()
        else:
            yield from self._paragraph(rest, start, column)

    def _changes(self, rest: str) -> bool:
        """Whether a line says of the one above that it is a heading or a table."""
        table = "|" in rest and bool(_COLUMNS.match(rest)) and len(self._open) == 1
        return table or (bool(_UNDERLINE.match(rest)) and self._kind == "paragraph")

    def _close_as(self, rest: str) -> Iterator[Span]:
        if "|" not in rest:
            self._kind = "heading"
            yield from self._close(level=1 if rest.startswith("=") else 2)
            return
        ((start, end),), self._open = self._open, []
        self._table = True
        yield from _cells(self._text[start:end], start)

    def _paragraph(self, rest: str, start: int, column: int) -> Iterator[Span]:
        marker = _MARKER.match(rest) or _FOOTNOTE.match(rest)
        box = None if marker else _ADMONITION.match(rest)
        if not self._open:
            self._leave(column, sibling=bool(marker or box))
            # Further in than a list needs: this is code.
            if column >= 4 * (len(self._around) + 1):
                return
        # A paragraph that is no item may have a line that begins like one.
        if marker and (not self._open or self._around):
            yield from self._close()
            self._leave(column, sibling=True)
            self._around.append(column)
            self._kind = "item"
            start, rest = start + marker.end(), rest[marker.end() :]
        elif box and not self._open:
            self._around.append(column)
            if box["words"]:
                yield Span(
                    start + box.start("words"), start + box.end("words"), "title"
                )
            return
        self._open.append((start, start + len(rest)))

    def _leave(self, column: int, *, sibling: bool) -> None:
        """End the lists that a line stands no longer in."""
        while self._around and (
            column < self._around[-1]
            or (column == self._around[-1] and (sibling or column == 0))
        ):
            self._around.pop()

    def _close(self, level: int = 0) -> Iterator[Span]:
        if self._open:
            yield Span(self._open[0][0], self._open[-1][1], self._kind, level)
        self._open, self._kind = [], "paragraph"


def _is_tags(line: str) -> bool:
    return bool(_TAGS.fullmatch(line))


def _heading(match: re.Match[str], start: int) -> Span:
    anchor = re.search(r"#([\w.:-]+)", match["list"] or "")
    return Span(
        start + match.start("words"),
        start + match.end("words"),
        "heading",
        len(match["marks"]),
        anchor[1] if anchor else "",
    )


def _cells(row: str, start: int) -> Iterator[Span]:
    """The cells of a row: a `|` in code or in a formula divides nothing."""
    bars = [
        piece.start + match.start()
        for piece in scan(row)
        if piece.kind == "text"
        for match in re.finditer(r"(?<!\\)\|", piece.raw)
    ]
    for first, last in zip([-1, *bars], [*bars, len(row)], strict=True):
        yield Span(start + first + 1, start + last, "cell")


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
    for match in [*_BREAK.finditer(words), None]:
        stop = match.start() if match else len(words)
        yield from _said(text, replace(span, start=start + position, end=start + stop))
        position = match.end() if match else stop


def _said(text: str, span: Span) -> Iterator[Span]:
    words = text[span.start : span.end]
    start = span.start + len(words) - len(words.lstrip())
    end = start + len(words.strip())
    if picture := _PICTURE.fullmatch(text, start, end):
        yield Span(*picture.span("words"), "alternative")
    elif end > start:
        yield replace(span, start=start, end=end)
