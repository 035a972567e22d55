"""Catalogs: what is shown in the other language, what in English, and the labels."""

import re
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown import markdown

from labml_txl.literate.i18n.catalog import (
    Catalog,
    Entry,
    State,
    translate,
    translate_figure,
)
from labml_txl.literate.i18n.labels import LABELS, Labels, fields
from labml_txl.literate.i18n.pages import Translation, add_anchors, label_marks
from labml_txl.literate.i18n.po import load_catalog
from labml_txl.literate.i18n.update import find_nearest, replace_formulas
from labml_txl.literate.markdown.note import read, words_in
from labml_txl.literate.security.foreign import find_foreign
from labml_txl.literate.security.trusted import strip_marks
from labml_txl.literate.theme.templates import CARD_LABELS, SCRIPT_LABELS, THEME
from tests.literate import small
from tests.literate.translations import Fuzzy, po

TEXT = """---
title: A title
---

# Head

Some words, [a link](../a.md#b) and $x$.

$$
x
$$

- one
- two

| A head | `x` |
|---|---|
| a cell | 12 |

![A picture](a.svg)

```
code
```
"""
GERMAN = {
    "A title": 'Ein "Titel"',
    "Head": "Kopf",
    "Some words, [a link][1] and $x$.": "$x$ und [ein Link][1].",
    "one": "eins",
    "two": "zwei",
    "A head": "Ein Kopf",
    "a cell": "eine Zelle",
    "A picture": "Ein Bild",
}


def catalog(words: dict[str, str]) -> Catalog:
    entries = {message: Entry(text, line=7) for message, text in words.items()}
    return Catalog("de", entries, "docs/locale/de/a.po")


def test_text_within_a_formula_is_a_separate_message() -> None:
    text = (
        "Thus $p_{\\text{head}} = \\text{Softmax}(a) \\text{ otherwise}$.\n\n"
        "> $$\n> x = 1 \\text{ if $y$ holds} \\\\\n> \\text{if it is small}\n> $$\n"
    )
    found = {words for piece in read(text).pieces for words in words_in(piece.raw)}
    # Names, indices and what contains a formula stay as they are.
    assert found == {"otherwise", "if it is small"}
    given = catalog(
        {
            "otherwise": "sonst",
            "if it is small": "für kleine",
            "head": "Kopf",
            # The formula of the message is that of the English.
            "Thus $p_{\\text{head}} = \\text{Softmax}(a) \\text{ otherwise}$.": (
                "Also $p_{\\text{head}} = \\text{Softmax}(a) \\text{ otherwise}$."
            ),
        }
    )
    shown = translate(read(text), given)
    wanted = text.replace("Thus", "Also").replace("otherwise", "sonst")
    assert shown.text == wanted.replace("if it is small", "für kleine")
    assert "\\text{für kleine}" in shown.host
    # A translation cannot leave the braces.
    assert find_foreign("otherwise", "sonst} \\href{a}{b")


def test_a_page_is_translated_block_by_block() -> None:
    assert translate(read(TEXT), catalog(GERMAN)).text == (
        '---\ntitle: "Ein \\"Titel\\""\n---\n\n# Kopf\n\n'
        "$x$ und [ein Link](../a.md#b).\n\n$$\nx\n$$\n\n- eins\n- zwei\n\n"
        "| Ein Kopf | `x` |\n|---|---|\n| eine Zelle | 12 |\n\n"
        "![Ein Bild](a.svg)\n\n```\ncode\n```\n"
    )
    # A translation on several lines stays in its block.
    shown = translate(read("- one\n- two"), catalog({"one": "eins\n\n# Kopf"}))
    assert shown.text == "- eins # Kopf\n- two"
    # The labels of a figure are translated too.
    drawing = "<svg><title>one</title><text>two &amp; 3</text></svg>"
    german = catalog({"one": "eins", "two & 3": "zwei < 3"})
    assert translate_figure(drawing, german) == (
        '<svg xmlns="http://www.w3.org/2000/svg">'
        "<title>eins</title><text>zwei &lt; 3</text></svg>"
    )


@given(
    st.text(max_size=80) | st.text(st.sampled_from("ab$`[]()|-#> \n*!:."), max_size=60)
)
def test_without_a_translation_a_page_is_english(text: str) -> None:
    assert translate(read(text), Catalog()).text == text
    assert translate(read(text), Catalog("de")).text == text


def test_an_untranslated_footnote_keeps_its_note_and_its_reference() -> None:
    notes = "[^1]: A *note* of it.\n\n[^two]:\n    Another one."
    text = f"Words[^1] and more.[^two]\n\n{notes}"
    translated = {"[^1]: A *note* of it.": "[^1]: Eine *Notiz*."}
    for words in (dict[str, str](), translated):
        known = catalog(words)
        german = Translation(catalog=partial(lambda known, page: known, known))
        shown = german.translate_markdown(text, "a.md", marked=True)
        html = markdown(shown, extensions=["footnotes"])
        notes = html.partition('<div class="footnote">')[2]
        assert html.count('class="footnote-ref"') == 2
        assert ("<em>note</em> of it" in notes) == (not words)
        assert ("<em>Notiz</em>" in notes) == bool(words)
        assert notes.count('<span lang="en">') == 2 - len(words)


