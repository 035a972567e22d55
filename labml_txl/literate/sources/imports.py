r"""# What a page does not begin with

A module begins with its imports, and nobody wants to read these first. So the
introduction of a page stands above its two columns, and the imports below it, folded
into one line that opens.
"""

from __future__ import annotations

import ast

from labml_txl.literate.sources.blocks import Line
from labml_txl.literate.sources.source import Source, UnreadableError
from labml_txl.literate.sources.syntax import parse


def fold(
    source: Source, lines: tuple[Line, ...]
) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """The lines of a module's first block: its imports, and what follows them.

    `__all__`, imports for a type checker alone and those in `try` are imports too.
    Nothing is folded where nothing is imported.
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
        if line.text.strip() and line.number not in numbers:
            above = [n for n in range(place) if lines[n].text.strip()]
            return lines[: above[-1] + 1] if above else (), lines[place:]
    return lines, ()


def _is_import(node: ast.stmt) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom():
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING"), body=body, orelse=[]):
            return all(map(_is_import, body))
        case ast.Try(body=body, finalbody=[]):
            return all(map(_is_import, body))
    return False
