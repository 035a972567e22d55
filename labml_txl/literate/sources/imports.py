"""# The imports of a module

Nobody wants to read the imports first. The introduction of a page is therefore above
its two columns, and the imports are below it, in an element that is closed at first.
"""

from __future__ import annotations

import ast

from labml_txl.literate.sources.blocks import Line
from labml_txl.literate.sources.source import Source, UnreadableError
from labml_txl.literate.sources.syntax import parse


def fold(
    source: Source, lines: tuple[Line, ...]
) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """Divide the lines of a module's first block into its imports and the rest.

    The assignment to `__all__`, a `TypeVar`, and imports in `try` or below `if
    TYPE_CHECKING` count as imports, and so do comments that are no notes, such as a
    licence.
    """
    try:
        body = parse(source).body
    except UnreadableError:
        body = []
    numbers = {
        n
        for node in body
        if _is_import(node)
        for n in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    for place, line in enumerate(lines):
        counts = not line.text.strip() or line.text.startswith("#")
        if not counts and line.number not in numbers:
            above = [n for n in range(place) if lines[n].text.strip()]
            return lines[: above[-1] + 1] if above else (), lines[place:]
    return lines, ()


def _is_import(node: ast.stmt) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom():
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case ast.Assign(value=ast.Call(func=ast.Name(id="TypeVar"))):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING"), body=body, orelse=[]):
            return all(map(_is_import, body))
        case ast.Try(body=body, finalbody=[]):
            return all(map(_is_import, body))
    return False
