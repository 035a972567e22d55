"""`txl init`: from a folder of somebody's code to a site of it, and nothing lost."""

import re
from html import unescape
from pathlib import Path

import pytest

from labml_txl.cli import main
from tests.literate.small import build, contents, must_build, write

WRITTEN = {"mkdocs.yml", "docs/index.md"}
# A project of many kinds of files, and the pages of its site beside the first.
FILES: dict[str, str | bytes] = {
    "counting/__init__.py": "",
    "counting/steps.py": "x = 1\n",
    "counting/tests/test_it.py": "",
    "counting/_tests/it.py": "",
    "counting/deep/count_test.py": "",
    "src/named/only.py": "",
    "数える/__init__.py": "",
    "my pkg/__init__.py": "",
    "my pkg/größe [1].py": "",
    "step-two.py": "",
    "No.py": "",
    "scripts/deep/run.py": '"""Run it.\n\n!!! note\n    Careful.\n"""\n',
    "stubs/typed.pyi": "x: int\n",
    "stubs/both.pyi": "",
    "stubs/window.pyw": "",
    "stubs/both.py": "",
    "setup.py": "",
    "tests/__init__.py": "",
    "docs/conf.py": "",
    "books/look.ipynb": "{}",
    "counting/fast.pyx": "",
    "env/pyvenv.cfg": "",
    "env/lib/a.py": "",
}
LEFT_OUT = {
    "left out setup.py: settings of tools",
    "left out tests: tests",
    "left out docs: documentation and examples",
    "left out books/look.ipynb: notebooks that begin with a title can be listed in "
    "`notebooks`",
    "left out counting/fast.pyx: Cython is not read",
    "left out env: a virtual environment",
}
PAGES = {
    *("counting", "counting/steps", "named/only", "数える", "my pkg"),
    *("my pkg/größe [1]", "step-two", "No", "scripts/deep/run"),
    *("stubs/typed", "stubs/both", "stubs/window"),
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
    said = init(folder, capsys).splitlines()
    assert {line for line in said if line.startswith("left out")} == (
        LEFT_OUT if files is FILES else set()
    )
    after = contents(folder)
    assert {path: after[path] for path in before} == before
    assert after.keys() - before.keys() <= WRITTEN
    # A site without a page of code is built, but not in a strict build.
    done = build(folder, "--strict")
    empty = "mkdocs.yml:1: no Python file gets a page: name files or folders"
    assert (empty in done.stderr) == (not pages)
    assert (done.returncode == 0) == bool(pages), done.stderr
    must_build(folder)
    site = folder / "site"
    found = {p.parent.relative_to(site).as_posix() for p in site.rglob("index.html")}
    assert found == {".", *pages}
    html = site.joinpath("index.html").read_text(encoding="utf-8")
    heading = re.search(r"<h1[^>]*>(.*?)</h1>", html)
    assert heading
    assert unescape(heading[1]) in {folder.name, "Mine"}
    if pages:
        html = site.joinpath("scripts/deep/run/index.html").read_text(encoding="utf-8")
        assert '<div class="admonition note">' in html


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
