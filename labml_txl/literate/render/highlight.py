r"""# The code column

Writes lines of code as HTML: keywords, strings, numbers and comments in their colours,
every name an element of its own, so that a page can light up all its uses, and a link
where it is known what a name stands for. Operators and spaces get no element: a page
stays light.

Python's own `tokenize` finds the pieces. They have the same line and column as the
names that `ast` found, so the two need no matching by spelling.
"""

from __future__ import annotations

import keyword
import re
import token
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape

from labml_txl.literate.sources.blocks import Line
from labml_txl.literate.sources.names import Name
from labml_txl.literate.sources.source import Source
from labml_txl.literate.sources.syntax import tokens

# A piece of a line of code: its beginning, its end and its kind, which is also its
# class on the page: `k` keyword, `s` string, `m` number, `c` comment, `n` name.
Span = tuple[int, int, str]
Colours = Mapping[int, tuple[Span, ...]]


def spans(source: Source) -> Colours:
    """The coloured pieces of a source, by line; what is no Python has no colours."""
    found: dict[int, list[Span]] = {}
    for piece, kind in _coloured(source):
        (first, start), (last, end) = piece.start, piece.end
        # A string over several lines is one span a line.
        for line in range(first, last + 1):
            left = start if line == first else 0
            right = end if line == last else len(source.lines[line - 1].rstrip("\n"))
            if left < right:
                found.setdefault(line, []).append((left, right, kind))
    return {line: tuple(pieces) for line, pieces in found.items()}


# Python 3.12 cuts an f-string into its parts; the parts that are text stay a string.
_STRINGS = {
    number
    for number, name in token.tok_name.items()
    if name in {"STRING", "FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END"}
}


def _coloured(source: Source) -> Iterator[tuple[tokenize.TokenInfo, str]]:
    for piece in tokens(source)[0]:
        if piece.type == token.NAME:
            yield piece, "k" if keyword.iskeyword(piece.string) else "n"
        elif piece.type == token.NUMBER:
            yield piece, "m"
        elif piece.type == tokenize.COMMENT:
            yield piece, "c"
        elif piece.type in _STRINGS:
            yield piece, "s"


# A comment that holds nothing but a shape, and perhaps a word on it.
SHAPE = re.compile(r"# (\[[^\[\]]*\](?:, .*)?)$")

Link = Callable[[Name], str]

# A line with more signs is data. Nobody reads it, and its colours would weigh more than
# all other lines.
LONG = 2_000


def code_html(
    lines: Iterable[Line],
    pieces: Colours,
    names: Mapping[tuple[int, int], Name],
    link: Link,
    asked: Mapping[tuple[int, int], str],
) -> str:
    """The lines as HTML, each with its number, which the style sheet shows.

    `asked` holds attributes of names, by their line and column.
    """

    def shown(line: Line) -> str:
        own = pieces.get(line.number, ()) if len(line.text) <= LONG else ()
        return "".join(_pieces(line, own, names, link, asked))

    return "".join(
        f'<span data-n="{line.number}">{shown(line)}\n</span>' for line in lines
    )


def _pieces(
    line: Line,
    pieces: tuple[Span, ...],
    names: Mapping[tuple[int, int], Name],
    link: Link,
    asked: Mapping[tuple[int, int], str],
) -> Iterator[str]:
    position = 0
    for start, end, kind in pieces:
        before = line.text[position:start]
        text = line.text[start:end]
        name = names.get((line.number, start)) if kind == "n" else None
        more = asked.get((line.number, start), "")
        if kind == "c" and (shape := SHAPE.match(text)):
            yield _shape(before, shape[1])
        else:
            yield escape(before, quote=False)
            yield (_name(name, text, link, more) if name else _plain(kind, text, more))
        position = end
    yield escape(line.text[position:], quote=False)


def _shape(before: str, shape: str) -> str:
    """A shape stands at the end of its line: the blanks and the `#` are hidden."""
    code = before.rstrip()
    hidden = f"<i>{before[len(code) :]}# </i>"
    words = escape(shape, quote=False)
    return f'{escape(code, quote=False)}<span class="shape">{hidden}{words}</span>'


def _plain(kind: str, text: str, more: str) -> str:
    # A keyword that can be asked is a name too.
    kind = "k n" if more and kind == "k" else kind
    return f'<span class="{kind}"{more}>{escape(text, quote=False)}</span>'


def _name(name: Name, text: str, link: Link, more: str) -> str:
    if name.defined:
        return f'<span class="n d">{text}</span>'
    address = link(name) if name.target else ""
    if address:
        return f'<a class="n" href="{escape(address)}"{more}>{text}</a>'
    return f'<span class="n"{more}>{text}</span>'
