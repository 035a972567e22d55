r"""# The names of axes

A shape comment ends a line: `x = f(y)  # [seq_len, batch, d_model]`. It gives the shape
of the tensor that the line assigns or returns. These comments, and docstrings that say
`` `x` is `[seq_len, batch, d_model]` ``, give the axes of recorded values their names.
A name that does not fit what came out is not used. An axis of which nothing is said
gets the name of the axis of that size in the same function, if only one has it.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass, field

from labml_txl.literate.recording.bindings import (
    RETURNED,
    Binding,
    Key,
    bindings,
    functions,
    is_dotted,
)

# A bracketed list and, perhaps, words behind a comma.
SHAPE = re.compile(r"#\s*\[(?P<axes>[^\[\]]*)\](?:,\s.*)?")


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


def statements_by_last_line(tree: ast.Module) -> dict[int, tuple[str | None, str]]:
    r"""Target and owner of every statement that a shape can belong to."""
    found: dict[int, tuple[str | None, str]] = {}
    fields = {
        id(field): owner.name
        for owner in ast.walk(tree)
        if isinstance(owner, ast.ClassDef)
        for field in owner.body
    }
    for node in ast.walk(tree):
        name: str | None = None
        match node:
            case (
                ast.Assign(targets=[target])
                | ast.AnnAssign(target=target)
                | ast.AugAssign(target=target)
            ) if is_dotted(target):
                name = ast.unparse(target)
            case ast.Return():
                pass
            case _:
                continue
        found[node.end_lineno or node.lineno] = name, fields.get(id(node), "")
    return found


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
        for line, (target, owner) in statements.items()
        if owner and target and line in ends
    }
    targets = {
        (line, target or RETURNED): ends[line]
        for line, (target, owner) in statements.items()
        if not owner and line in ends
    }
    words = {
        name: shapes_in(ast.get_docstring(function) or "")
        for name, function in functions(tree, "")
    }
    places = ((b.key, (b.last, b.name)) for b in found)
    comments = {key: targets[place] for key, place in places if place in targets}
    docstrings = {
        b.key: words.get(b.function, {}).get(b.name, ())
        for b in found
        if b.kind in ("argument", "returned")
    }
    return Axes(comments, docstrings, fields)


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