def test_an_untranslated_abbreviation_is_still_defined() -> None:
    text = "Write HTML.\n\n*[HTML]: A *language*.\n"
    german = Translation(catalog=lambda page: catalog({"Write HTML.": "Nimm HTML."}))
    shown = german.translate_markdown(text, "a.md", marked=True)
    html = markdown(shown, extensions=["abbr"])
    assert html == '<p>Nimm <abbr title="A *language*.">HTML</abbr>.</p>'


@pytest.mark.parametrize(
    ("notes", "messages"),
    [
        ("[^1]: Same\n[^2]: Also", ["[^1]: Same", "[^2]: Also"]),
        ("[^1]: Two words.\n[^2]: More.", ["[^1]: Two words.", "[^2]: More."]),
        (
            "[^1]: One.\n\n    Two of it.\n\n    - Three.\n\n[^2]:\n    Four.",
            ["[^1]: One.", "Two of it.", "Three.", "[^2]: Four."],
        ),
        # An address alone is no text.
        ("[^1]: https://a.example/b\n[^2]: Text", ["[^2]: Text"]),
    ],
)
@pytest.mark.parametrize("quote", ["", "> "])
def test_every_footnote_is_a_message_and_keeps_its_place(
    notes: str, messages: list[str], quote: str
) -> None:
    text = "".join(f"{quote}{line}\n" for line in f"A[^1]\n\n{notes}".split("\n"))
    found = [part.message for part in read(text).parts if part.message]
    assert found[-len(messages) :] == messages
    for words in (dict[str, str](), {m: m.replace("e", "é") for m in messages}):
        known = catalog(words)
        french = Translation(catalog=partial(lambda known, page: known, known))
        shown = french.translate_markdown(text, "a.md", marked=True)
        html = markdown(shown, extensions=["footnotes"])
        plain = markdown(text, extensions=["footnotes"])
        assert html.count('<li id="fn:') == 2
        bare = re.sub(r'</?span[^>]*>| <a class="[^"]*lit-mark[^>]*></a>', "", html)
        assert bare.replace("é", "e") == plain
        assert html.count('<span lang="en">') == (0 if words else len(messages))


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("Term\n:   What it\n    means.", ["Term", "What it means."]),
        (
            "Term\nOther\n: One.\n:   Two,\n    too.",
            ["Term", "Other", "One.", "Two, too."],
        ),
        (
            "Term\n: One,\n    too.\n: Two.\n\n    More,\n    too.\n\n: Three.",
            ["Term", "One, too.", "Two.", "More, too.", "Three."],
        ),
        (
            "Term\n\n:   One.\n\n    More of it.\n\n    - Item\n\nLast\n\n:   Two.",
            ["Term", "One.", "More of it.", "Item", "Last", "Two."],
        ),
    ],
)
@pytest.mark.parametrize("quote", ["", "> "])
def test_every_definition_is_a_message_and_remains_one(
    text: str, messages: list[str], quote: str
) -> None:
    text = "".join(f"{quote}{line}\n" for line in text.split("\n"))
    note = read(text)
    assert [*note.messages] == messages
    plain = markdown(text, extensions=["def_list"])
    assert plain.count("<dd>") == markdown(note.host, extensions=["def_list"]).count(
        "<dd>"
    )
    for words in (dict[str, str](), {m: m.replace("e", "é") for m in messages}):
        known = catalog(words)
        french = Translation(catalog=partial(lambda known, page: known, known))
        shown = french.note(note, "a.md", marked=True)
        for written in (shown.text, shown.host):
            html = markdown(written, extensions=["def_list"])
            bare = re.sub(r'</?span[^>]*>| <a class="[^"]*lit-mark[^>]*></a>', "", html)
            assert "".join(bare.replace("é", "e").split()) == "".join(plain.split())


def test_placeholders_of_formulas_are_filled_with_formulas_only() -> None:
    for message, original, translation, wanted in (
        ("So $a$, $b$.", "So $x$, $y$.", "$y$ vor $x$.", "$b$ vor $a$."),
        ("So $y$, $x$.", "So $x$, $y$.", "$y$ vor $x$.", "$x$ vor $y$."),
        ("So [the $a$][1].", "So [the $x$][1].", "[Das $x$][1].", "[Das $a$][1]."),
        # Which of the two has changed cannot be known.
        ("So $x$, $y$.", "So $x$, $x$.", "$x$, $x$.", ""),
        # A formula more, a word more, code, and a translation with other formulas.
        ("So $a$, $b$.", "So $x$.", "$x$.", ""),
        ("So $a$, `b`.", "So $x$, `c`.", "$x$, `c`.", ""),
        ("So $a$.", "So $x$.", "Also $x$, $x$.", ""),
    ):
        assert replace_formulas(message, original, translation) == wanted, message


