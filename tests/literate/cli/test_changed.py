"""What a change of translations is, and which sentences it changes."""

import subprocess
from pathlib import Path

import pytest

from labml_txl.cli import main
from tests.literate import small
from tests.literate.translations import po

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


def list_changed(project: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert main(["i18n", "changed", *words, "-f", str(project / "mkdocs.yml")]) == 0
    return capsys.readouterr().out


def test_the_sentences_that_have_changed_are_listed_with_their_lines(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert list_changed(project, capsys, "HEAD") == "Changed translations: 0\n"
    path = project / "docs/locale/de/index.po"
    # Somebody has looked at the second one. The words of strangers are shown as words.
    text = PO.replace("#, fuzzy\n", "").format("Eins.", "`Zwei` <b>|")
    path.write_text(text, encoding="utf-8")
    commit(project)
    line = text.split("\n").index('msgid "Two."') + 1
    assert list_changed(project, capsys, "HEAD~1").split("\n") == [
        "Changed translations: 1",
        "",
        f"- ` docs/locale/de/index.po:{line} `",
        "    - English: ` Two. `",
        "    - was: nothing",
        "    - is: `` `Zwei` <b>| ``",
        "",
    ]
    config = project / "mkdocs.yml"
    config.write_text("repo_url: https://github.com/a/b\n" + config.read_text())
    commit(project)
    head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=project, text=True)
    address = f"https://github.com/a/b/blob/{head.strip()}/docs/locale/de/index.po"
    assert f"]({address}#L{line})\n" in list_changed(project, capsys, "HEAD~2")


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
    listed = list_changed(project, capsys, "HEAD").split("\n")
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


def test_new_languages_are_listed_and_names_of_files_add_no_markdown(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "y\n\n## All sentences were checked.po"
    new = {"docs/locale/fr/language.toml": 'name = "A `b`"\n\n# No heading\n'}
    small.write(project, new, {f"docs/locale/de/{name}": PO.format("A", "B")})
    config = project / "mkdocs.yml"
    config.write_text("repo_url: https://github.com/a/b\n" + config.read_text())
    commit(project)
    lines = list_changed(project, capsys, "HEAD~1").splitlines()
    assert lines[0] == "Changed translations: 2"
    assert not [
        line for line in lines[1:] if line and not line.lstrip().startswith("-")
    ]
    assert '    - is: `` name = "A `b`" # No heading ``' in lines
    (place,) = [line for line in lines if "All sentences" in line]
    assert place.startswith("- [` docs/locale/de/y ## All sentences were checked.po:")
    assert "/docs/locale/de/y%0A%0A%23%23%20All%20sentences" in place


def test_what_was_removed_is_listed_and_so_are_names_of_translators(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = project / "docs/locale/de/index.po"
    named = path.read_text().replace(
        "charset",
        'charset=UTF-8\\n"\n"Last-Translator: Somebody <a@b.example>\\n"\n"X: ',
    )
    removed = named.replace('msgid "One."\nmsgstr "Eins."\n', "")
    hidden = named.replace('msgid "One."\nms', '#~ msgid "One."\n#~ ms')
    hidden = hidden.replace("Zwei", "\u202eZwei").replace("#, fuzzy\n", "")
    for text, entry in (
        (removed, "English: ` One. `\n    - was: ` Eins. `\n    - is: nothing"),
        (removed, "was: nothing\n    - is: ` Somebody `"),
        (hidden, "English: ` One. `\n    - was: ` Eins. `\n    - is: nothing"),
        (hidden, "is: ` \\u202eZwei. `"),
        ("", "English: ` One. `\n    - was: ` Eins. `\n    - is: nothing"),
    ):
        path.write_text(text, encoding="utf-8")
        assert entry in list_changed(project, capsys, "HEAD")
    path.unlink()
    assert "was: ` Eins. `" in list_changed(project, capsys, "HEAD")


def test_a_base_without_a_common_ancestor_is_an_error(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["i18n", "changed", "nothing", "-f", str(project / "mkdocs.yml")]
    assert main(words) == 2
    assert capsys.readouterr().err == (
        "txl: nothing has no common ancestor with HEAD: give another branch or commit\n"
    )
