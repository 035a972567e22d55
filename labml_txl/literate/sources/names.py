r"""# What a name in the code stands for

A reader who meets a name wants to know where it comes from. This module finds it out
from the syntax alone: imports, definitions and scopes, without running the code. A name
that is local to a function is never taken for one of the same spelling elsewhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import NamedTuple

from labml_txl.literate.sources.scopes import Scope, scopes
from labml_txl.literate.sources.source import Source
from labml_txl.literate.sources.syntax import (
    Definition,
    deeply,
    parse,
    parts,
    statements,
)


class Name(NamedTuple):
    """A name at its place in a file.

    `line` counts from 1 and `column` in characters from 0. `target` is the full dotted
    name of what it stands for, or empty where that is not known.
    """

    line: int
    column: int
    text: str
    target: str = ""
    defined: bool = False


@dataclass(frozen=True)
class Module:
    """The names of a module: what it defines, imports and uses.

    - `name`: its dotted name;
    - `defines`: the qualified names of its classes, functions and methods;
    - `imports`: the full dotted name behind each imported name;
    - `local`: the parameters and other local names of its functions;
    - `uses`: every name in the file, at its place.
    """

    name: str
    defines: tuple[str, ...] = ()
    imports: Mapping[str, str] = field(default_factory=dict)
    uses: tuple[Name, ...] = ()
    local: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Index:
    """The modules of a site: finds the place of a dotted name."""

    modules: Mapping[str, Module] = field(default_factory=dict)

    def place(self, target: str) -> tuple[str, str] | None:
        """The module and the qualified name that a dotted name leads to, if any.

        A name that a package only passes on is followed to where it is defined.
        """
        for _ in self.modules:
            module, qualified = self._module_of(target)
            if module is None or qualified in module.defines or not qualified:
                return (module.name, qualified) if module else None
            first, _, rest = qualified.partition(".")
            if first not in module.imports:
                return None
            target = ".".join(filter(None, (module.imports[first], rest)))
        return None

    def _module_of(self, target: str) -> tuple[Module | None, str]:
        parts = target.split(".")
        for size in range(len(parts), 0, -1):
            if module := self.modules.get(".".join(parts[:size])):
                return module, ".".join(parts[size:])
        return None, ""

    def find(self, words: str, near: str) -> tuple[str, str] | None:
        """The place that words such as `Memory.reset` mean on the page of a module.

        The module itself comes first, then the others; there, the words must mean one
        thing only. A parameter or local name of the module is never taken for what
        another module defines; on a page of no module, nor is one of any module.
        """
        if not words.replace(".", "").replace("_", "").isalnum():
            return None
        if found := self.place(f"{near}.{words}"):
            return found
        if "." in words and (found := self.place(words)):
            return found
        known = self.modules.get(near)
        if words in (known.local if known else self._local):
            return None
        found_at = self._definers.get(words, ())
        return (found_at[0], words) if len(found_at) == 1 else None

    @cached_property
    def _local(self) -> frozenset[str]:
        """The parameters and local names of all modules."""
        return frozenset[str]().union(*(m.local for m in self.modules.values()))

    @cached_property
    def _definers(self) -> Mapping[str, list[str]]:
        """The modules that define a qualified name."""
        found: dict[str, list[str]] = {}
        for module in self.modules.values():
            for name in dict.fromkeys(module.defines):
                found.setdefault(name, []).append(module.name)
        return found


def index_modules(sources: Iterable[tuple[str, Source]]) -> Index:
    """Read the names of many modules, each given with its dotted name."""
    return Index({name: module(name, source) for name, source in sources})


# The names that a large module uses take much room.
@lru_cache(maxsize=4)
def module(name: str, source: Source) -> Module:
    """Read the names of one module."""
    tree = parse(source)
    package = name if source.stem == "__init__" else name.rpartition(".")[0]
    found = scopes(source, tree)
    defines = tuple(_defines(tree))
    known: dict[Scope, dict[str, str]] = {}
    for node, scope in found.items():
        if isinstance(node, ast.Import | ast.ImportFrom):
            for bound, target in _imports(node, package):
                known.setdefault(scope.home(bound), {})[bound] = target
    top = found[tree]
    reader = _Reader(source, name, known, defines, found)
    with deeply():
        reader.visit(tree)
    local = (scope.local for scope in set(found.values()) if scope.is_function)
    imports, uses = known.get(top, {}), tuple(reader.found)
    return Module(name, defines, imports, uses, frozenset[str]().union(*local))


def _imports(
    node: ast.Import | ast.ImportFrom, package: str
) -> Iterator[tuple[str, str]]:
    """The names that an import binds, each with the full name of what it stands for."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            first = alias.name.partition(".")[0]
            yield alias.asname or first, alias.name if alias.asname else first
        return
    # `from ..a import b`: a dot is the package itself, each further one is one
    # package up.
    above = package.split(".")[: len(package.split(".")) - node.level + 1]
    base = ".".join(filter(None, (*above * bool(node.level), node.module)))
    for alias in node.names:
        yield alias.asname or alias.name, f"{base}.{alias.name}"


