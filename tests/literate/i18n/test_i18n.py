"""Translations in files: what update keeps, what it proposes, and who may merge."""

import contextlib
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

import polib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labml_txl.cli import main
from labml_txl.literate.cli import write_files
from labml_txl.literate.export.notebooks.tutorial import parse, write_tutorial
from labml_txl.literate.i18n import update as i18n
from labml_txl.literate.i18n.catalog import State
from labml_txl.literate.i18n.labels import LABELS
from labml_txl.literate.i18n.languages import read_language, read_languages
from labml_txl.literate.i18n.languages import write_settings as settings_of
from labml_txl.literate.i18n.lint import lint_message
from labml_txl.literate.i18n.po import load_shipped, read_po
from labml_txl.literate.i18n.update import Inventory, Message
from labml_txl.literate.mkdocs.settings import open_project
from labml_txl.literate.sources.source import LiterateError, Source
from tests.literate import small

ROOT = Path(__file__).parents[3]
FIGURE = "<svg><title>Steps</title><text>a step</text><text>$1$</text></svg>"
LONG = "The model keeps the states of the last segment, and reads them again."
CHANGED = "The model keeps the states of the last segments, and reads them again."


def pages(**messages: list[str]) -> Inventory:
    """An inventory of pages with these messages."""
    return {
        page: tuple(
            Message(message, "paragraph", f"docs/{page}.md") for message in said
        )
        for page, said in messages.items()
    }


def updated(folder: Path, found: Inventory) -> dict[str, polib.POFile]:
    """Update German in a folder; its files by the names of their pages."""
    write_files(i18n.update(found, folder, "de", folder))
    return files(folder)


def files(folder: Path) -> dict[str, polib.POFile]:
    return {p.stem: read_po(p, folder) for p in sorted(folder.rglob("*.po"))}


def translate(folder: Path, page: str, words: Mapping[str, str]) -> None:
    """Translate messages as a translator does, in an editor of PO files."""
    path = folder / "de" / f"{page}.po"
    file = read_po(path, folder)
    for original, translation in words.items():
        entry = file.find(original)
        entry.msgstr, entry.fuzzy, entry.previous_msgid = translation, False, None
    file.save(str(path), newline="\n")


def live(file: polib.POFile) -> list[tuple[str, str, bool, str | None]]:
    return [
        (e.msgid, e.msgstr, e.fuzzy, e.previous_msgid) for e in file if not e.obsolete
    ]


