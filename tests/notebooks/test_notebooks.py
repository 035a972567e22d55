"""The tutorial notebooks: they run, they show what ran, and what they say is so."""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from labml_txl.literate.build.build import import_folders
from labml_txl.literate.build.edition import Edition
from labml_txl.literate.export.notebooks.execution import execute
from labml_txl.literate.export.notebooks.tutorial import (
    Tutorial,
    document,
    with_outputs,
    written,
)
from labml_txl.literate.mkdocs.project import edition_of, for_notebooks
from labml_txl.literate.sources.cells import Cell

ROOT = Path(__file__).parents[2]
LARGEST = 400_000  # bytes of a notebook
LONGEST = 40  # lines of a cell of code


@lru_cache
def edition() -> Edition:
    """The settings of the site, as they are where nobody has set anything."""
    with pytest.MonkeyPatch.context() as environment:
        for name in ("REPO_URL", "SITE_URL", "REVISION"):
            environment.delenv(name, raising=False)
        return for_notebooks(edition_of(ROOT / "mkdocs.yml"))


@pytest.fixture(
    scope="module",
    params=sorted(ROOT.glob("notebooks/*.py")),
    ids=lambda path: path.stem,
)
def file(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


@pytest.fixture(scope="module")
def tutorial(file: Path) -> Tutorial:
    """A notebook with the outputs that are stored in it."""
    (found,) = written(ROOT, [file.relative_to(ROOT).as_posix()])
    return with_outputs(found, ROOT)


@pytest.fixture(scope="module")
def quick(tutorial: Tutorial) -> Tutorial:
    """A notebook with what its cells give when they run with small sizes."""
    return execute(tutorial, import_folders(edition().project), quick=True)


def test_the_site_shows_every_notebook() -> None:
    shown = {t.source.path for t in written(ROOT, edition().project.notebooks)}
    there = {p.relative_to(ROOT).as_posix() for p in ROOT.glob("notebooks/*.py")}
    assert shown == there


def test_a_published_notebook_installs_the_commit_that_the_site_is_built_of() -> None:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("REVISION", "0123abc")
        install = edition_of(ROOT / "mkdocs.yml").install
    assert install is not None
    assert install.address.endswith("@0123abc")
    workflow = ROOT.joinpath(".github/workflows/pages.yml").read_text(encoding="utf-8")
    assert re.search(r"^ +REVISION: \$\{\{ github\.event\.", workflow, re.MULTILINE)


def test_no_notebook_is_left_without_its_source() -> None:
    names = {p.stem for p in ROOT.glob("notebooks/*.py")}
    assert {p.stem for p in ROOT.glob("notebooks/*.ipynb")} == names
    assert {p.suffix for p in ROOT.joinpath("notebooks").iterdir()} == {".py", ".ipynb"}


def test_the_notebook_is_the_one_that_its_source_makes(
    file: Path, tutorial: Tutorial
) -> None:
    wanted = document(tutorial, edition().site, edition().install)
    stored = file.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert stored == wanted, "run: txl notebooks --keep"


def test_the_opening_says_what_it_is_and_how_long_it_takes(tutorial: Tutorial) -> None:
    opening = tutorial.cells[0]
    assert 60 <= len(tutorial.description) <= 160
    (time,) = re.findall(r"^Time: .*", opening.text, re.MULTILINE)
    assert re.search(r"\bCPU\b", time)
    assert re.search(r"\bT4\b", time)


def test_the_first_cell_of_code_installs_the_package_from_its_repository(
    file: Path,
) -> None:
    first, *_ = code_cells(file)
    assert first["metadata"]["tags"] == ["install"]
    text = "".join(first["source"])
    assert len(re.findall(r'"labml_txl\[\S+\] @ git\+https://\S+@\w+"', text)) == 1


def test_the_sizes_stand_in_the_second_cell_of_code_for_all_to_see(file: Path) -> None:
    _, second, *others = code_cells(file)
    assert "parameters" in second["metadata"].get("tags", [])
    for cell in others:
        assert "TXL_QUICK" not in "".join(cell["source"])


def test_cells_of_code_are_short_enough_to_read(tutorial: Tutorial) -> None:
    for cell in tutorial.cells:
        if cell.kind == "code":
            assert len(cell.text.splitlines()) <= LONGEST, cell.line


def test_the_notebook_is_small(file: Path) -> None:
    assert file.with_suffix(".ipynb").stat().st_size <= LARGEST


def test_the_stored_run_was_in_full_and_every_cell_ran(
    file: Path, tutorial: Tutorial
) -> None:
    counts = [cell["execution_count"] for cell in code_cells(file)]
    assert counts == [*range(1, len(counts) + 1)]
    assert all(result == "True" for _, result in claims(tutorial, full=True))


def test_the_stored_outputs_name_no_address_of_memory_and_no_warning(
    tutorial: Tutorial,
) -> None:
    for cell in tutorial.cells:
        for text in texts(cell):
            assert not re.search(r" at 0x[0-9a-f]{6}|\bWarning\b", text), cell.line


def test_each_figure_has_words(tutorial: Tutorial) -> None:
    words = [
        output["metadata"]["image/svg+xml"]["alt"]
        for cell in tutorial.cells
        for output in cell.outputs
        if "image/svg+xml" in output.get("data", {})
    ]
    assert words
    assert all(len(one) >= 40 for one in words)
    assert len(set(words)) == len(words)


def test_what_the_notebook_says_is_so(tutorial: Tutorial) -> None:
    results = [*claims(tutorial, full=True)]
    assert results
    for cell, result in results:
        assert result == "True", f"{tutorial.source.path}:{cell.line}"


def test_the_notebook_runs_quickly_with_small_sizes(quick: Tutorial) -> None:
    for cell, result in claims(quick, full=False):
        assert result == "True", f"{quick.source.path}:{cell.line}"


def code_cells(file: Path) -> list[dict[str, Any]]:
    """The cells of code of the notebook, as Jupyter stores them."""
    text = file.with_suffix(".ipynb").read_text(encoding="utf-8")
    return [c for c in json.loads(text)["cells"] if c["cell_type"] == "code"]


def claims(tutorial: Tutorial, *, full: bool) -> Iterator[tuple[Cell, str]]:
    """The cells that hold what the text says, and the last thing that each shows."""
    for cell in tutorial.cells:
        if "claim" in cell.tags and (full or "full" not in cell.tags):
            yield cell, ([*texts(cell)] or [""])[-1]


def texts(cell: Cell) -> Iterator[str]:
    """What the cell shows as text."""
    for output in cell.outputs:
        yield output.get("data", {}).get("text/plain", output.get("text", ""))
