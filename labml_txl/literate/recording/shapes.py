r"""# Shape comments

Run annotated code and hold every shape comment in it to what came out.

A shape comment ends a line: `x = f(y)  # [seq_len, batch, d_model]`. It says what shape
the tensor has that the line assigns or returns. Readers trust it, so a wrong one is
worse than none, and code changes while its comments stand. This module reads them,
traces a run of the code, and compares.

```python
problems = check_shapes("attention.py", [(run, {"seq_len": 5, "batch": 3})])
```

Choose another prime for every axis: then no two axes can be confused, and no product
or sum of some looks like another. Nothing here imports a tensor library. Whatever has a
`shape` is a tensor.
"""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from labml_txl.literate.recording.tracing import (
    Call,
    Caller,
    same_file,
    trace,
    value_in,
)

# An axis name and its size, as a number or as an expression of other axes.
Sizes = Mapping[str, int | str]

# A bracketed list and, perhaps, words behind a comma.
SHAPE = re.compile(r"#\s*\[(?P<axes>[^\[\]]*)\](?:,\s.*)?")

# What an expression may do with sizes.
OPERATIONS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
}


@dataclass(frozen=True)
class ShapeComment:
    r"""A shape comment, and the statement that it ends.

    `target` is the name that the statement assigns to, `None` for what it returns.
    `owner` is the class of an annotated field without a value, else empty.
    """

    first_line: int
    line: int
    axes: tuple[str, ...]
    target: str | None
    owner: str = ""

    def __str__(self) -> str:
        return f"[{', '.join(self.axes)}]"


@dataclass(frozen=True)
class ShapeProblem:
    r"""A comment that is wrong, or that nothing was compared with."""

    path: str
    line: int
    comment: str
    observed: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: # {self.comment}: {self.observed}"


@dataclass(frozen=True)
class Observation:
    r"""A comment that was compared, and what was wrong, if anything was."""

    comment: ShapeComment
    problem: str = ""


def check_shapes(
    path: str | Path, runs: Iterable[tuple[Callable[[], object], Sizes]]
) -> list[ShapeProblem]:
    r"""Every shape comment of `path` that a run contradicts, or that no run reached.

    A run is a callable and the sizes of the axes within it. The code must have been
    imported from `path`.
    """
    comments, problems = read_shape_comments(path)
    reached: set[int] = set()
    for run, sizes in runs:
        for observation in observe(path, comments, run, sizes):
            line = observation.comment.line
            reached.add(line)
            if observation.problem:
                problems.append(
                    ShapeProblem(
                        str(path), line, str(observation.comment), observation.problem
                    )
                )
    problems += [
        ShapeProblem(str(path), comment.line, str(comment), "this line never ran")
        for comment in comments
        if comment.line not in reached
    ]
    return sorted(set(problems), key=lambda problem: (problem.line, problem.observed))


def read_shape_comments(
    path: str | Path,
) -> tuple[tuple[ShapeComment, ...], list[ShapeProblem]]:
    r"""The shape comments of a file, and those that end no assignment or return."""
    source = Path(path).read_text(encoding="utf-8")
    statements = statements_by_last_line(ast.parse(source))
    comments, problems = [], []
    for line, axes in trailing_shapes(source):
        if line in statements:
            first_line, target, owner = statements[line]
            comments.append(ShapeComment(first_line, line, axes, target, owner))
        else:
            text = f"[{', '.join(axes)}]"
            reason = "this line ends no assignment to one name and no return"
            problems.append(ShapeProblem(str(path), line, text, reason))
    return tuple(comments), problems


def trailing_shapes(source: str) -> list[tuple[int, tuple[str, ...]]]:
    r"""Line and axes of every comment that is a shape and has code before it."""
    # From the tokens, and not from the lines: a `#` within a string is no comment.
    shapes = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT or token.line.lstrip().startswith("#"):
            continue
        shape = SHAPE.fullmatch(token.string)
        if shape:
            axes = tuple(axis.strip() for axis in shape["axes"].split(","))
            shapes.append((token.start[0], axes if any(axes) else ()))
    return shapes


def statements_by_last_line(
    tree: ast.Module,
) -> dict[int, tuple[int, str | None, str]]:
    r"""First line, target and owner of every statement that a shape can belong to."""
    found: dict[int, tuple[int, str | None, str]] = {}
    fields = {
        id(field): owner.name
        for owner in ast.walk(tree)
        if isinstance(owner, ast.ClassDef)
        for field in owner.body
    }
    for node in ast.walk(tree):
        target: ast.expr | None = None
        match node:
            case ast.Assign(targets=[only]):
                target = only
            case ast.AnnAssign() | ast.AugAssign():
                target = node.target
            case ast.Return():
                pass
            case _:
                continue
        if target is not None and not is_dotted_name(target):
            continue
        name = None if target is None else ast.unparse(target)
        last_line = node.end_lineno or node.lineno
        found[last_line] = (node.lineno, name, fields.get(id(node), ""))
    return found


