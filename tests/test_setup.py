"""The set-up of `make` does each step once, and begins anew where it was broken off.

What installs packages is replaced by a program that does nothing, so these tests need
no network. `.ci/run` installs for real, with every Python that it finds.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NEW = "Making a virtual environment in .venv with "
SITE = "Installing the packages that build the site"
DEV = "Installing torch and what the tests need"


def make(folder: Path, *words: str, pip: str = "true") -> tuple[int, list[str]]:
    """Run `make` in a folder: its exit status, and what it prints."""
    kept = {k: v for k, v in os.environ.items() if "MAKE" not in k and k != "PYTHON3"}
    program = shutil.which("make")
    assert program is not None
    done = subprocess.run(
        [program, *words, f"PIP={pip}"],
        cwd=folder,
        env=kept,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        start_new_session=True,
    )
    return done.returncode, done.stdout.splitlines()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The files that set-up reads, in a folder whose name has a blank."""
    folder = tmp_path / "a clone"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture
def python(tmp_path: Path) -> str:
    """A Python that makes environments in no time, for their `pip` does nothing."""
    path = tmp_path / "quick python"
    path.write_text(
        "#!/bin/sh\n"
        f'case "$*" in "-m venv "*) "{sys.executable}" -m venv --without-pip "$3" &&\n'
        'cd "$3"/lib/python*/site-packages && mkdir pip && touch pip/__main__.py;;\n'
        f'*) exec "{sys.executable}" "$@";; esac\n'
    )
    path.chmod(0o755)
    return str(path)


def test_no_step_is_done_twice_unless_another_package_is_wanted(
    clone: Path, python: str
) -> None:
    named = f"PYTHON3={python}"
    assert make(clone, "site", named) == (0, [NEW + python, SITE])
    assert make(clone, "site") == (0, [])
    assert make(clone, "dev", pip="false")[0] == 2
    assert make(clone, "dev") == (0, [DEV])
    assert make(clone, "site", "dev", named) == (0, [])
    with clone.joinpath("constraints.txt").open("a") as file:
        file.write("another==1.0\n")
    assert make(clone, "dev") == (0, [DEV])


def test_a_set_up_that_was_killed_is_made_anew(clone: Path, python: str) -> None:
    make(clone, "environment", f"PYTHON3={python}")
    assert make(clone, "dev", pip="kill -9 0")[0] < 0
    assert make(clone, "dev", f"PYTHON3={python}") == (0, [NEW + python, DEV])
    assert make(clone, "dev") == (0, [])
