r"""# Cutting a text into messages

A message is what a translator translates at once: a paragraph, a heading, an item of a
list, a cell of a table, the title of a page. Everything else is text between: the marks
of headings and lists, displayed formulas, blocks of code.

The law of this module: **the parts, put together, are the text**. And a message that is
put back as it is gives its part.

A message stands on one line, however its lines are broken in the source. The addresses
of links are not part of it. `[words](../a.md#b)` becomes `[words][1]`, and the address
is filled in again when the translation is put back. So a page that moves touches no
translation. A citation such as `[the scores][txl.scores]` stays as it is.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from html import escape, unescape

from labml_txl.literate.markdown.front_matter import FRONT_MATTER
from labml_txl.literate.markdown.inline import rewrite, scan

# What a part may be, in the words that translators see.
KINDS = {
    "paragraph": "paragraph",
    "heading": "heading",
    "item": "item of a list",
    "cell": "cell of a table",
    "title": "title",
    "description": "description",
    "alternative": "text for those who do not see the picture",
    "figure": "label in a figure",
    "label": "label of the site",
}


@dataclass(frozen=True)
class Part:
    """A part of a text: a message, or text between messages.

    - `raw`: the part as it is written;
    - `kind`: one of `KINDS`, empty for text between;
    - `message`: what is translated, empty for text between;
    - `level`: of a heading, from 1 to 6, else 0;
    - `anchor`: the address that a heading itself names, without `#`;
    - `links`: the ends of the links, each by the end that the message has for it;
    - `form`: how the words are written: as `markdown`, as `yaml` or as `xml`.
    """

    raw: str
    kind: str = ""
    message: str = ""
    level: int = 0
    anchor: str = ""
    links: tuple[tuple[str, str], ...] = ()
    form: str = "markdown"

    def put(self, words: str) -> str:
        """The part in other words, written as the text around it needs them."""
        words = _one_line(words)
        if self.form == "yaml":
            # A JSON string is a YAML string, whatever quotes and colons it has.
            return json.dumps(words, ensure_ascii=False)
        if self.form == "xml":
            return escape(words, quote=False)
        for numbered, written in self.links:
            words = words.replace(numbered, written)
        return words


@dataclass(frozen=True)
class _Span:
    """Where a message stands in a text."""

    start: int
    end: int
    kind: str
    level: int = 0
    anchor: str = ""


def cut(markdown: str) -> Iterator[Part]:
    """Cut Markdown into its parts, its front matter included."""
    return iter(_cut_once(markdown))


@lru_cache(maxsize=20_000)
def _cut_once(markdown: str) -> tuple[Part, ...]:
    return tuple(_cut(markdown))


def _cut(markdown: str) -> Iterator[Part]:
    head = FRONT_MATTER.match(markdown)
    start = head.end() if head else 0
    if head:
        yield from _front_matter(head[0])
    position, text = 0, markdown[start:]
    for span in _Reader(text).spans():
        if part := _part(text, span):
            if span.start > position:
                yield Part(text[position : span.start])
            yield part
            position = span.end
    if position < len(text):
        yield Part(text[position:])


def _part(text: str, span: _Span) -> Part | None:
    raw = text[span.start : span.end]
    message, links = _numbered(_one_line(raw))
    if not has_words(message):
        return None
    return Part(raw, span.kind, message, span.level, span.anchor, links)


def _one_line(text: str) -> str:
    """The text on one line; the sign of a quotation is no part of its words."""
    return re.sub(r"\s*\n(?:[ ]{0,3}>)*\s*", " ", text).strip()


# Words


_NUMBER = re.compile(
    r"(?:[-+±~≈<>≤≥]*\s*\d[\d.,:\s]*(?:[×x%]|[kKMGT]i?B?|B|ms|µs|s|min|h|bit|bits)?\s*"
    r"[-–/±()]*\s*)+"
)
# A Latin letter alone is a symbol, as in `(a)`. A name with `_` or a number is code.
_WORD = re.compile(r"(?<![\w.])(?:[A-Za-z]{2,}(?!\w)|[A-Za-z]*[^\W\d_A-Za-z])")
_BADGE = re.compile(r"\[!\[[^\]]*\][(\[][^)\]]*[)\]]\][(\[][^)\]]*[)\]]")


def has_words(message: str) -> bool:
    """Whether there is anything to translate: words, not only formulas and code."""

    def words(piece_kind: str, body: str) -> str:
        if piece_kind in {"code", "math", "display", "fence", "include"}:
            return " "
        return body

    text = rewrite(_BADGE.sub("", message), lambda p: words(p.kind, p.body))
    # The words of a link may hold code in their turn.
    text = rewrite(text, lambda p: words(p.kind, p.body))
    text = re.sub(r"<[^<>]+>|https?://\S+|\[(?:[\w.-]+)\]|\{[^{}]*\}", " ", text)
    text = " ".join(text.split())
    return bool(_WORD.search(text)) and not _NUMBER.fullmatch(text)


# Links


def _numbered(message: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The message with numbers for addresses, and what each number stands for.

    No number is taken that the message uses already, as in `[words][1]`.
    """
    taken = set(re.findall(r"\]\[(\d+)\]", message))
    numbers = (str(n) for n in range(1, 1_000_000) if str(n) not in taken)
    links: list[tuple[str, str]] = []

    def short(opening: str, address: str) -> str:
        numbered = f"{opening}[{next(numbers)}]"
        links.append((numbered, f"{opening}{address}"))
        return numbered

    changed = ""
    for piece in scan(message):
        if piece.kind in {"link", "image"}:
            words, _, address = piece.raw.rpartition("](")
            changed += f"{words}{short(']', f'({address}')}"
        elif piece.kind == "text":
            changed += _AUTOLINK.sub(_automatic(numbers, links), piece.raw)
        else:
            changed += piece.raw
    return changed, tuple(links)


