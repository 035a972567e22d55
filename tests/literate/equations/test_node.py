"""KaTeX gets its place, on whatever machine."""

import os
import shutil
from pathlib import Path

import pytest

from labml_txl.cache_folder import UntrustedFolderError
from labml_txl.literate.equations import node
from labml_txl.literate.equations.node import NodeError, find_package

NAME = f"katex-{node.PACKAGES['katex']}"


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """What is fetched, from a registry that always answers."""
    asked, published = [], find_package("katex")

    def install(package: str, folder: Path) -> None:
        asked.append(package)
        goal = folder / "whole/node_modules/katex"
        shutil.copytree(published, goal)

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
    assert find_package("katex") == find_package("katex") == place
    assert len(fetched) == 1


@pytest.mark.parametrize("home", ["a file", "no variable"])
def test_without_a_home_a_package_is_kept_outside_the_project(
    fetched: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    if home == "a file":
        tmp_path.joinpath("home").touch()
    else:
        monkeypatch.setattr("os.path.expanduser", lambda path: path)
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    place = tmp_path / f"labml_txl-{os.getuid()}" / NAME / "node_modules/katex"
    assert find_package("katex") == find_package("katex") == place
    assert len(fetched) == 1


def test_code_of_the_project_is_never_run(fetched: list[str], tmp_path: Path) -> None:
    theirs = tmp_path / ".cache/labml_txl" / NAME / "node_modules/katex/dist"
    theirs.mkdir(parents=True)
    (theirs / "katex.js").write_text("process.exit(7)")
    assert not find_package("katex").is_relative_to(tmp_path / ".cache/labml_txl")
    assert len(fetched) == 1


def test_a_package_that_others_can_write_or_that_has_changed_is_refused(
    fetched: list[str],
) -> None:
    folder = find_package("katex")
    file = folder / "dist/katex.js"
    file.write_text(f"{file.read_text(encoding='utf-8')}\nalert(1)", encoding="utf-8")
    with pytest.raises(NodeError, match=r"checksum mismatch for .*: delete "):
        find_package("katex")
    file.write_text(file.read_text(encoding="utf-8").removesuffix("\nalert(1)"))
    assert find_package("katex") == folder
    font, other, *_ = sorted(folder.glob("dist/fonts/*.woff2"))
    whole, next_one = font.read_bytes(), other.read_bytes()

    def refused() -> None:
        with pytest.raises(NodeError, match=r"checksum mismatch for .*woff2: delete "):
            find_package("katex")

    for damaged in (whole[:-1] + b"x", b""):
        font.write_bytes(damaged)
        refused()
    # The same bytes, but not in the same files.
    font.write_bytes(whole + next_one[:7])
    other.write_bytes(next_one[7:])
    refused()
    font.write_bytes(whole)
    other.write_bytes(next_one)
    assert find_package("katex") == folder
    font.rename(folder / "dist/fonts/A.woff2")
    refused()
    font.symlink_to("nowhere")
    refused()
    font.unlink()
    font.mkdir()
    refused()
    folder.parents[1].chmod(0o777)
    with pytest.raises(UntrustedFolderError, match="everybody can write to it"):
        find_package("katex")


def test_a_fetch_that_fails_leaves_nothing(
    fetched: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # npm itself, and a registry that nobody keeps.
    monkeypatch.undo()
    monkeypatch.setenv("TXL_CACHE", str(tmp_path / "named"))
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9")
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    with pytest.raises(NodeError, match=r"katex@.* \(code ECONNREFUSED "):
        find_package("katex")
    assert list(tmp_path.joinpath("named").iterdir()) == []
