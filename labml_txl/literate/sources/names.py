"""# What the names in the code refer to

This module determines which definition each name in the code refers to, so that pages
can link it. It uses only the syntax, that is, imports, definitions and scopes, and does
not run the code. A local name of a function is not confused with others like it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from labml_txl.literate.sources.source import Source
from labml_txl.literate.sources.syntax import (
    Definition,
    convert_column,
    definitions,
    parse,
)


class Name(NamedTuple):
    """A name at its position in a file.

    `line` counts from 1, and `column` counts characters from 0. `target` is the full
    dotted name of what it refers to, or empty if that is not known.
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
    - `local`: the parameters, fields and variables of each of its scopes, by the
      qualified name of the scope;
    - `uses`: every name in the file, at its position.
    """

    name: str
    defines: tuple[str, ...] = ()
    imports: Mapping[str, str] = field(default_factory=dict)
    uses: tuple[Name, ...] = ()
    local: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @cached_property
    def all_local(self) -> frozenset[str]:
        """The local names of all scopes."""
        return frozenset(name for names in self.local.values() for name in names)

    def binds(self, name: str, scope: str) -> bool:
        """Whether a name is local in a class or function, or in what contains it.

        The parameters of a class are those of its `__init__`.
        """
        while scope:
            if any(name in self.local.get(s, ()) for s in (scope, f"{scope}.__init__")):
                return True
            scope = scope.rpartition(".")[0]
        return False


@dataclass(frozen=True)
class Index:
    """The modules of a site, in which dotted names are looked up."""

    modules: Mapping[str, Module] = field(default_factory=dict)

    def place(self, target: str) -> tuple[str, str] | None:
        """The module and the qualified name that a dotted name refers to, if any.

        If a package only imports the name, this is the module that defines it.
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

    def find(self, words: str, near: str, scope: str = "") -> tuple[str, str] | None:
        """The module and the name that `Memory.reset` in the text of a page refers to.

        The module of the page, `near`, is searched first, unless the name is local in
        `scope`, the class or function that the text belongs to. Of the others, exactly
        one may define the name, and it must not be a local name in `near`. If the page
        has no module, it must not be a local name in any module.
        """
        if not words.replace(".", "").replace("_", "").isalnum():
            return None
        known = self.modules.get(near)
        if known and known.binds(words, scope):
            return None
        if found := self.place(f"{near}.{words}"):
            return found
        if "." in words and (found := self.place(words)):
            return found
        if words in (known.all_local if known else self._local):
            return None
        found_at = self._definers.get(words, ())
        return (found_at[0], words) if len(found_at) == 1 else None

    @cached_property
    def _local(self) -> frozenset[str]:
        """The parameters and local names of all modules."""
        return frozenset[str]().union(*(m.all_local for m in self.modules.values()))

    @cached_property
    def _definers(self) -> Mapping[str, list[str]]:
        """The modules that define each qualified name."""
        found: dict[str, list[str]] = {}
        for module in self.modules.values():
            for name in dict.fromkeys(module.defines):
                found.setdefault(name, []).append(module.name)
        return found


# The names in a large module take much memory, so few modules are cached.
@lru_cache(maxsize=4)
def read_names(name: str, source: Source) -> Module:
    """Read the names of one module."""
    reader = _Reader(name, source)
    local = {scope: sorted(names) for scope, names in reader.local.items() if names}
    return Module(
        name, reader.defines, reader.scope.imports, tuple(reader.found), local
    )


