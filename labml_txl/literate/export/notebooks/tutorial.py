"""# Tutorial notebooks

A tutorial is written as a Python file in the percent format, which `sources.cells`
parses. In the same folder is the notebook that Jupyter and Colab open, with the outputs
of the last run.

The cells are always taken from the Python file, and only the outputs from the notebook.
If the code in the two files differs, the build fails, so that readers never see outputs
of other code. A notebook without a Python file is read as its author stored it.

Only the notebook contains the cell that installs the package. The URL of the package
comes from the settings of the site.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from labml_txl.literate.export.notebooks.first_cell import CLAIM, TELL_CLAIMS
from labml_txl.literate.export.notebooks.notebook import (
    KERNEL,
    Distribution,
    write_cells,
)
from labml_txl.literate.export.picture import sanitise
from labml_txl.literate.export.text import make_portable
from labml_txl.literate.markdown.inline import plain_text
from labml_txl.literate.markdown.note import Note, pieces_of
from labml_txl.literate.render.page import description_of
from labml_txl.literate.render.resolve import Site
from labml_txl.literate.sources.cells import DRAWING, Cell, Output, cells_of
from labml_txl.literate.sources.source import (
    LiterateError,
    Source,
    Tell,
    read,
    stop,
)

# The tags of cells whose code is collapsed, because the tutorial does not teach it.
FOLDED = ("solution", "plot", "claim", "check", "parameters", "imports")

# The MIME types of outputs that a page can show, the preferred ones first.
FORMS = ("image/svg+xml", "image/png", "text/markdown", "text/plain")


@dataclass(frozen=True)
class Tutorial:
    """A tutorial.

    - `source`: its Python file, and `folder`: the name of the folder of that file;
    - `cells`: its cells, with outputs if they have been read or run;
    - `extras`: the extras of the package that its header names.
    """

    source: Source
    folder: str
    cells: tuple[Cell, ...]
    extras: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the file without its extension."""
        return self.source.stem

    @property
    def path(self) -> str:
        """The path of its page in the site, for example `notebooks/memory.md`."""
        return f"{self.folder}/{self.name}.md"

    @property
    def notebook(self) -> str:
        """The path of its notebook: that of the Python file with another extension."""
        return f"{self.source.path.removesuffix('.py').removesuffix('.ipynb')}.ipynb"

    @property
    def is_stored(self) -> bool:
        """Whether the notebook is the source, which only its author changes."""
        return self.source.path.endswith(".ipynb")

    @property
    def title(self) -> str:
        """The heading at its beginning."""
        title = self.cells[0].note.title
        return plain_text(title.pieces) if title else ""

    @property
    def description(self) -> str:
        """Its first paragraph, for lists and for search engines."""
        return description_of(self.cells[0].note.untitled, self.name, Site().labels)

    def translate(
        self,
        translate: Callable[[Note], Note],
        translate_output: Callable[[Output], Output] = lambda output: output,
    ) -> Tutorial:
        """A copy with `translate` applied to each note, and another to outputs."""
        cells = (
            replace(
                cell,
                note=translate(cell.note),
                outputs=tuple(map(translate_output, cell.outputs)),
            )
            for cell in self.cells
        )
        return replace(self, cells=tuple(cells))

    def make_fault(self, cell: Cell, message: str) -> LiterateError:
        """An error message that names the file, the line and the number of a cell."""
        number = 1 + [other.line for other in self.cells].index(cell.line)
        return LiterateError(self.source.path, cell.line, f"cell {number}: {message}")


def find_tutorials(
    root: Path, given: Iterable[str], settings: str = "mkdocs.yml"
) -> Iterator[Tutorial]:
    """Read the tutorials of a project without outputs.

    For the arguments see `tutorial_files`. Raises `LiterateError` for a notebook that
    is not valid, if it has no Python file.
    """
    return (read_tutorial(file, root) for file in tutorial_files(root, given, settings))


def tutorial_files(
    root: Path, given: Iterable[str], settings: str = "mkdocs.yml"
) -> Iterator[Path]:
    """The Python files of tutorials, and notebooks that have none.

    `given` are files and folders relative to `root`. `settings` is the file that errors
    name if one does not exist.
    """
    for name in given:
        start = root / name
        if not start.exists():
            message = f"the file or folder {name} does not exist"
            raise LiterateError(settings, 1, message)
        for file in [start] if start.is_file() else sorted(start.iterdir()):
            alone = file.suffix == ".ipynb" and not file.with_suffix(".py").exists()
            if alone or file.suffix == ".py":
                yield file


