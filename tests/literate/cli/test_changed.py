"""What a change of translations is, and which sentences it changes."""

import subprocess
from pathlib import Path

import pytest

from labml_txl.cli import main
from labml_txl.literate.cli.i18n.changed import kind_of
from tests.literate import small
from tests.literate.tongues import po

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


def test_a_change_is_one_of_translations_of_prose_or_of_code() -> None:
    code, prose, po = "src/counting/steps.py", "docs/index.md", "docs/locale/de/a.po"
    for paths, kind in (
        ([po, "docs/locale/fr/language.toml"], "translations"),
        ([prose], "prose"),
        ([prose, po], "prose"),
        (["docs/locale/de/index.py"], "code"),
        ([prose, code], "code"),
        (["docs/new.md"], "code"),
        ([], "code"),
    ):
        assert kind_of(paths, "docs/locale", [prose]) == kind, paths


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
    assert told(project, capsys, "HEAD") == "Changed translations: 0\n"
    assert told(project, capsys, "HEAD", "--kind") == "code\n"
    path = project / "docs/locale/de/index.po"
    # Somebody has looked at the second one. The words of strangers are shown as words.
    text = PO.replace("#, fuzzy\n", "").format("Eins.", "`Zwei` <b>|")
    path.write_text(text, encoding="utf-8")
    commit(project)
    line = text.split("\n").index('msgid "Two."') + 1
    assert told(project, capsys, "HEAD~1").split("\n") == [
        "Changed translations: 1",
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


def test_a_sentence_whose_english_has_changed_keeps_what_it_was(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = project / "docs/locale/de/index.po"
    words = {"So $a$.": "Also $a$.", "This is one of them.": "Dies ist eines."}
    path.write_text(po("de", words), encoding="utf-8")
    commit(project)
    words = {
        "So $b^2 + c$.": "Also $b^2 + c$.",
        "This is one of those.": "Dies ist eines von jenen.",
        "New.": "Neu.",
    }
    path.write_text(po("de", words), encoding="utf-8")
    listed = told(project, capsys, "HEAD").split("\n")
    assert [line.strip() for line in listed if "was: " in line] == [
        "- was: ` Also $a$. `",
        "- was: ` Dies ist eines. `",
        "- was: nothing",
    ]


def test_a_broken_file_is_named_with_its_path_from_the_root(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project.joinpath("docs/locale/de/index.po").write_text("msgid a\n")
    words = ["i18n", "changed", "HEAD", "-f", str(project / "mkdocs.yml")]
    assert main(words) == 1
    assert capsys.readouterr().err.startswith("txl: docs/locale/de/index.po:1: ")


def test_a_base_that_is_not_known_may_be_anything(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(project, capsys, "nothing", "--kind") == "code\n"
    words = ["i18n", "changed", "nothing", "-f", str(project / "mkdocs.yml")]
    assert main(words) == 2
    assert capsys.readouterr().err == (
        "txl: nothing has no common ancestor with HEAD: give another branch or commit\n"
    )
