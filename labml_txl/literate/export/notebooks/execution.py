r"""# Running notebooks

Runs the cells of a tutorial as Jupyter would, in a kernel of their own and in an empty
folder, and stores of their outputs what is the same in every run. A bar of progress or
a warning, which a cell writes to standard error, is for those who watch.

What the text of a tutorial says of a result is checked by a cell with the tag `claim`:
its last line must show `True`. With the tag `full` beside it, it is checked in the full
run only. If a claim does not hold, nothing is stored. In a reader's own run, the first
cell says which one it was.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from labml_txl.literate.export.notebooks.notebook import KERNEL
from labml_txl.literate.export.notebooks.tutorial import (
    Tutorial,
    check_outputs,
    shown,
    stored,
)
from labml_txl.literate.sources.cells import Cell, Output
from labml_txl.literate.sources.source import LiterateError

# Set while notebooks run with small sizes.
QUICK = "TXL_QUICK"

# Of a kernel, until it is ready, in seconds: a busy machine needs longer than a minute.
STARTING = 300


def execute(
    tutorial: Tutorial, folders: Iterable[Path], *, quick: bool = False
) -> Tutorial:
    """The tutorial with what its cells give when they run, one after another.

    Its imports are found in the `folders`, before all others. Raises `LiterateError` at
    the first cell that fails, or that claims what does not hold.
    """
    ran = _run(tutorial, _environment(folders, quick))
    found = []
    for cell in tutorial.cells:
        outputs = tuple(clean(next(ran))) if cell.kind == "code" else ()
        check_outputs(tutorial, cell, outputs)
        found.append(replace(cell, outputs=tuple(map(shown, outputs))))
        check_claim(tutorial, found[-1], quick=quick)
    return replace(tutorial, cells=tuple(found))


def check_claim(tutorial: Tutorial, cell: Cell, *, quick: bool = False) -> None:
    """Raise `LiterateError` if the cell is a claim that does not hold."""
    if "claim" not in cell.tags or (quick and "full" in cell.tags):
        return
    last = cell.outputs[-1] if cell.outputs else {}
    text = last.get("data", {}).get("text/plain", last.get("text", ""))
    result = "".join(text).strip()
    if result != "True":
        claim = ast.unparse(ast.parse(cell.text).body[-1])
        message = f"this claim shows {result or 'nothing'}, not True: {claim}"
        raise tutorial.fault(cell, message)


def _run(tutorial: Tutorial, environment: dict[str, str]) -> Iterator[list[Output]]:
    """The outputs of each cell of code, as Jupyter reports them."""
    import nbformat
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, DeadKernelError

    notebook: Any = nbformat.reads(stored(tutorial), as_version=4)
    # Counted here: a kernel that ends takes along what it has not yet said.
    begun = [0]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    with TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            startup_timeout=STARTING,
            kernel_name=KERNEL,
            on_cell_execute=lambda cell, cell_index: begun.append(cell_index),
            record_timing=False,
            store_widget_state=False,
            resources={"metadata": {"path": folder}},
        )
        try:
            # What the kernel says of itself is no output of a cell.
            client.execute(env=environment, stderr=subprocess.DEVNULL)
        except CellExecutionError as error:
            fault = " ".join(f"{error.ename}: {error.evalue}".split())
            raise tutorial.fault(tutorial.cells[begun[-1]], fault) from None
        except DeadKernelError:
            fault = "Python itself ended: is there too little memory?"
            raise tutorial.fault(tutorial.cells[begun[-1]], fault) from None
        except (NoSuchKernel, RuntimeError) as error:
            # When Python exits, the client ends its kernel, and complains if it knows
            # of none.
            client.km = client.create_kernel_manager()
            message = f"the kernel {KERNEL} does not start: {error}"
            raise LiterateError(tutorial.source.path, 1, message) from None
    for cell in notebook.cells:
        if cell.cell_type == "code":
            yield [dict(output) for output in cell.outputs]


def _environment(folders: Iterable[Path], quick: bool) -> dict[str, str]:
    paths = [*map(str, folders), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    environment.pop(QUICK, None)
    return {**environment, QUICK: "1"} if quick else environment


def clean(outputs: Iterable[Output]) -> Iterator[Output]:
    """Outputs without what is only seen while a cell runs, or only on one machine."""
    printed: list[str] = []
    for output in outputs:
        if output["output_type"] == "stream":
            printed += [output["text"]] * (output["name"] == "stdout")
            continue
        yield from _stream(printed)
        printed = []
        counted = {"execution_count": 0} if "execution_count" in output else {}
        yield {**output, **counted}
    yield from _stream(printed)


_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def _stream(printed: list[str]) -> Iterator[Output]:
    text = _COLOUR.sub("", "".join(printed))
    # What was written over is gone.
    text = re.sub(r"[^\n]*\r(?!\n)", "", text.replace("\r\n", "\n"))
    if text:
        yield {"name": "stdout", "output_type": "stream", "text": text}
