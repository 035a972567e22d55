"""Shape comments are compared with what a run of the code assigns and returns."""

import ast
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from labml_txl.literate.recording.bindings import Binding, bindings
from labml_txl.literate.recording.shapes import (
    Axes,
    Names,
    axes_of,
    trailing_shapes,
)
from labml_txl.literate.recording.tracing import (
    Call,
    Caller,
    same_file,
    statements_of,
    trace,
)

# An axis name and its size, as a number or as an expression of other axes.
Sizes = Mapping[str, int | str]


def check_shapes(
    path: Path, runs: Iterable[tuple[Callable[[], object], Sizes]]
) -> list[str]:
    """Every shape comment of a file that a run contradicts, or that no run reached.

    A run is a callable and the sizes of the axes within it. The code must have been
    imported from the path.
    """
    text = path.read_text(encoding="utf-8")
    axes, statements = axes_of(text), statements_of(text)
    lines = {binding.key: binding.last for binding in bindings(text)}
    found: dict[object, set[str]] = {}
    for run, sizes in runs:

        def called(frame: FrameType, _: Caller, sizes: Sizes = sizes) -> Caller:
            if not same_file(frame.f_code.co_filename, str(path.resolve())):
                return None
            own = statements.get(frame.f_code.co_qualname, {})
            return Compared(own, axes, sizes, found)

        trace(run, called)
    fields = {
        node.target.id: node.end_lineno or node.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    wanted: dict[object, tuple[int, Names]] = {
        **{key: (lines[key], names) for key, names in axes.comments.items()},
        **{name: (fields[name], names) for name, names in axes.fields.items()},
    }
    known = {line for line, _ in wanted.values()}
    problems = [
        f"{path}:{line}: {named(names)}: this line ends no assignment and no return"
        for line, names in trailing_shapes(text).items()
        if line not in known
    ]
    return problems + [
        f"{path}:{line}: {named(names)}: {problem}"
        for key, (line, names) in wanted.items()
        for problem in found.get(key, {"this line never ran"})
    ]


def named(names: Names) -> str:
    return f"# [{', '.join(names)}]"


class Compared(Call):
    """One call of a function whose comments are compared with what it does."""

    def __init__(
        self, statements: Any, axes: Axes, sizes: Sizes, found: dict[object, set[str]]
    ) -> None:
        super().__init__(statements)
        self.axes, self.sizes, self.found = axes, sizes, found
        self.free: dict[str, int] = {}

    def bound(self, frame: FrameType, binding: Binding, value: Any) -> None:
        if binding.key in self.axes.comments:
            names = self.axes.comments[binding.key]
            self.compare(frame, binding.key, names, value)
        # A named tuple of the same file may have shapes at its fields.
        for name in getattr(value, "_fields", ()) * (binding.kind == "returned"):
            if name in self.axes.fields:
                part = getattr(value, name)
                self.compare(frame, name, self.axes.fields[name], part)

    def compare(self, frame: FrameType, key: object, names: Names, value: Any) -> None:
        problem = self.contradiction(frame, names, getattr(value, "shape", None))
        self.found.setdefault(key, set()).update([problem] if problem else [])

    def contradiction(self, frame: FrameType, names: Names, shape: Any) -> str:
        if shape is None:
            return "observed something that has no shape"
        observed = list(shape)
        if len(observed) != len(names):
            return f"observed {observed}, {len(observed)} axes"
        own = {n: v for n, v in frame.f_locals.items() if type(v) is int}
        for axis, size in zip(names, observed, strict=True):
            # A name without a size is as long as the first axis of that name.
            known = {**self.free, **own, **self.sizes}
            if axis.isidentifier() and axis not in known:
                self.free[axis] = known[axis] = size
            try:
                wanted = evaluate(axis, known)
            except NameError as unknown:
                return (
                    f"observed {observed}, and nothing says how long {unknown.name} is"
                )
            if wanted != size:
                return f"observed {observed}, but {axis} is {wanted}"
        return ""


def evaluate(expression: str, sizes: Sizes) -> int:
    """The value of an expression such as `mem_len // rate`."""
    needed = {n.id for n in ast.walk(ast.parse(expression)) if isinstance(n, ast.Name)}
    known = {
        name: size if isinstance(size, int) else evaluate(size, sizes)
        for name, size in sizes.items()
        if name in needed
    }
    result: int = eval(expression, {"__builtins__": {}}, known)  # our own comments
    return result
