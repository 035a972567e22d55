"""The grammar's laws: no line is lost, and what is read is what the page shows."""

import re
from html.parser import HTMLParser
from itertools import chain, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown import Markdown

from labml_txl.literate.markdown.host import EXTENSIONS
from labml_txl.literate.markdown.inline import plain_text, scan
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


# A note as authors of comments write it, without what only pages can have.
LINES = st.sampled_from(
    (
        "some words", "`a_b`", "2*x + 3*y", "__init__ is", "*args, **kwargs", "#12: x",
        "#tag", "**bold** text", "*em* and _em_", "blocks[i](x)", "[link](a.md)", "1",
        "see https://a.b/c_d", "costs $5 and US$ 7", "注意力**重要**", "a:",
        "x_i", "end.", "a \\* b", "= 3", "* 4", "+ 5", "~ 6", "7) seven", "8. eight",
    )
)  # fmt: skip
LISTS = st.recursive(
    st.lists(LINES, min_size=1, max_size=2).map("\n".join),
    lambda inner: st.tuples(
        st.sampled_from(("- ", "* ", "1. ", "10. ", "2) ")),
        st.lists(LINES | st.tuples(LINES, inner).map("\n".join), min_size=1),
        st.sampled_from(("\n", "\n\n")),
    ).map(
        lambda one: one[2].join(
            one[0] + item.replace("\n", "\n" + " " * len(one[0])) for item in one[1]
        )
    ),
    max_leaves=6,
)
NOTES = st.lists(
    st.one_of(
        LISTS,
        st.tuples(st.sampled_from(("# ", "### ")), LINES).map("".join),
        LISTS.map(lambda text: "> " + text.replace("\n", "\n> ")),
        st.tuples(LINES, LISTS).map(":\n".join),
        st.sampled_from(
            ("```\nsome code\n```", "~~~ python\n# x\n", "    code", "***")
        ),
        st.tuples(LINES, LINES).map("| {0[0]} | b |\n|---|---|\n| c | {0[1]} |".format),
    ),
    min_size=1,
    max_size=4,
).map("\n\n".join)
PAGE = Markdown(extensions=[*EXTENSIONS], extension_configs=EXTENSIONS)

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
    st.sampled_from(("\\begin{align}", "\\end{align}", "\\(", "\\)", "[^1]: ", "1. ")),
    st.sampled_from(("*", "_", "\x0b", "\r", "\u2028", "\u200d")),
)


def letters(text: str) -> str:
    """The text without spaces, and without the sign of a quotation."""
    return "".join(text.split()).replace(">", "")


@given(TEXTS | st.text(max_size=80) | st.lists(MARKS, max_size=16).map("".join))
def test_messages_lose_no_text_and_put_back_unchanged_they_change_no_word(
    text: str,
) -> None:
    note = read(text)
    assert note.text == text
    assert all(text.startswith(one.raw, one.start) for one in note.pieces)
    for part in note.parts:
        assert part.raw
        assert "\n" not in part.message
        if part.message and part.form == "markdown":
            assert part.raw == part.raw.strip()
            assert letters(part.with_translation(part.message).raw) == letters(part.raw)


def holds(text: str) -> None:
    """Every line stands in one part; a text written again is read as it was."""
    note = read(text)
    assert note.text == text
    assert all(one.start < other.start for one, other in pairwise(note.pieces))
    written = note.map_parts(
        lambda p: p.with_translation(p.message) if p.message else p
    ).text
    assert messages_of(read(written)) == messages_of(note)


def messages_of(note: Note) -> list[tuple[str, str]]:
    """The messages of a note, with their kinds."""
    return [(part.kind, part.message) for part in note.parts if part.message]


@given(TEXTS)
def test_every_line_is_in_one_block_and_is_written_unchanged(text: str) -> None:
    holds(text)


@pytest.mark.parametrize(
    "line", ["# a\n", "[a]: b\n", "---\n", "a\n> ", "!!! note\n", "$$ a\n"]
)
def test_very_long_texts_are_read(line: str) -> None:
    holds(line * 1500)


class Blocks(HTMLParser):
    """The blocks of a page of HTML in which there are words, each with its letters."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found, self.open = list[list[str]](), [""]
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, given: object) -> None:
        if tag in TAGS:
            self.open.append(tag)
            self.found.append([tag.replace("th", "td"), ""])

    def handle_endtag(self, tag: str) -> None:
        if tag in TAGS:
            self.open.pop()
            # What follows a list in an item, and a paragraph in it, is of its own.
            self.found.append([self.open[-1], ""])

    def handle_data(self, text: str) -> None:
        if self.found:
            self.found[-1][1] += alphanumeric(text)


TAGS = {"p", "li", "td", "th", "pre", *(f"h{n}" for n in range(1, 7))}
ELEMENTS = {"paragraph": "p", "item": "p", "cell": "td", "fence": "pre"}


def alphanumeric(text: str) -> str:
    return "".join(re.findall(r"[^\W_]", text))


@given(NOTES)
def test_pages_have_the_blocks_that_the_parser_of_notes_finds(text: str) -> None:
    note = read(text)
    blocks = []
    for part in note.parts:
        element = f"h{part.level}" if part.level else ELEMENTS.get(part.kind, "")
        words = part.pieces[0].body if part.kind == "fence" else plain_text(part.pieces)
        if element and alphanumeric(words):
            blocks.append([element, alphanumeric(words)])
    html = PAGE.reset().convert(note.host)
    found = [[tag.replace("li", "p"), words] for tag, words in Blocks(html).found]
    assert [one for one in found if one[1]] == blocks, note.host


def kinds_of(note: Note) -> list[str]:
    """The kinds of the blocks of a note in which something is said."""
    return [
        part.kind
        for part in note.body.parts
        if part.kind in KINDS and re.search(r"[^\W_]", plain_text(part.pieces))
    ]


def test_our_own_translations_have_the_blocks_of_their_english() -> None:
    project = open_project(ROOT / "mkdocs.yml")
    content = project.content
    prose = {path: content.prose(path) for path in project.project.prose}
    modules = {module.path: module.source for module in content.modules}
    exercises = {m.path: m.exercises for m in content.modules if m.exercises}
    notebooks = {path: one.source for path, one in content.tutorials.items()}
    into = [project.select_language(one).translation for one in project.languages[1:]]
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
                assert kinds_of(there) == kinds_of(note), (path, note.text)
    assert count > 2_000
