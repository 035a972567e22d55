"""What a change of translations is, and which sentences it changes."""

import subprocess
from pathlib import Path

import polib
import pytest

from labml_txl.cli import main
from labml_txl.literate.i18n.changes import kind_of, same_code
from tests.literate import small

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
        (["docs/locale/glossary.toml", ".github/CODEOWNERS", "CHANGELOG.md"], "prose"),
        (["docs/locale/de/index.py"], "code"),
        (["docs/index.md", "docs/locale/de/index.po"], "prose"),
        (["docs/index.md", "src/counting/steps.py"], "code"),
        (["docs/locale/de/index.po", "Makefile"], "code"),
        (["docs/locale.py"], "code"),
        (["docs/new.md"], "code"),
        ([], "code"),
    ],
)
def test_a_change_is_one_of_translations_of_prose_or_of_code(
    paths: list[str], kind: str
) -> None:
    assert kind_of(paths, "docs/locale", ["docs/index.md"]) == kind


CODE = '''"""One."""
# Two.
def f(x: int) -> str:
    """Three."""
    return "Four."  # Five.
'''


@pytest.mark.parametrize("word", ["One.", "Two.", "Three.", "Five."])
def test_comments_and_docstrings_are_no_code(word: str) -> None:
    assert same_code(CODE, CODE.replace(word, "Other words.\n# And a line."))


@pytest.mark.parametrize("word", ["f(", "int", "Four.", "return", ":"])
def test_all_else_is_code(word: str) -> None:
    assert not same_code(CODE, CODE.replace(word, "g("))
    assert not same_code(CODE, CODE.replace(word, ""))


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


def test_a_page_that_is_mended_is_prose(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = project / "docs/index.md"
    home.write_text(home.read_text().replace("count", "reckon"))
    assert told(project, capsys, "HEAD", "--kind") == "prose\n"


@pytest.mark.parametrize(
    ("was", "now", "kind"), [("count", "reckon", "prose"), ("return", "yield", "code")]
)
def test_a_note_that_is_mended_is_prose(
    project: Path, capsys: pytest.CaptureFixture[str], was: str, now: str, kind: str
) -> None:
    module = project / small.COUNTER_FILE
    text = module.read_text(encoding="utf-8")
    note = next(line for line in text.split("\n") if was in line)
    module.write_text(text.replace(note, note.replace(was, now)), encoding="utf-8")
    assert told(project, capsys, "HEAD", "--kind") == f"{kind}\n"


def test_nobody_answers_for_english_that_others_have_changed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def behind(*words: str) -> str:
        capsys.readouterr()
        config = ["-f", str(project / "mkdocs.yml")]
        status = main(["i18n", "update", "--check", *words, *config])
        out = capsys.readouterr().out
        assert status == bool(out)
        return out

    path = "docs/locale/de/index.po"
    folder = project / "docs/locale/de"
    folder.joinpath("language.toml").write_text("name = 'Deutsch'", encoding="utf-8")
    assert main(["i18n", "update", "-f", str(project / "mkdocs.yml")]) == 0
    home = project / "docs/index.md"
    home.write_text(home.read_text() + "\nA sentence more.\n")
    commit(project)
    assert behind() == f"{path}\n"
    file = polib.pofile(str(project / path))
    # The title is a label of the site too, which waits there for the next update.
    file[0].msgstr = "Zählen"
    file.save()
    commit(project)
    assert behind() == f"{path}\n"
    assert behind("--base", "HEAD~1") == ""
    assert behind("--base", "nothing") == behind()
    file[0].msgid = "Another"
    file.save()
    assert behind("--base", "HEAD~1") == f"{path}\n"
    assert main(["i18n", "update", "--base", "HEAD", "-f", "mkdocs.yml"]) == 2


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
