r"""# A page as a notebook

The notes become cells of text, the code between them cells that run, from top to
bottom. A class or a function stays whole in one cell, since Python needs it whole: its
docstring stands above the cell, the notes inside it stay comments.

The law of this module: **every line of the source stands in exactly one cell, in its
order**, and what the cells define is what the module defines. Only this differs:

- the first cell names the package that relative imports start from;
- what a module does only as a command, behind `if __name__ == "__main__"`, is shown as
  text.

The first cell installs the package where it is missing, as on Colab: from the checkout
that the notebook lies in, or else from the repository.

Exercises may end in a block of Python and, in a block of text, what it prints. In the
notebook this is a cell that runs, with its result. It uses the code of the notebook, so
that a reader can change that and see what comes of it. A page without such an end
offers no notebook, since nothing would be seen in it.
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
from labml_txl.literate.export.text import fenced, origin, portable
from labml_txl.literate.render.page import Page, Section
from labml_txl.literate.render.resolve import Site
from labml_txl.literate.sources.cells import Cell
from labml_txl.literate.sources.source import LiterateError, Source, read
from labml_txl.literate.sources.syntax import parse

# What only a command does stands behind this question.
COMMAND = "__name__ == '__main__'"
# The kernel that Jupyter and Colab have under this name.
KERNEL = "python3"


@dataclass(frozen=True)
class Distribution:
    """What has to be installed before a notebook can run.

    - `name`: the name that pip knows it by;
    - `address`: where pip finds it, for example `git+https://…`;
    - `revision`: the version, branch or commit of that; empty for its first branch;
    - `extras`: what each of its extras asks for;
    - `chosen`: the extras that a notebook gets which names none.
    """

    name: str
    address: str
    revision: str = ""
    extras: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    chosen: tuple[str, ...] = ()

    def cell(self, extras: Iterable[str] = ()) -> str:
        """Code that installs the package with these extras, if it is not there yet."""
        chosen = sorted({*extras} or {*self.chosen})
        packages = dict.fromkeys([self.name, *self._asked_for(chosen)])
        named = f"{self.name}[{','.join(chosen)}]" if chosen else self.name
        at = f"@{self.revision}" if self.revision else ""
        return INSTALL.format(
            name=self.name,
            packages=(*packages,),
            revision=self.revision,
            requirement=f"{named} @ {self.address}{at}",
        )

    def _asked_for(self, extras: Iterable[str]) -> Iterator[str]:
        """The packages of some extras, and of those that these name."""
        for extra in extras:
            if extra not in self.extras:
                there = ", ".join(sorted(self.extras)) or "none"
                message = f"a notebook wants the extra {extra}: there are {there}"
                raise LiterateError(PYPROJECT, 1, message)
            for line in self.extras[extra]:
                name, others = _REQUIREMENT.match(line.strip()).groups()  # type: ignore[union-attr]
                if name.lower() == self.name.lower():
                    yield from self._asked_for(re.findall(r"[\w.-]+", others or ""))
                elif ";" not in line:  # what not every machine needs is left to pip
                    yield name


PYPROJECT = "pyproject.toml"
_REQUIREMENT = re.compile(r"([\w.-]*)\s*(?:\[([^]]*)\])?")


def distribution(root: Path, repository: str, revision: str) -> Distribution | None:
    """What a repository installs, by its `pyproject.toml`; None if it cannot be.

    `revision` is the version, branch or commit that its notebooks get; empty for the
    branch that the repository shows first. The extras that they get are those of
    `[tool.txl.notebooks]`.
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


# The end of exercises: a block of Python, and what it prints.
_BLOCK = r"^```{}\n((?:(?!```).*\n)+)```\n"
_EXAMPLE = re.compile(
    rf"{_BLOCK.format('python')}\n+{_BLOCK.format('text')}\s*\Z", re.MULTILINE
)


def shows_something(exercises: Source | None) -> bool:
    """Whether the notebook of a page ends in a cell that shows a result."""
    return bool(exercises and _EXAMPLE.search(exercises.text))


