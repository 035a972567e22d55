"""# Tables and names in narrow columns

On a phone the rows of a table of sentences become cards, because its columns would be a
word wide. A name with a hyphen and a short end stays on one line in a table, and a long
name in code ends its line only after an underscore. CSS cannot tell these apart, and a
script would move the text when it runs. An extension of Python-Markdown, like that for
formulas.
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

from labml_txl.literate.security.trusted import mark_class

# The most columns of a table of sentences; one with more has numbers.
_COLUMNS = 5
# What Python-Markdown writes in place of HTML until the page is finished, and the
# delimiters of formulas.
_NOT_SHOWN = re.compile(r"\x02.*?\x03|\\[()]", re.DOTALL)
# Letters as wide as two, such as Chinese ones.
_WIDE = re.compile("[\u2e80-\uffee]")
# A word with a short end, which would stand alone on the next line.
_NAME = re.compile(r"(?<![\w-])([A-Za-z]{4,}-[A-Za-z\d]{1,3})(?![A-Za-z\d-])")
# A name in code that a narrow column would break within a word.
_LONG = re.compile(r"\w{24}")


class TableExtension(Extension):  # type: ignore[misc]
    """The extension that says where names may be divided."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Register the step, which follows that for text within lines."""
        md.treeprocessors.register(_Names(md), "lit-names", 15)


class _Names(Treeprocessor):  # type: ignore[misc]
    def run(self, root: Element) -> None:
        for table in root.iter("table"):
            _make_cards(table)
        for cell in root.iter():
            if cell.tag in ("td", "th"):
                for element in [*cell.iter()]:
                    _wrap(element)
        for code in [*root.iter("code")]:
            if code.text and _LONG.search(code.text) and "\n" not in code.text:
                _offer_breaks(code, *re.split(r"(?<=_)(?=[^\W_])", code.text))


def _make_cards(table: Element) -> None:
    """Mark a table of sentences, and label its cells with the heads of their columns.

    The style sheet makes a card of each row where the screen is narrow.
    """
    heads = [_words(head) for head in table.iter("th")]
    rows = [[*row.iter("td")] for row in table.iter("tr")]
    columns = zip(*filter(None, rows), strict=False)
    widths = [max(map(_width, column)) for column in columns]
    if len(widths) > _COLUMNS or not (max(widths, default=0) > 40 or sum(widths) > 75):
        return
    table.set("data-cards", "")
    for row in rows:
        for cell, head in zip(row, heads, strict=False):
            cell.set("data-label", head)


def _wrap(element: Element) -> None:
    """Put each name in the text of an element, and between its children, in a span."""
    for place, child in reversed([*enumerate(element)]):
        child.tail, spans = _spans(child.tail)
        element[place + 1 : place + 1] = spans
    element.text, spans = _spans(element.text)
    element[:0] = spans


def _words(cell: Element) -> str:
    """The words of a cell, where a formula is its TeX."""
    return _NOT_SHOWN.sub("", "".join(cell.itertext())).strip()


def _width(cell: Element) -> int:
    """About how many letters wide a cell is; TeX is thrice as long as its formula."""
    words = _words(cell)
    tex = sum(
        len("".join(formula.itertext()))
        for formula in cell.iter()
        if formula.get("class") == "arithmatex"
    )
    return len(words) + len(_WIDE.findall(words)) - tex * 2 // 3


def _offer_breaks(code: Element, first: str, *others: str) -> None:
    """Let lines end after an underscore."""
    code.text = AtomicString(first)
    for position, part in enumerate(others):
        place = Element("wbr")
        place.tail = AtomicString(part)
        code.insert(position, place)


def _spans(text: str | None) -> tuple[str | None, list[Element]]:
    """The text before the first name, and an element for each name and what follows."""
    if not text or isinstance(text, AtomicString):
        return text, []
    before, *parts = _NAME.split(text)
    spans = []
    for name, after in zip(parts[::2], parts[1::2], strict=True):
        span = Element("span", {"class": mark_class("lit-whole")})
        span.text, span.tail = name, after
        spans.append(span)
    return before, spans


def makeExtension(**settings: Any) -> TableExtension:  # noqa: N802
    """Create the extension; Python-Markdown calls this for the name of the module."""
    return TableExtension(**settings)
