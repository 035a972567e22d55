"""# A page as a notebook

Notes become Markdown cells, and the code between them becomes code cells that run from
top to bottom. A class or function is a single cell, because Python cannot run a part of
it: its docstring becomes the Markdown cell above, and the notes inside remain comments.

The invariant of this module: **every line of the source is in exactly one cell, in the
original order**, and the cells define the same names as the module. There are two
exceptions:

- the first cell sets `__package__`, from which relative imports start;
- code behind `if __name__ == "__main__"` is shown as text and does not run.

The first cell installs the package if it is missing, as it is on Colab: from the
checkout that contains the notebook, or else from the repository.

Exercises may end with a block of Python code, followed by a block of text with its
output. In the notebook, this becomes a code cell with its result. The cell uses the
code in the notebook, so that readers can change that code and see the effect. A page
without such an example offers no notebook, since its cells would only define things.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from labml_txl.literate.export.notebooks.first_cell import INSTALL
from labml_txl.literate.export.text import fence_code, make_portable, origin
from labml_txl.literate.markdown.note import Note
from labml_txl.literate.render.page import Page, Section
from labml_txl.literate.render.resolve import Site
from labml_txl.literate.sources.cells import Cell
from labml_txl.literate.sources.source import LiterateError, Source, read
from labml_txl.literate.sources.syntax import parse

# The condition of code that runs only if the module is run as a command.
COMMAND = "__name__ == '__main__'"
# The name of the Python kernel in Jupyter and Colab.
KERNEL = "python3"


@dataclass(frozen=True)
class Distribution:
    """The distribution package that a notebook installs.

    - `name`: its name;
    - `address`: the URL that pip installs it from, for example `git+https://…`;
    - `revision`: its version, branch or commit; empty for the default branch;
    - `extras`: the requirements of each of its extras;
    - `chosen`: the extras for notebooks that name none.
    """

    name: str
    address: str
    revision: str = ""
    extras: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    chosen: tuple[str, ...] = ()

    def cell(self, extras: Iterable[str] = ()) -> str:
        """The code of a cell that installs the package with these extras if missing.

        Raises `LiterateError` for an extra that the package does not have.
        """
        chosen = sorted({*extras} or {*self.chosen})
        packages = dict.fromkeys([self.name, *self._find_packages(chosen)])
        named = f"{self.name}[{','.join(chosen)}]" if chosen else self.name
        at = f"@{self.revision}" if self.revision else ""
        return INSTALL.format(
            name=self.name,
            packages=(*packages,),
            revision=self.revision,
            requirement=f"{named} @ {self.address}{at}",
        )

    def _find_packages(self, extras: Iterable[str]) -> Iterator[str]:
        """The packages that some extras require, also through other extras.

        Raises `LiterateError` for an extra that the package does not have.
        """
        for extra in extras:
            if extra not in self.extras:
                there = ", ".join(sorted(self.extras)) or "none"
                message = f"unknown extra {extra}: choose from {there}"
                raise LiterateError(PYPROJECT, 1, message)
            for line in self.extras[extra]:
                name, others = _REQUIREMENT.match(line.strip()).groups()  # type: ignore[union-attr]
                if name.lower() == self.name.lower():
                    yield from self._find_packages(re.findall(r"[\w.-]+", others or ""))
                elif ";" not in line:  # only pip evaluates environment markers
                    yield name


PYPROJECT = "pyproject.toml"
_REQUIREMENT = re.compile(r"([\w.-]*)\s*(?:\[([^]]*)\])?")


def read_distribution(
    root: Path, repository: str, revision: str
) -> Distribution | None:
    """Read the distribution package of a project from its `pyproject.toml`.

    `repository` is the URL that the notebooks install it from, `revision` the version,
    branch or commit, empty for the default branch. Notebooks that name no extras get
    those of `[tool.txl.notebooks]`. Returns None if there is no repository, no
    `pyproject.toml`, or no name in it. Raises `LiterateError` if it is not valid TOML.
    """
    settings = root / PYPROJECT
    if not repository or not settings.is_file():
        return None
    source = read(settings, root)
    try:
        found = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        raise LiterateError(source.path, 1, f"not valid TOML: {error}") from None
    project = found.get("project", {})
    if "name" not in project:
        return None
    extras = project.get("optional-dependencies", {})
    chosen = found.get("tool", {}).get("txl", {}).get("notebooks", {}).get("extras", ())
    return Distribution(
        project["name"],
        f"git+{repository.rstrip('/')}",
        revision,
        {extra: (*lines,) for extra, lines in extras.items()},
        (*chosen,),
    )


# The example at the end of exercises: a block of Python, and a block with its output.
_BLOCK = r"^```{}\n((?:(?!```).*\n)+)```\n"
_EXAMPLE = re.compile(
    rf"{_BLOCK.format('python')}\n+{_BLOCK.format('text')}\s*\Z", re.MULTILINE
)


def shows_something(exercises: Source | None) -> bool:
    """Whether exercises end with an example, so that the page offers a notebook."""
    return bool(exercises and _EXAMPLE.search(exercises.text))


def notebook(page: Page, site: Site, install: Distribution | None = None) -> str:
    """Render an annotated module as a Jupyter notebook in the format 4.5."""
    first = Cell("code", _set_up(page, install), 0)
    cells = (cell for cell in (first, *_Cutter(page, site).cells()) if cell.text)
    return write_cells(
        {"cell_type": cell.kind, "metadata": {}, "source": cell.text}
        | (
            {"execution_count": None, "outputs": cell.outputs}
            if cell.kind == "code"
            else {}
        )
        for cell in cells
    )


def write_cells(cells: Iterable[Mapping[str, Any]]) -> str:
    """Serialise cells as a Jupyter notebook in the format 4.5."""
    import nbformat

    kernel = {"display_name": "Python 3", "language": "python", "name": KERNEL}
    whole = {
        "cells": [{**cell, "id": f"cell-{n}"} for n, cell in enumerate(cells)],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return f"{nbformat.v4.writes(nbformat.from_dict(whole))}\n"


def _set_up(page: Page, install: Distribution | None) -> str:
    """The code of the first cell.

    It installs the package, and defines `__package__` and `__file__` if the module uses
    them, because Jupyter does not.
    """
    steps, text = [], page.source.text
    if install:
        steps.append(install.cell())
    if re.search(r"\bfrom[\s\\]*\.", text):
        above = page.module.rpartition(".")[0]
        inside = page.module if page.source.stem == "__init__" else above
        steps.append(f'# Relative imports start here.\n__package__ = "{inside}"')
    if re.search(r"\b__file__\b", text):
        origin = f'importlib.util.find_spec("{page.module}").origin'
        steps.append(f"import importlib.util\n\n__file__ = {origin}")
    return "\n\n".join(steps)


@dataclass(frozen=True)
class _Part:
    """A top-level statement of a module, or several that share a line.

    `kind` is `"definition"` for a class or function, `"command"` for code behind
    `if __name__ == "__main__"`, or `"code"`.
    """

    kind: str
    lines: range


class _Cutter:
    """Cuts one page into cells."""

    def __init__(self, page: Page, site: Site) -> None:
        self._page, self._site = page, site
        tree = parse(page.source)
        self._lines = page.source.lines
        self._parts = {part.lines.start: part for part in _parts(tree)}
        inside = {n for part in self._parts.values() for n in part.lines[1:]}
        self._sections = {
            section.block.lines.start: section
            for section in page.sections
            if section.block.lines and section.block.lines.start not in inside
        }
        spoken = {n for s in self._sections.values() for n in s.block.note_lines}
        self._removed = spoken.difference(*map(_bodies_of_words, tree.body))

    def cells(self) -> Iterator[Cell]:
        """Yield the cells of the module in the order of its lines, then exercises."""
        opening = f"# {self._page.title}\n\n{origin(self._page, self._site)}\n\n"
        for lines in self._cut():
            if section := self._sections.get(lines.start):
                words = f"{opening}{self._note(section)}".strip()
                yield Cell("markdown", words, lines.start)
                opening = ""
            part, code = self._parts.get(lines.start), self._code(lines)
            if part and part.kind == "command":
                words = self._site.labels("as_a_command")
                words = f"{words}\n\n{fence_code(code, 'python')}"
                yield Cell("markdown", words, lines.start)
            else:
                yield Cell("code", code, lines.start)
        for section in self._page.sections:
            if section.block.opens == "exercises":
                yield from self._exercises(section)

    def _exercises(self, section: Section) -> Iterator[Cell]:
        note = section.block.note
        example = _EXAMPLE.search(note.text)
        words = note.cut(example.start()) if example else note
        yield Cell("markdown", self._write_note(words).strip(), 0)
        if not example:
            return
        # Remove imports from the module itself: the cells above define its names.
        lines = example[1].splitlines(keepends=True)
        for node in ast.parse(example[1]).body:
            if isinstance(node, ast.ImportFrom) and node.module == self._page.module:
                first, last = node.lineno - 1, node.end_lineno or node.lineno
                lines[first:last] = [""] * (last - first)
        code = re.sub(r"\n{3,}", "\n\n", "".join(lines)).strip()
        stream = {"output_type": "stream", "name": "stdout", "text": example[2]}
        yield Cell("code", code, 0, outputs=(stream,))

    def _cut(self) -> Iterator[range]:
        """Cut the lines where a note starts, and where a definition starts or ends."""
        cuts = {1, len(self._lines) + 1, *self._sections}
        for part in self._parts.values():
            if part.kind != "code":
                cuts |= {part.lines.start, part.lines.stop}
        for start, stop in pairwise(sorted(cuts)):
            yield range(start, stop)

    def _note(self, section: Section) -> str:
        note = self._write_note(section.block.note)
        if not section.heading:
            return note
        # A class is one cell, so the shapes in its methods are listed above it.
        shapes = self._page.observed.shapes_below(
            section.block.scope, self._site.labels
        )
        return "\n\n".join(filter(None, (f"## `{section.heading}`", note, *shapes)))

    def _write_note(self, note: Note) -> str:
        page = self._page
        note = make_portable(note, page.path, self._site, near=page.module, drawn=True)
        return note.text

    def _code(self, lines: range) -> str:
        """The lines without those of notes, and without the blank lines after notes."""
        kept = (
            self._lines[n - 1]
            for n in lines
            if n not in self._removed
            and (n - 1 not in self._removed or self._lines[n - 1].strip())
        )
        return re.sub(r"\A(?:[ \t\f]*\n)+", "", "".join(kept)).rstrip()


def _parts(tree: ast.Module) -> Iterator[_Part]:
    """The top-level statements of a module without its docstring."""
    last: _Part | None = None
    docstring = ast.get_docstring(tree) is not None
    for node in tree.body[docstring:]:
        decorators = getattr(node, "decorator_list", [])
        first = min(n.lineno for n in [node, *decorators])
        lines = range(first, (node.end_lineno or first) + 1)
        if last and lines.start < last.lines.stop:
            last = _Part("code", range(last.lines.start, lines.stop))
            continue
        if last:
            yield last
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                last = _Part("definition", lines)
            case ast.If(test=test, orelse=[]) if ast.unparse(test) == COMMAND:
                last = _Part("command", lines)
            case _:
                last = _Part("code", lines)
    if last:
        yield last


def _bodies_of_words(node: ast.stmt) -> range:
    """The lines of a docstring that is the whole body of a class or function.

    It must stay in the code, since Python does not allow an empty body.
    """
    match node:
        case (
            ast.ClassDef(body=[only])
            | ast.FunctionDef(body=[only])
            | ast.AsyncFunctionDef(body=[only])
        ):
            return range(only.lineno, (only.end_lineno or only.lineno) + 1)
    return range(0)
