"""The wheel, installed outside of the repository, does what the README promises.

Each extra gets an environment of its own, which holds the packages that the wheel asks
for with that extra, and no other: they are links to those of the tests.
"""

import importlib.metadata
import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.literate.small import ENVIRONMENT, FILES, write

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d"]
    subprocess.run([*command, str(folder)], cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return path


def asked(wheel: Path, *extras: str) -> set[str]:
    """The packages that the wheel asks for with these extras, over any depth."""
    (info,) = (path for path in zipfile.Path(wheel).iterdir() if "-info" in path.name)
    own = importlib.metadata.PathDistribution(info)

    def further(lines: list[str] | None, extras: tuple[str, ...]) -> Iterator[str]:
        for requirement in map(Requirement, lines or []):
            if requirement.marker is None or any(
                requirement.marker.evaluate({"extra": extra}) for extra in extras
            ):
                yield str(requirement)

    waiting, seen = list(further(own.requires, ("", *extras))), set()
    while waiting:
        requirement = Requirement(waiting.pop())
        key = (requirement.name, *sorted(requirement.extras))
        if key not in seen:
            seen.add(key)
            mine = requirement.name == "labml_txl"
            lines = own.requires if mine else importlib.metadata.requires(key[0])
            waiting += further(lines, ("", *requirement.extras))
    return {key[0] for key in seen} - {"labml_txl"}


def installed(wheel: Path, folder: Path, *extras: str) -> Path:
    """A new environment with the wheel and what it asks for; its programs."""
    venv.create(folder, with_pip=False)
    (packages,) = folder.glob("lib/python*/site-packages")
    for name in asked(wheel, *extras):
        distribution = importlib.metadata.distribution(name)
        for top in {file.parts[0] for file in distribution.files or []} - {".."}:
            if not packages.joinpath(top).exists():
                packages.joinpath(top).symlink_to(str(distribution.locate_file(top)))
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin/python")]
    command = [*pip, "install", "--no-index", "--no-deps", str(wheel)]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "bin"


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., str]:
    """Run a program far from the repository; what it says."""

    def run(program: Path, *words: str) -> str:
        done = subprocess.run(
            [program, *words],
            cwd=tmp_path,
            # Several threads would wait for each other in so small a run.
            env={**os.environ, **ENVIRONMENT, "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_a_plain_installation_has_the_command(
    wheel: Path, tmp_path: Path, run: Callable[..., str]
) -> None:
    txl = installed(wheel, tmp_path / "environment") / "txl"
    said = run(txl, "--help")
    for command in ("train", "evaluate", "generate", "check", "i18n", "export"):
        assert command in said


def test_the_extra_training_trains(
    wheel: Path, tmp_path: Path, run: Callable[..., str]
) -> None:
    txl = installed(wheel, tmp_path / "environment", "training") / "txl"
    tmp_path.joinpath("text.txt").write_text("to be or not to be\n" * 200)
    words = "train xl --text text.txt --steps 10 --sample 1 --batch 2 --seq-len 16"
    small = "--n-layers 1 --heads 2 --d-model 16 --d-ff 16"
    run(txl, *words.split(), *small.split())
    assert list(tmp_path.glob("runs/xl/*.safetensors"))


def test_the_extra_site_builds_the_site_of_a_foreign_project(
    wheel: Path, tmp_path: Path, run: Callable[..., str]
) -> None:
    python = installed(wheel, tmp_path / "environment", "site") / "python"
    write(tmp_path, FILES)
    run(python, "-m", "mkdocs", "build", "--strict")
    page = tmp_path.joinpath("site/counting/counter/index.html").read_text()
    assert '<span class="katex">' in page
