"""Tutorials are read from the cache, with everything that the pages take from them."""

import json
import subprocess
import sys
from pathlib import Path

from labml_txl.literate.export.notebooks.tutorial import parse, write_tutorial
from labml_txl.literate.project.cache import Cache
from labml_txl.literate.project.tutorials import read_tutorials
from labml_txl.literate.sources.source import LiterateError, Source
from tests.literate.small import CONFIG, ENVIRONMENT, FILES, contents, write

TEXT = """\
# %% [markdown]
# # Counting in three steps
#
# Words of `src`.

# %% tags=["claim"]
1 + 2 == 3
"""
ERROR = {"output_type": "error", "ename": "KeyError", "evalue": "x", "traceback": []}
STORED = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": "# Mine"},
        {
            "cell_type": "code",
            "execution_count": 1,
            "metadata": {},
            "outputs": [ERROR],
            "source": "{}['x']",
        },
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 4,
}
NOTEBOOKS: dict[str, str | bytes] = {
    "mkdocs.yml": f"{CONFIG}      notebooks: [notebooks]\n",
    "notebooks/mine.ipynb": json.dumps(STORED),
    "notebooks/three.py": TEXT,
    "notebooks/three.ipynb": write_tutorial(parse(Source("notebooks/three.py", TEXT))),
}
# Prints which of the packages that read notebooks a build has imported.
BUILD = """
import sys
from mkdocs.__main__ import cli
cli(["build", "--quiet"], standalone_mode=False)
print(*sorted({"jupytext", "nbformat"} & {*sys.modules}))
"""


def test_a_build_with_a_full_cache_imports_nothing_that_reads_notebooks(
    tmp_path: Path,
) -> None:
    project, cache = tmp_path / "project", str(tmp_path / "cache")
    write(project, FILES, NOTEBOOKS)

    def imported() -> list[str]:
        words, env = [sys.executable, "-c", BUILD], {**ENVIRONMENT, "TXL_CACHE": cache}
        return subprocess.check_output(words, cwd=project, env=env, text=True).split()

    assert imported() == ["jupytext", "nbformat"]
    first = contents(project / "site")
    assert imported() == []
    second = contents(project / "site")
    assert {k: v for k, v in first.items() if not k.endswith(".gz")} == {
        k: v for k, v in second.items() if not k.endswith(".gz")
    }
    # A changed cell is read, and compared with its notebook.
    write(project, {"notebooks/three.py": TEXT.replace("Words", "Other words")})
    assert imported() == ["jupytext", "nbformat"]
    assert "Other words" in (project / "site/notebooks/three.md").read_text()


def test_a_tutorial_from_the_cache_equals_the_one_that_was_read(tmp_path: Path) -> None:
    write(tmp_path, NOTEBOOKS)
    cache, found = Cache(), []
    for _ in range(2):
        faults = list[LiterateError]()
        given = (tmp_path, ["notebooks"], "mkdocs.yml", faults.append, cache)
        found.append((repr(read_tutorials(*given)), [*map(str, faults)]))
    assert found[0] == found[1]
    assert any("KeyError" in fault for fault in found[0][1])
