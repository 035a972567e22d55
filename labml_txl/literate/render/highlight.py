r"""# The code column

Writes lines of code as HTML: keywords, strings, numbers and comments in their colours,
every name an element of its own, so that a page can light up all its uses, and a link
where it is known what a name stands for. Operators and spaces get no element: a page
stays light.

Python's own `tokenize` finds the pieces. They have the same line and column as the
names that `ast` found, so the two need no matching by spelling.

A paper may give the terms of a sum letters, (a) to (d). A term keeps its colour, its
letter and its underline in formulas and at the lines of code that compute it. A line
computes a term if the term stands in a formula within the sentence of the comment above
it. A formula on lines of its own shows the whole sum, and marks no line.
"""

from __future__ import annotations

import keyword
import re
import token
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape

from labml_txl.literate.equations.registry import Paper
from labml_txl.literate.equations.symbols import mark_symbols
from labml_txl.literate.markdown.inline import scan
from labml_txl.literate.sources.blocks import Line
from labml_txl.literate.sources.names import Name, module
from labml_txl.literate.sources.source import Source, UnreadableError
from labml_txl.literate.sources.syntax import tokens

# A piece of a line of code: its beginning, its end and its kind, which is also its
# class on the page: `k` keyword, `s` string, `m` number, `c` comment, `n` name.
Coloured = tuple[int, int, str]
Colours = Mapping[int, tuple[Coloured, ...]]


@dataclass(frozen=True)
class Code:
    """The code of a module: its names by line and column, and its coloured pieces."""

    names: Mapping[tuple[int, int], Name]
    colours: Colours


def code_of(name: str, source: Source) -> Code:
    """The code of a module with this dotted name; of what is no Python, no names."""
    try:
        names = module(name, source).uses
    except UnreadableError:
        return Code({}, {})
    return Code({(use.line, use.column): use for use in names}, _colours(source))


def _colours(source: Source) -> Colours:
    """The coloured pieces of a source, by line; what is no Python has no colours."""
    found: dict[int, list[Coloured]] = {}
    for piece in tokens(source)[0]:
        kind = _KINDS.get(piece.type, "")
        if kind == "n" and keyword.iskeyword(piece.string):
            kind = "k"
        (first, start), (last, end) = piece.start, piece.end
        # A string over several lines is one span a line.
        for line in range(first, last + 1) if kind else ():
            left = start if line == first else 0
            right = end if line == last else len(source.lines[line - 1].rstrip("\n"))
            if left < right:
                found.setdefault(line, []).append((left, right, kind))
    return {line: tuple(pieces) for line, pieces in found.items()}


# Python 3.12 cuts an f-string into its parts; the parts that are text stay a string.
_STRINGS = ("STRING", "FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END")
_KINDS = {token.NAME: "n", token.NUMBER: "m", tokenize.COMMENT: "c"} | {
    number: "s" for number, name in token.tok_name.items() if name in _STRINGS
}


# A comment that holds nothing but a shape, and perhaps a word on it.
SHAPE = re.compile(r"# (\[[^\[\]]*\](?:, .*)?)$")

Link = Callable[[Name], str]

# A line with more signs is data. Nobody reads it, and its colours would weigh more than
# all other lines.
LONG = 2_000


def code_html(
    lines: Iterable[Line],
    code: Code,
    link: Link,
    observed: Mapping[tuple[int, int], str],
) -> str:
    """The lines as HTML, each with its number, which the style sheet shows.

    `observed` holds the attributes of names with observed values, by their place.
    """

    def name_html(name: Name, text: str, more: str) -> str:
        if name.defined:
            return f'<span class="n d">{text}</span>'
        if address := link(name) if name.target else "":
            return f'<a class="n" href="{escape(address)}"{more}>{text}</a>'
        return f'<span class="n"{more}>{text}</span>'

    def pieces(line: Line) -> Iterator[str]:
        position = 0
        coloured = code.colours.get(line.number, ()) if len(line.text) <= LONG else ()
        for start, end, kind in coloured:
            before, text = line.text[position:start], line.text[start:end]
            place = line.number, start
            more = observed.get(place, "")
            if kind == "c" and (shape := SHAPE.match(text)):
                # It stands at the end of its line: its blanks and `#` are hidden.
                shown = before.rstrip()
                hidden = f"<i>{before[len(shown) :]}# </i>"
                words = escape(shape[1], quote=False)
                yield f"{escape(shown, quote=False)}"
                yield f'<span class="shape">{hidden}{words}</span>'
            else:
                yield escape(before, quote=False)
                if kind == "n" and place in code.names:
                    yield name_html(code.names[place], text, more)
                else:
                    # A keyword with a value is a name too.
                    kind = "k n" if more and kind == "k" else kind
                    words = escape(text, quote=False)
                    yield f'<span class="{kind}"{more}>{words}</span>'
            position = end
        yield escape(line.text[position:], quote=False)

    return "".join(
        f'<span data-n="{line.number}">{"".join(pieces(line))}\n</span>'
        for line in lines
    )


_TERM = re.compile(r"\\htmlClass\{lit-term-(\w)\}")


def letters(note: str, papers: Iterable[Paper]) -> str:
    """The letters of the terms in the inline formulas of a note, in their order."""
    terms = tuple(term for paper in papers for term in paper.terms)
    tex = " ".join(piece.body for piece in scan(note) if piece.kind == "math")
    return "".join(sorted(set(_TERM.findall(mark_symbols(tex, terms)))))


_LINE = re.compile(r'(<span data-n="\d+"> *)(\S.*?)(?=<span class="shape">|\n</span>)')


def mark_code(code: str, found: str) -> str:
    """The lines of code with the letters of their terms, which the style sheet writes.

    Lines that compute one term alone are underlined as the term is.
    """
    tags = "".join(f'<i class="lit-tag lit-term-{one}"></i>' for one in found)
    if len(found) == 1:
        code = _LINE.sub(rf'\1<span class="lit-line lit-term-{found}">\2</span>', code)
    return code.replace(">", f">{tags}", 1) if found else code
