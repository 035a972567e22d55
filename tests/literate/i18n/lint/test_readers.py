"""Two readers go through a message: one for the page, and one for the lint.

The lint's also reads what fits nowhere, and HTML. Of formulas, code and links both see
the same, or the lint would hold a translation to something that no page shows.
"""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from labml_txl.literate.i18n.files.po import read_po
from labml_txl.literate.i18n.lint.markup import read_message, tokens_of
from labml_txl.literate.markdown.inline import scan
from labml_txl.literate.markdown.tokens import is_html
from tests.test_ground import ROOT

Seen = tuple[str, str]


def by_the_lint(message: str) -> Iterator[Seen]:
    reading = read_message(message)
    yield from (one for one in reading.objects if one[0] in {"formula", "code"})
    yield from (("link", link.target.strip("<>")) for link in reading.links)


def by_the_page(message: str) -> Iterator[Seen]:
    yield from objects(message)
    yield from links(message)


def objects(text: str) -> Iterator[Seen]:
    for piece in scan(text, moved=True):
        if piece.kind == "code":
            yield "code", " ".join(piece.body.split())
        elif piece.kind == "include":
            yield "code", piece.raw
        elif piece.kind in {"math", "display"}:
            sign = "$$" if piece.raw.startswith(("$$", "\\[")) else "$"
            yield "formula", f"{sign}{tokens_of(piece.body)}{sign}"
        elif piece.kind in {"link", "citation"}:
            yield from objects(piece.body)


def links(text: str) -> Iterator[Seen]:
    for piece in scan(text, moved=True):
        if piece.kind == "link":
            yield "link", piece.target
        elif piece.kind == "citation":
            yield "link", f"[{piece.target}]"


def test_both_see_the_same_in_all_our_texts_and_their_translations() -> None:
    count = 0
    for path in (ROOT / "docs" / "locale").rglob("*.po"):
        for entry in read_po(path, ROOT):
            for text in (entry.msgid, entry.msgstr):
                if not is_html(text):
                    assert [*by_the_lint(text)] == [*by_the_page(text)], text
                    count += bool([*by_the_page(text)])
    assert count > 3_000


# What a sentence is made of; each can stand beside each other.
WORDS = st.sampled_from(
    (
        "some words", "`a_b`", "``x ` y``", "$x_1$", "$$y^2$$", "[a link](a.md)",
        "[other](b_(c).md)", '[t](<d> "title")', "**bold**", r"a \* b", "1 < 2", "x[0]",
        "[scores][txl.k]", "[`code` and $z$](e.md)", "_em_ and a_b", "5$ or 6 $",
        "$5 or $6 more", r"\(x^2\)", r"\( n \)", r"\(two words\)", r"\[x_i\]", r"\[0\]",
        r"$\text{a $x$ b}$",
    )
)  # fmt: skip


@given(st.lists(WORDS, max_size=6).map(" ".join))
def test_both_see_the_same_in_whatever_is_put_together(text: str) -> None:
    assert [*by_the_lint(text)] == [*by_the_page(text)]