def _read_imports(
    node: ast.Import | ast.ImportFrom, package: str
) -> Iterator[tuple[str, str]]:
    """The names that an import binds, each with the full name of what it imports."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            first = alias.name.partition(".")[0]
            yield alias.asname or first, alias.name if alias.asname else first
        return
    # In `from ..a import b`, one dot is the package itself, two are its parent.
    above = package.split(".")[: len(package.split(".")) - node.level + 1]
    base = ".".join(filter(None, (*above * bool(node.level), node.module)))
    for alias in node.names:
        yield alias.asname or alias.name, f"{base}.{alias.name}"


_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(eq=False)
class _Scope:
    """A module, a class or a function.

    - `node`: its syntax tree;
    - `qualified`: its qualified name, as `Memory.update`;
    - `bound`: the names that it binds;
    - `imports`: the full dotted name behind each name that it imports.

    The variable of a comprehension counts as bound in the whole function, because a
    name that may be local must not be linked to one of the module.

    The module `symtable` of Python was tried instead of `bind`. It was not shorter: its
    tables have no positions, so each must be matched to its node by order and name,
    comprehensions and type parameters are tables of their own in some versions and not
    in others, what an import means is not in them, and code that `ast` accepts, such as
    a `nonlocal` without its name, is refused.
    """

    node: ast.AST
    parent: _Scope | None = None
    qualified: str = ""
    bound: set[str] = field(default_factory=set)
    imports: dict[str, str] = field(default_factory=dict)

    @property
    def is_function(self) -> bool:
        """Whether it is a function, so that its names are local."""
        return isinstance(self.node, _FUNCTION)

    def home(self, name: str) -> _Scope:
        """The scope that binds a name which is used here; otherwise the module.

        The names of a class are visible in its body, but not in its methods.
        """
        scope = self
        while scope.parent is not None:
            if name in scope.bound and (scope is self or scope.is_function):
                return scope
            scope = scope.parent
        return scope

    @property
    def owner(self) -> _Scope | None:
        """The class of this method, if it is one."""
        around = self.parent
        is_method = (
            self.is_function and around and isinstance(around.node, ast.ClassDef)
        )
        return around if is_method else None

    def bind(self, package: str) -> None:
        """Add the names that this scope binds, without those of nested scopes."""
        waiting = [*ast.iter_child_nodes(self.node)][::-1]
        while waiting:
            match node := waiting.pop():
                case ast.Import() | ast.ImportFrom():
                    self.imports.update(_read_imports(node, package))
                    continue
                case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                    self.bound.add(name)
                case ast.MatchMapping(rest=str(name)):
                    self.bound.add(name)
                case object(name=str(name)):  # a definition, `as` or a type parameter
                    self.bound.add(name)
            if not isinstance(node, Definition | ast.Lambda):
                waiting += [*ast.iter_child_nodes(node)][::-1]
        self.bound |= self.imports.keys()


class _Reader:
    """Walks over a module and collects each name, with what it refers to."""

    def __init__(self, name: str, source: Source) -> None:
        self.found: list[Name] = []
        self._lines = source.lines
        self._module = name
        is_package = source.stem == "__init__"
        self._package = name if is_package else name.rpartition(".")[0]
        tree = parse(source)
        self.defines = tuple(
            ".".join(one.name for one in (*around, node))
            for node, around in definitions(tree)
            if all(isinstance(one, ast.ClassDef) for one in around)
        )
        self.scope = _Scope(tree)
        self.scope.bind(self._package)
        self.local = {"": self._local(self.scope)}
        # Without recursion, because the calls of a long chain are nested.
        waiting: list[tuple[ast.AST, _Scope]] = [(tree, self.scope)]
        while waiting:
            node, scope = waiting.pop()
            self._collect(node, scope)
            inner, body = self._open(node, scope)
            waiting += [
                (part, inner if part in body else scope)
                for part in ast.iter_child_nodes(node)
            ][::-1]

    def _open(self, node: ast.AST, scope: _Scope) -> tuple[_Scope, set[ast.AST]]:
        """The scope of a class or function, and the nodes inside it."""
        if not isinstance(node, Definition | ast.Lambda):
            return scope, set()
        names = (scope.qualified, getattr(node, "name", ""))
        inner = _Scope(node, scope, ".".join(filter(None, names)))
        inner.bind(self._package)
        self.local.setdefault(inner.qualified, set()).update(self._local(inner))
        return inner, {*node.body} if isinstance(node.body, list) else {node.body}

    def _local(self, scope: _Scope) -> set[str]:
        """The names that a scope binds to anything but a definition or an import."""
        defined = {name for name in scope.bound if self._own_name(name, scope)}
        return scope.bound - {*scope.imports} - defined

    def _collect(self, node: ast.AST, scope: _Scope) -> None:
        match node:
            case ast.Name(id=text):
                self._add(node.lineno, node.col_offset, text, self._target(node, scope))
            case ast.arg(arg=text):
                self._add(node.lineno, node.col_offset, text, "")
            case ast.Attribute(attr=text):
                end = (node.end_col_offset or 0) - len(text.encode())
                line = node.end_lineno or node.lineno
                self._add(line, end, text, self._target(node, scope))
            case ast.Import(names=names):
                for each in names:
                    if "." not in each.name:
                        self._add(each.lineno, each.col_offset, each.name, each.name)
            case ast.ImportFrom(names=names):
                for each in names:
                    target = self._meaning(each.asname or each.name, scope)
                    self._add(each.lineno, each.col_offset, each.name, target)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                word = "class" if isinstance(node, ast.ClassDef) else "def"
                written = self._lines[node.lineno - 1]
                after = written.find(word, node.col_offset) + len(word)
                if (start := written.find(node.name, after)) >= 0:
                    parts = (self._module, scope.qualified, node.name)
                    target = ".".join(filter(None, parts))
                    self.found.append(Name(node.lineno, start, node.name, target, True))

    def _add(self, line: int, byte: int, text: str, target: str) -> None:
        column = convert_column(self._lines[line - 1], byte)
        self.found.append(Name(line, column, text, target))

    def _target(self, node: ast.expr, scope: _Scope) -> str:
        """The dotted name that an expression like `F.pad` or `self.x` refers to."""
        words = list[str]()
        while isinstance(node, ast.Attribute):
            words.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        if node.id in ("self", "cls") and words:
            owner = scope.home(node.id).owner
            base = self._own_name(words.pop(0), owner) if owner else ""
        else:
            base = self._meaning(node.id, scope)
        return ".".join([base, *words]) if base else ""

    def _meaning(self, name: str, scope: _Scope) -> str:
        """The dotted name that a name refers to in a scope; empty if not known."""
        home = scope.home(name)
        if imported := home.imports.get(name):
            return imported
        return "" if home.is_function else self._own_name(name, home)

    def _own_name(self, name: str, scope: _Scope) -> str:
        """The dotted name of a definition in a class or the module; empty if none."""
        own = ".".join(filter(None, (scope.qualified, name)))
        return f"{self._module}.{own}" if own in self.defines else ""
