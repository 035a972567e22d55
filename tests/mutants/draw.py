"""Small faults, put into the code by chance.

A mutant is the code with one fault of the kind that people make: a comparison that is
off by one, a condition that is turned round, a step that is left out. The text of a
file is changed in one place, so its comments, notes and lines stay as they are.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
_COMPUTED: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "+",
    ast.BitOr: "&",
    ast.BitAnd: "|",
}
# What a function cannot do without says nothing about the tests.
_IDLE = (ast.Pass, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Mutant:
    """One change: what stands from `start` to `end` of a file becomes `new`.

    `line` counts from 1, and `function` is the qualified name of where it stands.
    """

    path: str
    function: str
    line: int
    start: int
    end: int
    old: str
    new: str

    @property
    def name(self) -> str:
        """The change in one line, without its place in the file."""
        old, new = (" ".join(text.split()) for text in (self.old, self.new))
        return f"{self.path}: {self.function}: {old} → {new}"

    def of(self, text: str) -> str:
        """The text of the file with the fault in it."""
        data = text.encode()
        assert data[self.start : self.end].decode() == self.old
        return (data[: self.start] + self.new.encode() + data[self.end :]).decode()


def draw(root: Path, files: Iterable[Path], count: int, seed: int) -> list[Mutant]:
    """So many mutants, by chance: a function first, so that long ones weigh no more."""
    texts = {
        file.relative_to(root).as_posix(): file.read_text(encoding="utf-8")
        for file in sorted(files)
    }
    functions: dict[tuple[str, str], list[Mutant]] = {}
    for path, text in texts.items():
        for mutant in mutants(path, text):
            functions.setdefault((path, mutant.function), []).append(mutant)
    chance, drawn = random.Random(seed), list[Mutant]()
    for function in chance.sample(sorted(functions), len(functions)):
        choice = chance.choice(functions[function])
        if len(drawn) < count and _is_another(texts[choice.path], choice):
            drawn.append(choice)
    return drawn


def mutants(path: str, text: str) -> Iterator[Mutant]:
    """Every mutant of a module that may be made, in the order of its functions."""
    lines = [0]
    for line in text.encode().splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    data = text.encode()

    def place(line: int, column: int) -> int:
        return lines[line - 1] + column

    for name, function in _functions(ast.parse(text)):
        for first, last, instead in _changes(function, text):
            start, end = place(*first), place(*last)
            old = data[start:end].decode()
            new = instead.replace("{}", old)
            yield Mutant(path, name, first[0], start, end, old, new)


def _is_another(text: str, mutant: Mutant) -> bool:
    """Whether the change leaves a program, and another one."""
    try:
        changed = ast.parse(mutant.of(text))
    except SyntaxError:
        return False
    return ast.dump(changed) != ast.dump(ast.parse(text))


Place = tuple[int, int]


def _functions(
    tree: ast.AST, within: str = ""
) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            name = f"{within}{node.name}"
            if isinstance(node, ast.FunctionDef):
                yield name, node
            yield from _functions(node, f"{name}.")
        else:
            yield from _functions(node, within)


def _changes(
    function: ast.FunctionDef, text: str
) -> Iterator[tuple[Place, Place, str]]:
    """From where to where something is changed, and what stands there instead.

    `{}` is what stood there before.
    """
    for node in _own(function):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for before, sign, after in zip(sides, node.ops, sides[1:], strict=False):
                yield *_between(before, after, text), f" {_COMPARED[type(sign)]} "
        elif isinstance(node, ast.BoolOp):
            new = " or " if isinstance(node.op, ast.And) else " and "
            yield *_between(node.values[0], node.values[1], text), new
        elif isinstance(node, ast.BinOp) and type(node.op) in _COMPUTED:
            new = f" {_COMPUTED[type(node.op)]} "
            yield *_between(node.left, node.right, text), new
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield _start(node), _start(node.operand), ""
        elif isinstance(node, ast.If | ast.While | ast.IfExp):
            yield _start(node.test), _end(node.test), "not ({})"
        elif isinstance(node, ast.Constant) and not isinstance(node.value, str | bytes):
            yield _start(node), _end(node), _other(node.value)
        elif isinstance(node, ast.Return) and node.value is not None:
            if not (isinstance(node.value, ast.Constant) and node.value.value is None):
                yield _start(node.value), _end(node.value), "None"
        elif isinstance(node, ast.Expr | ast.AugAssign | ast.Raise | ast.Delete):
            if not (isinstance(node, ast.Expr) and _is_said(node)):
                yield _start(node), _end(node), "pass"
        elif isinstance(node, ast.Break | ast.Continue):
            new = "continue" if isinstance(node, ast.Break) else "break"
            yield _start(node), _end(node), new


def _own(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of a function's body, without functions within and formatted text."""
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, ast.JoinedStr):
            waiting += [
                child
                for child in ast.iter_child_nodes(node)
                if not isinstance(child, _IDLE)
                and not (isinstance(node, ast.AnnAssign) and child is node.annotation)
            ]


def _is_said(node: ast.Expr) -> bool:
    """Whether a statement is a docstring, or `...`."""
    return isinstance(node.value, ast.Constant | ast.Yield | ast.YieldFrom)


def _other(value: object) -> str:
    if isinstance(value, bool):
        return str(not value)
    if value is None or value is ...:
        return "..." if value is None else "None"
    return f"({value!r} + 1)"


def _start(node: ast.AST) -> Place:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def _end(node: ast.AST) -> Place:
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]


def _between(before: ast.AST, after: ast.AST, text: str) -> tuple[Place, Place]:
    """From the end of one side of a sign to the start of the other.

    Parentheses around the sides are no part of them, and stay.
    """
    (line, column), (last_line, last) = _end(before), _start(after)
    if line == last_line:
        row = text.encode().splitlines()[line - 1]
        while row[column : column + 1] == b")" or row[column : column + 2] == b" )":
            column += 1
        while row[last - 1 : last] in (b"(", b"["):
            last -= 1
    return (line, column), (last_line, last)
