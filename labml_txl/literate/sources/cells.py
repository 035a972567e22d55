"""# The cells of a notebook

The source of a notebook is a Python file whose cells start with `# %%`, the percent
format of jupytext, so that it can be edited and compared as text. Each cell of Markdown
is a separate text, on the page and for translators.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from labml_txl.literate.markdown.note import Note, read
from labml_txl.literate.sources.source import LiterateError, Source

Output = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook.

    - `kind`: `"markdown"` or `"code"`;
    - `text`: its text without blank lines around it;
    - `note`: the same, parsed, if it is Markdown;
    - `line`: the line of the Python file where it starts;
    - `tags`: its tags, for example `"claim"`;
    - `outputs`: its outputs, in the format of Jupyter.
    """

    kind: str
    text: str
    line: int
    tags: tuple[str, ...] = ()
    note: Note = field(default_factory=Note, compare=False)
    outputs: tuple[Output, ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class Cells:
    """The cells of a notebook, and the kernel and the extras that its header names.

    If `extras` is empty, the notebook needs those that `pyproject.toml` names.
    """

    cells: tuple[Cell, ...]
    kernel: str
    extras: tuple[str, ...] = ()


DRAWING = "image/svg+xml"


def pictures(output: Output) -> Iterator[tuple[str, str, str]]:
    """Each format of the picture in an output, with its alternative text and its SVG.

    The last is empty for other formats.
    """
    for form, about in output.get("metadata", {}).items():
        words = about.get("alt") if isinstance(about, dict) else None
        if form.startswith("image/") and isinstance(words, str):
            drawing = output["data"].get(form, "") if form == DRAWING else ""
            yield form, " ".join(words.split()), drawing


_MARK = re.compile(r"# %%")


@lru_cache(maxsize=100)
def cells_of(source: Source) -> Cells:
    """The cells of a Python file in the percent format.

    Raises `LiterateError` if its header is not that of a notebook, or if a text begins
    on the line that marks its cell, where jupytext takes it for a name.
    """
    import jupytext

    try:
        document = jupytext.reads(source.text, fmt="py:percent")
        kernel = document.metadata.get("kernelspec", {}).get("name", "")
        extras = tuple(map(str, document.metadata.get("extras", ())))
    except Exception as error:
        # jupytext and PyYAML raise many kinds of errors for an invalid header.
        (why, *_) = f"{error}".splitlines() or [type(error).__name__]
        fault = f"invalid header of a notebook: {why}"
        wanted = "give the display_name and the name of the kernelspec"
        raise LiterateError(source.path, 1, f"{fault}: {wanted}") from None
    starts = [n for n, text in enumerate(source.lines, 1) if _MARK.match(text)]
    # The text above the first mark is a cell without a mark.
    lines = [1] * (len(document.cells) - len(starts)) + starts
    for cell, line in zip(document.cells, lines, strict=False):
        name = cell.metadata.get("title", "")
        beside = source.lines[line - 1].partition("]")[2].lstrip()
        if cell.cell_type == "markdown" and name and beside.startswith(name):
            message = "words after [markdown] are a name, which no page shows"
            raise LiterateError(source.path, line, f"{message}: begin a line below")
    cells = tuple(
        make_cell(
            cell.cell_type,
            cell.source.strip("\n"),
            line,
            cell.metadata.get("tags", ()),
        )
        for cell, line in zip(document.cells, lines, strict=False)
    )
    return Cells(cells, kernel, extras)


def make_cell(
    kind: str,
    text: str,
    line: int,
    tags: Iterable[str],
    outputs: Iterable[Output] = (),
) -> Cell:
    """A cell with its note."""
    note = _read_once(text) if kind == "markdown" else Note()
    return Cell(kind, text, line, tuple(tags), note, tuple(outputs))


_read_once = lru_cache(maxsize=1_000)(read)
