r"""# The numbers of equations on a page

A formula may refer to another one of its page, as in `\eqref{name}`, by the name that a
`\label{name}` gives it. KaTeX renders each formula by itself and leaves the numbers to
the style sheet, so the number that a label stands for is counted here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count

_ENVIRONMENT = re.compile(r"\s*\\begin\{(?:equation|align|alignat|gather)\}")
_TOKEN = re.compile(
    r"\\(?:(?P<name>begin|end|label|tag\*?)\{(?P<word>[^{}]*)\}|(?P<row>\\)"
    r"|(?P<none>notag|nonumber)(?![A-Za-z])|.)",
    re.DOTALL,
)
_REFERENCE = re.compile(r"\\(?P<eq>eq)?ref\{(?P<word>[^{}]*)\}")


def replace_references(formulas: Sequence[str]) -> list[str]:
    r"""The formulas of a page with numbers in place of `\ref` and `\eqref`.

    A reference without its label stays as it is.
    """
    if not any("ref{" in formula for formula in formulas):
        return [*formulas]
    counter = count(1)
    known = {
        label: number
        for formula in formulas
        for label, number in _find_labels(formula, counter)
    }

    def number(match: re.Match[str]) -> str:
        found = known.get(match["word"])
        if found is None:
            return match[0]
        return rf"\text{{({found})}}" if match["eq"] else rf"\text{{{found}}}"

    return [_REFERENCE.sub(number, formula) for formula in formulas]


def _find_labels(formula: str, counter: Iterator[int]) -> Iterator[tuple[str, str]]:
    """The labels of a formula with their numbers; each numbered row takes one.

    As in LaTeX, a row that is empty has a number too.
    """
    numbered = bool(_ENVIRONMENT.match(formula))
    labels, tag, hidden, depth = list[str](), "", False, 0
    for token in _TOKEN.finditer(f"{formula}\\\\"):
        name, last = token["name"], token.start() == len(formula)
        if name in {"begin", "end"}:
            depth += 1 if name == "begin" else -1
        elif name == "label":
            labels.append(token["word"])
        elif name:
            tag = token["word"]
        elif token["none"]:
            hidden = True
        elif token["row"] and (depth == 1 or last):
            if numbered and not (hidden or tag):
                tag = str(next(counter))
            yield from ((label, tag) for label in labels if tag)
            labels, tag, hidden = [], "", False
