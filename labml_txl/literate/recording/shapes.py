r"""# Shape comments

Run annotated code and hold every shape comment in it to what came out.

A shape comment ends a line: `x = f(y)  # [seq_len, batch, d_model]`. It says what shape
the tensor has that the line assigns or returns. Readers trust it, so a wrong one is
worse than none, and code changes while its comments stand. This module reads them,
traces a run of the code, and compares.

```python
problems = check_shapes("attention.py", [(run, {"seq_len": 5, "batch": 3})])
```

The same comments, and docstrings that say `` `x` is `[seq_len, batch, d_model]` ``,
give the axes of recorded values their names. A name that does not fit what came out is
not used. An axis of which nothing is said gets the name of the axis of that size in the
same function, if only one has it.

Choose another prime for every axis: then no two axes can be confused, and no product
or sum of some looks like another. Nothing here imports a tensor library. Whatever has a
`shape` is a tensor.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from labml_txl.literate.recording.bindings import (
    RETURNED,
    Binding,
    Key,
    bindings,
    is_dotted,
)
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


def check_shapes(
    path: str | Path, runs: Iterable[tuple[Callable[[], object], Sizes]]
) -> list[ShapeProblem]:
    r"""Every shape comment of `path` that a run contradicts, or that no run reached.

    A run is a callable and the sizes of the axes within it. The code must have been
    imported from `path`.
    """
    comments, problems = read_shape_comments(path)
    found: dict[ShapeComment, set[str]] = {}
    for run, sizes in runs:
        compare(path, comments, run, sizes, found)
    problems += [
        ShapeProblem(str(path), comment.line, str(comment), problem)
        for comment in comments
        for problem in found.get(comment, {"this line never ran"})
    ]
    return sorted(problems, key=lambda problem: (problem.line, problem.observed))


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
        if target is not None and not is_dotted(target):
            continue
        name = None if target is None else ast.unparse(target)
        last_line = node.end_lineno or node.lineno
        found[last_line] = (node.lineno, name, fields.get(id(node), ""))
    return found


def compare(
    path: str | Path,
    comments: Iterable[ShapeComment],
    run: Callable[[], object],
    sizes: Sizes,
    found: dict[ShapeComment, set[str]],
) -> None:
    r"""Call `run`, and compare each comment every time its statement is executed.

    `found` gets each comment that was compared, with what was wrong.
    """
    filename = str(Path(path).resolve())
    by_line = {
        line: comment
        for comment in comments
        if not comment.owner
        for line in range(comment.first_line, comment.line + 1)
    }
    fields = {(c.owner, c.target): c for c in comments if c.owner}

    def called(frame: FrameType, caller: Caller) -> Caller:
        if not same_file(frame.f_code.co_filename, filename):
            return None
        return ComparedCall(by_line, fields, sizes, found)

    trace(run, called)


class ComparedCall(Call[ShapeComment]):
    r"""One call of a function whose comments are compared with what it does."""

    def __init__(
        self,
        by_line: Mapping[int, ShapeComment],
        fields: Mapping[tuple[str, str | None], ShapeComment],
        sizes: Sizes,
        found: dict[ShapeComment, set[str]],
    ) -> None:
        super().__init__(by_line)
        self.fields = fields
        self.sizes = sizes
        self.bound: dict[str, int] = {}
        self.found = found

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
        self.found.setdefault(comment, set()).update([problem] if problem else [])

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


# The names of a tensor's axes.
Names = tuple[str, ...]

# Words in backticks, and an end of a sentence or of a part of it.
_SPAN = re.compile(r"`([^`\n]+(?:\n[^`\n]+)?)`|([.;:](?:\s|$))|\b(Returns)\b")
_SHAPE = re.compile(r"\[([^\[\]]*)\]")


@dataclass(frozen=True)
class Axes:
    r"""What a module says of axes.

    - `comments`: in comments, of bindings;
    - `docstrings`: in docstrings, of bindings; these are words, so they may not fit;
    - `fields`: in comments, of the fields of classes, by their name.
    """

    comments: Mapping[Key, Names] = field(default_factory=dict)
    docstrings: Mapping[Key, Names] = field(default_factory=dict)
    fields: Mapping[str, Names] = field(default_factory=dict)

    def named(
        self,
        binding: Binding,
        part: str,
        shape: tuple[int, ...],
        here: Mapping[str, int],
        sizes: Mapping[str, int],
    ) -> Names:
        r"""The names of a tensor's axes, each empty if nothing is known of it.

        `part` is the field that the tensor was found in, or empty. `here` holds the
        size of each axis that the comments of the function name, `sizes` that of others
        that are known.
        """
        known = {**sizes, **here}
        _, _, attribute = binding.name.rpartition(".")
        field_says = self.fields.get(part or attribute, ())
        names = self.comments.get(binding.key, ())
        if len(names) != len(shape):
            given = (field_says, self.docstrings.get(binding.key, ()))
            names = next((each for each in given if fits(each, shape, known)), ())
        if len(names) == len(shape):
            return tuple("" if name.isdigit() else name for name in names)
        return tuple(_only(size, here, sizes) for size in shape)


def axes_of(text: str) -> Axes:
    r"""What the text of a module says of the axes of its tensors."""
    tree, found = ast.parse(text), bindings(text)
    ends = dict(trailing_shapes(text))
    statements = statements_by_last_line(tree)
    fields = {
        target: ends[line]
        for line, (_, target, owner) in statements.items()
        if owner and target and line in ends
    }
    targets = {
        (line, target or RETURNED): ends[line]
        for line, (_, target, owner) in statements.items()
        if not owner and line in ends
    }
    words = dict(_in_docstrings(tree, ""))
    comments = {b.key: targets.get((b.last, b.name), ()) for b in found}
    docstrings = {
        b.key: words.get(b.function, {}).get(b.name, ())
        for b in found
        if b.kind in ("argument", "returned")
    }
    return Axes(comments, docstrings, fields)


def _in_docstrings(
    node: ast.AST, within: str
) -> Iterator[tuple[str, dict[str, Names]]]:
    r"""What the docstrings of functions say, by the function's qualified name."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield within + child.name, shapes_in(ast.get_docstring(child) or "")
            yield from _in_docstrings(child, f"{within}{child.name}.<locals>.")
        elif isinstance(child, ast.ClassDef):
            yield from _in_docstrings(child, f"{within}{child.name}.")
        else:
            yield from _in_docstrings(child, within)


