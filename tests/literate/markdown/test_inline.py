"""The Markdown of a note: its pieces, its paragraphs, its translation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labml_txl.literate.i18n.catalog import Catalog, Entry
from labml_txl.literate.i18n.pages import Translation
from labml_txl.literate.markdown.inline import in_item, plain, rewrite, scan
from labml_txl.literate.sources.blocks import split
from labml_txl.literate.sources.source import Source

FRAGMENTS = (
    "words ", "$x$", "$$\ny\n$$", "`code`", "``a ` b``", "[a](b.md)", "[a][k.e]",
    "![a](b.svg)", "{{ k.e }}", "\n", "\n\n", "```\n$x$\n```\n", "~~~\n", "\\$", "$",
    "`", "[", "]", "(", "5$", "- item\n", "  ", "\\\\",
)  # fmt: skip
NOTES = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join),
)


@given(NOTES)
def test_the_pieces_put_together_are_the_note(note: str) -> None:
    pieces = scan(note)
    assert "".join(piece.raw for piece in pieces) == note
    starts = [sum(len(p.raw) for p in pieces[:i]) for i in range(len(pieces))]
    assert [piece.start for piece in pieces] == starts


@given(NOTES)
def test_a_note_without_changes_is_rewritten_as_itself(note: str) -> None:
    assert rewrite(note, lambda piece: piece.raw) == note


def kinds(note: str) -> list[tuple[str, str]]:
    return [(p.kind, p.body) for p in scan(note) if p.kind != "text"]


@pytest.mark.parametrize(
    ("note", "pieces"),
    [
        ("the $x_1$ is", [("math", "x_1")]),
        ("$a$ and $b$", [("math", "a"), ("math", "b")]),
        ("$$\nx\n$$", [("display", "\nx\n")]),
        ("costs 5$ or 6$", []),
        ("a $b\n\nc$", []),
        ("a `b\n\nc`", []),
        ("a $$b$$ c", [("math", "b")]),
        ("costs $ 5 or $ 6", []),
        (r"\$x\$", []),
        (r"$a \$ b$", [("math", r"a \$ b")]),
        ("`$x$`", [("code", "$x$")]),
        ("``a ` b``", [("code", "a ` b")]),
        ("`[a](b)`", [("code", "[a](b)")]),
        ("```\n$x$ [a](b)\n```", [("fence", "```\n$x$ [a](b)\n```")]),
        ("[a](b.md)", [("link", "a")]),
        ("[a `b` $c$](d.md)", [("link", "a `b` $c$")]),
        ("[a][k.e]", [("citation", "a")]),
        ("![a](b.svg)", [("image", "a")]),
        (r"\[a](b.md)", []),
        ("x[0][1]", [("citation", "0")]),
        ("{{ k.e }}", [("include", "k.e")]),
        ("see {{ k.e }}", []),
    ],
)
def test_a_note_is_cut_into_its_kinds(note: str, pieces: list[tuple[str, str]]) -> None:
    assert kinds(note) == pieces


def test_the_plain_words_of_a_note_have_no_marks() -> None:
    note = "The **bold** `code`\nand [a *link*](b.md), $x$.\n\n```\nno\n```"
    assert plain(note) == "The bold code and a link, x."


# Translation

TEXT = '''\
r"""# Title

First paragraph,
on two lines with $x$.

$$
y
$$
"""

# A comment.
a = 1


def f():
    """Of the function."""
    return a
'''


def test_a_translation_changes_notes_only() -> None:
    blocks = split(Source("a.py", TEXT))
    entries = {
        "Title": Entry("Titel"),
        "First paragraph, on two lines with $x$.": Entry("Absatz mit $x$."),
        "A comment.": Entry("Ein Kommentar."),
    }
    german = Translation(catalog=lambda page: Catalog("de", entries=entries))
    other = german.blocks(blocks, "a.md")
    assert [block.note for block in other] == [
        "# Titel\n\nAbsatz mit $x$.\n\n$$\ny\n$$",
        "Ein Kommentar.",
        "Of the function.",
    ]
    for old, new in zip(blocks, other, strict=True):
        assert new.code is old.code
        assert new.lines is old.lines
        assert new.note_lines is old.note_lines
        assert (new.scope, new.opens) == (old.scope, old.opens)


@pytest.mark.parametrize(
    ("above", "within"),
    [("- one", True), ("- one\n\n    two", True), ("words", False), ("    two", False)],
)
def test_what_is_moved_to_the_right_belongs_to_the_item_above_it(
    above: str, within: bool
) -> None:
    note = f"{above}\n\n    three"
    assert in_item(note, note.index("    three")) is within