def read_tutorial(file: Path, root: Path) -> Tutorial:
    """Read a tutorial from one of the `tutorial_files`, without outputs."""
    source = read(file, root)
    if file.suffix == ".ipynb":
        source = _read_notebook(source)
    return parse(source, file.parent.name)


def _read_notebook(source: Source) -> Source:
    """A notebook in the percent format, without its outputs and its header."""
    import jupytext
    import nbformat

    notebook = _parse_notebook(source)
    spec = notebook.metadata.get("kernelspec", {})
    if (language := spec.get("language", "python")) != "python":
        message = f"a notebook in {language}: only those in Python can be shown"
        raise LiterateError(source.path, 1, message)
    given = {**notebook, "metadata": {"jupytext": _NO_HEADER}}
    given["cells"] = [
        _embed_attachments(cell)
        for cell in notebook.cells
        if "install" not in cell.metadata.get("tags", ())
    ]
    bare = nbformat.from_dict(given)
    return Source(source.path, jupytext.writes(bare, fmt="py:percent"))


def _embed_attachments(cell: Any) -> Any:
    """A cell whose attached pictures are in its text, as `data:` URLs."""
    attached = cell.get("attachments", {})

    def embed(match: re.Match[str]) -> str:
        for form, data in attached.get(unquote(match[1]), {}).items():
            return f"data:{form};base64,{''.join(''.join(data).split())}"
        return match[0]

    if not attached:
        return cell
    return {**cell, "source": _ATTACHMENT.sub(embed, cell["source"])}


_ATTACHMENT = re.compile(r"""(?<=[("'])attachment:([^\s()"'<>]+)""")
_NO_HEADER = {"notebook_metadata_filter": "-all", "cell_metadata_filter": "tags,-all"}
# Lines for Jupyter within Python.
_MAGIC = re.compile(r"^([ ]*)[%!].*$", re.MULTILINE)


def parse(source: Source, folder: str = "notebooks") -> Tutorial:
    """Parse a Python file in the percent format.

    Raises `LiterateError` if it names another kernel, if a code cell is not valid
    Python, or if it does not begin with a title.
    """
    written = cells_of(source)
    if written.kernel not in {"", KERNEL}:
        given = f"unknown kernel {written.kernel}"
        message = f"{given}: write {KERNEL} in the header, which Jupyter and Colab have"
        raise LiterateError(source.path, 1, message)
    cells = written.cells
    tutorial = Tutorial(source, folder, cells, written.extras)
    for cell in cells:
        try:
            ast.parse(_MAGIC.sub(r"\1pass", cell.text) if cell.kind == "code" else "")
        except SyntaxError as error:
            fault = tutorial.make_fault(cell, f"not valid Python: {error.msg}")
            line = cell.line + (error.lineno or 0)
            raise LiterateError(fault.path, line, fault.message) from None
    if not cells or cells[0].kind != "markdown" or not cells[0].note.title:
        message = "no title: begin the first cell with `# Title`"
        raise LiterateError(source.path, cells[0].line if cells else 1, message)
    return tutorial


def add_outputs(tutorial: Tutorial, root: Path, tell: Tell = stop) -> Tutorial:
    """A copy of the tutorial with the outputs that are stored in its notebook.

    Raises `LiterateError` if the notebook is missing, has other code than the tutorial,
    or has an output that pages cannot show. If the notebook is the source, `tell` gets
    the latter, and the page shows a text instead.
    """
    file = root / tutorial.notebook
    if not file.is_file():
        message = f"{tutorial.notebook} is missing: run `txl notebooks`"
        raise LiterateError(tutorial.source.path, 1, message)
    codes = _codes(read(file, root))
    found = []
    for cell in tutorial.cells:
        other = next(codes, {}) if cell.kind == "code" else {}
        if cell.kind == "code" and _remove_title(other.get("source", "")) != cell.text:
            message = (
                f"{tutorial.notebook} has different code here: run `txl notebooks`"
            )
            raise tutorial.make_fault(cell, message)
        outputs = tuple(other.get("outputs", ()))
        if tutorial.is_stored:
            outputs = tuple(clean(outputs))
            check_outputs(tutorial, cell, outputs, tell)
            outputs = tuple(map(_describe, outputs))
        else:
            check_outputs(tutorial, cell, outputs)
        found.append(replace(cell, outputs=tuple(map(reduce_output, outputs))))
    if next(codes, None):
        message = f"{tutorial.notebook} has more cells: run `txl notebooks`"
        raise LiterateError(tutorial.source.path, len(tutorial.source.lines), message)
    return replace(tutorial, cells=tuple(found))


