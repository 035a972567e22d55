r"""# What a name in the code stands for

A reader who meets a name wants to know where it comes from. This module finds it out
from the syntax alone: imports, definitions and scopes, without running the code. A name
that is local to a function is never taken for one of the same spelling elsewhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any, Literal, NamedTuple

from labml_txl.literate.sources.source import Source
from labml_txl.literate.sources.syntax import Definition, deeply, parse, statements


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
    defines = tuple(_defines(tree))
    reader = _Reader(source, name, package, defines)
    with deeply():
        reader.visit(tree)
    imports, local = reader.scope.imports, frozenset(reader.local)
    return Module(name, defines, imports, tuple(reader.found), local)


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


@dataclass(eq=False)
class _Scope:
    """A module, class, function or comprehension, or the type parameters of one.

    - `qualified`: the name of the class or function, as `Memory.update`;
    - `bound`: the names that it binds for itself;
    - `outer`: those that it declares to be the module's;
    - `imports`: the full dotted name behind each name that it imports.
    """

    kind: Literal["module", "class", "function", "comprehension", "types"]
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
                case ast.ListComp() | ast.SetComp() | ast.DictComp():
                    self.bound.update(_assigned_within(node))
                    continue
                case ast.GeneratorExp():
                    self.bound.update(_assigned_within(node))
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
            waiting.extend([*ast.iter_child_nodes(node)][::-1])


def _assigned_within(comprehension: ast.AST) -> Iterator[str]:
    """The names that `:=` within a comprehension binds around it."""
    for node in ast.walk(comprehension):
        if isinstance(node, ast.NamedExpr):
            yield node.target.id


class _Reader(ast.NodeVisitor):
    """Walks a module and writes down each name, with what it stands for."""

    def __init__(
        self, source: Source, name: str, package: str, defines: tuple[str, ...]
    ) -> None:
        self.found: list[Name] = []
        self.local: set[str] = set()
        self.scope = _Scope("module")
        self._lines = source.lines
        self._module = name
        self._package = package
        self._defines = set(defines)

    def _add(self, line: int, byte: int, text: str, target: str) -> None:
        # `ast` counts bytes, a page counts characters.
        written = self._lines[line - 1]
        column = byte if written.isascii() else _columns(written)[byte]
        self.found.append(Name(line, column, text, target))

    def _all(self, nodes: Iterable[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    @contextmanager
    def _within(
        self,
        kind: Literal["class", "function", "comprehension", "types"],
        name: str,
        bound: Iterable[str],
        body: Iterable[ast.AST] = (),
    ) -> Iterator[None]:
        """Walk what stands in a scope."""
        outer = self.scope
        qualified = ".".join(filter(None, (outer.qualified, name)))
        self.scope = _Scope(kind, outer, qualified, set(bound))
        self.scope.bind(body, self._package)
        yield
        if kind in ("function", "comprehension"):
            self.local |= self.scope.bound - self.scope.outer - {*self.scope.imports}
        self.scope = outer

    def visit_Module(self, node: ast.Module) -> None:
        self.scope.bind(node.body, self._package)
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        self._add(node.lineno, node.col_offset, node.id, self._target(node))

    def visit_arg(self, node: ast.arg) -> None:
        self._add(node.lineno, node.col_offset, node.arg, "")
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.visit(node.value)
        if node.end_lineno and node.end_col_offset is not None:
            byte = node.end_col_offset - len(node.attr.encode())
            self._add(node.end_lineno, byte, node.attr, self._target(node))

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if "." not in alias.name:
                self._add(alias.lineno, alias.col_offset, alias.name, alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            target = self._meaning(alias.asname or alias.name)
            self._add(alias.lineno, alias.col_offset, alias.name, target)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._define(node)
        with self._typed(node):
            self._all([*node.bases, *node.keywords])
            with self._within("class", node.name, (), node.body):
                self._all(node.body)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._function(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._define(node)
        self._all([*node.args.defaults, *node.args.kw_defaults])
        with self._typed(node):
            arguments = _arguments(node.args)
            self._all([*arguments, node.returns])
            bound = [each.arg for each in arguments]
            with self._within("function", node.name, bound, node.body):
                self._all(node.body)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._all([*node.args.defaults, *node.args.kw_defaults])
        arguments = _arguments(node.args)
        bound = [each.arg for each in arguments]
        with self._within("function", "", bound, [node.body]):
            self._all([*arguments, node.body])

    def visit_TypeAlias(self, node: Any) -> None:
        self.visit(node.name)
        with self._typed(node):
            self.visit(node.value)

    def _typed(self, node: Any) -> AbstractContextManager[None]:
        """The scope of type parameters, which Python has since 3.12."""
        parameters = getattr(node, "type_params", ())
        return self._within("types", "", [each.name for each in parameters])

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._comprehension(node, node.elt)

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._comprehension(node, node.elt)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._comprehension(node, node.elt)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension(node, node.key, node.value)

    def _comprehension(self, node: Any, *made: ast.expr) -> None:
        first, *others = node.generators
        # What is gone through first is looked up outside.
        self.visit(first.iter)
        targets = (n for each in node.generators for n in ast.walk(each.target))
        bound = (n.id for n in targets if isinstance(n, ast.Name))
        with self._within("comprehension", "", bound):
            self._all([first.target, *first.ifs, *others, *made])

    def _define(self, node: Definition) -> None:
        """Write down the name of a definition, and those of its decorators."""
        self._all(node.decorator_list)
        word = "class" if isinstance(node, ast.ClassDef) else "def"
        line = self._lines[node.lineno - 1]
        start = line.find(node.name, line.find(word, node.col_offset) + len(word))
        if start >= 0:
            parts = (self._module, self.scope.qualified, node.name)
            target = ".".join(filter(None, parts))
            self.found.append(Name(node.lineno, start, node.name, target, True))

    def _target(self, node: ast.expr) -> str:
        """The dotted name behind an expression such as `F.pad` or `self.scores`."""
        match node:
            case ast.Name(id=name):
                return self._meaning(name)
            case ast.Attribute(value=ast.Name(id="self" | "cls" as me)):
                owner = self.scope.home(me).owner
                return self._own(node.attr, owner) if owner else ""
            case ast.Attribute(value=value, attr=attribute):
                base = self._target(value)
                return f"{base}.{attribute}" if base else ""
        return ""

    def _meaning(self, name: str) -> str:
        """The dotted name that a name stands for where it is used, if that is known."""
        home = self.scope.home(name)
        if imported := home.imports.get(name):
            return imported
        return self._own(name, home) if home.kind in ("module", "class") else ""

    def _own(self, name: str, scope: _Scope) -> str:
        """The dotted name of what a class or the module itself defines."""
        own = ".".join(filter(None, (scope.qualified, name)))
        return f"{self._module}.{own}" if own in self._defines else ""


def _arguments(given: ast.arguments) -> list[ast.arg]:
    return [node for node in ast.iter_child_nodes(given) if isinstance(node, ast.arg)]
