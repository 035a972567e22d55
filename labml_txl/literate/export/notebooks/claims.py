r"""# Claims

What the text of a tutorial says of a result is held by a cell with the tag `claim`: its
last line must show `True`. With the tag `full` beside it, it is held for the full run
only. A claim that does not hold is told with its place and its words, and nothing is
stored. In a reader's own run, the first cell says which one it was.
"""

from __future__ import annotations

import ast

from labml_txl.literate.export.notebooks.tutorial import Tutorial
from labml_txl.literate.sources.cells import Cell


def check_claim(tutorial: Tutorial, cell: Cell, *, quick: bool = False) -> None:
    """Raise `LiterateError` if the cell is a claim that does not hold."""
    if "claim" not in cell.tags or (quick and "full" in cell.tags):
        return
    shown = _shown(cell)
    if shown != "True":
        claim = ast.unparse(ast.parse(cell.text).body[-1])
        message = f"this claim shows {shown or 'nothing'}, not True: {claim}"
        raise tutorial.fault(cell, message)


def _shown(cell: Cell) -> str:
    """What the cell shows last."""
    for output in reversed(cell.outputs):
        text = output.get("data", {}).get("text/plain", output.get("text", ""))
        return "".join(text).strip()
    return ""
