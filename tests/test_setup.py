"""The set-up of `make`, on machines that are not as one would wish.

What installs packages is replaced by a program that does nothing, so these tests need
no network. `.ci/run` installs for real, with every Python that it finds.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]


class Done(NamedTuple):
    """What a command said, and how it ended."""

    status: int
    out: list[str]
    errors: list[str]


def make(folder: Path, *words: str, pip: str | None = "true", **variables: str) -> Done:
    """Run `make` in a folder."""
    environment = {**os.environ, **variables}
    for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "PYTHON3"):
        environment.pop(name, None)
    program = shutil.which("make")
    assert program is not None
    done = subprocess.run(
        [program, *words, *([f"PIP={pip}"] if pip else [])],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )
    errors = [
        line for line in done.stderr.splitlines() if not line.startswith("make: ***")
    ]
    return Done(done.returncode, done.stdout.splitlines(), errors)


def programs(folder: Path, *names: str, **scripts: str) -> str:
    """A `PATH` on which there are only these programs, and these scripts."""
    folder.mkdir()
    for name in names:
        program = shutil.which(name)
        assert program is not None
        folder.joinpath(name).symlink_to(program)
    for name, script in scripts.items():
        folder.joinpath(name).write_text(f"#!/bin/sh\n{script}\n")
        folder.joinpath(name).chmod(0o755)
    return str(folder)


@pytest.fixture
def ground(tmp_path: Path) -> Path:
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


NEW = "Making a virtual environment in .venv with "
SITE = "Installing the packages that build the site"
DEV = "Installing torch and what the tests need"


# What is done, and what is not done twice


def test_no_step_is_done_twice(ground: Path, python: str) -> None:
    first = make(ground, "site", f"PYTHON3={python}")
    assert first == Done(0, [NEW + python, SITE], [])
    assert make(ground, "site") == Done(0, [], [])
    assert make(ground, "dev") == Done(0, [DEV], [])
    assert make(ground, "site", "dev") == Done(0, [], [])


def test_packages_are_installed_anew_where_another_is_wanted_or_at_another_place(
    ground: Path, python: str
) -> None:
    make(ground, "dev", f"PYTHON3={python}")
    with ground.joinpath("constraints.txt").open("a") as file:
        file.write("another==1.0\n")
    assert make(ground, "site").out == [SITE]
    assert make(ground, "site").out == []
    assert make(ground, "dev").out == [DEV]
    moved = ground.rename(ground.with_name("another clone"))
    assert make(moved, "dev").out == [DEV]


def test_each_package_comes_as_a_wheel_at_its_pinned_version(
    ground: Path, python: str
) -> None:
    make(ground, "environment", f"PYTHON3={python}")
    shown = make(ground, "--dry-run", "dev", pip=None).out
    (step,) = [line for line in shown if "-m pip" in line and "hatchling" in line]
    assert step.count(" install ") == 2
    assert step.count(" --only-binary :all: --no-build-isolation ") == 2
    assert step.count(" --constraint constraints.txt ") == 2


# What was broken off, and what is not ours


@pytest.mark.parametrize("pip", ["kill -9 0", "true; kill -9 0"])
def test_a_set_up_that_was_killed_is_made_anew(
    ground: Path, python: str, pip: str
) -> None:
    make(ground, "environment", f"PYTHON3={python}")
    assert make(ground, "dev", pip=pip).status < 0
    assert ground.joinpath(".venv/unfinished").exists()
    assert make(ground, "dev", f"PYTHON3={python}") == Done(0, [NEW + python, DEV], [])
    assert make(ground, "dev") == Done(0, [], [])
    assert not ground.joinpath(".venv.old").exists()


def test_an_installation_that_failed_keeps_the_environment(
    ground: Path, python: str
) -> None:
    make(ground, "site", f"PYTHON3={python}")
    assert make(ground, "dev", pip="false").status == 2
    assert make(ground, "site") == Done(0, [], [])
    assert make(ground, "dev") == Done(0, [DEV], [])


@pytest.mark.parametrize("kind", ["gone", "too old", "without pip"])
def test_an_environment_that_does_not_work_is_made_anew(
    ground: Path, python: str, kind: str
) -> None:
    there = ground / ".venv/bin/python"
    there.parent.mkdir(parents=True)
    if kind == "gone":
        there.symlink_to(ground / "no-such-python")
    else:
        sign = {"too old": "version_info", "without pip": "import pip"}[kind]
        there.write_text(f'#!/bin/sh\ncase "$*" in *"{sign}"*) exit 1; esac\n')
        there.chmod(0o755)
    mine = ground / ".venv/mine"
    mine.touch()
    done = make(ground, "environment", f"PYTHON3={python}")
    assert done == Done(0, [NEW + python], [])
    assert not mine.exists()


def test_an_environment_of_another_python_than_the_named_one_is_made_anew(
    ground: Path, python: str
) -> None:
    make(ground, "site", f"PYTHON3={python}")
    assert make(ground, "site", f"PYTHON3={python}") == Done(0, [], [])
    other = ground / "python3.99"
    other.write_text(
        f'#!/bin/sh\ncase "$*" in *base_prefix*) echo another;; '
        f'*) exec "{python}" "$@";; esac\n'
    )
    other.chmod(0o755)
    assert make(ground, "site", f"PYTHON3={other}") == Done(
        0, [f"{NEW}{other}", SITE], []
    )


def test_without_ensurepip_any_pip_will_do(ground: Path) -> None:
    """Debian has Python without `ensurepip`; the pip here installs what it has."""
    other = ground / "python3"
    other.write_text(
        '#!/bin/sh\ncase "$*" in *ensurepip*) exit 1;;\n"-m pip --python "*)\n'
        "cd .venv/lib/python*/site-packages && mkdir pip && touch pip/__main__.py;;\n"
        f'*) exec "{sys.executable}" "$@";; esac\n'
    )
    other.chmod(0o755)
    assert make(ground, "environment", f"PYTHON3={other}") == Done(
        0, [f"{NEW}{other}"], []
    )
    assert make(ground, "environment") == Done(0, [], [])


# What set-up says when it cannot go on


def test_without_a_new_enough_python_set_up_says_so_in_one_line(
    ground: Path, tmp_path: Path
) -> None:
    path = programs(tmp_path / "programs", "sh", "printf", "rm", python3="exit 1")
    wanted = "is no Python 3.11 or newer; install one, or name one: make environment"
    done = make(ground, "environment", PATH=path)
    assert done == Done(2, [], [f"error: what is installed {wanted} PYTHON3=…"])
    done = make(ground, "environment", "PYTHON3=/no/such", PATH=path)
    assert done == Done(2, [], [f"error: /no/such {wanted} PYTHON3=…"])


def test_where_no_environment_can_be_made_set_up_says_what_to_install(
    ground: Path,
) -> None:
    python = ground / "python3"
    python.write_text(
        '#!/bin/sh\ncase "$*" in *version_info*) exit 0;; esac\n'
        'echo "No module named ${2##* }" >&2; exit 1\n'
    )
    python.chmod(0o755)
    status, _, errors = make(ground, "environment", f"PYTHON3={python}")
    assert status == 2
    assert errors == [
        "No module named ensurepip",
        "No module named venv",
        f"error: {python} made no virtual environment;"
        " on Debian or Ubuntu: apt-get install python3-venv",
    ]


def test_a_package_that_cannot_be_had_is_named_in_pips_own_words(
    ground: Path, python: str
) -> None:
    make(ground, "environment", f"PYTHON3={python}")
    status, _, errors = make(
        ground,
        "site",
        pip=f"'{sys.executable}' -m pip install --target '{ground}/there'",
        PIP_NO_INDEX="1",
        PIP_FIND_LINKS=str(ground),
        PIP_CONFIG_FILE=os.devnull,
    )
    assert status == 2
    assert errors[-2:] == [
        "ERROR: No matching distribution found for hatchling",
        "error: the packages could not be installed; pip stopped at hatchling"
        " (all of it: .venv/setup.log)",
    ]


def test_a_download_that_breaks_off_names_its_package(
    ground: Path, python: str
) -> None:
    pip = "printf '%s\\n' 'Collecting b==1' '  Downloading b-1.whl (9 kB)' 'Timed out';"
    make(ground, "environment", f"PYTHON3={python}")
    status, _, errors = make(ground, "site", pip=f"{pip} false")
    assert status == 2
    assert errors[-2:] == [
        "Timed out",
        "error: the packages could not be installed; pip stopped at b-1.whl (9 kB)"
        " (all of it: .venv/setup.log)",
    ]
