"""KaTeX gets its place, on whatever machine."""

import subprocess
import sys
from pathlib import Path

import pytest

from labml_txl.literate.equations import node
from labml_txl.literate.equations.node import NodeError, package

NAME = f"katex-{node.PACKAGES['katex']}"


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """What is fetched, from a registry that always answers."""
    asked = []

    def install(package: str, folder: Path) -> None:
        asked.append(package)
        folder.joinpath("whole/node_modules/katex").mkdir(parents=True)

    monkeypatch.setattr(node, "_install", install)
    for name in ("TXL_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return asked


def test_a_package_is_fetched_once_into_the_home(
    fetched: list[str], tmp_path: Path
) -> None:
    place = tmp_path / "home/.cache/labml_txl" / NAME / "node_modules/katex"
    assert package("katex") == package("katex") == place
    assert len(fetched) == 1


@pytest.mark.parametrize("home", ["a file", "no variable"])
def test_without_a_home_a_package_is_kept_in_the_project(
    fetched: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    if home == "a file":
        tmp_path.joinpath("home").touch()
    else:
        monkeypatch.setattr("os.path.expanduser", lambda path: path)
    place = tmp_path / ".cache/labml_txl" / NAME / "node_modules/katex"
    assert package("katex") == package("katex") == place
    assert len(fetched) == 1


def test_a_named_folder_that_cannot_be_written_is_an_error_that_names_it(
    fetched: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.joinpath("named").touch()
    monkeypatch.setenv("TXL_CACHE", str(tmp_path / "named"))
    with pytest.raises(NodeError) as caught:
        package("katex")
    assert str(caught.value) == (
        f"katex cannot be kept in {tmp_path / 'named'} (File exists):"
        " name a folder that can be written to in the variable TXL_CACHE"
    )
    assert fetched == []


def test_a_fetch_that_fails_leaves_nothing(
    fetched: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # npm itself, and a registry that nobody keeps.
    monkeypatch.undo()
    monkeypatch.setenv("TXL_CACHE", str(tmp_path / "named"))
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9")
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    with pytest.raises(NodeError, match=r"katex@.* \(code ECONNREFUSED "):
        package("katex")
    assert list(tmp_path.joinpath("named").iterdir()) == []


def test_started_as_a_program_it_says_nothing_beside_the_place() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "labml_txl.literate.equations.node"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done