def test_a_refused_translation_is_shown_in_english_with_its_line(
    tmp_path: Path,
) -> None:
    german: dict[str, str | Fuzzy] = {
        "One.": "Eins.",
        "Two.": Fuzzy("Zwei."),
        "Three.": "",
        "Four.": "<b>Vier</b>.",
        "So $n$.": "Also.",
        "So $i + M - j$.": "Also $i - M - j$.",
    }
    small.write(tmp_path, {"de/a.po": po("de", german)})
    lines = tmp_path.joinpath("de/a.po").read_text().split("\n")
    known = load_catalog(tmp_path, "de", "a.md", tmp_path)
    words = ["Eins.", "Two.", "Three.", "Four.", "So $n$."]
    words += ["So $i + M - j$.", "Not there."]
    found = {message: known.look_up(message) for message in [*german, "Not there."]}
    assert [*map(known, found)] == [one.text for one in found.values()] == words
    states = ["translated", "fuzzy", "missing", *["faulty"] * 3, "missing"]
    assert [one.state.value for one in found.values()] == states
    for message in german:
        assert found[message].path == "de/a.po"
        assert lines[found[message].line - 1] == f'msgid "{message}"'
    told = [re.sub(r"^de/a\.po:\d+: ", "", str(fault)) for fault in known.faults]
    assert told == [
        "<b> is not in the English: remove it",
        "the formula $i - M - j$ is not in the English: remove it",
    ]


def test_a_page_says_in_its_language_why_a_sentence_is_refused(tmp_path: Path) -> None:
    small.write(
        tmp_path,
        {"de/a.po": 'msgid "The step $n$."\nmsgstr "Der Schritt <$m$>."\n'},
    )
    known = load_catalog(tmp_path, "de", "a", tmp_path)
    found = known.look_up("The step $n$.")
    assert (found.state, found.why) == (State.FAULTY, "foreign")
    path = tmp_path / "de/a.po"
    path.write_text(path.read_text().replace(" <$m$>", "") + "\n")
    known = load_catalog(tmp_path, "de", "a", tmp_path)
    assert known.look_up("The step $n$.").why == "formula"
    shown = Translation(catalog=lambda page: known).translate_markdown(
        "The step $n$.", "a.md", marked=True
    )
    german = {
        "the translation has a fault: {why}": "Fehler: {why}",
        "formulas differ from the English": "andere <Formeln>",
    }
    assert label_marks(strip_marks(shown), Labels(catalog(german))) == (
        '<span lang="en">The step $n$.</span> '
        '<a class="lit-mark">Fehler: andere &lt;Formeln&gt;</a>'
    )


def test_a_heading_without_latin_letters_has_a_unique_anchor() -> None:
    once, again = "# 数える {#section}\n", "# 数える {#section_1}\n"
    assert add_anchors(read("# 数える\n\n# 数える\n"), set()).text == f"{once}\n{again}"


# Labels


def test_every_label_can_be_filled_in() -> None:
    for name, label in LABELS.items():
        values = {field: f"<{field}>" for field in fields(label)}
        assert all(map(str.isalpha, "".join(values) or "a")), name
        assert all(value in Labels()(name, **values) for value in values.values())


def test_templates_and_scripts_get_each_label_that_they_name() -> None:
    for file in THEME.rglob("*.html"):
        named = re.findall(r"lit\.label\.(\w+)", file.read_text(encoding="utf-8"))
        assert {*named} <= {*LABELS}, file
    for name, listed in (("literate", SCRIPT_LABELS), ("observed", CARD_LABELS)):
        script = (THEME / f"assets/{name}.js").read_text(encoding="utf-8")
        said = {*re.findall(r'\bsay\(\s*"(\w+)"', script)}
        assert said, name
        assert said <= listed <= {*LABELS}, name


def test_a_label_with_wrong_placeholders_is_shown_in_english() -> None:
    for german in ("", " {anchor", " {anchor} und {anchor}", " {anchor.real}"):
        labels = Labels(catalog({"Permalink to {anchor}": f"Adresse{german}"}))
        assert labels("permalink", anchor="A") == "Permalink to A", german
    labels = Labels(catalog({"Permalink to {anchor}": "Adresse von {anchor}"}))
    assert labels("permalink", anchor="A") == "Adresse von A"


def test_a_message_matches_an_old_one_from_three_fifths_of_its_words_on() -> None:
    wanted = "one two three four five"
    assert find_nearest(wanted, ["one two 3 4 5", "one two three 4 5"]).endswith(
        "three 4 5"
    )
    assert find_nearest(wanted, ["one two 3 4 5"]) == ""
    assert (
        find_nearest(wanted, ["one two three 4 5", "one two three four 5"])[-6:]
        == "four 5"
    )
