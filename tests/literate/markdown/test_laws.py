"""The grammar's laws: no line is lost, and what is read is what the page shows."""

import random
import re
import sysconfig
from collections.abc import Iterator
from functools import cache
from itertools import chain, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labml_txl.literate.build.localized import LocalizedProject
from labml_txl.literate.markdown.blocks import Span, spans
from labml_txl.literate.markdown.front_matter import divided
from labml_txl.literate.markdown.inline import plain
from labml_txl.literate.markdown.messages import cut
from labml_txl.literate.mkdocs.settings import open_project
from labml_txl.literate.sources.blocks import split
from labml_txl.literate.sources.cells import cells_of
from labml_txl.literate.sources.source import LiterateError, read

ROOT = Path(__file__).parents[3]
LIBRARY = Path(sysconfig.get_path("stdlib"))


# What a paragraph is made of, and what a text. Each block can stand beside each other.
WORDS = st.sampled_from(
    (
        "some words", "`a_b`", "`x | y`", "$x_1$", "[a link](a.md)", "#tag", "注意力",
        "[other](b_(c).md)", '[t](<d e> "title")', "**bold** text", "and $$y$$ too",
        "_em_ and a_b", r"a \* b \\", "1 < 2 & 3", "<https://a.b/c>", "x[0] [1]",
        "[scores][txl.k]", "![a picture](f_(g).svg)", "end.", "(a) 5$ or 6$", "- 1",
        r"\(x^2\)", r"so \(n\) is", r"\(no such\)", r"\[x_i\]", r"$\text{a $x$ b}$",
    )
)  # fmt: skip
BREAKS = st.sampled_from((" ", "\n", "  \n", "\\\n", "\n   "))
PARAGRAPHS = st.lists(st.tuples(WORDS, BREAKS), min_size=1, max_size=4).map(
    lambda pairs: "".join(chain(*pairs)).strip()
)
FENCES = st.tuples(
    st.sampled_from(("", "    ", "  ")),
    st.sampled_from(("```", "````", "~~~")),
    st.sampled_from(("", "python", ' python title="Words"', " {.python}")),
).map(lambda t: f"{t[0]}{t[1]}{t[2]}\n{t[0]}# no `words`\n\n{t[0]}- none\n{t[0]}{t[1]}")
BLOCKS = st.one_of(
    PARAGRAPHS,
    st.tuples(st.sampled_from(("#", "## ", " # ", "    # ")), WORDS).map("".join),
    st.tuples(WORDS, st.sampled_from((" #", " {#id}", "\n===", "\n---"))).map("".join),
    PARAGRAPHS.map(lambda text: "> " + text.replace("\n", "\n> ")),
    st.lists(PARAGRAPHS, min_size=1, max_size=3).map(
        lambda items: "\n".join("- " + item.replace("\n", "\n  ") for item in items)
    ),
    st.tuples(WORDS, WORDS, WORDS).map(
        "1. {0[0]}\n\n    {0[1]}\n\n    - {0[2]}".format
    ),
    st.tuples(WORDS, WORDS).map("| {0[0]} | b |\n|---|---|\n| c | {0[1]} |".format),
    WORDS.map('!!! note "Its title"\n    {}'.format),
    WORDS.map('<div markdown="1">\n\n{}\n\n</div>'.format),
    FENCES,
    st.sampled_from(("\\[\nx\n\\]", r"\[ a = b \]", "Then\n\\[ x^2 \\]\nmore.")),
    st.sampled_from(("$$\nx\n$$", "Then\n$$\nx\n$$\nmore.", "---", "<!-- none -->")),
)
TEXTS = st.lists(BLOCKS, max_size=5).map("\n\n".join)


def holds(text: str) -> None:
    """Every line stands in one part; a text written again is read as it was."""
    parts = [*cut(text)]
    assert "".join(part.raw for part in parts) == text
    found = [*spans(text)]
    assert all(one.end <= other.start for one, other in pairwise(found))
    written = "".join(p.put(p.message) if p.message else p.raw for p in parts)
    again = [(part.kind, part.message) for part in cut(written) if part.message]
    assert again == [(part.kind, part.message) for part in parts if part.message]


@given(TEXTS)
def test_every_line_is_read_once_and_written_as_it_was(text: str) -> None:
    holds(text)