def clean(outputs: Iterable[Output]) -> Iterator[Output]:
    """Drop from outputs what differs from run to run, and join printed texts.

    Standard error, terminal colours and overwritten lines are dropped, and execution
    counts become 0.
    """
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


def _describe(output: Output) -> Output:
    """An output that a page can show: errors and unknown types become a line of text.

    A picture without a description has the text that stands for it in a terminal.
    """
    data = output.get("data", {})
    form = next((form for form in FORMS if form in data), "")
    if output["output_type"] == "error":
        line = f"{output['ename']}: {output['evalue']}"
    elif "data" in output and not form:
        line = f"<{', '.join(data)}>"
    else:
        about = output.get("metadata", {})
        if form.startswith("image/") and not about.get(form, {}).get("alt"):
            words = "".join(data.get("text/plain", "")).strip("<>") or form
            about = {**about, form: {**about.get(form, {}), "alt": words}}
            return {**output, "metadata": about}
        return output
    return {"name": "stdout", "output_type": "stream", "text": f"{line}\n"}


_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def _stream(printed: list[str]) -> Iterator[Output]:
    text = _COLOUR.sub("", "".join(printed))
    # A carriage return means that the line before it was overwritten.
    text = re.sub(r"[^\n]*\r(?!\n)", "", text.replace("\r\n", "\n"))
    if text:
        yield {"name": "stdout", "output_type": "stream", "text": text}


def reduce_output(output: Output) -> Output:
    """Reduce an output to the MIME types in `FORMS`, and sanitise it.

    In an SVG, only elements that draw are left; in Markdown, HTML is escaped.
    """
    if "data" not in output:
        return output
    data = {form: output["data"][form] for form in FORMS if form in output["data"]}
    if DRAWING in data:
        data[DRAWING] = sanitise("".join(data[DRAWING]))
    if "text/markdown" in data:
        words = "".join(data["text/markdown"])
        data["text/markdown"] = "".join(
            p.raw if p.kind in _CODE else p.raw.replace("<", "&lt;")
            for p in pieces_of(words)
        )
    metadata = {k: v for k, v in output.get("metadata", {}).items() if k in data}
    return {**output, "data": data, "metadata": metadata}


_CODE = {"code", "fence", "drawing", "math", "display"}


# Colab shows the text behind this prefix in place of the collapsed code.
_TITLE = "# @title "


def fold_of(tags: Container[str]) -> str:
    """The name of the label of a cell whose code is collapsed; empty for others."""
    return next((f"code_{tag}" for tag in FOLDED if tag in tags), "")


def _remove_title(code: str) -> str:
    code = code.partition("\n")[2] if code.startswith(_TITLE) else code
    return code.removeprefix(f"{CLAIM}\n")


def _codes(source: Source) -> Iterator[dict[str, Any]]:
    """Yield the code cells of a notebook without the one that installs the package.

    Raises `LiterateError` if the notebook is not valid.
    """
    for cell in _parse_notebook(source).cells:
        tags = cell["metadata"].get("tags", ())
        if cell["cell_type"] == "code" and "install" not in tags:
            yield cell


def _parse_notebook(source: Source) -> Any:
    """Parse a notebook. Raises `LiterateError` if it is not valid."""
    import nbformat

    try:
        notebook = nbformat.v4.reads(source.text)
        nbformat.validate(notebook)
    except json.JSONDecodeError as error:
        message = f"not valid JSON: {error.msg}: run `txl notebooks`"
        raise LiterateError(source.path, error.lineno, message) from None
    except (nbformat.ValidationError, AttributeError, TypeError) as error:
        fault = str(error).partition("\n")[0]
        message = f"not a notebook of format 4 ({fault}): run `txl notebooks`"
        raise LiterateError(source.path, 1, message) from None
    return notebook


