r"""# Docstrings without an `r`

In a docstring without the `r` in front, Python reads `\theta` as a tab and
"heta". Who wrote it meant the letter θ. So within formulas a docstring is read as it
stands in the file, between its quotes. Outside of formulas, Python's reading counts.

There, a backslash is often written twice, as `\\theta`. Within a formula that means
one. Two before a space or at the end of a line are TeX's own sign for a new line.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from labml_txl.literate.markdown.inline import scan
from labml_txl.literate.sources.syntax import every_statement


@dataclass(frozen=True)
class _Sign:
    """One sign of a string: as the file has it, as Python reads it, and for the eye
    that looks for formulas: there, no sign is a tab or the end of a line unless
    the file shows it so. `lines` is how many lines of the file end with it."""

    raw: str
    value: str
    seen: str
    lines: int


# A docstring may be written as several strings, one behind the other.
_LITERAL = re.compile(
    r"""[uU]?(\"\"\"|'''|\"|')(?P<text>(?:\\.|(?!\1).)*)\1
        (?P<between>(?:\s|\\\n|\#[^\n]*)*)""",
    re.DOTALL | re.VERBOSE,
)
_SIGN = re.compile(
    r"""\\(?:\n|[\\'"abfnrtv]|[0-7]{1,3}|x[0-9a-fA-F]{2}|N\{[^{}]+\}
        |u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})|.""",
    re.DOTALL | re.VERBOSE,
)


def words(node: ast.Constant, source: str) -> str:
    """The text of a docstring, its formulas as the file has them.

    Half of a character, which no file of text can hold, stays as it is written.
    """
    text = "".join(part for part, _, _ in _parts(node, source))
    return text.encode(errors="backslashreplace").decode()


def without_r(tree: ast.Module, source: str) -> Iterator[tuple[int, str]]:
    r"""What Python reads in another way, for want of an `r`: its line, and what it is.

    That is a formula, or a sign that nobody can see: in `\alpha`, the one for a bell.
    """
    for node in every_statement(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str()) as string):
                yield from _misread(string, source)


def _misread(node: ast.Constant, source: str) -> Iterator[tuple[int, str]]:
    for part, raw, lines in _parts(node, source):
        if raw and "".join(sign.value for sign in _signs(raw)) != part:
            yield node.lineno + lines, "this formula"
        elif (sign := _UNSEEN.search(part)) and "\\" in _written(node, source):
            below = part.count("\n", 0, sign.start())
            yield node.lineno + lines + below, _NAMES[sign[0]]


# No note has them on purpose, but Click wants two of them at the end of a line.
_NAMES = {"\a": r"\a", "\b": r"\b", "\f": r"\f", "\v": r"\v"}
_UNSEEN = re.compile("[\a\v]|[\b\f](?![ ]*(?:\n|$))")


def _parts(node: ast.Constant, source: str) -> Iterator[tuple[str, str, int]]:
    """The text, piece by piece; with a formula, how the file has it. The number is how
    many lines of the file stand before the piece."""
    value, lines = str(node.value), 0
    signs = _read(_written(node, source))
    if "".join(sign.value for sign in signs) != value:
        yield value, "", 0
        return
    for piece in scan("".join(sign.seen for sign in signs), moved=True):
        here = signs[piece.start : piece.start + len(piece.raw)]
        raw = "".join(sign.raw for sign in here)
        if piece.kind in {"math", "display"} and "\\" in raw:
            yield _formula(raw), raw, lines
        else:
            yield "".join(sign.value for sign in here), "", lines
        lines += sum(sign.lines for sign in here)


def _read(written: str) -> list[_Sign]:
    """The signs of a docstring that has a backslash, unless there is an `r`."""
    signs, position = list[_Sign](), 0
    while "\\" in written and (literal := _LITERAL.match(written, position)):
        signs += _signs(literal["text"])
        if signs:
            lines = signs[-1].lines + literal["between"].count("\n")
            signs[-1] = replace(signs[-1], lines=lines)
        position = literal.end()
    return signs


def _written(node: ast.Constant, source: str) -> str:
    """How the file has a string, with its quotes. The columns count bytes."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    lines = [line.encode() for line in _lines(source)[first : last + 1]]
    lines[-1] = lines[-1][: node.end_col_offset]
    lines[0] = lines[0][node.col_offset :]
    return b"".join(lines).decode()


# One file is read to its end before the next.
@lru_cache(maxsize=4)
def _lines(source: str) -> list[str]:
    """The lines as Python counts them."""
    return _LINE.findall(source)


_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+\Z")


def _signs(text: str) -> Iterator[_Sign]:
    for match in _SIGN.finditer(text):
        raw = match[0]
        if len(raw) == 1:
            yield _Sign(raw, raw, raw, int(raw == "\n"))
        elif raw == "\\\n":
            yield _Sign(raw, "", " ", 1)
        else:
            value: str = ast.literal_eval(f'"{raw}"')
            # What is no sign of its own may begin a command, such as `\begin`.
            yield _Sign(raw, value, value if value in "\\\"'" else "\b", 0)


def _formula(raw: str) -> str:
    """The TeX of a formula in a string with escapes: of two backslashes, one stays."""
    return _DOUBLED.sub(lambda match: match[0][len(match[0]) // 2 :], raw)


_DOUBLED = re.compile(r"\\{4}|\\\\(?!\s|\Z)")