# What there is to translate


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project with everything that can be translated."""
    notebook = (
        "# ---\n# jupyter:\n#   kernelspec:\n"
        "#     display_name: Python 3\n#     name: python3\n# ---\n\n"
        "# %% [markdown]\n# # First steps\n#\n# Count\n# them.\n\n# %%\na = 1  # no\n"
    )
    config = small.WITH_REGISTRY.replace(
        "site_name: Counting\n",
        "site_name: Counting\nsite_description: All counts.\n"
        "nav:\n  - Start: index.md\n  - Code: [counting/]\n",
    )
    config = config.replace(
        "      equations", "      notebooks: [notebooks]\n      equations"
    )
    home = (
        "---\ntitle: Home\n---\n"
        + small.HOME
        + "\n![Steps in a row](steps.svg)\n\nSteps\n"
    )
    extra = {
        "mkdocs.yml": config,
        "papers/cnt.toml": small.REGISTRY,
        "docs/index.md": home,
        "docs/steps.svg": FIGURE,
        "notebooks/first.py": notebook,
        "notebooks/first.ipynb": write_tutorial(
            parse(Source("notebooks/first.py", notebook))
        ),
    }
    small.write(tmp_path, small.FILES, extra)
    return tmp_path


def test_every_message_is_extracted_with_its_line_and_heading(
    project: Path,
) -> None:
    found = open_project(project / "mkdocs.yml").inventory
    said = {
        page: [(one.text, one.kind, one.place, one.heading) for one in all_of]
        for page, all_of in found.items()
    }
    home = "docs/index.md"
    assert said["index"] == [
        ("Home", "title", home, ""),
        ("Counting", "heading", home, ""),
        ("We count with `Counter`, and $1 + 1 = 2$.", "paragraph", home, "Counting"),
        ("Steps in a row", "alternative", home, "Counting"),
        ("Steps", "figure", "docs/steps.svg", "Counting"),
        ("a step", "figure", "docs/steps.svg", "Counting"),
    ]
    code = small.COUNTER_FILE
    assert said["counting/counter"][2:] == [
        ("Keeps the count $n_t$.", "paragraph", code, "Counter"),
        ("The next count, $n_{t+1} = n_t + 1$.", "paragraph", code, "count"),
        ("One more than before:", "paragraph", code, "Counter.count"),
    ]
    assert [one[:2] for one in said["equations"]] == [
        ("The next count", "heading"),
        ("The next count is one more.", "paragraph"),
        ("How many there were at step $t$.", "cell"),
    ]
    assert [one[:2] for one in said["notebooks/first"]] == [
        ("First steps", "heading"),
        ("Count them.", "paragraph"),
    ]
    site = [one[0] for one in said["site"]]
    assert site[:4] == ["Counting", "All counts.", "Start", "Code"]
    assert {*LABELS.values()} <= {*site}


# Update


def test_a_new_file_has_every_message_once_and_no_date(tmp_path: Path) -> None:
    found = {
        "a": (
            Message("One.", "item", "docs/a.md", "Head"),
            Message("Two.", "label", "x"),
        )
    }
    updated(tmp_path, found)
    text = tmp_path.joinpath("de/a.po").read_text(encoding="utf-8")
    head, _, rest = text.partition("\n\n")
    assert "Date" not in head
    assert rest == dedent(
        """\
        #. Head
        #. (item of a list)
        #: docs/a.md
        msgid "One."
        msgstr ""

        #. (label of the site)
        #: x
        msgid "Two."
        msgstr ""
        """
    )


def test_a_changed_message_is_fuzzy_and_reused_if_it_is_changed_back(
    tmp_path: Path,
) -> None:
    first = pages(a=[LONG, "Two."])
    updated(tmp_path, first)
    translate(tmp_path, "a", {LONG: "Das Modell …", "Two.": "Zwei."})
    both = [(LONG, "Das Modell …", False, None), ("Two.", "Zwei.", False, None)]
    after = updated(tmp_path, pages(a=[CHANGED]))["a"]
    assert live(after) == [(CHANGED, "Das Modell …", True, LONG)]
    assert [e.msgid for e in after if e.obsolete] == [LONG, "Two."]
    translate(tmp_path, "a", {CHANGED: "Das andere Modell …"})
    back = updated(tmp_path, first)["a"]
    assert live(back) == both
    assert [e.msgid for e in back if e.obsolete] == [CHANGED]


def test_a_formula_that_changes_alone_keeps_the_words_beside_it(
    tmp_path: Path,
) -> None:
    was, now = LONG.replace("segment", "$n$"), LONG.replace("segment", "$m$")
    updated(tmp_path, pages(a=[was], b=["Two."]))
    translate(tmp_path, "a", {was: "Das Modell, $n$ …"})
    after = updated(tmp_path, pages(a=[now], b=["Two."]))
    assert live(after["a"]) == [(now, "Das Modell, $m$ …", False, None)]
    # What nobody has looked at yet is not sure with another formula either.
    updated(tmp_path, pages(b=[LONG.replace("segment", "$n$, segment")]))
    path = tmp_path / "de/a.po"
    path.write_text(path.read_text().replace("#~ msgid", "#, fuzzy\n#~ msgid"))
    again = updated(tmp_path, pages(a=[LONG.replace("segment", "$k$")]))
    assert [fuzzy for _, _, fuzzy, _ in live(again["a"])] == [True]


def test_a_word_alone_from_another_place_has_to_be_reviewed(tmp_path: Path) -> None:
    """Where it has the same kind, or is a sentence, its meaning is the same."""
    words = {"Off": "Abstand", "Next": "Weiter", LONG: "Das Modell …"}

    def page(kind: str, *texts: str) -> tuple[Message, ...]:
        return tuple(Message(text, kind, "x") for text in texts)

    updated(tmp_path, {"a": page("cell", *words)})
    translate(tmp_path, "a", words)
    found = {"a": page("cell", "Next", LONG), "b": page("figure", *words)}
    after = updated(tmp_path, {**found, "c": page("cell", "Next", "Off")})
    both = {name: [(e[1], e[2]) for e in live(after[name])] for name in "bc"}
    assert both["b"] == [("Abstand", True), ("Weiter", True), ("Das Modell …", False)]
    # The cell of the first page was reviewed until this update.
    assert both["c"] == [("Weiter", False), ("Abstand", False)]
    again = updated(
        tmp_path, {**found, "c": page("cell", "Next"), "d": page("title", "Off")}
    )
    assert live(again["d"]) == [("Off", "Abstand", True, None)]


def test_comments_and_the_header_of_a_catalog_are_kept(
    tmp_path: Path,
) -> None:
    updated(tmp_path, pages(a=["One.", "Two."]))
    path = tmp_path / "de/a.po"
    text = path.read_text().replace(
        "#: docs/a.md\nmsgid", "# ask A.\n#: docs/a.md\nmsgid"
    )
    text = text.replace("# The page a in de.", "# A. Person, 2026")
    stamp = '"PO-Revision-Date: 2026-11-21 07:00+0000\\n"\n"Last-Translator: A\\n"\n'
    saved = text.replace('"Language: de', f'{stamp}"Language: de')
    path.write_text(saved)
    updated(tmp_path, pages(a=["One.", "Two."]))
    assert path.read_text() == saved
    after = updated(tmp_path, pages(a=["Two.", "One."]))["a"]
    assert [entry.tcomment for entry in after] == ["ask A.", "ask A."]
    assert after.header.strip() == "A. Person, 2026"


WORDS = st.lists(
    st.sampled_from(
        ["the model", "keeps", "$x$", '"states"', "\\top", "`a`", "注意力", "."]
    ),
    min_size=1,
    max_size=12,
).map(" ".join)
PAGE = st.lists(WORDS, max_size=5, unique=True)
SITES = st.fixed_dictionaries({"a": PAGE, "b": PAGE})


@settings(max_examples=40, deadline=None)
@given(st.lists(SITES, min_size=1, max_size=4))
def test_a_second_update_changes_no_byte_and_nothing_translated_is_lost(
    tmp_path_factory: pytest.TempPathFactory,
    history: list[dict[str, list[str]]],
) -> None:
    folder = tmp_path_factory.mktemp("locale")
    made: set[str] = set()
    for number, site in enumerate(history):
        after = updated(folder, pages(**site))
        once = small.contents(folder)
        updated(folder, pages(**site))
        assert small.contents(folder) == once
        kept = {entry.msgstr for file in after.values() for entry in file}
        assert made <= kept
        for page, messages in site.items():
            words = {m: f"{page}{number} {m}" for m in messages[::2]}
            if words:
                translate(folder, page, words)
        made = {
            entry.msgstr
            for file in files(folder).values()
            for entry in file
            if entry.msgstr and not entry.fuzzy
        }


def test_two_who_translate_two_paragraphs_merge_without_conflict(
    tmp_path: Path,
) -> None:
    git = shutil.which("git")
    assert git is not None
    messages = [LONG, "Two.", "Three."]
    updated(tmp_path / "base", pages(a=messages))
    for person, message in (("one", "Two."), ("other", "Three.")):
        shutil.copytree(tmp_path / "base", tmp_path / person)
        translate(tmp_path / person, "a", {message: f"{person} {message}"})
        updated(tmp_path / person, pages(a=messages))
    versions = [tmp_path / name / "de/a.po" for name in ("one", "base", "other")]
    done = subprocess.run(
        [git, "merge-file", "-p", *map(str, versions)], capture_output=True, check=False
    )
    assert done.returncode == 0
    versions[1].write_bytes(done.stdout)
    after = files(tmp_path / "base")["a"]
    assert [e.msgstr for e in after] == ["", "one Two.", "other Three."]
    updated(tmp_path / "base", pages(a=messages))
    assert versions[1].read_bytes() == done.stdout


# Commands


def run(project: Path, *words: str) -> int:
    return main(["i18n", *words, "-f", str(project / "mkdocs.yml")])


@pytest.fixture
def german(project: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The project with a new language, whose files are written."""
    assert run(project, "new", "de") == 0
    assert project.joinpath("docs/locale/de/counting/counter.po").is_file()
    capsys.readouterr()
    return project


