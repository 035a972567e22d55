"""What a change of translations is, and which sentences it changes."""

import os
import re
import subprocess
from pathlib import Path
from textwrap import dedent

import pytest

from labml_txl.cli import main
from labml_txl.literate.cli.i18n.changed import kind_of
from tests.literate import small

ROOT = Path(__file__).parents[3]

PO = """\
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"

#. Head
msgid "One."
msgstr "{0}"

#, fuzzy
msgid "Two."
msgstr "{1}"
"""


@pytest.mark.parametrize(
    ("paths", "kind"),
    [
        (["docs/locale/de/index.po", "docs/locale/fr/language.toml"], "translations"),
        (["docs/index.md"], "prose"),
        (["docs/locale/de/index.py"], "code"),
        (["docs/index.md", "docs/locale/de/index.po"], "prose"),
        (["docs/index.md", "src/counting/steps.py"], "code"),
        (["docs/new.md"], "code"),
        ([], "code"),
    ],
)
def test_a_change_is_one_of_translations_of_prose_or_of_code(
    paths: list[str], kind: str
) -> None:
    assert kind_of(paths, "docs/locale", ["docs/index.md"]) == kind


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project in a repository, with a language and one commit."""
    po = {"docs/locale/de/index.po": PO.format("Eins.", "Zwei.")}
    small.write(
        tmp_path, small.FILES, po, {"docs/locale/de/site.po": PO.format("", "")}
    )
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    return tmp_path


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True)


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "-m", "A change")


def told(project: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert main(["i18n", "changed", *words, "-f", str(project / "mkdocs.yml")]) == 0
    return capsys.readouterr().out


def test_the_sentences_that_have_changed_are_listed_with_their_lines(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(project, capsys, "HEAD") == "Translations that have changed: 0\n"
    assert told(project, capsys, "HEAD", "--kind") == "code\n"
    path = project / "docs/locale/de/index.po"
    # Somebody has looked at the second one. The words of strangers are shown as words.
    text = PO.replace("#, fuzzy\n", "").format("Eins.", "`Zwei` <b>|")
    path.write_text(text, encoding="utf-8")
    commit(project)
    line = text.split("\n").index('msgid "Two."') + 1
    assert told(project, capsys, "HEAD~1").split("\n") == [
        "Translations that have changed: 1",
        "",
        f"- docs/locale/de/index.po:{line}",
        "    - English: ` Two. `",
        "    - was: nothing",
        "    - is: `` `Zwei` <b>| ``",
        "",
    ]
    assert told(project, capsys, "HEAD~1", "--kind") == "translations\n"
    config = project / "mkdocs.yml"
    config.write_text("repo_url: https://github.com/a/b\n" + config.read_text())
    commit(project)
    head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=project, text=True)
    address = f"https://github.com/a/b/blob/{head.strip()}/docs/locale/de/index.po"
    assert f"]({address}#L{line})\n" in told(project, capsys, "HEAD~2")
    assert told(project, capsys, "HEAD~2", "--kind") == "code\n"


def test_a_base_that_is_not_known_may_be_anything(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(project, capsys, "nothing", "--kind") == "code\n"
    words = ["i18n", "changed", "nothing", "-f", str(project / "mkdocs.yml")]
    assert main(words) == 2
    assert capsys.readouterr().err == (
        "txl: nothing shares no commit with this one: name a branch or a commit that "
        "git knows\n"
    )


def test_where_nothing_was_tested_yet_everything_is(tmp_path: Path) -> None:
    workflow = (ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8")
    step = workflow.partition("id: change\n        run: |\n")[2]
    script = dedent(step.partition("      - name:")[0])
    txl = tmp_path / ".venv/bin/txl"
    txl.parent.mkdir(parents=True)
    # The command itself refuses a base without a name.
    txl.write_text('#!/bin/sh\ntest -n "$3" && echo translations\n')
    txl.chmod(0o755)
    for base, kind in {"": "code", "0123abc": "translations"}.items():
        output = tmp_path / f"output{base}"
        given = {"BASE": base, "GITHUB_OUTPUT": str(output), "PATH": os.environ["PATH"]}
        shell = ["bash", "-e", "-c", script]
        subprocess.run(shell, cwd=tmp_path, env=given, check=True)
        assert output.read_text() == f"kind={kind}\n"


def test_nothing_is_published_that_was_not_tested() -> None:
    workflow = (ROOT / ".github/workflows/pages.yml").read_text(encoding="utf-8")
    events = workflow.partition("\non:\n")[2].partition("\n\n")[0]
    assert re.findall(r"^  (\w+):", events, re.MULTILINE) == ["workflow_run"]
    assert "workflow_run.conclusion == 'success'" in workflow