_AUTOLINK = re.compile(r"<(?:https?://[^\s<>]+|[\w.+-]+@[\w.-]+)>")


def _automatic(
    numbers: Iterator[str], links: list[tuple[str, str]]
) -> Callable[[re.Match[str]], str]:
    def change(match: re.Match[str]) -> str:
        numbered = f"[][{next(numbers)}]"
        links.append((numbered, match[0]))
        return numbered

    return change


# Lines


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

    def spans(self) -> Iterator[_Span]:
        """The messages in the order of the text, with nothing but words in them."""
        for line in _lines(self._text):
            for span in self._line(line):
                yield from _trimmed(self._text, span)
        for span in self._close():
            yield from _trimmed(self._text, span)

    def _line(self, line: _Line) -> Iterator[_Span]:
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

    def _words(self, rest: str, start: int, column: int) -> Iterator[_Span]:
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

    def _close_as(self, rest: str) -> Iterator[_Span]:
        if "|" not in rest:
            self._kind = "heading"
            yield from self._close(level=1 if rest.startswith("=") else 2)
            return
        ((start, end),), self._open = self._open, []
        self._table = True
        yield from _cells(self._text[start:end], start)

    def _paragraph(self, rest: str, start: int, column: int) -> Iterator[_Span]:
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
                yield _Span(
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

    def _close(self, level: int = 0) -> Iterator[_Span]:
        if self._open:
            yield _Span(self._open[0][0], self._open[-1][1], self._kind, level)
        self._open, self._kind = [], "paragraph"


def _is_tags(line: str) -> bool:
    return bool(_TAGS.fullmatch(line))


def _heading(match: re.Match[str], start: int) -> _Span:
    anchor = re.search(r"#([\w.:-]+)", match["list"] or "")
    return _Span(
        start + match.start("words"),
        start + match.end("words"),
        "heading",
        len(match["marks"]),
        anchor[1] if anchor else "",
    )


def _cells(row: str, start: int) -> Iterator[_Span]:
    """The cells of a row: a `|` in code or in a formula divides nothing."""
    bars = [
        piece.start + match.start()
        for piece in scan(row)
        if piece.kind == "text"
        for match in re.finditer(r"(?<!\\)\|", piece.raw)
    ]
    for first, last in zip([-1, *bars], [*bars, len(row)], strict=True):
        yield _Span(start + first + 1, start + last, "cell")


def _trimmed(text: str, span: _Span) -> Iterator[_Span]:
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


def _said(text: str, span: _Span) -> Iterator[_Span]:
    words = text[span.start : span.end]
    start = span.start + len(words) - len(words.lstrip())
    end = start + len(words.strip())
    if picture := _PICTURE.fullmatch(text, start, end):
        yield _Span(*picture.span("words"), "alternative")
    elif end > start:
        yield replace(span, start=start, end=end)


# Messages that are nearly the same

# Two messages are near if they share at least this part of their words, in order.
NEAR = 0.6


def nearest(message: str, choices: Iterable[str]) -> str:
    """The first of the nearest to a message among others; empty if none is near."""
    wanted, count = _words(message)
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    best, found = NEAR, ""
    for one in choices:
        words, counted = _words(one)
        total = len(wanted) + len(words)
        # Words in common, in any order, are the most that there can be in order.
        if not total or 2 * (count & counted).total() < best * total:
            continue
        matcher.set_seq1(words)
        if (ratio := matcher.ratio()) >= best and (ratio > best or not found):
            best, found = ratio, one
    return found


@lru_cache(maxsize=20_000)
def _words(message: str) -> tuple[list[str], Counter[str]]:
    words = re.findall(r"\w+|[^\w\s]", message.lower())
    return words, Counter(words)


# Front matter and figures


_FIELD = re.compile(r"^(title|description):[ ]*(.*(?:\n[ ]+.*)*)$", re.MULTILINE)


def _front_matter(head: str) -> Iterator[Part]:
    position = 0
    for match in _FIELD.finditer(head):
        message = _yaml_string(match[2])
        if message and has_words(message):
            yield Part(head[position : match.start(2)])
            yield Part(match[2], match[1], message, form="yaml")
            position = match.end(2)
    yield Part(head[position:])


def _yaml_string(written: str) -> str:
    """The words of a YAML string in any of its forms, on one line."""
    text = _one_line(written)
    if text.startswith('"'):
        try:
            return str(json.loads(text))
        except ValueError:
            return ""
    if text.startswith("'"):
        return text[1:-1].replace("''", "'") if text.endswith("'") else ""
    return re.sub(r"^[>|][-+\d]*\s+", "", text)


_LABEL = re.compile(
    r"<(?:title|desc|text|tspan)\b(?P<set>[^>]*)>(?P<words>[^<>]*)(?=<)"
)


def cut_figure(drawing: str) -> Iterator[Part]:
    """Cut an SVG drawing into its labels and what is between them.

    A label set in a monospaced font is code, and no message.
    """
    position = 0
    for match in _LABEL.finditer(drawing):
        raw = match["words"]
        words = raw.strip()
        message = " ".join(unescape(words).split())
        if not has_words(message) or "monospace" in match["set"]:
            continue
        start = match.start("words") + raw.index(words)
        yield Part(drawing[position:start])
        yield Part(words, "figure", message, form="xml")
        position = start + len(words)
    yield Part(drawing[position:])