def test_a_new_language_prints_its_preview_and_guide(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = project / "mkdocs.yml"
    assert run(project, "new", "de") == 0
    lines = capsys.readouterr().out.splitlines()
    assert "Preview: mkdocs serve, then open the folder de/ of the site" in lines
    assert not any(line.startswith("Guide") for line in lines)
    given = "  - literate:\n      translators: index.md\n"
    settings.write_text(settings.read_text().replace("  - literate:\n", given))
    assert run(project, "new", "fr") == 0
    assert "Guide: docs/index.md" in capsys.readouterr().out.splitlines()


def test_catalogs_do_not_depend_on_line_numbers(german: Path) -> None:
    before = small.contents(german / "docs/locale")
    code = german / small.COUNTER_FILE
    code.write_text(code.read_text().replace("from .steps", "\n\n\nfrom .steps"))
    home = german / "docs/index.md"
    home.write_text(home.read_text().replace("We count with", "We\ncount with"))
    assert run(german, "update") == 0
    assert small.contents(german / "docs/locale") == before


def test_stats_count_each_state(
    german: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def counted() -> list[list[str]]:
        assert run(german, "stats", "de") == 0
        return [line.split() for line in capsys.readouterr().out.split("\n")]

    folder, path = german / "docs/locale", german / "docs/locale/de/index.po"
    rows = counted()
    assert ["de", "translated", "fuzzy", "missing", "faulty", "share"] in rows
    assert ["index", "0", "0", "6", "0", "0", "%"] in rows
    translate(folder, "index", {"Home": "Start", "Steps": "Schritte"})
    text = path.read_text().replace('msgid "Steps"', '#, fuzzy\nmsgid "Steps"')
    path.write_text(text)
    assert ["index", "1", "1", "4", "0", "16", "%"] in counted()
    translate(folder, "index", {"Home": "`Start`"})
    assert ["index", "0", "1", "4", "1", "0", "%"] in counted()


def test_the_settings_of_a_language_that_is_known_are_read(tmp_path: Path) -> None:
    for code, *known in (
        ("de", "Deutsch", "German", "ltr"),
        ("fr-CA", "Français (Canada)", "French (Canada)", "ltr"),
        ("he", "עברית", "Hebrew", "rtl"),
        (
            "zh-TW",
            "中文 (繁體, 台灣)",
            "Chinese (Traditional, Taiwan)",
            "ltr",
        ),
    ):
        small.write(tmp_path, {f"{code}/language.toml": settings_of(code)})
        made = read_language(tmp_path / code / "language.toml", tmp_path)
        assert [made.name, made.english, made.direction] == known


def test_update_check_reports_outdated_files_and_stops_at_a_broken_one(
    german: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(german, "update", "--check") == 0
    home = german / "docs/index.md"
    home.write_text(home.read_text() + "\nOne more.\n")
    before = small.contents(german / "docs/locale")
    capsys.readouterr()
    assert run(german, "update", "--check") == 1
    assert capsys.readouterr().out == "docs/locale/de/index.po\n"
    assert small.contents(german / "docs/locale") == before
    german.joinpath("docs/locale/de/site.po").write_text("msgid a\n")
    before = small.contents(german / "docs/locale")
    assert run(german, "update") == 1
    assert capsys.readouterr().err.startswith("txl: docs/locale/de/site.po:1: ")
    assert small.contents(german / "docs/locale") == before


def test_a_wrong_use_is_reported_in_one_line(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, line in {
        "update xx": "no language xx: there is none yet; txl i18n new",
        "lint a/b.po": "no language a/b.po: there is none yet; give the code",
        "new xx": "the name of the language xx is unknown: add --name",
        "new en": "the language en cannot be added",
        "new ../x": "the language ../x cannot be added: codes look like pt-BR",
        "new EN": "the language EN cannot be added: did you mean 'en'?",
        "new de_DE": "the language de_DE cannot be added: did you mean 'de-DE'?",
        "stats -f nothing.yml": "nothing.yml does not exist",
    }.items():
        config = [] if "-f" in words else ["-f", str(project / "mkdocs.yml")]
        assert main(["i18n", *words.split(), *config]) == 2
        (told,) = capsys.readouterr().err.splitlines()
        assert told.startswith(f"txl: {line}")


# What a translator is told


def test_a_damaged_po_file_is_an_error_that_says_how_to_repair_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "de/a.po"
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    wrong = []
    for line, wanted in {
        r'msgstr "$\mathrm{x}$"': r"5: \mathrm has one backslash: write \\mathrm",
        r'msgstr "$\gamma$"': r"5: \gamma has one backslash: write \\gamma",
        "<<<<<<< HEAD": "5: a merge conflict: keep one version",
        "=======": "5: a merge conflict: keep one version",
        "msgstr \x1b[2J": r"5: not a line of a PO file: 'msgstr \x1b[2J'",
        'msgstr "b': "5: not a line of a PO file",
        'msgstr "b" "c"': '5: a quotation mark inside the text: write \\" instead',
        'msgstr "say "b"."': '5: a quotation mark inside the text: write \\" instead',
        '"b" or \\"c"': '5: a quotation mark inside the text: write \\" instead',
        'msgstr "b"\n\nmsgid "A."\nmsgstr "c"': "7: duplicate of the message in line 4",
        'msgid "b"\nmsgid "c"': "5: ",
    }.items():
        small.write(tmp_path, {"de/a.po": f'{head}msgid "A."\n{line}\n'})
        with pytest.raises(LiterateError) as error:
            read_po(path, tmp_path)
        told = str(error.value)
        wrong += [told] if f"de/a.po:{wanted}" not in told or "\n" in told else []
    assert wrong == []
    path.write_bytes(b'msgid "a"\nmsgstr "\xff"\n')
    with pytest.raises(LiterateError, match=r"^de/a\.po:2: "):
        read_po(path, tmp_path)
    path.write_text(f'{head}msgid "A."\nmsgstr "$\\\\tau$ \\"B\\"\\ttabulator"\n')
    assert read_po(path, tmp_path)[0].msgstr == '$\\tau$ "B"\ttabulator'


def test_a_single_backslash_before_any_tex_command_is_reported(
    tmp_path: Path,
) -> None:
    files = [*(ROOT / "docs/locale/ja").rglob("*.po")]
    text = "".join(file.read_text("utf-8") for file in files)
    commands = {*re.findall(r"\\\\([A-Za-z]{2,})", text)}
    assert {"top", "begin", "rVert", "mathbf"} <= commands
    path, missed = tmp_path / "a.po", []
    for command in commands:
        path.write_text(f'msgid "A."\nmsgstr "A \\{command}."\n')
        with contextlib.suppress(LiterateError):
            # `\\tau` begins with a tabulator, and `\\nabla` with a line break.
            text = read_po(path, tmp_path)[0].msgstr
            findings = lint_message("A.", text, "ja")
            missed += [command] if "foreign" not in {f.code for f in findings} else []
    assert missed == []


def test_folders_that_differ_only_in_case_are_refused(
    tmp_path: Path,
) -> None:
    for codes, found in (
        (("pt", "pt-BR"), True),
        (("pt", "PT"), False),
        (["EN"], False),
    ):
        root = tmp_path / "-".join(codes)
        for code in codes:
            small.write(root, {f"{code}/language.toml": f'name = "{code}"\n'})
        if found:
            assert [one.code for one in read_languages(root, root, "en")] == [*codes]
        else:
            with pytest.raises(LiterateError, match="the same language as "):
                read_languages(root, root, "en")
    # A stemmer that is named twice would stem twice, or for ever.
    twice = 'name = "A"\n[search]\nlanguages = ["de", "de", "en"]\n'
    small.write(tmp_path, {"xx/language.toml": twice})
    made = read_language(tmp_path / "xx/language.toml", tmp_path)
    assert made.search == ("de", "en")


def test_symbolic_links_among_the_catalogs_are_refused(tmp_path: Path) -> None:
    texts = {"a.po": 'msgid "A."\nmsgstr "B."\n', "language.toml": 'name = "B"\n'}
    small.write(tmp_path, texts)
    root = tmp_path / "project"
    (root / "locale/de").mkdir(parents=True)
    for name in texts:
        (root / "locale/de" / name).symlink_to(tmp_path / name)
    (root / "locale/fr").symlink_to(tmp_path)
    with pytest.raises(LiterateError, match="a symbolic link"):
        read_language(root / "locale/de/language.toml", root)
    for file in ("locale/de/a.po", "locale/fr/a.po"):
        with pytest.raises(LiterateError, match="a symbolic link"):
            read_po(root / file, root)


def test_check_passes_if_another_file_has_a_translation(
    german: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = german / "docs/index.md"
    for page in (home, german / "docs/other.md"):
        page.write_text(f"# Counting\n\nThis stands twice.\n\n{LONG} {LONG}\n")
    assert run(german, "update") == 0
    path = german / "docs/locale/de/index.po"
    path.write_text(
        path.read_text().replace(
            '"This stands twice."\nmsgstr ""', '"This stands twice."\nmsgstr "Da."'
        )
    )
    # Nor does a program that breaks lines in its own way.
    polib.pofile(str(path), wrapwidth=0).save(str(path), newline="\n")
    assert run(german, "update", "--check") == 0
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert run(german, "update", "--check") == 1
    assert run(german, "update") == 0
    assert b"\r" not in path.read_bytes()
    assert "Da." in (german / "docs/locale/de/other.po").read_text()
    last = capsys.readouterr().out.splitlines()[-1]
    assert re.fullmatch(r"2 of \d+ files changed; txl i18n stats shows what .*", last)


def test_lint_fails_for_an_english_text_that_the_page_does_not_have(
    german: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = german / "docs/locale/de/index.po"
    translate(path.parents[1], "index", {"Home": "Start", "Steps": "<i>Stufen</i>"})
    was = path.read_text()
    for english in ("Home", "a step"):
        path.write_text(was.replace(f'msgid "{english}"', 'msgid "Start"'))
        capsys.readouterr()
        assert run(german, "lint", "de") == 1
        told = capsys.readouterr().out
        line = r"(?m)^docs/locale/de/index.po:\d+: error msgid the page has no such "
        assert len(re.findall(line, told)) == 1
    # The messages of the lint are in English, whatever the language has of them.
    label = "it contains markup or links that the English lacks"
    translate(path.parents[1], "site", {label: "Es ist fremd"})
    path.write_text(was)
    assert run(german, "lint", "de") == 1
    told = capsys.readouterr().out
    assert f"error foreign {label}: " in told
    assert "fremd" not in told


def test_a_site_translates_only_the_labels_that_the_engine_does_not_or_its_own(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def labels(code: str) -> list[str]:
        found = read_po(project / f"docs/locale/{code}/site.po", project)
        known = {*LABELS.values()}
        return [one.msgid for one in found if one.msgid in known and not one.obsolete]

    assert run(project, "new", "de") == run(project, "new", "ja") == 0
    assert {*labels("de")} == {*LABELS.values()}
    assert labels("ja") == []
    # A translator may prefer another word in a site.
    edit = LABELS["edit"]
    site = project / "docs/locale/ja/site.po"
    site.write_text(f'{site.read_text()}\nmsgid "{edit}"\nmsgstr "直す"\n')
    assert run(project, "lint", "ja") == run(project, "update") == 0
    assert run(project, "update", "--check") == 0
    assert labels("ja") == [edit]
    opened = open_project(project / "mkdocs.yml")
    found = opened.select_language(opened.languages[-1])
    assert found.translation.labels("edit") == "直す"
    assert found.translation.labels("copy") == load_shipped("ja")(LABELS["copy"])
    # Only the names of the site are left to translate; one is like a label's word.
    left = {State.MISSING: 3, State.FUZZY: 1}
    assert found.tally("site") == {**left, State.TRANSLATED: 1}
    # An entry without a translation hides nothing.
    site.write_text(site.read_text().replace("直す", ""))
    capsys.readouterr()
    assert run(project, "update") == 0
    assert labels("ja") == []
