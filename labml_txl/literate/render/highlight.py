"""# The code column

Renders lines of code as HTML. Keywords, strings, numbers and comments get an element
with a class that colours them. Every name gets an element too, so that the script of a
page can highlight all its uses; it is a link if the engine knows what the name refers
to. Operators and whitespace get no element, which keeps pages small.

The tokens come from Python's `tokenize`. Their lines and columns agree with those of
the names that `ast` finds, so a token is matched to a name by its position.

A paper may label the terms of a sum with letters, (a) to (d). Such a term has the same
colour, letter and underline in a formula and at the lines of code that compute it. We
take a block of code to compute a term if an inline formula in the note above it
contains the term. Display formulas are ignored, because they show the whole sum.
"""

from __future__ import annotations

import keyword
import re
import token
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from labml_txl.literate.equations.registry import Paper
from labml_txl.literate.equations.symbols import mark_symbols
from labml_txl.literate.markdown.note import LONG, Note
from labml_txl.literate.sources.blocks import Line
from labml_txl.literate.sources.names import Name, read_names
from labml_txl.literate.sources.source import Source, UnreadableError
from labml_txl.literate.sources.syntax import tokens

# A token in a line of code: its start column, its end column and its CSS class, which
# is `k` for a keyword, `s` string, `m` number, `c` comment, `n` name.
Coloured = tuple[int, int, str]
Colours = Mapping[int, tuple[Coloured, ...]]


@dataclass(frozen=True)
class Code:
    """The names of a module by line and column, and its tokens by line."""

    names: Mapping[tuple[int, int], Name]
    colours: Colours


# All languages show the same code.
@lru_cache(maxsize=50)
def code_of(name: str, source: Source) -> Code:
    """Tokenize the module with this dotted name.

    The result is empty if the source is not valid Python.
    """
    try:
        names = read_names(name, source).uses
    except UnreadableError:
        return Code({}, {})
    return Code({(use.line, use.column): use for use in names}, _find_colours(source))


def _find_colours(source: Source) -> Colours:
    """The tokens of a source that have a CSS class, by line."""
    found: dict[int, list[Coloured]] = {}
    for piece in tokens(source):
        kind = _KINDS.get(piece.type, "")
        if kind == "n" and keyword.iskeyword(piece.string):
            kind = "k"
        (first, start), (last, end) = piece.start, piece.end
        # A string that covers several lines becomes one span on each of them.
        for line in range(first, last + 1) if kind else ():
            left = start if line == first else 0
            right = end if line == last else len(source.lines[line - 1].rstrip("\n"))
            if left < right:
                found.setdefault(line, []).append((left, right, kind))
    return {line: tuple(pieces) for line, pieces in found.items()}


# Python 3.12 splits an f-string into several tokens; those of its text are strings too.
_STRINGS = ("STRING", "FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END")
_KINDS = {token.NAME: "n", token.NUMBER: "m", tokenize.COMMENT: "c"} | {
    number: "s" for number, name in token.tok_name.items() if name in _STRINGS
}


# A comment that consists of a shape, perhaps followed by a comma and a remark.
SHAPE = re.compile(r"# (\[[^\[\]]*\](?:, .*)?)$")

Link = Callable[[Name], str]


def code_html(
    lines: Iterable[Line],
    code: Code,
    link: Link,
    observed: Mapping[tuple[int, int], str],
) -> str:
    """Render lines as HTML; each has its number as an attribute, which CSS displays.

    `link` gives the address that a name leads to, or an empty string. `observed` has
    the HTML attributes of names with observed values, by line and column.
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
                # CSS hides the blanks and the `#` before a shape at the end of a line.
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
                    # A keyword with an observed value (`return`) acts as a name.
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


def letters(note: Note, papers: Iterable[Paper]) -> str:
    """The letters of the terms in the inline formulas of a note, sorted."""
    terms = tuple(term for paper in papers for term in paper.terms)
    tex = " ".join(piece.body for piece in note.pieces if piece.kind == "math")
    return "".join(sorted(set(_TERM.findall(mark_symbols(tex, terms)))))


_LINE = re.compile(r'(<span data-n="\d+"> *)(\S.*?)(?=<span class="shape">|\n</span>)')


def mark_code(code: str, found: str) -> str:
    """Add the tags of the terms with the letters `found` to the HTML of some code.

    CSS displays the letters. If there is only one term, the code is also underlined in
    the way that the term is in formulas.
    """
    tags = "".join(f'<i class="lit-tag lit-term-{one}"></i>' for one in found)
    if len(found) == 1:
        code = _LINE.sub(rf'\1<span class="lit-line lit-term-{found}">\2</span>', code)
    return code.replace(">", f">{tags}", 1) if found else code
