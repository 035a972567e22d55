"""The grammar's laws: no line is lost, and what is read is what the page shows."""

import re
from itertools import chain, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labml_txl.literate.markdown.inline import plain_of, scan
from labml_txl.literate.markdown.note import KINDS, Note, read
from labml_txl.literate.mkdocs.settings import open_project
from labml_txl.literate.sources.blocks import split
from labml_txl.literate.sources.cells import cells_of

ROOT = Path(__file__).parents[3]


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
# On one line with the next, a line such as `#tag\` would begin a heading.
TEXTS = (
    st.lists(BLOCKS, max_size=5)
    .map("\n\n".join)
    .filter(lambda text: not re.search(r"#tag\\\n", text))
)


# What begins, ends or divides something, in any order.
MARKS = st.one_of(
    *(WORDS, BREAKS, st.sampled_from(("`", "[", "](", "$", "\\", "|", "\t", "«é»"))),
    st.sampled_from(
        ("\n# ", "\n> ", "\n- ", "\n    ", "\n\n", "\n| a | b |\n|---|---|\n")
    ),
    st.sampled_from(
        ("```\n", "~~~\n", "$$", "\n$$\n", "<div>", "</div>", "<!-- ", " -->")
    ),
    st.sampled_from(("---\ntitle: A b\n---\n", "\n{{ k.e }}\n", "{: .c}", "[k]: a.b")),
)


def letters(text: str) -> str:
    """The text without spaces, and without the sign of a quotation."""
    return "".join(text.split()).replace(">", "")


@given(TEXTS | st.text(max_size=80) | st.lists(MARKS, max_size=16).map("".join))
def test_nothing_is_lost_and_what_is_put_back_as_it_is_changes_no_word(
    text: str,
) -> None:
    note = read(text)
    assert note.text == text
    assert all(text.startswith(one.raw, one.start) for one in note.pieces)
    for part in note.parts:
        assert "\n" not in part.message
        if part.message and part.form == "markdown":
            assert part.raw == part.raw.strip()
            assert letters(part.put(part.message).raw) == letters(part.raw)


def holds(text: str) -> None:
    """Every line stands in one part; a text written again is read as it was."""
    note = read(text)
    assert note.text == text
    assert all(one.start < other.start for one, other in pairwise(note.pieces))
    written = note.each(lambda p: p.put(p.message) if p.message else p).text
    assert said(read(written)) == said(note)


def said(note: Note) -> list[tuple[str, str]]:
    """The messages of a note, with their kinds."""
    return [(part.kind, part.message) for part in note.parts if part.message]


@given(TEXTS)
def test_every_line_is_read_once_and_written_as_it_was(text: str) -> None:
    holds(text)


@pytest.mark.parametrize(
    "line", ["# a\n", "[a]: b\n", "---\n", "a\n> ", "!!! note\n", "$$ a\n"]
)
def test_a_text_of_any_length_is_read(line: str) -> None:
    holds(line * 1500)


def shown(note: Note) -> list[str]:
    """The kinds of the blocks of a note in which something is said."""
    return [
        part.kind
        for part in note.body.parts
        if part.kind in KINDS and re.search(r"[^\W_]", plain_of(part.pieces))
    ]


def test_our_own_translations_have_the_blocks_of_their_english() -> None:
    project = open_project(ROOT / "mkdocs.yml")
    content = project.content
    prose = {path: content.prose(path) for path in project.project.prose}
    modules = {module.path: module.source for module in content.modules}
    exercises = {m.path: m.exercises for m in content.modules if m.exercises}
    notebooks = {path: one.source for path, one in content.tutorials.items()}
    into = [project.into(one).translation for one in project.languages[1:]]
    given = [prose, exercises, modules, notebooks]
    count = 0
    for path, source in (one for part in given for one in part.items()):
        if source.path.endswith(".md"):
            notes = [read(source.text)]
        elif path in modules:
            notes = [block.note for block in split(source)]
        else:
            notes = [cell.note for cell in cells_of(source).cells]
        for note in notes:
            holds(note.text)
            for message in note.messages:
                kinds = {piece.kind for piece in scan(message)}
                assert not kinds & {"fence", "display", "include", "link", "image"}
                count += 1
            for translation in into:
                there = read(translation.note(note, path).text)
                assert shown(there) == shown(note), (path, note.text)
    assert count > 2_000
