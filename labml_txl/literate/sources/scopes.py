r"""# Which scope a name belongs to

The same spelling can mean different things in one file: a module that is imported, the
argument of a lambda, the variable of a loop within brackets, an error that is caught.
Python's own `symtable` knows for every scope which names are bound in it. Here each
name in the syntax of a module is brought together with its scope.

A scope has its own names only. A name that it does not bind is looked up in the
functions around it and then in the module, never in a class around it.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from labml_txl.literate.sources.source import Source, UnreadableError
from labml_txl.literate.sources.syntax import deeply, parts, unwarned


@dataclass(frozen=True, eq=False)
class Scope:
    """A module, class, function or comprehension, with the scope around it.

    `qualified` is the name of the class or function, for example `Memory.update`; that
    of a module is empty. `variables` holds what a comprehension binds: since Python
    3.12, most of them have no table of their own.
    """

    table: symtable.SymbolTable
    parent: Scope | None = None
    qualified: str = ""
    variables: frozenset[str] | None = None

    def home(self, name: str) -> Scope:
        """The scope that binds a name which is used here; at the last, the module."""
        scope, direct = self, True
        while scope.parent is not None:
            if scope.variables is not None:
                if name in scope.variables:
                    return scope
            elif direct or not scope.is_class:
                symbol = _symbol(scope.table, name)
                if symbol and symbol.is_global():
                    return scope.module
                if symbol and symbol.is_local():
                    return scope
            # The scope of type parameters is part of the one around it.
            direct = not (scope.is_class or scope.is_function)
            scope = scope.parent
        return scope

    @property
    def is_class(self) -> bool:
        """Whether this is the body of a class."""
        return self.variables is None and isinstance(self.table, symtable.Class)

    @property
    def is_function(self) -> bool:
        """Whether this is a function, a lambda or a comprehension."""
        return self.variables is not None or isinstance(self.table, symtable.Function)

    @property
    def local(self) -> frozenset[str]:
        """The names that this binds for itself, parameters too, but for imports."""
        symbols = self.table.get_symbols()
        bound = (s.get_name() for s in symbols if s.is_local() and not s.is_imported())
        return frozenset(bound) | (self.variables or frozenset())

    @property
    def is_named(self) -> bool:
        """Whether what this binds has a full name: in the module or a class."""
        return self.is_class or self.parent is None

    @property
    def module(self) -> Scope:
        """The outermost scope."""
        return self.parent.module if self.parent else self

    @property
    def owner(self) -> Scope | None:
        """The class that this function is a method of, if it is one."""
        around = self.parent if self.variables is None else None
        while around and not (around.is_class or around.is_function):
            around = around.parent
        return around if self.is_function and around and around.is_class else None


def _symbol(table: symtable.SymbolTable, name: str) -> symtable.Symbol | None:
    try:
        return table.lookup(name)
    except KeyError:
        return None


def scopes(source: Source, tree: ast.Module) -> Mapping[ast.AST, Scope]:
    """The scope of every name, import and definition in the syntax of a source.

    A definition stands with the scope that it opens. Raises `UnreadableError` for a
    source that Python reads but cannot compile.
    """
    try:
        with unwarned():
            table = symtable.symtable(source.text, source.path, "exec")
    except SyntaxError as error:
        message = f"not valid Python: {error.msg}"
        raise UnreadableError(source.path, error.lineno or 1, message) from None
    except (RecursionError, MemoryError) as error:
        raise UnreadableError(source.path, 1, f"not valid Python: {error}") from None
    walker = _Walker(Scope(table))
    with deeply():
        walker.visit(tree)
    return walker.found


_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp


class _Walker(ast.NodeVisitor):
    """Walks through a module in the order in which Python opens its scopes."""

    def __init__(self, module: Scope) -> None:
        self.found: dict[ast.AST, Scope] = {}
        self._scope = module
        # The scopes that are not opened yet, by the table around them.
        self._waiting: dict[int, list[symtable.SymbolTable]] = {}

    def visit(self, node: ast.AST) -> None:
        """Note the scope of a node; its own scope, if it opens one."""
        self.found[node] = self._scope
        super().visit(node)

    def generic_visit(self, node: ast.AST) -> None:
        """Visit what a node is made of."""
        self._all(parts(node))

    def _all(self, nodes: Iterable[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    @contextmanager
    def _opened(self, name: str, line: int, kind: type) -> Iterator[Scope]:
        """The scope of a name that begins at a line, while its inside is walked."""
        outer, table = self._scope, self._scope.table
        if id(table) not in self._waiting:
            self._waiting[id(table)] = [*table.get_children()]
        waiting = self._waiting[id(table)]
        fitting = (
            one
            for one in waiting
            if (one.get_name().strip("<>"), one.get_lineno()) == (name, line)
            and (type(one) is kind)
        )
        if found := next(fitting, None):
            waiting.remove(found)
            named = kind is not symtable.SymbolTable and name.isidentifier()
            within = ".".join(filter(None, (outer.qualified, name if named else "")))
            self._scope = Scope(found, outer, within)
        yield self._scope
        self._scope = outer

    @contextmanager
    def _typed(self, node: ast.AST, name: str) -> Iterator[None]:
        """The scope of type parameters, which Python has since 3.12."""
        parameters = getattr(node, "type_params", ())
        if not parameters:
            yield
            return
        with self._opened(name, getattr(node, "lineno", 0), symtable.SymbolTable):
            self._all(parameters)
            yield

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._function(node)

    def _function(self, node: _Function) -> None:
        given = node.args
        self._all([*node.decorator_list, *given.defaults, *given.kw_defaults])
        with self._typed(node, node.name):
            self._all(child for child in ast.walk(given) if isinstance(child, ast.arg))
            self._all([node.returns])
            with self._opened(node.name, node.lineno, symtable.Function) as scope:
                self.found[node] = scope
                self._all(node.body)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._all(node.decorator_list)
        with self._typed(node, node.name):
            self._all([*node.bases, *node.keywords])
            with self._opened(node.name, node.lineno, symtable.Class) as scope:
                self.found[node] = scope
                self._all(node.body)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._all([*node.args.defaults, *node.args.kw_defaults])
        with self._opened("lambda", node.lineno, symtable.Function):
            self._all([node.body])

    def visit_TypeAlias(self, node: ast.AST) -> None:
        alias = getattr(node, "name", None)
        self._all([alias])
        with self._typed(node, getattr(alias, "id", "")):
            self._all([getattr(node, "value", None)])

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._comprehension("listcomp", node, [node.elt])

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._comprehension("setcomp", node, [node.elt])

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._comprehension("genexpr", node, [node.elt])

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension("dictcomp", node, [node.value, node.key])

    def _comprehension(
        self, name: str, node: _Comprehension | ast.DictComp, made: list[ast.expr]
    ) -> None:
        first, *others = node.generators
        # What is gone through first is looked up outside.
        self.visit(first.iter)
        outer = self._scope
        with self._opened(name, node.lineno, symtable.Function) as opened:
            bound = frozenset(_bound(node.generators))
            self._scope = Scope(opened.table, outer, variables=bound)
            self._all([first.target, *first.ifs, *others, *made])


def _bound(generators: list[ast.comprehension]) -> Iterator[str]:
    """The variables of a comprehension."""
    for generator in generators:
        for node in ast.walk(generator.target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id