def is_dotted_name(node: ast.expr) -> bool:
    r"""Whether `node` is like `x` or `self.x`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def observe(
    path: str | Path,
    comments: Iterable[ShapeComment],
    run: Callable[[], object],
    sizes: Sizes,
) -> list[Observation]:
    r"""Call `run`, and compare each comment every time its statement is executed."""
    filename = str(Path(path).resolve())
    by_line = {
        line: comment
        for comment in comments
        if not comment.owner
        for line in range(comment.first_line, comment.line + 1)
    }
    fields = {(c.owner, c.target): c for c in comments if c.owner}
    observations: dict[Observation, None] = {}

    def called(frame: FrameType, caller: Caller) -> Caller:
        if not same_file(frame.f_code.co_filename, filename):
            return None
        return ComparedCall(by_line, fields, sizes, observations)

    trace(run, called)
    return list(observations)


class ComparedCall(Call[ShapeComment]):
    r"""One call of a function whose comments are compared with what it does."""

    def __init__(
        self,
        by_line: Mapping[int, ShapeComment],
        fields: Mapping[tuple[str, str | None], ShapeComment],
        sizes: Sizes,
        observations: dict[Observation, None],
    ) -> None:
        super().__init__(by_line)
        self.fields = fields
        self.sizes = sizes
        self.bound: dict[str, int] = {}
        self.observations = observations

    def returns(self, statement: ShapeComment) -> bool:
        r"""A comment without a target is that of a return."""
        return statement.target is None

    def done(self, frame: FrameType, statement: ShapeComment) -> None:
        r"""Compare a comment with what its statement has assigned."""
        if statement.target is not None:
            self.compare(frame, statement, value_in(frame, statement.target))

    def ended(
        self, frame: FrameType, statement: ShapeComment | None, returned: Any
    ) -> None:
        r"""Compare what is returned, if a statement with a comment has done so."""
        if statement is not None:
            self.compare(frame, statement, returned)

        # A named tuple of the same file may have shapes at its fields.
        for name in getattr(returned, "_fields", ()):
            comment = self.fields.get((type(returned).__name__, name))
            if comment is not None:
                self.compare(frame, comment, getattr(returned, name))

    def compare(self, frame: FrameType, comment: ShapeComment, value: Any) -> None:
        r"""Compare a comment with a value, and write down the result."""
        problem = self.contradiction(frame, comment, getattr(value, "shape", None))
        self.observations[Observation(comment, problem)] = None

    def contradiction(self, frame: FrameType, comment: ShapeComment, shape: Any) -> str:
        r"""What is wrong with a comment, or nothing."""
        if shape is None:
            return "observed something that has no shape"
        observed = list(shape)
        if len(observed) != len(comment.axes):
            return f"observed {observed}, {len(observed)} axes"
        for axis, size in zip(comment.axes, observed, strict=True):
            try:
                wanted = self.size_of(axis, frame, size)
            except UnknownAxisError as unknown:
                return f"observed {observed}, and nothing says how long {unknown} is"
            if wanted != size:
                return f"observed {observed}, but {axis} is {wanted}"
        return ""

    def size_of(self, axis: str, frame: FrameType, observed: int) -> int:
        r"""The size of an axis.

        A name that the run gives no size is a whole number among the function's own
        variables. If it is none of those either, the first tensor of the call says how
        long it is, and the others must agree.
        """
        known: dict[str, int | str] = {
            name: value
            for name, value in frame.f_locals.items()
            if isinstance(value, int) and not isinstance(value, bool)
        }
        known = {**self.bound, **known, **self.sizes}
        if axis.isidentifier() and axis not in known:
            self.bound[axis] = known[axis] = observed
        return evaluate(axis, known)


class UnknownAxisError(Exception):
    r"""An axis in an expression that nothing gives a size."""


def evaluate(expression: str, sizes: Sizes) -> int:
    r"""The value of an expression such as `mem_len // rate`."""
    return value_of(ast.parse(expression, mode="eval").body, sizes)


def value_of(node: ast.expr, sizes: Sizes) -> int:
    r"""The value of a part of an expression: names, whole numbers, `+ - * //`."""
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name) if name in sizes:
            size = sizes[name]
            return size if isinstance(size, int) else evaluate(size, sizes)
        case ast.BinOp(left, operator, right) if type(operator) in OPERATIONS:
            operation = OPERATIONS[type(operator)]
            return operation(value_of(left, sizes), value_of(right, sizes))
    raise UnknownAxisError(ast.unparse(node))
