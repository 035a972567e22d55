"""Which files of a project are read."""

from pathlib import Path

from labml_txl.literate.sources.source import files_below
from tests.literate.small import write


def test_files_are_found_by_their_endings_and_hidden_ones_are_not(
    tmp_path: Path,
) -> None:
    names = ["b.py", "a/c.py", "a/c.txt", ".hidden/d.py", "a/.e.py"]
    write(tmp_path, dict.fromkeys(names, ""))
    assert files_below(tmp_path, {".py"}) == [tmp_path / "a/c.py", tmp_path / "b.py"]


def test_a_path_may_be_a_file_itself(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": ""})
    assert files_below(tmp_path / "a.py", {".py"}) == [tmp_path / "a.py"]
    assert files_below(tmp_path / "a.py", {".txt"}) == []
