r"""# The blocks that a browser gets

The engine cuts a text into messages by a grammar of its own, and Python-Markdown makes
HTML of it. Both must see the same paragraphs, headings, items and cells. Otherwise a
translation tears apart what the page shows as one, or takes code for words.

So both are compared, block by block: the kind of each, and its letters and digits.
Signs and blanks are left out, since HTML writes them in other ways.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import zip_longest
from typing import Any

from markdown import Markdown

from labml_txl.literate.markdown.front_matter import divided
from labml_txl.literate.markdown.inline import Piece, plain, rewrite
from labml_txl.literate.markdown.reader import spans
from labml_txl.literate.render.render import EXTENSIONS
from labml_txl.literate.render.resolve import formula


@dataclass(frozen=True)
class Shown:
    """A block: its kind, as a message has it, its words, and the line of the text.

    Two blocks are the same if they are of one kind and have the same `letters`.
    """

    kind: str
    letters: str
    words: str = field(compare=False)
    line: int = field(default=0, compare=False)


def _shown(kind: str, words: str, line: int = 0) -> Shown:
    return Shown(kind, "".join(re.findall(r"[^\W_]", words)), words, line)


# Makes HTML of Markdown.
Render = Callable[[str], str]


def renderer(extensions: Mapping[str, Mapping[str, Any]] = EXTENSIONS) -> Render:
    """Python-Markdown with these extensions and their settings."""
    made = Markdown(extensions=[*extensions], extension_configs={**extensions})
    return lambda text: str(made.reset().convert(text))


def differences(text: str, render: Render) -> tuple[tuple[int, str], ...]:
    """Where the messages of a text are not the blocks of its page, and how.

    The line is that of the first such block, counted from 1. What follows it in the
    text follows from it, so no more is told.
    """
    for ours, theirs in zip_longest(messages(text), blocks(text, render)):
        if ours != theirs:
            line = ours.line if ours else text.count("\n") + 1
            told = f"{_named(ours)} is translated, and {_named(theirs)} is shown"
            return ((line, f"{told}: {_WAY_OUT}"),)
    return ()


_WAY_OUT = "set it apart with empty lines, or write as `code` what is no mark"


def _named(block: Shown | None) -> str:
    if block is None:
        return "nothing"
    words = " ".join(block.words.split())
    return f"the {block.kind} “{words if len(words) < 41 else f'{words[:40]}…'}”"


def messages(text: str) -> tuple[Shown, ...]:
    """The blocks of a text by the grammar of messages."""
    head, body = divided(text)
    above = head.count("\n") + 1
    found = (
        _shown(
            span.kind,
            plain(body[span.start : span.end]),
            above + body.count("\n", 0, span.start),
        )
        for span in spans(body)
    )
    return tuple(block for block in found if block.letters)


def blocks(text: str, render: Render) -> tuple[Shown, ...]:
    """The blocks of the page that is made of a text."""
    body = divided(text)[1]

    def change(piece: Piece) -> str:
        if piece.kind == "math":
            # There, a `|` ends no cell.
            return f"${piece.tex.replace('|', ' ')}$"
        if piece.kind == "display":
            return formula(body, piece)
        if piece.kind == "citation":
            return f"[{piece.body}](#)"
        return "" if piece.kind == "include" else piece.raw

    reader = _Reader()
    reader.feed(render(rewrite(body, change)))
    reader.end()
    return tuple(reader.found)


_KINDS = {
    **dict.fromkeys(["h1", "h2", "h3", "h4", "h5", "h6"], "heading"),
    **dict.fromkeys(["td", "th"], "cell"),
    "li": "item",
}
_OTHERS = """
    article aside blockquote body caption center details dd div dl dt figcaption figure
    footer form header hr main nav ol p section summary table tbody tfoot thead tr ul
"""
_BLOCKS = {*_OTHERS.split(), *_KINDS}
_SOLID = {"pre", "script", "style", "svg"}
# A formula, and a block of code with its title.
_CODE = {"arithmatex", "highlight"}
_VOID = {"col", "img", "input", "wbr"}


class _Reader(HTMLParser):
    """Collects the words of each block, and none of code and of formulas alone."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Shown] = []
        self._kind = "paragraph"
        self._words = ""
        self._pictures: list[str] = []
        # How many elements hide what stands in them, and how many links are open.
        self._hidden = self._links = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name = given.get("class") or ""
        if tag == "img":
            self._pictures.append(given.get("alt") or "")
        elif self._hidden:
            self._hidden += tag not in _VOID
        elif tag in _SOLID or (tag == "div" and name in _CODE):
            self.end()
            self._hidden = 1
        elif tag == "br" and not self._links:
            self.end(self._kind)
        elif tag in _BLOCKS:
            # The first paragraph of an item is the item.
            first = tag == "p" and self._kind == "item" and not self._words.strip()
            self.end("item" if first else _KINDS.get(tag, "paragraph"))
            if name == "admonition-title":
                self._kind = "title"
        self._links += tag == "a"

    def handle_endtag(self, tag: str) -> None:
        if self._hidden:
            self._hidden -= 1
        elif tag in _BLOCKS:
            self.end()
        self._links -= tag == "a"

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._words += data

    def end(self, kind: str = "paragraph") -> None:
        """End the block, and begin one of another kind."""
        found = _shown(self._kind, self._words)
        if len(self._pictures) == 1 and not self._words.strip():
            found = _shown("alternative", self._pictures[0])
        self.found += [found] * bool(found.letters)
        self._kind, self._words, self._pictures = kind, "", []
