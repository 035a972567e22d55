r"""# The terms of a sum

A paper may give the terms of a sum letters, (a) to (d). A term keeps its colour, its
letter and its underline wherever it stands: in the formulas, and at the lines of code
that compute it.

A line computes a term if the term stands in a formula within the sentence of the
comment above it. A formula on lines of its own shows the whole sum, and marks no line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from labml_txl.literate.equations.registry import Paper
from labml_txl.literate.equations.symbols import mark_symbols
from labml_txl.literate.markdown.inline import scan

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
