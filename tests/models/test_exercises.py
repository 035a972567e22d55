"""The exercises at the end of pages: what their solutions say is so."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted(ROOT.glob("labml_txl/**/exercises/*.md"))
SOLUTION = re.compile(r"^<details markdown=\"1\">\n(.*?)^</details>$", re.S | re.M)
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.S | re.M)

# Each solution: its file, its number, and its fenced code by language.
SOLUTIONS = [
    pytest.param(FENCE.findall(solution), id=f"{file.stem}-{number}")
    for file in FILES
    for number, solution in enumerate(SOLUTION.findall(file.read_text("utf-8")), 1)
]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_exercise_has_one_solution_with_code(file: Path) -> None:
    text = file.read_text("utf-8")
    assert (file.parents[1] / f"{file.stem}.py").is_file()
    numbers = [int(n) for n in re.findall(r"^\*\*(\d+)\. ", text, re.M)]
    solutions = SOLUTION.findall(text)
    assert numbers == [*range(1, len(solutions) + 1)]
    assert text.count("<details") == len(solutions)


@pytest.mark.parametrize("code", SOLUTIONS)
def test_every_solution_passes_its_checks(
    code: list[tuple[str, str]], tmp_path: Path
) -> None:
    languages = dict(code)
    assert len(languages) == len(code)
    if "diff" in languages:
        assert_change_is_noticed(languages["diff"], languages["text"], tmp_path)
        return
    assert set(languages) == {"python"}
    assert re.search(r"^ *assert |assert_close\(", languages["python"], re.M)
    exec(compile(languages["python"], "solution", "exec"), {})


def assert_change_is_noticed(diff: str, names: str, copy: Path) -> None:
    """Make a change in a copy of the code, and see each of the named tests fail."""
    shutil.copytree(ROOT / "labml_txl", copy / "labml_txl")
    for path in ("tests/conftest.py", "tests/models", "tests/site/browser.py"):
        start = ROOT / path
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if start.is_dir() else shutil.copy)(start, copy / path)
    shutil.copy(ROOT / "pyproject.toml", copy)
    change(diff, copy)
    tests = names.split()
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("-p", "no:xdist", "--tb=no", "-rfE", *tests),
        ],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=False,
    )
    told = re.findall(r"^(FAILED|ERROR) (\S+?)(?:\[\S*)?(?: - .*)?$", done.stdout, re.M)
    assert {name for _, name in told} == {*tests}, done.stdout + done.stderr
    assert {kind for kind, _ in told} == {"FAILED"}


def change(diff: str, folder: Path) -> None:
    """Put the lines with `+` where the lines with `-` are."""
    head, *lines = diff.splitlines(keepends=True)
    file = folder / head.removeprefix("--- ").strip()
    before = "".join(line[1:] for line in lines if line[0] == "-")
    after = "".join(line[1:] for line in lines if line[0] == "+")
    text = file.read_text("utf-8")
    assert text.count(before.rstrip("\n")) == 1, f"{file.name} has other lines there"
    file.write_text(text.replace(before.rstrip("\n"), after.rstrip("\n")), "utf-8")