def notebook(page: Page, site: Site, install: Distribution | None = None) -> str:
    """An annotated module as a Jupyter notebook, in the format 4.5."""
    first = Cell("code", _set_up(page, install), 0)
    cells = (cell for cell in (first, *_Cutter(page, site).cells()) if cell.text)
    return as_jupyter(
        {"cell_type": cell.kind, "metadata": {}, "source": cell.text}
        | (
            {"execution_count": None, "outputs": cell.outputs}
            if cell.kind == "code"
            else {}
        )
        for cell in cells
    )


def as_jupyter(cells: Iterable[Mapping[str, Any]]) -> str:
    """Cells as Jupyter stores them, in the format 4.5."""
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
    """The code that makes ready what the other cells need."""
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
    """A statement at the top of a module, or several that share a line.

    `kind` is `"definition"`, `"command"` for what only runs as a command, or `"code"`.
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
        """The cells of the module itself, in its order."""
        opening = f"# {self._page.title}\n\n{origin(self._page, self._site)}\n\n"
        for lines in self._pieces():
            if section := self._sections.get(lines.start):
                words = f"{opening}{self._note(section)}".strip()
                yield Cell("markdown", words, lines.start)
                opening = ""
            part, code = self._parts.get(lines.start), self._code(lines)
            if part and part.kind == "command":
                words = self._site.labels("as_a_command")
                words = f"{words}\n\n{fenced(code, 'python')}"
                yield Cell("markdown", words, lines.start)
            else:
                yield Cell("code", code, lines.start)
        for section in self._page.sections:
            if section.block.opens == "exercises":
                yield from self._exercises(section)

    def _exercises(self, section: Section) -> Iterator[Cell]:
        note = section.block.note
        example = _EXAMPLE.search(note)
        words = note[: example.start()] if example else note
        yield Cell("markdown", self._portable(words).strip(), 0)
        if not example:
            return
        # What the notebook itself defines is not imported.
        lines = example[1].splitlines(keepends=True)
        for node in ast.parse(example[1]).body:
            if isinstance(node, ast.ImportFrom) and node.module == self._page.module:
                first, last = node.lineno - 1, node.end_lineno or node.lineno
                lines[first:last] = [""] * (last - first)
        code = re.sub(r"\n{3,}", "\n\n", "".join(lines)).strip()
        stream = {"output_type": "stream", "name": "stdout", "text": example[2]}
        yield Cell("code", code, 0, outputs=(stream,))

    def _pieces(self) -> Iterator[range]:
        """Cut the lines where a note or a definition starts, and where one ends."""
        cuts = {1, len(self._lines) + 1, *self._sections}
        for part in self._parts.values():
            if part.kind != "code":
                cuts |= {part.lines.start, part.lines.stop}
        for start, stop in pairwise(sorted(cuts)):
            yield range(start, stop)

    def _note(self, section: Section) -> str:
        note = self._portable(section.block.note)
        if not section.heading:
            return note
        # A class is one cell: the shapes in its methods stand above it.
        shapes = self._page.observed.shapes_below(
            section.block.scope, self._site.labels
        )
        return "\n\n".join(filter(None, (f"## `{section.heading}`", note, *shapes)))

    def _portable(self, note: str) -> str:
        page = self._page
        return portable(note, page.path, self._site, near=page.module, drawn=True)

    def _code(self, lines: range) -> str:
        """The lines without those that are notes, and the empty ones left by them."""
        kept = (
            self._lines[n - 1]
            for n in lines
            if n not in self._removed
            and (n - 1 not in self._removed or self._lines[n - 1].strip())
        )
        return re.sub(r"\A(?:[ \t\f]*\n)+", "", "".join(kept)).rstrip()


def _parts(tree: ast.Module) -> Iterator[_Part]:
    """The statements of a module, without its docstring."""
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
    """The docstring of what has no other body: Python cannot do without it."""
    match node:
        case ast.ClassDef(body=[body]):
            return range(body.lineno, (body.end_lineno or body.lineno) + 1)
        case ast.FunctionDef(body=[body]) | ast.AsyncFunctionDef(body=[body]):
            return range(body.lineno, (body.end_lineno or body.lineno) + 1)
    return range(0)