def _defines(tree: ast.AST, scope: str = "") -> Iterator[str]:
    for node in statements(tree):
        if isinstance(node, Definition):
            yield scope + node.name
            if isinstance(node, ast.ClassDef):
                yield from _defines(node, f"{scope}{node.name}.")
        else:
            yield from _defines(node, scope)


# A line is read to its end before the next.
@lru_cache(maxsize=4)
def _columns(line: str) -> Mapping[int, int]:
    """The column of each character of a line, by its byte."""
    starts = accumulate((len(sign.encode()) for sign in line), initial=0)
    return {byte: column for column, byte in enumerate(starts)}


class _Reader(ast.NodeVisitor):
    """Walks a module and writes down each name, with what it stands for."""

    def __init__(
        self,
        source: Source,
        name: str,
        imports: Mapping[Scope, Mapping[str, str]],
        defines: tuple[str, ...],
        found: Mapping[ast.AST, Scope],
    ) -> None:
        self.found: list[Name] = []
        self._lines = source.lines
        self._module = name
        self._imports = imports
        self._defines = set(defines)
        self._scope_of = found
        self._names: list[str] = []

    def generic_visit(self, node: ast.AST) -> None:
        """Visit what a node is made of."""
        for child in parts(node):
            self.visit(child)

    def _add(self, line: int, byte: int, text: str, target: str, new: bool) -> None:
        # `ast` counts bytes, a page counts characters.
        written = self._lines[line - 1]
        column = byte if written.isascii() else _columns(written)[byte]
        self.found.append(Name(line, column, text, target, new))

    def visit_Name(self, node: ast.Name) -> None:
        self._add(node.lineno, node.col_offset, node.id, self._target(node), False)

    def visit_arg(self, node: ast.arg) -> None:
        self._add(node.lineno, node.col_offset, node.arg, "", False)
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.visit(node.value)
        if node.end_lineno and node.end_col_offset is not None:
            byte = node.end_col_offset - len(node.attr.encode())
            self._add(node.end_lineno, byte, node.attr, self._target(node), False)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if "." not in alias.name:
                self._add(alias.lineno, alias.col_offset, alias.name, alias.name, False)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            target = self._meaning(alias.asname or alias.name, self._scope_of[node])
            self._add(alias.lineno, alias.col_offset, alias.name, target, False)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._definition(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._definition(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._definition(node)

    def _definition(self, node: Definition) -> None:
        for decorator in node.decorator_list:
            self.visit(decorator)
        word = "class" if isinstance(node, ast.ClassDef) else "def"
        line = self._lines[node.lineno - 1]
        start = line.find(node.name, line.find(word, node.col_offset) + len(word))
        qualified = ".".join([*self._names, node.name])
        if start >= 0:
            target = f"{self._module}.{qualified}"
            self.found.append(Name(node.lineno, start, node.name, target, True))
        self._names.append(node.name)
        for child in ast.iter_child_nodes(node):
            if child not in node.decorator_list:
                self.visit(child)
        self._names.pop()

    def _target(self, node: ast.expr) -> str:
        """The dotted name behind an expression such as `F.pad` or `self.scores`."""
        match node:
            case ast.Name(id=name):
                return self._meaning(name, self._scope_of[node])
            case ast.Attribute(value=ast.Name(id="self" | "cls" as me) as it):
                owner = self._scope_of[it].home(me).owner
                return self._own(node.attr, owner) if owner else ""
            case ast.Attribute(value=value, attr=attribute):
                base = self._target(value)
                return f"{base}.{attribute}" if base else ""
        return ""

    def _meaning(self, name: str, scope: Scope) -> str:
        """The dotted name that a name stands for where it is used, if that is known."""
        home = scope.home(name)
        imported = self._imports.get(home, {}).get(name)
        return imported or (self._own(name, home) if home.is_named else "")

    def _own(self, name: str, scope: Scope) -> str:
        """The dotted name of what a class or the module itself defines."""
        own = ".".join(filter(None, (scope.qualified, name)))
        return f"{self._module}.{own}" if own in self._defines else ""
