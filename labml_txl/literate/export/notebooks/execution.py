"""# Running notebooks

Runs the cells of a tutorial as Jupyter does, in a new kernel and in an empty folder.
Only reproducible outputs are stored: what a cell writes to standard error, such as a
progress bar or a warning, is dropped.

A cell with the tag `claim` checks a statement of the text: its last line must show
`True`. If it also has the tag `full`, it is checked only in a full run, not in a quick
one. If a claim is false, nothing is stored. When readers run the notebook themselves,
code in its first cell reports the false claim.
"""

from __future__ import annotations

import ast
import os
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
    clean,
    reduce_output,
    write_tutorial,
)
from labml_txl.literate.sources.cells import Cell, Output
from labml_txl.literate.sources.source import LiterateError

# The environment variable that tells the cells to use small sizes.
QUICK = "TXL_QUICK"

# How many seconds a kernel may take to start: on a busy machine more than the default,
# which is a minute.
STARTING = 300


def execute(
    tutorial: Tutorial, folders: Iterable[Path], *, quick: bool = False
) -> Tutorial:
    """Run the cells of a tutorial in order, and return it with their outputs.

    `folders` come first in the search path of imports; `quick` runs with small sizes.
    Raises `LiterateError` if the kernel does not start, and at the first cell that
    fails, whose output cannot be shown, or whose claim is false.
    """
    ran = _run(tutorial, _environment(folders, quick))
    found = []
    for cell in tutorial.cells:
        outputs = tuple(clean(next(ran))) if cell.kind == "code" else ()
        check_outputs(tutorial, cell, outputs)
        found.append(replace(cell, outputs=tuple(map(reduce_output, outputs))))
        check_claim(tutorial, found[-1], quick=quick)
    return replace(tutorial, cells=tuple(found))


def check_claim(tutorial: Tutorial, cell: Cell, *, quick: bool = False) -> None:
    """Raise `LiterateError` if the cell is a claim whose result is not `True`."""
    if "claim" not in cell.tags or (quick and "full" in cell.tags):
        return
    last = cell.outputs[-1] if cell.outputs else {}
    text = last.get("data", {}).get("text/plain", last.get("text", ""))
    result = "".join(text).strip()
    if result != "True":
        claim = ast.unparse(ast.parse(cell.text).body[-1])
        message = f"the claim is {result or 'without a value'}, not True: {claim}"
        raise tutorial.make_fault(cell, message)


def _run(tutorial: Tutorial, environment: dict[str, str]) -> Iterator[list[Output]]:
    """Run the notebook, and yield the outputs of each code cell as Jupyter has them.

    Raises `LiterateError` if the kernel does not start, or if a cell fails.
    """
    import nbformat
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, DeadKernelError

    notebook: Any = nbformat.reads(write_tutorial(tutorial), as_version=4)
    # The indices of the cells that were started, so that we can name the last one if
    # the kernel dies without a reply.
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
            # The log of the kernel is no output of a cell.
            client.execute(env=environment, stderr=subprocess.DEVNULL)
        except CellExecutionError as error:
            fault = " ".join(f"{error.ename}: {error.evalue}".split())
            raise tutorial.make_fault(tutorial.cells[begun[-1]], fault) from None
        except DeadKernelError:
            fault = "the kernel died, perhaps for lack of memory"
            raise tutorial.make_fault(tutorial.cells[begun[-1]], fault) from None
        except (NoSuchKernel, RuntimeError) as error:
            # At exit, the client shuts its kernel down, which fails if it has no
            # kernel manager.
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
