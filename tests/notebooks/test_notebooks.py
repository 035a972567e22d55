"""The tutorial notebooks: they run, they show what ran, and what they say is so."""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from labml_txl.literate.export.notebooks.tutorial import (
    Tutorial,
    add_outputs,
    document,
    find_tutorials,
)
from labml_txl.literate.mkdocs.settings import open_project, use_default_branch
from labml_txl.literate.project.localized import LocalizedProject
from labml_txl.literate.sources.cells import Cell

ROOT = Path(__file__).parents[2]
LARGEST = 420_000  # bytes of a notebook


@lru_cache
def edition() -> LocalizedProject:
    """The settings of the site, as they are where nobody has set anything."""
    with pytest.MonkeyPatch.context() as environment:
        for name in ("REPO_URL", "SITE_URL", "REVISION"):
            environment.delenv(name, raising=False)
        return use_default_branch(open_project(ROOT / "mkdocs.yml"))


FILES = sorted(ROOT.glob("notebooks/*.py"))


@pytest.fixture(scope="module")
def tutorials() -> dict[Path, Tutorial]:
    """Each notebook with the outputs that are stored in it."""
    names = [file.relative_to(ROOT).as_posix() for file in FILES]
    found = (add_outputs(one, ROOT) for one in find_tutorials(ROOT, names))
    return dict(zip(FILES, found, strict=True))


def test_a_published_notebook_installs_the_commit_that_the_site_is_built_of() -> None:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("REVISION", "0123abc")
        install = open_project(ROOT / "mkdocs.yml").content.install
    assert install is not None
    assert install.revision == "0123abc"
    workflow = ROOT.joinpath(".github/workflows/pages.yml").read_text(encoding="utf-8")
    assert re.search(r"^ +REVISION: \$\{\{ github\.event\.", workflow, re.MULTILINE)


def test_each_notebook_is_the_one_that_its_source_makes(
    tutorials: dict[Path, Tutorial],
) -> None:
    stale = [
        file.name
        for file, tutorial in tutorials.items()
        if file.with_suffix(".ipynb").read_text(encoding="utf-8")
        != document(tutorial, edition().site, edition().content.install)
    ]
    assert stale == [], "run: txl notebooks --keep"


def test_each_notebook_opens_with_what_it_is_installs_and_shows_its_sizes(
    tutorials: dict[Path, Tutorial],
) -> None:
    wrong = []
    for file, tutorial in tutorials.items():
        opening = tutorial.cells[0].text
        times = re.findall(r"^Time: .*\bCPU\b.*\bT4\b.*", opening, re.MULTILINE)
        if len(times) != 1:
            wrong.append(f"{file.name}: {times}")
        first, second, *others = code_cells(file)
        installs = re.findall(
            r'"labml_txl\[\S+\] @ git\+https://\S+@\w+"', text_of(first)
        )
        if first["metadata"]["tags"] != ["install"] or len(installs) != 1:
            wrong.append(f"{file.name}: {installs}")
        if "parameters" not in second["metadata"].get("tags", []):
            wrong.append(f"{file.name}: the second cell of code has no parameters")
        if any("TXL_QUICK" in text_of(cell) for cell in others):
            wrong.append(f"{file.name}: sizes are hidden in a later cell")
    assert wrong == []


def test_each_notebook_is_small_and_each_figure_has_words(
    tutorials: dict[Path, Tutorial],
) -> None:
    wrong = []
    for file, tutorial in tutorials.items():
        counts = [cell["execution_count"] for cell in code_cells(file)]
        if counts != [*range(1, len(counts) + 1)]:
            wrong.append(f"{file.name}: {counts}")
        if file.with_suffix(".ipynb").stat().st_size > LARGEST:
            wrong.append(f"{file.name} has more than {LARGEST} bytes")
        for cell in tutorial.cells:
            place = f"{file.name}:{cell.line}"
            # No address of memory, and no warning.
            if any(re.search(r" at 0x[0-9a-f]{6}|\bWarning\b", t) for t in texts(cell)):
                wrong.append(f"{place}: {[*texts(cell)]}")
        words = [
            output["metadata"]["image/svg+xml"]["alt"]
            for cell in tutorial.cells
            for output in cell.outputs
            if "image/svg+xml" in output.get("data", {})
        ]
        if not words or len({*words}) < len(words) or min(map(len, words)) < 40:
            wrong.append(f"{file.name}: the words of its figures are {words}")
    assert wrong == []


def text_of(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def code_cells(file: Path) -> list[dict[str, Any]]:
    """The cells of code of the notebook, as Jupyter stores them."""
    text = file.with_suffix(".ipynb").read_text(encoding="utf-8")
    return [c for c in json.loads(text)["cells"] if c["cell_type"] == "code"]


def texts(cell: Cell) -> Iterator[str]:
    """What the cell shows as text."""
    for output in cell.outputs:
        yield output.get("data", {}).get("text/plain", output.get("text", ""))
