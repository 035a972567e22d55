"""`txl observe`, with the lines that the page for authors shows."""

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from labml_txl.cli import main
from labml_txl.literate.recording.records import read_record, to_json
from tests.literate.small import CONFIG, ROOT, write

PAGE = (ROOT / "docs" / "annotate.md").read_text(encoding="utf-8")

ATTENTION = '''
r"""# Attention

Each row reads all rows.
"""

def attend(x):
    r"""What is read of `x`, `[n, d]`."""
    scores = x @ x.T  # [n, n]
    return scores @ x  # [n, d]
'''


def example(title: str) -> str:
    """The code of a box of the page."""
    found = re.search(rf'```\w+ title="{re.escape(title)}"\n(.*?)```', PAGE, re.DOTALL)
    assert found is not None, title
    return found[1]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    files = {
        "mkdocs.yml": CONFIG.replace("src/counting", "src/attention.py"),
        "docs/index.md": "# A\n",
        "src/attention.py": ATTENTION,
        "observed.py": example("observed.py"),
        "pyproject.toml": example("pyproject.toml"),
    }
    write(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    forget()
    yield tmp_path
    forget()


def forget() -> None:
    for name in ("attention", "observed"):
        sys.modules.pop(name, None)


def test_the_lines_of_the_page_record_a_module_and_compare_it(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = project / "docs" / "observations" / "src.attention.json"
    file.parent.mkdir()
    old = file.with_name("gone.json")
    old.write_text("{}", encoding="utf-8")
    assert main(["observe"]) == 0
    assert "docs/observations/src.attention.json: 1 kB" in capsys.readouterr().out
    assert not old.exists()
    values = {v.key: v for v in read_record(file, project).values}
    assert [*values] == [
        *(("attend", "x", 0), ("attend", "scores", 0), ("attend", "return", 0))
    ]
    assert values["attend", "scores", 0].shape == (6, 6)
    assert [axis.name for axis in values["attend", "x", 0].axes] == ["n", "d"]
    first = file.read_bytes()

    assert main(["observe", "--check"]) == 0
    assert main(["check"]) == 0
    capsys.readouterr()
    source = project / "src" / "attention.py"
    source.write_text(ATTENTION.replace("x @ x.T", "2 * x @ x.T"), encoding="utf-8")
    forget()
    assert main(["check"]) == 1
    assert (
        "src/attention.py has changed since it was recorded" in capsys.readouterr().err
    )
    assert main(["observe", "--check"]) == 1
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "src/attention.py: the code has changed since it was recorded"
    assert "src/attention.py: scores in attend has different values" in told[1]
    source.write_text(ATTENTION, encoding="utf-8")
    forget()
    file.write_text("{", encoding="utf-8")
    (file.with_name("b.json")).write_bytes(first.replace(b"src/att", b"src/cat"))
    assert main(["observe", "--check"]) == 1
    told = capsys.readouterr().err.splitlines()
    assert told[0].endswith(
        "src/catention.py: not part of the run, but there is a record"
    )
    assert "not a record" in told[1]
    assert told[2] == "src/attention.py: no record: run txl observe"
    assert main(["observe"]) == 0
    assert file.read_bytes() == first


def test_a_record_that_differs_by_rounding_alone_is_kept(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "docs" / "observations").mkdir()
    assert main(["observe"]) == 0
    file = project / "docs" / "observations" / "src.attention.json"
    record = read_record(file, project)
    text, (first, *others) = file.read_text(encoding="utf-8"), record.values

    def with_mean(mean: float) -> str:
        return to_json(replace(record, values=(replace(first, mean=mean), *others)))

    assert first.mean
    for old, kept in (
        (with_mean(first.mean * (1 + 1e-6)), True),
        (with_mean(first.mean * 2), False),
        ("{", False),
    ):
        assert old != text
        file.write_text(old, encoding="utf-8")
        forget()
        assert main(["observe"]) == 0
        assert file.read_text(encoding="utf-8") == (old if kept else text)


NOT_SAID: dict[str | None, str] = {
    None: "pyproject.toml does not name a function to run: add [tool.txl.observe]",
    "[tool": "pyproject.toml does not name a function to run",
    "[tool.txl.observe]\nrun = 1": "does not name a function to run",
    '[tool.txl.observe]\nrun = "seen:all"': "no module seen",
    '[tool.txl.observe]\nrun = "observed:numpy"': "returned module, expected Recording",
    '[tool.txl.observe]\nrun = "observed:twice"': (
        "two recordings contain src/attention.py: remove it from one of them"
    ),
}


def test_missing_settings_of_observe_are_errors(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (project / "observed.py").open("a", encoding="utf-8") as file:
        file.write("\ndef twice():\n    return [*recordings(), *recordings()]\n")
    for settings, told in NOT_SAID.items():
        (project / "pyproject.toml").unlink(missing_ok=True)
        if settings is not None:
            (project / "pyproject.toml").write_text(settings, encoding="utf-8")
        assert main(["observe"]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert told in line
        assert not (project / "docs" / "observations").exists()
