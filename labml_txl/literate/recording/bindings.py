r"""# What a line gives a name to

A run shows values; a page shows lines. Both mean the same thing by a *binding*: a name
in a function, and which of its bindings it is. `scores` is bound at one line, and once
more at the next: these are two values, each with a place of its own.

A binding is known by the qualified name of its function, by its name, and by its number
among the bindings of that name there, from 0, in the order of the text. Lines are no
part of that: a comment may be added without a word about what was recorded. For the
same reason `digest` reads the code and not the words about it.

Where a name is used further down, a reader asks for the same value. `uses` follows the
rule of straight lines: a use has the value of the last binding above it in its
function. A binding that was not recorded may not have run, if it stands in a branch
beside the use: then the one before it counts. If it must have run, the name held
something that was not recorded, and the use has no value.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Literal

from labml_txl.literate.sources.source import Source
from labml_txl.literate.sources.syntax import definitions, in_characters

# What is bound: an argument when the function is called, a name or an attribute when
# it is assigned to, an attribute that the function only reads, what is returned. A name
# that is only used is not bound.
Kind = Literal["argument", "assigned", "read", "returned", "used"]

# The name of what a function returns.
RETURNED = "return"

# What a binding is known by: its function, its name, its number.
Key = tuple[str, str, int]

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

_Path = tuple[tuple[str, int, str], ...]


@dataclass(frozen=True)
class Binding:
    r"""A place in a module where a name gets a value.

    - `function`: the qualified name of the function, as Python has it
      (`Attention.forward`, `outer.<locals>.inner`);
    - `name`: `x`, `self.x`, or `return`;
    - `ordinal`: its number among the bindings of that name in the function, from 0;
    - `line`, `column`: where the name stands, the line from 1, the column from 0, in
      characters; `shown`: where its last word does;
    - `first`, `last`: the lines of the statement that it belongs to;
    - `path`: the statements around it, each with the part of it that it stands in.
    """

    function: str
    name: str
    ordinal: int
    kind: Kind
    line: int
    column: int
    first: int
    last: int
    shown: tuple[int, int]
    path: _Path

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
        for qualified, function in functions(ast.parse(text))
        for binding in _numbered(_places(qualified, function, lines))
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


def functions(tree: ast.Module) -> Iterator[tuple[str, _Function]]:
    r"""The functions of a module, with their qualified names."""
    for node, around in definitions(tree):
        if isinstance(node, _FUNCTIONS):
            inside = (
                f"{one.name}.<locals>."
                if isinstance(one, _FUNCTIONS)
                else f"{one.name}."
                for one in around
            )
            yield f"{''.join(inside)}{node.name}", node


_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def _places(
    function: str,
    node: ast.AST,
    lines: list[str],
    statement: ast.AST | None = None,
    path: _Path = (),
    hidden: frozenset[str] = frozenset(),
) -> Iterator[Binding]:
    r"""The names below a node, plain or dotted, and each `return`.

    Those of functions and classes within it are left out.

    `hidden` are names that a lambda or a comprehension binds for itself. Outside of a
    statement of the function, as in a lambda, nothing gets a value.
    """
    for part, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, _APART):
                continue
            around, way, own = statement, path, hidden
            if isinstance(child, ast.stmt):
                around = child
                here = (type(node).__name__, getattr(node, "lineno", 0), part)
                way = (*path, here)
            elif isinstance(child, ast.Lambda):
                around = None
                found = ast.walk(child.args)
                own |= {each.arg for each in found if isinstance(each, ast.arg)}
            elif isinstance(child, _Comprehension):
                found = (n for each in child.generators for n in ast.walk(each.target))
                own |= {each.id for each in found if isinstance(each, ast.Name)}
            place = _place(function, child, lines, around, way)
            if place and place.name.partition(".")[0] not in own:
                yield place
                if place.kind == "assigned":
                    around = None  # Of `self.x.y = 1`, no line reads `self.x`.
            yield from _places(function, child, lines, around, way, own)


_APART = (*_FUNCTIONS, ast.ClassDef)


def _place(
    function: str,
    node: ast.AST,
    lines: list[str],
    statement: ast.AST | None,
    path: _Path,
) -> Binding | None:
    kind: Kind = "used"
    match node:
        case ast.arg(arg=name):
            kind, statement = "argument", node
        case ast.Return(value=ast.expr()):
            name, kind = RETURNED, "returned"
        case ast.Name(ctx=context) | ast.Attribute(ctx=context) if is_dotted(node):
            name = ast.unparse(node)
            if statement and isinstance(context, ast.Store):
                kind = "assigned"
            elif statement and name.count(".") == 1:
                kind = "read"
        case _:
            return None
    line, column = node.lineno, in_characters(lines[node.lineno - 1], node.col_offset)
    shown = line, column
    if isinstance(node, ast.Attribute):
        end = node.end_lineno or line
        after = in_characters(lines[end - 1], node.end_col_offset or 0)
        shown = end, after - len(node.attr)
    first = getattr(statement, "lineno", line)
    last = _last(statement or node)
    return Binding(function, name, 0, kind, line, column, first, last, shown, path)


def _numbered(places: Iterable[Binding]) -> Iterator[Binding]:
    r"""The bindings among the places of one function, each with its number."""
    bound = [place for place in places if place.kind != "used"]
    assigned = {place.name for place in bound if place.kind == "assigned"}
    seen: Counter[str] = Counter()
    for place in sorted(bound, key=lambda place: (place.line, place.column)):
        if place.kind != "read" or not (place.name in assigned or seen[place.name]):
            yield replace(place, ordinal=seen[place.name])
            seen[place.name] += 1


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


def uses(text: str, recorded: Collection[Key]) -> dict[tuple[int, int], Key]:
    r"""The key of the value of each name that has one, by its line and column.

    A dotted name stands where its last word does. `recorded` are the keys of the
    bindings that have a value.
    """
    lines = Source("", text).lines
    found: dict[tuple[int, int], Key] = {}
    for qualified, function in functions(ast.parse(text)):
        places = [*_places(qualified, function, lines)]
        own = [*_numbered(places)]
        bound = {(one.line, one.column, one.name): one.key for one in own}
        for place in places:
            key = bound.get((place.line, place.column, place.name))
            key = key or _value_of(place, own[::-1], recorded)
            if key is not None and key in recorded:
                found[place.shown] = key
    return found


def _value_of(
    use: Binding, above: Iterable[Binding], recorded: Collection[Key]
) -> Key | None:
    r"""The key of the value that a use has, by the rule of this module."""
    for binding in above:
        # An argument and an attribute have their values before their line runs.
        last = binding.last - (binding.kind in {"argument", "read"})
        if binding.name != use.name or last >= use.line:
            continue
        # In two branches of an `if`, of which one alone runs.
        pairs = zip(binding.path, use.path, strict=False)
        apart = any(a[:2] == b[:2] and a != b and a[0] == "If" for a, b in pairs)
        if binding.key in recorded and not apart:
            return binding.key
        if use.path[: len(binding.path)] == binding.path:
            return None
    return None


def is_dotted(node: ast.expr) -> bool:
    r"""Whether an expression is like `x` or `self.x`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)
