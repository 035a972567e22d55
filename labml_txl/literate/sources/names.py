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
from typing import Literal, NamedTuple

from labml_txl.literate.sources.source import Source
from labml_txl.literate.sources.syntax import (
    Definition,
    in_characters,
    parse,
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


# The names that a large module uses take much memory.
@lru_cache(maxsize=4)
def module(name: str, source: Source) -> Module:
    """Read the names of one module."""
    reader = _Reader(name, source)
    uses, local = tuple(reader.found), frozenset(reader.local)
    return Module(name, reader.defines, reader.scope.imports, uses, local)


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


_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass(eq=False)
class _Scope:
    """A module, class or function (a comprehension is one), or type parameters.

    - `qualified`: the name of the class or function, as `Memory.update`;
    - `bound`: the names that it binds for itself;
    - `outer`: those that it declares to be the module's;
    - `imports`: the full dotted name behind each name that it imports.
    """

    kind: Literal["module", "class", "function", "types"]
    parent: _Scope | None = None
    qualified: str = ""
    bound: set[str] = field(default_factory=set)
    outer: set[str] = field(default_factory=set)
    imports: dict[str, str] = field(default_factory=dict)

    def home(self, name: str) -> _Scope:
        """The scope that binds a name which is used here; at the last, the module.

        A name of a class is known in its own body, and not in the functions there.
        """
        scope, direct = self, True
        while scope.parent is not None:
            if name in scope.outer:
                return scope.module
            if name in scope.bound and (direct or scope.kind != "class"):
                return scope
            direct = direct and scope.kind == "types"
            scope = scope.parent
        return scope

    @property
    def module(self) -> _Scope:
        """The outermost scope."""
        return self.parent.module if self.parent else self

    @property
    def owner(self) -> _Scope | None:
        """The class that this function is a method of, if it is one."""
        around = self.parent
        while around and around.kind == "types":
            around = around.parent
        is_method = self.kind == "function" and around and around.kind == "class"
        return around if is_method else None

    def bind(self, nodes: Iterable[ast.AST], package: str) -> None:
        """Add what the syntax of this scope binds, but for the scopes within it."""
        waiting = [*nodes][::-1]
        while waiting:
            node = waiting.pop()
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    self.bound.add(node.name)
                    continue
                case ast.Lambda():
                    continue
                case _ if isinstance(node, _Comprehension):
                    # What `:=` in it binds, it binds around it.
                    within = ast.walk(node)
                    waiting += [
                        n.target for n in within if isinstance(n, ast.NamedExpr)
                    ]
                    continue
                case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                    self.bound.add(name)
                case ast.ExceptHandler(name=str(name)) | ast.MatchStar(name=str(name)):
                    self.bound.add(name)
                case ast.MatchAs(name=str(name)) | ast.MatchMapping(rest=str(name)):
                    self.bound.add(name)
                case ast.Global(names=names):
                    self.outer.update(names)
                case ast.Import() | ast.ImportFrom():
                    for name, target in _imports(node, package):
                        home = self.module if name in self.outer else self
                        home.imports[name] = target
                        home.bound.add(name)
            waiting += [*ast.iter_child_nodes(node)][::-1]


class _Reader:
    """Walks a module and writes down each name, with what it stands for."""

    def __init__(self, name: str, source: Source) -> None:
        self.found: list[Name] = []
        self.local: set[str] = set()
        self._lines = source.lines
        self._module = name
        is_package = source.stem == "__init__"
        self._package = name if is_package else name.rpartition(".")[0]
        tree = parse(source)
        self.defines = tuple(_defines(tree))
        self.scope = _Scope("module")
        self.scope.bind(tree.body, self._package)
        # Without recursion: in a long chain of calls, each is a part of the next.
        waiting: list[tuple[ast.AST, _Scope]] = [(tree, self.scope)]
        while waiting:
            node, scope = waiting.pop()
            self._write_down(node, scope)
            waiting += [*self._parts(node, scope)][::-1]

    def _parts(self, node: ast.AST, scope: _Scope) -> Iterator[tuple[ast.AST, _Scope]]:
        """The parts of a piece of syntax, each with the scope that it stands in."""
        if parameters := getattr(node, "type_params", ()):  # since Python 3.12
            names = {each.name for each in parameters}
            scope = _Scope("types", scope, scope.qualified, names)
        if isinstance(node, _Comprehension):
            # What is gone through first is looked up outside.
            first = node.generators[0]
            yield first.iter, scope
            inner = self._open(scope, node, [each.target for each in node.generators])
            rest = (part for part in ast.iter_child_nodes(node) if part is not first)
            for part in (first.target, *first.ifs, *rest):
                yield part, inner
            return
        body = list[ast.AST]()
        if isinstance(node, Definition | ast.Lambda):
            body = [*node.body] if isinstance(node.body, list) else [node.body]
        inner, within = self._open(scope, node, body) if body else scope, {*body}
        for part in ast.iter_child_nodes(node):
            yield part, inner if part in within else scope

    def _open(self, scope: _Scope, node: ast.AST, body: Iterable[ast.AST]) -> _Scope:
        """The scope of a class, a function or a comprehension."""
        names = (scope.qualified, getattr(node, "name", ""))
        inner = _Scope("function", scope, ".".join(filter(None, names)))
        if arguments := getattr(node, "args", None):
            given = ast.iter_child_nodes(arguments)
            inner.bound.update(n.arg for n in given if isinstance(n, ast.arg))
        inner.bind(body, self._package)
        if isinstance(node, ast.ClassDef):
            inner.kind = "class"
        else:
            self.local |= inner.bound - inner.outer - {*inner.imports}
        return inner

    def _write_down(self, node: ast.AST, scope: _Scope) -> None:
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
        column = in_characters(self._lines[line - 1], byte)
        self.found.append(Name(line, column, text, target))

    def _target(self, node: ast.expr, scope: _Scope) -> str:
        """The dotted name behind an expression such as `F.pad` or `self.scores`."""
        words = list[str]()
        while isinstance(node, ast.Attribute):
            words.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        if node.id in ("self", "cls") and words:
            owner = scope.home(node.id).owner
            base = self._own(words.pop(0), owner) if owner else ""
        else:
            base = self._meaning(node.id, scope)
        return ".".join([base, *words]) if base else ""

    def _meaning(self, name: str, scope: _Scope) -> str:
        """The dotted name that a name stands for where it is used, if that is known."""
        home = scope.home(name)
        if imported := home.imports.get(name):
            return imported
        return self._own(name, home) if home.kind in ("module", "class") else ""

    def _own(self, name: str, scope: _Scope) -> str:
        """The dotted name of what a class or the module itself defines."""
        own = ".".join(filter(None, (scope.qualified, name)))
        return f"{self._module}.{own}" if own in self.defines else ""