_HERE = re.compile(r"(?<![\w.~-])/(?:home|root|tmp|Users|private)/\w|\b[A-Z]:\\\\?\w")


def check_outputs(
    tutorial: Tutorial, cell: Cell, outputs: Iterable[Output], tell: Tell = stop
) -> None:
    """Call `tell` with a `LiterateError` for each output that no page should show.

    That is an error, unless the cell has Jupyter's tag for one that is expected, an
    unknown MIME type, a figure without alternative text, or a path of the machine that
    ran the notebook.
    """
    for output in outputs:
        if output["output_type"] == "error":
            words = f"{output.get('ename', 'error')}: {output.get('evalue', '')}"
            if "raises-exception" not in cell.tags:
                tell(tutorial.make_fault(cell, " ".join(words.split())))
            continue
        data = output.get("data", {"text/plain": output.get("text", "")})
        known = [form for form in FORMS if form in data]
        if not known:
            given = ", ".join(data) or "nothing"
            message = f"output of type {given}: show text or a figure"
            tell(tutorial.make_fault(cell, message))
            continue
        words = output.get("metadata", {}).get(known[0], {}).get("alt", "")
        if known[0].startswith("image/") and not words.strip():
            message = "figure without a description: end the cell with `described(…)`"
            if tutorial.is_stored:
                message = "figure without a description: add `alt` to its metadata"
            tell(tutorial.make_fault(cell, message))
        shown = "".join(data[form] for form in known if "text" in form)
        if found := _HERE.search(shown):
            message = f"the output contains a path of this machine: {found[0]}…"
            tell(tutorial.make_fault(cell, message))


def document(
    tutorial: Tutorial, site: Site, install: Distribution | None = None
) -> str:
    """The notebook that readers open, with absolute links to the site.

    If `install` is given, the first code cell installs that package if it is missing,
    and reports the claims of the tutorial that are false in the reader's run.
    """
    code = install.cell(tutorial.extras) if install else ""
    if code and any("claim" in cell.tags for cell in tutorial.cells):
        code += TELL_CLAIMS
    return write_tutorial(tutorial, code, site)


def write_tutorial(
    tutorial: Tutorial, install: str = "", site: Site | None = None
) -> str:
    """Serialise a tutorial as a Jupyter notebook in the format 4.5.

    `install` is the code of the cell that installs the package, if there is one. With a
    `site`, links become absolute, viewers collapse the code of cells that draw or check
    and the outputs of solutions, and the outputs of claims, all `True`, are left out.
    """
    numbers, found = count(1), list[dict[str, Any]]()

    def code(text: str, tags: tuple[str, ...], outputs: Iterable[Output]) -> None:
        number, metadata = next(numbers), dict[str, Any](tags=[*tags]) if tags else {}
        if site and (fold := fold_of(tags)):
            # A comment must be a single line, also in a translation.
            title = " ".join(site.labels(fold).split())
            claim = f"{CLAIM}\n" if "claim" in tags else ""
            text = f"{_TITLE}{title}\n{claim}{text}"
            outputs = () if claim else outputs
            # The metadata by which Colab and JupyterLab collapse the code of a cell.
            metadata |= {"cellView": "form", "jupyter": {"source_hidden": True}}
            if fold == "code_solution":
                metadata["jupyter"]["outputs_hidden"] = metadata["collapsed"] = True
        ran = [
            o | {"execution_count": number} if "execution_count" in o else o
            for o in outputs
        ]
        cell = {"cell_type": "code", "execution_count": number, "outputs": ran}
        found.append({**cell, "metadata": metadata, "source": text})

    for cell in tutorial.cells:
        if cell.kind == "code":
            if install and all(one["cell_type"] == "markdown" for one in found):
                code(install, ("install",), ())
            code(cell.text, cell.tags, cell.outputs)
            continue
        text = cell.text
        if site:
            note = make_portable(cell.note, tutorial.path, site, drawn=True)
            text = note.text.strip("\n")
        metadata = {"tags": [*cell.tags]} if cell.tags else {}
        found.append({"cell_type": "markdown", "metadata": metadata, "source": text})
    return write_cells(found)
