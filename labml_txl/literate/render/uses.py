r"""# Which value a name has where it is used

A record holds what a name was bound to. Where the name is used further down, a reader
asks for the same value. The rule is that of straight lines: a use has the value of the
last binding above it in its function.

A binding that was not recorded may not have run, if it stands in a branch beside the
use: then the one before it counts. If it must have run, the name held something that
was not recorded, and the use has no value.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from labml_txl.literate.recording.bindings import (
    RETURNED,
    Binding,
    functions,
    in_characters,
)
from labml_txl.literate.sources.source import Source

Key = tuple[str, str, int]
# The statements around a place, each with the part of it that the place stands in.
_Path = tuple[tuple[ast.AST, str], ...]


@dataclass(frozen=True)
class _Place:
    """A name in a function: where it begins, and where its last word does."""

    name: str
    line: int
    column: int
    shown: tuple[int, int]
    path: _Path


def uses(
    text: str, bound: Iterable[Binding], recorded: Collection[Key]
) -> dict[tuple[int, int], Key]:
    """The key of the value of each name that has one, by its line and column.

    A dotted name stands where its last word does. `bound` are the bindings of the
    text, `recorded` the keys of those that have a value.
    """
    lines = Source("", text).lines
    by_function: dict[str, list[Binding]] = {}
    for binding in bound:
        by_function.setdefault(binding.function, []).append(binding)
    found: dict[tuple[int, int], Key] = {}
    for qualified, function in functions(ast.parse(text), ""):
        own = by_function.get(qualified, [])
        known = {(binding.line, binding.column): binding for binding in own}
        places = list(_places(function, (), frozenset(), lines))
        paths = {(place.line, place.column): place.path for place in places}
        for place in places:
            here = known.get((place.line, place.column))
            if here is not None and here.name == place.name:
                key = here.key if here.key in recorded else None
            else:
                key = _last(place, own, paths, recorded)
            if key is not None:
                found[place.shown] = key
    return found


def _last(
    use: _Place,
    own: list[Binding],
    paths: dict[tuple[int, int], _Path],
    recorded: Collection[Key],
) -> Key | None:
    """The key of the value that a use has, by the rule of this module."""
    for binding in reversed(own):
        # An argument and an attribute have their values before their line runs.
        last = binding.last - (binding.kind in {"argument", "read"})
        if binding.name != use.name or last >= use.line:
            continue
        path = paths.get((binding.line, binding.column), ())
        if binding.key in recorded and not _apart(path, use.path):
            return binding.key
        if use.path[: len(path)] == path:
            return None
    return None


def _apart(path: _Path, other: _Path) -> bool:
    """Whether two places stand in branches of which one alone runs."""
    pairs = zip(path, other, strict=False)
    return any(
        node is also and part != its and isinstance(node, ast.If)
        for (node, part), (also, its) in pairs
    )


def _places(
    node: ast.AST, path: _Path, hidden: frozenset[str], lines: list[str]
) -> Iterator[_Place]:
    """The names below a node, without those of functions and classes within it.

    `hidden` are names that a lambda or a comprehension binds for itself.
    """
    for part, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, _APART):
                continue
            place = _place(child, path, lines)
            if place and place.name.partition(".")[0] not in hidden:
                yield place
            inner = (*path, (node, part)) if isinstance(child, ast.stmt) else path
            yield from _places(child, inner, hidden | _own(child), lines)


_APART = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_Bracket = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def _own(node: ast.AST) -> frozenset[str]:
    """The names that a lambda or a comprehension binds for itself."""
    if isinstance(node, ast.Lambda):
        return frozenset(a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg))
    if isinstance(node, _Bracket):
        targets = (part for each in node.generators for part in ast.walk(each.target))
        return frozenset(part.id for part in targets if isinstance(part, ast.Name))
    return frozenset()


def _place(node: ast.AST, path: _Path, lines: list[str]) -> _Place | None:
    """The place of a name, plain or dotted, of an argument, or of a `return`."""
    if not isinstance(node, (ast.Name, ast.Attribute, ast.arg, ast.Return)):
        return None
    here = node.lineno, in_characters(lines, node.lineno, node.col_offset)
    match node:
        case ast.Attribute(attr=word):
            # One that hangs on no plain name has no binding.
            line, end = node.end_lineno or node.lineno, node.end_col_offset or 0
            shown = line, in_characters(lines, line, end) - len(word)
            return _Place(ast.unparse(node), *here, shown, path)
        case ast.Name(id=name) | ast.arg(arg=name):
            return _Place(name, *here, here, path)
    return _Place(RETURNED, *here, here, path)
