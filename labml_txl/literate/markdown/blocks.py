r"""# The blocks of a text

Which paragraphs, headings, items and cells a text has is not read here a second time:
the block parser of Python-Markdown is asked, with the extensions that the pages are
made with. It gives the words of each block, and these are looked up in the text, in
their order. So a translator gets as one what the page shows as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown

from labml_txl.literate.markdown.inline import PICTURE, Piece, rewrite, scan

# The extensions of every page, and their settings.
EXTENSIONS: dict[str, dict[str, Any]] = {
    "attr_list": {},
    "md_in_html": {},
    "labml_txl.literate.markdown.trusted": {},
    "tables": {},
    "pymdownx.superfences": {},
    "pymdownx.arithmatex": {
        "generic": True,
        "smart_dollar": True,
        "inline_syntax": ["dollar"],
        "block_syntax": ["dollar"],
    },
}
# Blocks that a page of prose may have beside them. Colours of code are not asked for.
_BLOCKS: dict[str, dict[str, Any]] = {
    **{name: one for name, one in EXTENSIONS.items() if "labml_txl" not in name},
    "admonition": {},
    "pymdownx.details": {},
    "pymdownx.highlight": {"use_pygments": False},
    "pymdownx.tabbed": {},
}


@dataclass(frozen=True)
class Span:
    """Where a message stands in a text."""

    start: int
    end: int
    kind: str
    level: int = 0
    anchor: str = ""


@lru_cache(maxsize=1)
def _parser() -> Markdown:
    return Markdown(extensions=[*_BLOCKS], extension_configs=_BLOCKS)


def spans(text: str) -> Iterator[Span]:
    """The messages in the order of the text, with nothing but words in them."""
    found, places = _flat(text)
    position = 0
    for tag, words in _parsed(text):
        sought = "".join(words.split())
        first = found.find(sought, position)
        if first < 0:
            # Python-Markdown itself reads signs of its own into such a text.
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
# What begins a line of a quotation, and what stands in no block.
_QUOTED = re.compile(r"^[ \t]*(?:>[ \t]*)+", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_PREFIX = re.compile(r"(?:[ ]{0,3}>[ ]?)*[ ]*")
# Stands for a `|` in a formula, where it ends no cell, and for what is no word.
_BAR, _NOTHING = "\ue000", "\ue001"


def _flat(text: str) -> tuple[str, list[int]]:
    """The signs of a text without blanks and marks of quotations, and their places.

    Code and formulas on lines of their own, and comments, have other signs.
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
    """The blocks of a text: the name of the element, and the words as written."""

    def change(piece: Piece) -> str:
        if piece.kind in {"display", "include"}:
            before = text[text.rfind("\n", 0, piece.start) + 1 : piece.start]
            if _PREFIX.fullmatch(before):
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
                # Of HTML, its words are blocks between the tags of blocks.
                parts = [] if _SOLID.search(html) else re.split(_TAG, html)
                yield from (("p", words) for words in parts if words.strip())
            elif part.strip():
                yield tag, part.replace(_BAR, "|")


# What Python-Markdown has put aside: code and HTML.
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
        # The first paragraph of an item is the item.
        if element.tag == "li" and child.tag == "p" and not number:
            known = "" if (element.text or "").strip() else "li"
        elif child.tag == "summary" and element.get("class"):
            known = "title"
        yield from _blocks(child, known)
        yield element.tag, child.tail or ""


# What stands around words, and is no part of a message


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
    # Where lines are broken by force; within code or a link, none is.
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