@pytest.mark.parametrize("before", ["", "> ", "- ", '!!! note "Its title"\n    '])
def test_a_line_that_a_backslash_ends_becomes_no_heading(before: str) -> None:
    indent = "> " if before == "> " else " " * len(before.rpartition("\n")[2])
    text = f"{before}#tag\\\n{indent}and more words\n"
    holds(text)
    assert all(part.kind != "heading" for part in cut(text))


@pytest.mark.parametrize(
    "line", ["# a\n", "[a]: b\n", "---\n", "- ", "> ", "a\n> ", "!!! note\n", "$$ a\n"]
)
def test_a_text_of_any_length_is_read(line: str) -> None:
    holds(line * 1500)


# Our own texts


def english() -> Iterator[tuple[str, str]]:
    """Every text that the site shows in English, with its place."""
    texts = edition().texts
    for source in (*texts.prose.values(), *texts.exercises.values()):
        yield source.path, source.text
    for source in texts.modules.values():
        for block in split(source):
            yield f"{source.path}:{block.note_line}", block.note
    for source in texts.notebooks.values():
        for cell in cells_of(source).words:
            yield f"{source.path}:{cell.line}", cell.text


@cache
def edition() -> LocalizedProject:
    return open_project(ROOT / "mkdocs.yml")


def test_our_own_texts_are_translated_in_the_blocks_of_their_pages() -> None:
    count = 0
    for _, text in english():
        holds(text)
        messages = [part for part in cut(text) if part.message]
        count += len(messages)
    assert count > 2_000


def shown(text: str) -> list[Span]:
    """The blocks of a text in which something is said."""
    body = divided(text)[1]
    return [
        s for s in spans(body) if re.search(r"[^\W_]", plain(body[s.start : s.end]))
    ]


@pytest.mark.parametrize("code", ["ja", "zh"])
def test_our_own_translations_have_the_blocks_of_their_english(code: str) -> None:
    (language,) = (one for one in edition().languages if one.code == code)
    translation = edition().into(language).translation
    texts = edition().texts
    written = [texts.prose, texts.exercises, texts.modules, texts.notebooks]
    for path, source in (one for part in written for one in part.items()):
        if source.path.endswith(".md"):
            notes = [source.text]
        elif path in texts.modules:
            notes = [block.note for block in split(source)]
        else:
            notes = [cell.text for cell in cells_of(source).words]
        for note in notes:
            there = translation.markdown(note, path)
            kinds = [[block.kind for block in shown(text)] for text in (note, there)]
            assert kinds[0] == kinds[1], (path, note)


# Texts of others


def notes_of_others() -> Iterator[str]:
    """A sample of the notes of Python's standard library, the same every time."""
    files = sorted(
        file
        for file in LIBRARY.rglob("*.py")
        if not {"site-packages", "dist-packages", "test", "tests"} & {*file.parts}
    )
    for file in random.Random(12).sample(files, 40):
        try:
            yield from (block.note for block in split(read(file, LIBRARY)))
        except LiterateError:
            continue


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_notes_that_nobody_wrote_for_a_page_are_read_as_they_are_shown() -> None:
    notes = [*filter(None, notes_of_others())]
    assert len(notes) > 500
    for note in notes:
        assert "".join(part.raw for part in cut(note)) == note


# What was read otherwise than it was shown


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("One  \ntwo", [("paragraph", "One"), ("paragraph", "two")]),
        ("One\\\ntwo", [("paragraph", "One\\ two")]),
        ("`one  \ntwo` words", [("paragraph", "`one two` words")]),
        ("#Words", [("heading", "Words")]),
        (" # Words", [("paragraph", "# Words")]),
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
def test_a_text_is_read_as_it_is_shown(text: str, said: list[tuple[str, str]]) -> None:
    assert [(p.kind, p.message) for p in cut(text) if p.message] == said


@pytest.mark.parametrize(
    ("note", "words"),
    [
        ("`a_b_c` and `__init__`", "a_b_c and __init__"),
        ("**`x_y` _z_**", "x_y z"),
        ("$a_1$ or $*b*$", "a_1 or *b*"),
        ("snake_case_name, 2 * 3 * 4", "snake_case_name, 2 * 3 * 4"),
        ("<b>R&amp;D</b>, <https://a.b>", "R&D, https://a.b"),
    ],
)
def test_the_words_of_a_note_are_those_that_the_page_shows(
    note: str, words: str
) -> None:
    assert plain(note) == words
