"""# The tutorials of a project

Reads them with the outputs of their cells. They are taken from the cache, because
importing the packages that parse notebooks takes half a second.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from labml_txl.literate.export.notebooks.tutorial import (
    Tutorial,
    add_outputs,
    read_tutorial,
    tutorial_files,
)
from labml_txl.literate.project.cache import Cache, hash_of
from labml_txl.literate.sources.cells import Output, make_cell
from labml_txl.literate.sources.source import LiterateError, Source, Tell, read, stop


@dataclass(frozen=True)
class TutorialFacts:
    """What the cache stores of a tutorial.

    - `path`, `text`: its Python file;
    - `cells`: of each cell, the arguments of `make_cell`;
    - `extras`: the extras that its header names;
    - `faults`: the file, the line and the message of each fault.
    """

    path: str
    text: str
    cells: Sequence[tuple[str, str, int, Sequence[str], Sequence[Output]]]
    extras: Sequence[str]
    faults: Sequence[tuple[str, int, str]]


def read_tutorials(
    root: Path,
    given: Iterable[str],
    settings: str = "mkdocs.yml",
    tell: Tell = stop,
    cache: Cache | None = None,
) -> tuple[Tutorial, ...]:
    """Read the tutorials of a project with the outputs of their cells.

    For `given` and `settings` see `tutorial_files`. Raises `LiterateError` if a
    notebook is missing, not valid, or has other code than its Python file. `tell` gets
    the faults of outputs that their author stored.
    """
    known = cache or Cache()
    files = tutorial_files(root, given, settings)
    return tuple(_read(file, root, tell, known) for file in files)


def _read(file: Path, root: Path, tell: Tell, cache: Cache) -> Tutorial:
    def find_facts() -> TutorialFacts:
        faults = list[LiterateError]()
        made = add_outputs(read_tutorial(file, root), root, faults.append)
        return TutorialFacts(
            made.source.path,
            made.source.text,
            [(c.kind, c.text, c.line, c.tags, c.outputs) for c in made.cells],
            made.extras,
            [fault.fields for fault in faults],
        )

    notebook = file.with_suffix(".ipynb")
    inputs = [read(each, root) for each in (file, notebook) if each.is_file()]
    known = cache.get_or_make(hash_of("tutorial", *inputs), TutorialFacts, find_facts)
    for fault in known.faults:
        tell(LiterateError(*fault))
    source, cells = Source(known.path, known.text), (make_cell(*c) for c in known.cells)
    return Tutorial(source, file.parent.name, tuple(cells), tuple(known.extras))
