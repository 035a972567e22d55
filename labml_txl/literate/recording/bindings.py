r"""# What a line gives a name to

A run shows values; a page shows lines. Both mean the same thing by a *binding*: a name
in a function, and which of its bindings it is. `scores` is bound at one line, and once
more at the next: these are two values, each with a place of its own.

A binding is known by the qualified name of its function, by its name, and by its number
among the bindings of that name there, from 0, in the order of the text. Lines are no
part of that: a comment may be added without a word about what was recorded. For the
same reason `digest` reads the code and not the words about it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from labml_txl.literate.sources.source import Source

# What is bound: an argument when the function is called, a name or an attribute when
# it is assigned to, an attribute that the function only reads, what is returned.
Kind = Literal["argument", "assigned", "read", "returned"]

# The name of what a function returns.
RETURNED = "return"

# What a binding is known by: its function, its name, its number.
Key = tuple[str, str, int]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Binding:
    r"""A place in a module where a name gets a value.

    - `function`: the qualified name of the function, as Python has it
      (`Attention.forward`, `outer.<locals>.inner`);
    - `name`: `x`, `self.x`, or `return`;
    - `ordinal`: its number among the bindings of that name in the function, from 0;
    - `line`, `column`, `end`: where the name stands, the line from 1, the columns from
      0, in characters;
    - `first`, `last`: the lines of the statement that it belongs to.
    """

    function: str
    name: str
    ordinal: int
    kind: Kind
    line: int
    column: int
    end: int
    first: int
    last: int

    @property
    def key(self) -> Key:
        r"""What it is known by, wherever it stands."""
        return self.function, self.name, self.ordinal


def bindings(text: str) -> tuple[Binding, ...]:
    r"""The bindings in the functions of a module, in the order of the text.

    An attribute that a function reads and never assigns to is bound where it is read
    first: `self.content_bias` holds a value, though no line gives it one. Variables of
    comprehensions are none: they have no value after their line.
    """
    lines = Source("", text).lines
    return tuple(
        binding
        for qualified, function in functions(ast.parse(text), "")
        for binding in _of(qualified, function, lines)
    )


def digest(text: str) -> str:
    r"""A name for the code of a module: comments and docstrings do not change it."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, *_FUNCTIONS)) and (
            ast.get_docstring(node, clean=False) is not None
        ):
            del node.body[0]
    return sha256(repr(_form(tree)).encode()).hexdigest()[:16]


def _form(node: object) -> object:
    r"""A tree without what is empty: versions of Python differ in what they add."""
    if isinstance(node, list):
        return [_form(part) for part in node]
    if not isinstance(node, ast.AST):
        return node
    given = ((name, _form(part)) for name, part in ast.iter_fields(node))
    return type(node).__name__, *(
        (n, part) for n, part in given if part not in ([], None)
    )


def functions(
    node: ast.AST, within: str
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    r"""The functions below a node, with their qualified names.

    `within` is the name of the node with a dot behind it, empty for a module.
    """
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _FUNCTIONS):
            yield within + child.name, child
            yield from functions(child, f"{within}{child.name}.<locals>.")
        elif isinstance(child, ast.ClassDef):
            yield from functions(child, f"{within}{child.name}.")
        else:
            yield from functions(child, within)


def _of(
    qualified: str, function: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]
) -> Iterator[Binding]:
    r"""The bindings of one function; those of functions within it are their own."""
    found = [*_arguments(function), *_bound(function)]
    assigned = {name for name, kind, _, _ in found if kind == "assigned"}
    seen: Counter[str] = Counter()
    ordered = sorted(found, key=lambda one: (one[2].lineno, one[2].col_offset))
    for name, kind, place, statement in ordered:
        if kind == "read" and (name in assigned or seen[name]):
            continue
        begin = in_characters(lines, place.lineno, place.col_offset)
        width = len("return") if kind == "returned" else len(name)
        first = getattr(statement, "lineno", place.lineno)
        last = _last(statement)
        places = (place.lineno, begin, begin + width, first, last)
        yield Binding(qualified, name, seen[name], kind, *places)
        seen[name] += 1


def in_characters(lines: list[str], line: int, byte: int) -> int:
    r"""A column in characters: `ast` counts bytes."""
    return len(lines[line - 1].encode()[:byte].decode())


_Found = tuple[str, Kind, "ast.expr | ast.arg | ast.stmt", ast.AST]


def _arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[_Found]:
    given = function.args
    for each in (
        *(*given.posonlyargs, *given.args, given.vararg),
        *(*given.kwonlyargs, given.kwarg),
    ):
        if each is not None:
            yield each.arg, "argument", each, each


def _bound(node: ast.AST, statement: ast.AST | None = None) -> Iterator[_Found]:
    r"""What the statements below a node bind, without functions and classes within."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (*_FUNCTIONS, ast.ClassDef, ast.Lambda, ast.arguments)):
            continue
        inner = child if isinstance(child, ast.stmt) else statement
        if isinstance(child, ast.comprehension) or inner is None:
            # Its variable is gone after the line; what it runs over is read.
            for part in ast.iter_child_nodes(child):
                if part is not getattr(child, "target", None):
                    yield from _bound(part, inner)
            continue
        if isinstance(child, ast.Return) and child.value is not None:
            yield RETURNED, "returned", child, child
        if isinstance(child, (ast.Name, ast.Attribute)) and is_dotted(child):
            name = ast.unparse(child)
            if isinstance(child.ctx, ast.Store):
                yield name, "assigned", child, inner
                continue
            if isinstance(child, ast.Attribute) and name.count(".") == 1:
                yield name, "read", child, inner
        yield from _bound(child, inner)


def _last(statement: ast.AST) -> int:
    r"""The last line of a statement, or of what stands before its body."""
    first: int = getattr(statement, "lineno", 1)
    body: list[ast.AST] = getattr(statement, "body", [])
    if isinstance(statement, ast.Match):
        body = [statement.cases[0].pattern]
    if body:
        return max(first, getattr(body[0], "lineno", first) - 1)
    last: int = getattr(statement, "end_lineno", None) or first
    return last


def is_dotted(node: ast.expr) -> bool:
    r"""Whether an expression is like `x` or `self.x`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)
