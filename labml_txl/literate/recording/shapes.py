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
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from labml_txl.literate.recording.bindings import (
    RETURNED,
    Binding,
    Key,
    bindings,
    functions,
)

# The names of a tensor's axes.
Names = tuple[str, ...]

# A bracketed list and, perhaps, words behind a comma.
SHAPE = re.compile(r"#\s*\[(?P<axes>[^\[\]]*)\](?:,\s.*)?")


def trailing_shapes(text: str) -> dict[int, Names]:
    r"""The axes of every comment that is a shape and has code before it, by line."""
    # From the tokens, and not from the lines: a `#` within a string is no comment.
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
    tree, ends = ast.parse(text), trailing_shapes(text)
    fields = {
        field.target.id: ends[field.end_lineno or field.lineno]
        for owner in ast.walk(tree)
        if isinstance(owner, ast.ClassDef)
        for field in owner.body
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if (field.end_lineno or field.lineno) in ends
    }
    words = {
        name: shapes_in(ast.get_docstring(function) or "")
        for name, function in functions(tree)
    }
    found = bindings(text)
    given = [one for one in found if one.kind in ("assigned", "returned")]
    # Of `x, y = f()`, a shape at the end of the line says nothing.
    alone = Counter((one.function, one.last) for one in given)
    comments = {
        one.key: ends[one.last]
        for one in given
        if one.last in ends and alone[one.function, one.last] == 1
    }
    docstrings = {
        one.key: words.get(one.function, {}).get(one.name, ())
        for one in found
        if one.kind in ("argument", "returned")
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
