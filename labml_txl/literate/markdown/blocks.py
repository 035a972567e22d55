"""# The blocks of a text

Python-Markdown's own block parser, with the extensions of the pages, finds the
paragraphs, headings, items and cells of a text. It gives the words of each block, and
we search for these in the text, in their order. So each message of a translator is one
block of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown

from labml_txl.literate.markdown.inline import PICTURE, PREFIX, Piece, rewrite, scan

# The extensions of every page, and their settings.
EXTENSIONS: dict[str, dict[str, Any]] = {
    "attr_list": {},
    "md_in_html": {},
    "labml_txl.literate.security.trusted": {},
    "tables": {},
    "pymdownx.superfences": {},
    "pymdownx.arithmatex": {
        "generic": True,
        "smart_dollar": True,
        "inline_syntax": ["dollar"],
        "block_syntax": ["dollar"],
    },
}
# Pages of prose may also have these blocks. Highlighting is off, because it is slow.
_BLOCKS: dict[str, dict[str, Any]] = {
    **{name: one for name, one in EXTENSIONS.items() if "labml_txl" not in name},
    "admonition": {},
    "pymdownx.details": {},
    "pymdownx.highlight": {"use_pygments": False},
    "pymdownx.tabbed": {},
}


@dataclass(frozen=True)
class Span:
    """The position of a message in a text, and its kind, see `messages.KINDS`.

    `level` and `anchor` are those of a heading; the anchor is that of `{#anchor}`.
    """

    start: int
    end: int
    kind: str
    level: int = 0
    anchor: str = ""


@lru_cache(maxsize=1)
def _parser() -> Markdown:
    return Markdown(extensions=[*_BLOCKS], extension_configs=_BLOCKS)


def spans(text: str) -> Iterator[Span]:
    """The positions of the messages in a text, in order."""
    found, places = _flat(text)
    position = 0
    for tag, words in _parsed(text):
        sought = "".join(words.split())
        first = found.find(sought, position)
        if first < 0:
            # The text contains a placeholder like those of Python-Markdown.
            continue
        position = first + len(sought)
        start, end = places[first], places[position - 1] + 1
        if not re.fullmatch("h[1-6]", tag):
            yield from _trimmed(text, Span(start, end, _KINDS.get(tag, "paragraph")))
            continue
        anchor = ""
        if given := _ATTRIBUTES_OF_HEADING.search(text, start, end):
            named = re.search(r"#([\w.:-]+)", given[1])
            anchor, end = named[1] if named else "", given.start()
        yield from _trimmed(text, Span(start, end, "heading", int(tag[1]), anchor))


_KINDS = {"li": "item", "td": "cell", "th": "cell", "title": "title"}
_ATTRIBUTES_OF_HEADING = re.compile(r"[ ]*\{:?[ ]*([#.][^{}]*)\}[ ]*\Z")
# The marks at the beginning of a quoted line, and text that belongs to no block.
_QUOTED = re.compile(r"^[ \t]*(?:>[ \t]*)+", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
# They replace a `|` in a formula, which ends no cell, and characters that are no words.
_BAR, _NOTHING = "\ue000", "\ue001"


def _flat(text: str) -> tuple[str, list[int]]:
    """The characters of a text without blanks and quotation marks, and their positions.

    Blocks of code, display formulas and comments are replaced by other characters.
    """
    solid = {"fence", "display", "include"}
    shown = "".join(
        piece.raw if piece.kind not in solid else _NOTHING * len(piece.raw)
        for piece in scan(text)
    )
    shown = _COMMENT.sub(lambda comment: _NOTHING * len(comment[0]), shown)
    shown = _QUOTED.sub(lambda marks: " " * len(marks[0]), shown)
    places = [n for n, sign in enumerate(shown) if not sign.isspace()]
    return "".join(shown[n] for n in places), places


def _parsed(text: str) -> Iterator[tuple[str, str]]:
    """The blocks of a text: the name of the element, and its text as written."""

    def change(piece: Piece) -> str:
        if piece.kind in {"display", "include"}:
            before = text[text.rfind("\n", 0, piece.start) + 1 : piece.start]
            if PREFIX.fullmatch(before):
                return f"\n{before}\n{before}"
        if piece.kind in {"math", "display"}:
            return piece.raw.replace("|", _BAR)
        return piece.raw

    parser = _parser().reset()
    lines = rewrite(text, change).split("\n")
    for step in parser.preprocessors:
        lines = step.run(lines)
    for tag, words in _blocks(parser.parser.parseDocument(lines).getroot(), ""):
        for number, part in enumerate(_STASHED.split(words)):
            if number % 2:
                html = str(parser.htmlStash.rawHtmlBlocks[int(part)])
                # In HTML, the texts between the tags of block elements are blocks.
                parts = [] if _SOLID.search(html) else re.split(_TAG, html)
                yield from (("p", words) for words in parts if words.strip())
            elif part.strip():
                yield tag, part.replace(_BAR, "|")


# Python-Markdown's placeholders for code and HTML.
_STASHED = re.compile("\x02wzxhzdk:(\\d+)\x03")
_SOLID = re.compile(r"<(?:script|style|pre|svg)\b|<!--")


def _blocks(element: Element, name: str) -> Iterator[tuple[str, str]]:
    if element.tag in {"pre", "code", "script", "style"}:
        return
    if element.get("class") == "arithmatex":
        return
    title = element.get("class") == "admonition-title" or element.tag == "label"
    yield "title" if title else name or element.tag, element.text or ""
    for number, child in enumerate(element):
        known = ""
        # The first paragraph of an item counts as the item.
        if element.tag == "li" and child.tag == "p" and not number:
            known = "" if (element.text or "").strip() else "li"
        elif child.tag == "summary" and element.get("class"):
            known = "title"
        yield from _blocks(child, known)
        yield element.tag, child.tail or ""


# Marks around the words that do not belong to the message


_TAG = (
    r"</?(?:address|article|aside|blockquote|body|caption|center|col|colgroup|dd|"
    r"details|div|dl|dt|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|li|"
    r"main|nav|ol|p|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)\b[^<>]*>"
)
_TAGS = re.compile(rf"(?:\s*{_TAG})+\s*")
_ENDING_TAGS = re.compile(rf"(?:\s*{_TAG})+\s*\Z")
_ATTRIBUTES = re.compile(r"\s*\{:[^{}\n]*\}\s*\Z")
_BREAK = re.compile(r" {2,}\n(?:[ ]{0,3}>)*[ \t]*")


def _trimmed(text: str, span: Span) -> Iterator[Span]:
    """The span without tags, attributes and blanks around it.

    A hard line break separates two messages. Of a picture alone, the message is the
    alternative text.
    """
    start, end = span.start, span.end
    if opening := _TAGS.match(text, start, end):
        start = opening.end()
    words = text[start:end]
    for ending in (_ENDING_TAGS, _ATTRIBUTES):
        if match := ending.search(words):
            words = words[: match.start()]
    # Hard line breaks; code and links contain none.
    breaks = [
        (piece.start + match.start(), piece.start + match.end())
        for piece in scan(words)
        if piece.kind == "text"
        for match in _BREAK.finditer(piece.raw)
    ]
    position = 0
    for end, after in [*breaks, (len(words), len(words))]:
        message = words[position:end]
        first = start + position + len(message) - len(message.lstrip())
        last = first + len(message.strip())
        if PICTURE.fullmatch(text, first, last):
            yield Span(first + len("!["), text.index("]", first), "alternative")
        elif last > first:
            yield replace(span, start=first, end=last)
        position = after