def shapes_in(words: str) -> dict[str, Names]:
    r"""The shapes that a docstring gives to names, and to `return`.

    In `` `key` and `value` are `[k_len, batch]` `` both have that shape.
    """
    found: dict[str, Names] = {}
    group: list[str] = []
    end = 0
    for span in _SPAN.finditer(words):
        between, end = words[end : span.start()].strip(), span.end()
        code, stop, returns = span.groups()
        shape = _SHAPE.fullmatch(" ".join((code or "").split()))
        if shape:
            # An axis of `batch or 1` is a batch, or has no name.
            parts = (name.partition(" or ")[0] for name in shape[1].split(","))
            names = tuple(part.strip() for part in parts)
            for name in group:
                found.setdefault(name, names)
            group = []
        elif stop:
            group = []
        elif returns:
            group = [RETURNED]
        elif code.isidentifier():
            group = [*group, code] if group and between in ("and", ",") else [code]
    return found


def fits(names: Names, shape: tuple[int, ...], sizes: Mapping[str, int]) -> bool:
    r"""Whether a shape can be what names and sizes say."""
    given = zip(names, shape, strict=False)
    return len(names) == len(shape) and all(
        size == int(name) if name.isdigit() else sizes.get(name, size) == size
        for name, size in given
    )


def _only(size: int, *known: Mapping[str, int]) -> str:
    r"""The one name of a size, by the first of the given that has any."""
    for sizes in known:
        names = [name for name, each in sizes.items() if each == size > 1]
        if names:
            return names[0] if len(names) == 1 else ""
    return ""
