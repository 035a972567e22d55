"""`txl init`: from a folder of somebody's code to a site of it, and nothing lost."""

import re
from html import unescape
from pathlib import Path

import pytest

from labml_txl.cli import main
from tests.literate.small import build, contents, write

WRITTEN = {"mkdocs.yml", "docs/index.md"}
# A project of many kinds of files, and the pages of its site beside the first.
FILES: dict[str, str | bytes] = {
    "counting/__init__.py": "",
    "counting/steps.py": "x = 1\n",
    "counting/tests/test_it.py": "",
    "counting/deep/count_test.py": "",
    "src/named/only.py": "",
    "数える/__init__.py": "",
    "my pkg/__init__.py": "",
    "my pkg/größe [1].py": "",
    "step-two.py": "",
    "No.py": "",
    "setup.py": "",
    "tests/__init__.py": "",
    "docs/conf.py": "",
}
PAGES = {
    *("counting", "counting/steps", "named/only", "数える", "my pkg"),
    *("my pkg/größe [1]", "step-two", "No"),
}
FIRST_PAGE = {"docs/README.md": "# Mine\n"}


def init(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert main(["init", str(folder)]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("files", "pages"), [(FILES, PAGES), ({}, set()), (FIRST_PAGE, set())]
)
def test_the_site_is_built_at_once_and_what_was_there_stays(
    files: dict[str, str | bytes],
    pages: set[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    # The folder gives the name.
    folder = tmp_path / 'It\'s *my* "Größe": $1 & #2'
    folder.mkdir()
    write(folder, files)
    before = contents(folder)
    init(folder, capsys)
    after = contents(folder)
    assert {path: after[path] for path in before} == before
    assert after.keys() - before.keys() <= WRITTEN
    done = build(folder, "--strict")
    assert done.returncode == 0, done.stderr
    site = folder / "site"
    found = {p.parent.relative_to(site).as_posix() for p in site.rglob("index.html")}
    assert found == {".", *pages}
    html = site.joinpath("index.html").read_text(encoding="utf-8")
    heading = re.search(r"<h1[^>]*>(.*?)</h1>", html)
    assert heading
    assert unescape(heading[1]) in {folder.name, "Mine"}


def test_a_second_time_nothing_changes_and_no_folder_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {"counting.py": ""})
    init(tmp_path, capsys)
    before = contents(tmp_path)
    said = init(tmp_path, capsys)
    assert "mkdocs.yml exists: not changed" in said
    assert '- {"literate": {"modules": ["counting.py"]}}' in said
    assert main(["init", str(tmp_path / "nowhere")]) == 2
    (error,) = capsys.readouterr().err.splitlines()
    assert "create it or give another" in error
    assert contents(tmp_path) == before
