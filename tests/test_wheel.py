"""The wheel, installed outside of the repository, does what the README promises.

Each extra gets an environment of its own, which holds the packages that the wheel asks
for with that extra, and no other: they are links to those of the tests.
"""

import importlib.metadata
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import venv
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

import pytest

import labml_txl
from tests.literate.small import ENVIRONMENT, contents, write
from tests.test_layers import PACKAGE, ROOT, required, tracked

pytestmark = pytest.mark.setup


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d"]
    subprocess.run([*command, str(folder)], cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return path


def test_the_wheel_has_the_whole_package_and_few_dependencies(wheel: Path) -> None:
    files = [path for path in tracked() if path.is_relative_to(PACKAGE)]
    with zipfile.ZipFile(wheel) as archive:
        names = {*archive.namelist()}
        (info,) = (name for name in names if name.endswith("/METADATA"))
        metadata = archive.read(info).decode()
    shipped = {name for name in names if name.startswith("labml_txl/")}
    assert {path.relative_to(ROOT).as_posix() for path in files} ^ shipped == set()
    assert f"\nVersion: {labml_txl.__version__}\n" in metadata
    # A plain installation brings neither torch nor MkDocs, and one for sites no torch.
    assert asked(wheel) == {"click", "platformdirs"}
    assert "torch" not in asked(wheel, "site")


def asked(wheel: Path, *extras: str) -> set[str]:
    """The packages that the wheel asks for with these extras, over any depth."""
    (info,) = (path for path in zipfile.Path(wheel).iterdir() if "-info" in path.name)
    lines = importlib.metadata.PathDistribution(info).requires or []
    return required(lines, *extras)


def prepared(wheel: Path, folder: Path, *extras: str) -> Path:
    """A new environment with what the wheel asks for; the folder of its programs."""
    venv.create(folder, with_pip=False)
    (packages,) = folder.glob("lib/python*/site-packages")
    for name in asked(wheel, *extras):
        distribution = importlib.metadata.distribution(name)
        for top in {file.parts[0] for file in distribution.files or []} - {".."}:
            if not packages.joinpath(top).exists():
                packages.joinpath(top).symlink_to(str(distribution.locate_file(top)))
    return folder / "bin"


def installed(wheel: Path, folder: Path, *extras: str) -> Path:
    """A new environment with the wheel and what it asks for; its programs."""
    programs = prepared(wheel, folder, *extras)
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python")]
    command = [*pip, "install", "--no-index", "--no-deps", str(wheel)]
    subprocess.run(command, check=True, capture_output=True)
    return programs


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


def test_a_plain_installation_runs_init_and_names_missing_packages(
    wheel: Path, tmp_path: Path, run: Callable[..., str]
) -> None:
    txl = installed(wheel, tmp_path / "environment") / "txl"
    write(tmp_path, {"project/counting.py": ""})
    *_, cd, install, serve = run(txl, "init", "project").splitlines()
    assert cd == '  cd "project"'
    assert install == f'  pip install "labml_txl[site] @ {wheel.as_uri()}"'
    assert serve == "  mkdocs serve"
    project = tmp_path / "project"
    assert {*contents(project)} == {"counting.py", "docs/index.md", "mkdocs.yml"}


def test_the_extra_training_trains(
    wheel: Path, tmp_path: Path, run: Callable[..., str]
) -> None:
    txl = installed(wheel, tmp_path / "environment", "training") / "txl"
    tmp_path.joinpath("text.txt").write_text("to be or not to be\n" * 200)
    words = "train xl --text text.txt --steps 10 --sample 1 --batch 2 --seq-len 16"
    small = "--n-layers 1 --heads 2 --d-model 16 --d-ff 16"
    run(txl, *words.split(), *small.split())
    assert list(tmp_path.glob("runs/xl/*.safetensors"))


def test_the_documented_four_lines_build_a_site(wheel: Path, tmp_path: Path) -> None:
    page = ROOT.joinpath("docs/annotate.md").read_text(encoding="utf-8")
    lines = page.partition("```sh\n")[2].partition("```")[0].splitlines()
    assert len(lines) == 4
    # Only where pip finds the package is another place, and the site another address.
    source = f"labml_txl[site] @ {wheel.as_uri()}"
    lines[0], count = re.subn(r'"labml_txl.*"', f'"{source}"', lines[0])
    assert count == 1
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    lines[3] = f"exec {lines[3]} --dev-addr {address}"

    programs = prepared(wheel, tmp_path / "environment", "site")
    pip = f'"{sys.executable}" -m pip --python "{programs}/python"'
    # The packages are links, whose programs are not there.
    for name, command in {"pip": pip, "mkdocs": "python -m mkdocs"}.items():
        programs.joinpath(name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        programs.joinpath(name).chmod(0o755)
    write(tmp_path, {"my-project/count/__init__.py": '"""# Counting\n"""\n'})
    log = tmp_path / "log"
    with log.open("w") as said:
        serving = subprocess.Popen(
            ["/bin/sh", "-ec", "\n".join(lines)],
            cwd=tmp_path,
            env={
                **{k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
                "PATH": f"{programs}:/usr/bin:/bin",
                "PIP_NO_INDEX": "1",
                "NO_MKDOCS_2_WARNING": "1",
            },
            stdout=said,
            stderr=said,
        )
    try:
        html = ""
        while "<h1" not in html:
            time.sleep(0.1)
            assert serving.poll() is None, log.read_text()
            with suppress(OSError), urlopen(f"http://{address}/count/") as reply:
                html = reply.read().decode()
        assert "Counting</h1>" in html
        with urlopen(f"http://{address}/") as reply:
            assert 'href="count/"' in reply.read().decode()
    finally:
        serving.terminate()
        serving.wait()


def test_make_refuses_a_package_that_is_not_the_one_that_was_tested(
    tmp_path: Path,
) -> None:
    for name in ("Makefile", "constraints.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    pages = ROOT.joinpath("requirements/site.txt").read_text(encoding="utf-8")
    (click,) = re.findall(r"^click==(?:.*\\\n)*.*\n", pages, re.MULTILINE)
    changed = re.sub("sha256:[0-9a-f]{4}", "sha256:0000", click)
    write(tmp_path, {"requirements/site.txt": changed})
    command = ["make", "site", f"PYTHON3={sys.executable}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0
    assert "pip stopped at" in done.stderr
    assert "make site HASHES=no" in done.stderr
    packages = tmp_path.glob(".venv/lib/python*/site-packages/click*")
    assert [*packages] == []
