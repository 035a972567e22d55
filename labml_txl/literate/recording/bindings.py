"""# Bindings

A *binding* is a place in a function where a name gets a value. A recording stores the
values of bindings, and a page shows them at its lines. If two lines assign to `scores`,
these are two bindings, each with its own value.

The key of a binding consists of the qualified name of its function, its name, and its
number among the bindings of that name there, from 0, in the order of the text. It does
not contain the line, so that records remain valid when comments are added. For the same
reason, `hash_code` is a hash of the code without comments and docstrings.

`find_uses` determines which value the page shows where a name is used further down:
that of the last binding above it in the function. A binding without a recorded value
may not have run, if it is in a branch that does not contain the use; then the binding
before it counts. If it must have run, its value was not recorded, and the use has no
value.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Literal

from labml_txl.literate.sources.source import Source
from labml_txl.literate.sources.syntax import Definition, convert_column, definitions

# An argument is bound when the function is called, a name or an attribute when it is
# assigned to, an attribute that the function only reads where it is read first, and the
# returned value when the function returns. A name that is only used is not bound.
Kind = Literal["argument", "assigned", "read", "returned", "used"]

# The name of the returned value.
RETURNED = "return"

# The key of a binding: its function, its name, its number.
Key = tuple[str, str, int]

_Function = ast.FunctionDef | ast.AsyncFunctionDef

_Path = tuple[tuple[str, int, str], ...]


@dataclass(frozen=True)
class Binding:
    """A place in a module where a name gets a value.

    - `function`: the qualified name of the function, as Python writes it
      (`Attention.forward`, `outer.<locals>.inner`);
    - `name`: `x`, `self.x`, or `return`;
    - `ordinal`: its number among the bindings of that name in the function, from 0;
    - `line`, `column`: the position of the name, the line from 1, the column from 0, in
      characters; `shown`: the position of its last part;
    - `first`, `last`: the lines of the statement that it belongs to;
    - `path`: the statements around it, each with its field that contains the binding.
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
        """The key, which does not depend on the line."""
        return self.function, self.name, self.ordinal


def find_bindings(text: str) -> tuple[Binding, ...]:
    """The bindings in the functions of a module, in the order of the text.

    An attribute such as `self.content_bias`, which a function reads but never assigns
    to, is bound where it is read first. The variables of comprehensions are left out,
    because they have no value after their line.
    """
    lines = Source("", text).lines
    return tuple(
        binding
        for qualified, function in find_functions(ast.parse(text))
        for binding in _number(_find_places(qualified, function, lines))
    )


def hash_code(text: str) -> str:
    """A hash of the code of a module without its comments and docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | Definition) and (
            ast.get_docstring(node) is not None
        ):
            del node.body[0]
    return sha256(repr(_form(tree)).encode()).hexdigest()[:16]


def _form(node: object) -> object:
    """A tree without its empty fields, in which versions of Python differ."""
    if isinstance(node, list):
        return [_form(part) for part in node]
    if not isinstance(node, ast.AST):
        return node
    given = ((name, _form(part)) for name, part in ast.iter_fields(node))
    return type(node).__name__, *(
        (n, part) for n, part in given if part not in ([], None)
    )


def find_functions(tree: ast.Module) -> Iterator[tuple[str, _Function]]:
    """The functions of a module, with their qualified names."""
    for node, around in definitions(tree):
        if isinstance(node, _Function):
            inside = (
                f"{one.name}.{'<locals>.' * isinstance(one, _Function)}"
                for one in around
            )
            yield f"{''.join(inside)}{node.name}", node


_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def _find_places(
    function: str,
    node: ast.AST,
    lines: list[str],
    statement: ast.AST | None = None,
    path: _Path = (),
    hidden: frozenset[str] = frozenset(),
) -> Iterator[Binding]:
    """The names below a node, plain or dotted, and each `return`.

    Those in nested functions and classes are left out. `hidden` are the names that a
    lambda or a comprehension binds for itself. If `statement` is `None`, as in a
    lambda, names are only used.
    """
    for part, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, Definition):
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
                    around = None  # `self.x.y = 1` does not read `self.x`.
            yield from _find_places(function, child, lines, around, way, own)


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
        case ast.Name(ctx=context) | ast.Attribute(ctx=context):
            name = ast.unparse(node)
            if not name.replace(".", "").isidentifier():
                return None
            if statement and isinstance(context, ast.Store):
                kind = "assigned"
            elif statement and name.count(".") == 1:
                kind = "read"
        case _:
            return None
    line, column = node.lineno, convert_column(lines[node.lineno - 1], node.col_offset)
    shown = line, column
    if isinstance(node, ast.Attribute):
        end = node.end_lineno or line
        after = convert_column(lines[end - 1], node.end_col_offset or 0)
        shown = end, after - len(node.attr)
    first = getattr(statement, "lineno", line)
    last = _last(statement or node)
    return Binding(function, name, 0, kind, line, column, first, last, shown, path)


def _number(places: Iterable[Binding]) -> Iterator[Binding]:
    """The bindings among the places of one function, each with its number."""
    bound = [place for place in places if place.kind != "used"]
    assigned = {place.name for place in bound if place.kind == "assigned"}
    seen: Counter[str] = Counter()
    for place in sorted(bound, key=lambda place: (place.line, place.column)):
        if place.kind != "read" or not (place.name in assigned or seen[place.name]):
            yield replace(place, ordinal=seen[place.name])
            seen[place.name] += 1


def _last(statement: ast.AST) -> int:
    """The last line of a statement, or of its header if it has a body."""
    first: int = getattr(statement, "lineno", 1)
    body: list[ast.AST] = getattr(statement, "body", [])
    if isinstance(statement, ast.Match):
        body = [statement.cases[0].pattern]
    if body:
        return max(first, getattr(body[0], "lineno", first) - 1)
    last: int = getattr(statement, "end_lineno", None) or first
    return last


def find_uses(text: str, recorded: Collection[Key]) -> dict[tuple[int, int], Key]:
    """The key of the value of each name that has one, by line and column of the name.

    For a dotted name, this is the position of its last part. `recorded` are the keys of
    the bindings that have a value.
    """
    lines = Source("", text).lines
    found: dict[tuple[int, int], Key] = {}
    for qualified, function in find_functions(ast.parse(text)):
        places = [*_find_places(qualified, function, lines)]
        own = [*_number(places)]
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
    """The key of the value that a use shows, see the docstring of the module."""
    for binding in above:
        # Arguments and attributes have their values before their line runs.
        last = binding.last - (binding.kind in {"argument", "read"})
        if binding.name != use.name or last >= use.line:
            continue
        # Two branches of an `if` never run both.
        pairs = zip(binding.path, use.path, strict=False)
        apart = any(a[:2] == b[:2] and a != b and a[0] == "If" for a, b in pairs)
        if binding.key in recorded and not apart:
            return binding.key
        if use.path[: len(binding.path)] == binding.path:
            return None
    return None
