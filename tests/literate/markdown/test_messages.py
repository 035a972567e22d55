"""Cutting a text into messages: nothing is lost, and what is said is a message."""

import json

import pytest

from labml_txl.literate.i18n.catalog import Catalog, Entry
from labml_txl.literate.i18n.pages import Translation, collect_sentences
from labml_txl.literate.markdown.inline import scan
from labml_txl.literate.markdown.note import has_words, read
from labml_txl.literate.project.pictures import addresses_of


def messages_of(text: str) -> list[tuple[str, str]]:
    return [(part.kind, part.message) for part in read(text).parts if part.message]


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (
            "One\nparagraph.\n\nTwo.",
            [("paragraph", "One paragraph."), ("paragraph", "Two.")],
        ),
        ("## A heading {#id}\n", [("heading", "A heading")]),
        ("- one\n  more\n- two\n", [("item", "one more"), ("item", "two")]),
        (
            "- one\n\n    second paragraph\n\n    - nested\n\n        deep\n",
            [
                ("item", "one"),
                ("paragraph", "second paragraph"),
                ("item", "nested"),
                ("paragraph", "deep"),
            ],
        ),
        (
            "Then\n\n$$\nx\n$$\n\nfollows, with $y$.",
            [("paragraph", "Then"), ("paragraph", "follows, with $y$.")],
        ),
        (
            "| A head | `x` |\n|---|:-:|\n| one \\| two | $a|b$ |\n| `a|b` is | 12 |\n",
            [("cell", "A head"), ("cell", "one \\| two"), ("cell", "`a|b` is")],
        ),
        (
            "---\ntitle: 'Our: b'\ndescription: >-\n  Two\n  lines.\nx: y\n---\nText.",
            [
                ("title", "Our: b"),
                ("description", "Two lines."),
                ("paragraph", "Text."),
            ],
        ),
        # A colon, which YAML does not allow here, as in labml's format.
        ("---\ntitle: Ours: all\n---\n", [("title", "Ours: all")]),
        ("![What it\nshows](a.svg)", [("alternative", "What it shows")]),
        (
            '!!! note "Its title"\n    Its text.\n',
            [("title", "Its title"), ("paragraph", "Its text.")],
        ),
        ('<div markdown="1">\n\nWords.\n\n</div>', [("paragraph", "Words.")]),
        ("Words.\n{: .c}\n", [("paragraph", "Words.")]),
        ("One  \ntwo", [("paragraph", "One"), ("paragraph", "two")]),
        ("One\\\ntwo", [("paragraph", "One\\ two")]),
        ("`one  \ntwo` words", [("paragraph", "`one two` words")]),
        ("#Words", [("paragraph", "#Words")]),
        (" # Words #", [("heading", "Words")]),
        ("Words:\n\n    code\n\n    # a comment", [("paragraph", "Words:")]),
        ("- item\n\n    # Words", [("item", "item"), ("heading", "Words")]),
        ("a sum $$x$$ of", [("paragraph", "a sum $$x$$ of")]),
        ("$$\nor so\n\nmore\n$$", []),
        ("$$\nor so\n\nmore",
         [("paragraph", "$$ or so"), ("paragraph", "more")]),
        ("````\n```\nno words\n````\nWords", [("paragraph", "Words")]),
        ("> ```\n> no words\n> ```\n> Words", [("paragraph", "Words")]),
        ("See [a link](b_(c).md).", [("paragraph", "See [a link][1].")]),
        ("See [a [b] link](c.md).", [("paragraph", "See [a [b] link][1].")]),
        ("Words\n> quoted", [("paragraph", "Words"), ("paragraph", "quoted")]),
        ("Words\n====\nmore", [("heading", "Words"), ("paragraph", "more")]),
        ("| Words | b |\n|---|---|\n| in | two | lost |",
         [("cell", "Words"), ("cell", "in"), ("cell", "two")]),
        ("| Words | b |\n|---|---|\n| in $a|b$ | two |",
         [("cell", "Words"), ("cell", "in $a|b$"), ("cell", "two")]),
    ],
)  # fmt: skip
def test_a_message_is_one_block_of_markdown_as_it_is_shown(
    text: str, messages: list[tuple[str, str]]
) -> None:
    assert messages_of(text) == messages


@pytest.mark.parametrize(
    "text",
    [
        *("$x$", "`code`", "[`code`](a.md)", "12.5 %", "(a)", "most_used", "---", ""),
        *("[![Tests](a.svg)](b)", "```\nwords\n```", "{{ k.e }}", "<!-- words -->"),
        *("https://example.org/words", "[words]: https://example.org/words"),
        "<style>\nwords {}\n</style>",
    ],
)
def test_formulas_code_numbers_and_badges_are_no_messages(text: str) -> None:
    assert messages_of(text) == []
    assert messages_of(f"| {text} |\n|---|\n" if "\n" not in text else text) == []


def test_words_between_formulas_and_code_are_a_message() -> None:
    words = ["`a` is", "$x$ or $y$", "five", "注意力", "力", "1 of 2"]
    assert all(has_words(scan(one)) for one in words)


def test_a_changed_address_changes_no_message() -> None:
    one = 'See [the *page*](../a.md#b), <https://a.b> and [this](c.md "t"){.x}.'
    two = "See [the *page*](z.md), <https://c.d/e> and [this](https://f.g){.x}."
    assert messages_of(one) == messages_of(two)
    (part,) = read(two).parts
    assert part.message == "See [the *page*][1], [][2] and [this][3]{.x}."
    assert part.with_translation("[C][3]{.x}, [][2], [*A*][1].").raw == (
        "[C](https://f.g){.x}, <https://c.d/e>, [*A*](z.md)."
    )


def test_a_number_used_in_the_text_is_not_taken_for_an_address() -> None:
    (part,) = read("Take [x][1] and [y](a.md).").parts
    assert part.message == "Take [x][1] and [y][2]."
    assert part.with_translation(part.message).raw == part.raw


def test_a_translated_title_is_written_as_yaml() -> None:
    parts = read("---\ntitle: A title\n---\n").parts
    (title,) = (part for part in parts if part.message)
    assert title.with_translation('Er sagt: "Ja"').raw == '"Er sagt: \\"Ja\\""'


def test_a_heading_may_set_its_anchor() -> None:
    note = read("# One\n\n### Two {#b .c}\n")
    headings = [part for part in note.parts if part.kind == "heading"]
    assert [part.anchor for part in headings] == ["", "b"]


def test_a_picture_is_found_in_a_link_and_with_brackets_in_its_text() -> None:
    text = "One `![x](code.png)`.\n\n[![a [b] c](in.png)](d) <img src=e.png>\n"
    found = [("in.png", 2, False), ("e.png", 2, True)]
    assert [*addresses_of(read(text))] == found


def test_a_block_is_found_by_its_letters_and_by_those_of_its_code() -> None:
    words = "A [link][1] and `[x][1]`, ![a picture][2] with $n$."
    entry = Entry(words, line=3)
    known = Catalog("ja", {"Words.": entry}, "ja/a.po")
    edit = "https://a.example/edit"
    site = Translation(catalog=lambda page: known, edit=lambda path, line: edit)
    panel = json.loads(collect_sentences("a.md", ["Words."], site))
    assert panel["sentences"] == [[3, "Alinkandx1with", "Words.", words]]
