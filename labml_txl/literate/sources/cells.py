r"""# The cells of a notebook

A notebook is kept as a Python file whose cells start with `# %%`, the percent format of
jupytext: it can be read, compared and corrected as text. The words of each cell are a
text of their own, for the page as for translators.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from labml_txl.literate.sources.source import LiterateError, Source

Output = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook.

    - `kind`: `"markdown"` or `"code"`;
    - `text`: without empty lines around it;
    - `line`: where it starts in the Python file;
    - `tags`: for example `"claim"`;
    - `outputs`: what it gave, in the form of Jupyter.
    """

    kind: str
    text: str
    line: int
    tags: tuple[str, ...] = ()
    outputs: tuple[Output, ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class Cells:
    """The cells of a notebook, and the kernel that its head names.

    `extras` are those of the package that it needs; empty for those of most notebooks.
    """

    cells: tuple[Cell, ...]
    kernel: str
    extras: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[Cell, ...]:
        """The cells of words."""
        return tuple(cell for cell in self.cells if cell.kind == "markdown")


DRAWING = "image/svg+xml"


def pictures(output: Output) -> Iterator[tuple[str, str, str]]:
    """Each form of a picture in an output, the words for it, and the drawing it is.

    The last is empty for what is no SVG.
    """
    for form, about in output.get("metadata", {}).items():
        words = about.get("alt") if isinstance(about, dict) else None
        if form.startswith("image/") and isinstance(words, str):
            drawing = output["data"].get(form, "") if form == DRAWING else ""
            yield form, " ".join(words.split()), drawing


_MARK = re.compile(r"# %%")


@lru_cache(maxsize=100)
def cells_of(source: Source) -> Cells:
    """A Python file in the percent format, cut into cells.

    Raises `LiterateError` if its head is not that of a notebook.
    """
    import jupytext

    try:
        document = jupytext.reads(source.text, fmt="py:percent")
        kernel = document.metadata.get("kernelspec", {}).get("name", "")
        extras = tuple(map(str, document.metadata.get("extras", ())))
    except Exception as error:
        # A head may be broken in many ways. Whoever reads it says so in its own words.
        (why, *_) = f"{error}".splitlines() or [type(error).__name__]
        fault = f"its head is not that of a notebook: {why}"
        wanted = "write the fields display_name and name of a kernelspec"
        raise LiterateError(source.path, 1, f"{fault}: {wanted}") from None
    starts = [n for n, text in enumerate(source.lines, 1) if _MARK.match(text)]
    # What stands above the first mark is a cell without one.
    lines = [1] * (len(document.cells) - len(starts)) + starts
    cells = tuple(
        Cell(
            cell.cell_type,
            cell.source.strip("\n"),
            line,
            tuple(cell.metadata.get("tags", ())),
        )
        for cell, line in zip(document.cells, lines, strict=False)
    )
    return Cells(cells, kernel, extras)
