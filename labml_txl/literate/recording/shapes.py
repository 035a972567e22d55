"""# The names of axes

A shape comment ends a line: `x = f(y)  # [seq_len, batch, d_model]`. It gives the shape
of the tensor that the line assigns or returns. These comments, and docstrings such as
`` `x` is `[seq_len, batch, d_model]` ``, give the axes of recorded values their names.
A name that contradicts the recorded shape is not used. An axis without a name gets the
name of another axis of the same size in the function, if there is exactly one.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from labml_txl.literate.recording.bindings import (
    RETURNED,
    Binding,
    Key,
    find_bindings,
    find_functions,
)

# The names of a tensor's axes.
Names = tuple[str, ...]

# A list in brackets, optionally followed by a comma and words.
SHAPE = re.compile(r"#\s*\[(?P<axes>[^\[\]]*)\](?:,\s.*)?")


def find_trailing_shapes(text: str) -> dict[int, Names]:
    """The axes in every shape comment that follows code, by line."""
    # We read tokens and not lines, because a `#` in a string starts no comment.
    comments = (
        (token.start[0], SHAPE.fullmatch(token.string))
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT and token.line.lstrip()[0] != "#"
    )
    return {
        line: tuple(axis.strip() for axis in shape["axes"].split(",") if shape["axes"])
        for line, shape in comments
        if shape
    }


@dataclass(frozen=True)
class Axes:
    """What a module says about the axes of its tensors.

    - `comments`: the axes that comments give to bindings;
    - `docstrings`: those that docstrings give to bindings; they may not fit;
    - `fields`: those that comments give to the fields of classes, by field name.
    """

    comments: Mapping[Key, Names]
    docstrings: Mapping[Key, Names]
    fields: Mapping[str, Names]

    def name_axes(
        self,
        binding: Binding,
        part: str,
        shape: tuple[int, ...],
        here: Mapping[str, int],
        sizes: Mapping[str, int],
    ) -> Names:
        """The names of a tensor's axes; a name is empty if it is not known.

        `part` is the field that contained the tensor, or empty. `here` contains the
        sizes of the axes that the comments of the function name, `sizes` other sizes.
        """
        known = {**sizes, **here}
        field = part or binding.name.rpartition(".")[2]
        names = self.comments.get(binding.key, ())
        if len(names) != len(shape):
            given = (self.fields.get(field, ()), self.docstrings.get(binding.key, ()))
            names = next((each for each in given if fits(each, shape, known)), ())
        if len(names) == len(shape):
            return tuple("" if name.isdigit() else name for name in names)
        return tuple(_only_name(size, here, sizes) for size in shape)


def axes_of(text: str) -> Axes:
    """What the text of a module says about the axes of its tensors."""
    tree, ends = ast.parse(text), find_trailing_shapes(text)
    fields = {
        field.target.id: ends[field.end_lineno or field.lineno]
        for owner in ast.walk(tree)
        if isinstance(owner, ast.ClassDef)
        for field in owner.body
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if (field.end_lineno or field.lineno) in ends
    }
    words = {
        name: read_shapes(ast.get_docstring(function) or "")
        for name, function in find_functions(tree)
    }
    found = find_bindings(text)
    given = [one for one in found if one.kind in ("assigned", "returned")]
    # A shape after `x, y = f()` belongs to neither name.
    alone = Counter((one.function, one.last) for one in given)
    comments = {
        one.key: ends[one.last]
        for one in given
        if one.last in ends and alone[one.function, one.last] == 1
    }
    docstrings = {
        one.key: words[one.function].get(one.name, ())
        for one in found
        if one.kind in ("argument", "returned")
    }
    return Axes(comments, docstrings, fields)


# One or several names, and the shape that follows them in the same sentence.
_GIVEN = re.compile(
    r"(?P<names>(?:`\w+`[,)]?\s+(?:and\s+)?)+|\bReturns\b)(?:(?![.;:]\s)[^`])*"
    r"`\[(?P<axes>[^\[\]`]*)\]`"
)


def read_shapes(words: str) -> dict[str, Names]:
    """The shapes that a docstring gives to names, and to `return`.

    In `` `key` and `value` are `[k_len, batch]` ``, both have that shape.
    """
    found: dict[str, Names] = {}
    for match in _GIVEN.finditer(words):
        # An axis `batch or 1` is a batch.
        parts = (name.partition(" or ")[0] for name in match["axes"].split(","))
        axes = tuple(part.strip() for part in parts)
        for name in re.findall(r"`(\w+)`", match["names"]) or [RETURNED]:
            found.setdefault(name, axes)
    return found


def fits(names: Names, shape: tuple[int, ...], sizes: Mapping[str, int]) -> bool:
    """Whether the names of axes agree with a shape, given the sizes of axes."""
    return len(names) == len(shape) and all(
        size == int(name) if name.isdigit() else sizes.get(name, size) == size
        for name, size in zip(names, shape, strict=True)
    )


def _only_name(size: int, *known: Mapping[str, int]) -> str:
    """The only name of a size in the first mapping that has one; empty otherwise."""
    for sizes in known:
        names = [name for name, each in sizes.items() if each == size > 1]
        if names:
            return names[0] if len(names) == 1 else ""
    return ""
