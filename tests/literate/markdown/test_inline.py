"""The Markdown of a note: its pieces, its formulas, its plain words."""

import pytest

from labml_txl.literate.markdown.inline import plain_text, scan
from labml_txl.literate.markdown.note import pieces_of

ALIGNED = "\\begin{align}\na &= b \\\\\n&= c\n\\end{align}"
ONE_LINE = " ".join(ALIGNED.split())
BETWEEN = {"text", "escape", "marks"}


@pytest.mark.parametrize(
    ("note", "found"),
    [
        ("the $x_1$ is", [("math", "x_1")]),
        ("$a$ and $b$", [("math", "a"), ("math", "b")]),
        ("costs 5$ or 6$", []),
        ("a $b\n\nc$", []),
        ("a `b\n\nc`", []),
        ("costs $ 5 or $ 6", []),
        (r"\$x\$", []),
        (r"$a \$ b$", [("math", r"a \$ b")]),
        ("`$x$`", [("code", "$x$")]),
        ("``a ` b``", [("code", "a ` b")]),
        ("`[a](b)`", [("code", "[a](b)")]),
        ("```\n$x$ [a](b)\n```", [("fence", "$x$ [a](b)")]),
        ("[a](b.md)", [("link", "a")]),
        ("[a `b` $c$](d.md)", [("link", "a `b` $c$")]),
        ("[a][k.e]", [("citation", "a")]),
        ("![a](b.svg)", [("image", "a")]),
        (r"\[a](b.md)", []),
        ("x[0][1], blocks[n](x)", []),
        ("{{ k.e }}", [("include", "k.e")]),
        ("see {{ k.e }}", []),
        # Formulas, in the ways of others too.
        (ALIGNED, [("display", ONE_LINE)]),
        ("> " + ALIGNED.replace("\n", "\n> "), [("display", ONE_LINE)]),
        (r"so \begin{align} a \end{align} is", []),
        (r"\begin{itemize} a \end{itemize}", []),
        ("$$\na\n\nb\n$$", [("display", "a b")]),
        ("$$ a\n\nb $$", []),
        ("- item\n  $$x$$", [("display", "x")]),
        ("the $$x$$, then", [("math", "x")]),
        (r"if $f \otimes g $ is", [("math", r"f \otimes g")]),
        ("costs $ 5 or 6 $", []),
        ("words\n\n    a\n\n    $x$", [("fence", "a $x$")]),
        ("    $x$ is code", [("fence", "$x$ is code")]),
        ("So:\n\n    $$\n    x\n    $$\n\nnow", [("display", "x")]),
        ("So:\n\n    $$x$$\n    y", [("fence", "$$x$$ y")]),
        ("1. item\n\n    words\n\n    $x$", [("math", "x")]),
        (r"so \(x^2\) is", [("math", "x^2")]),
        (r"a \[\frac{1}{2}\] in words", [("math", r"\frac{1}{2}")]),
        ("> \\[\n> n\n> m\n> \\]", [("display", "n m")]),
        ("So:\n\n    \\[\n    x^2\n    \\]", [("display", "x^2")]),
        # A bracket that is one to Markdown stays one.
        (r"a \(snake_case\) or \(two words\)", []),
        (r"\(c\) 2020, f\(x\), [0]\(a\), \(1\), \(-h\)", []),
        (r"\\(x^2\\)", []),
        (r"\[a\], \[0\], \[a_b\](c)", []),
        ("\\(x^2\n\nand\\)", []),
        # Words in a formula, and a formula in them.
        (r"$\text{a $x$ b} + y$ is", [("math", r"\text{a $x$ b} + y")]),
        (r"$\text{a $x_{i}$}$ $z$", [("math", r"\text{a $x_{i}$}"), ("math", "z")]),
        (r"$\text{a}$ b $\text{c}$", [("math", r"\text{a}"), ("math", r"\text{c}")]),
    ],
)  # fmt: skip
def test_a_note_is_divided_into_pieces_by_kind(
    note: str, found: list[tuple[str, str]]
) -> None:
    pieces = [piece for piece in pieces_of(note) if piece.kind not in BETWEEN]
    bodies = [(p.kind, " ".join(p.body.split()).replace("> ", "")) for p in pieces]
    assert bodies == found


def test_an_indented_note_is_not_taken_for_code() -> None:
    note = "    $x$\n\n    `y`"
    kinds = [p.kind for p in pieces_of(note) if p.kind not in BETWEEN]
    assert kinds == ["fence"]
    pieces = pieces_of(note, moved=True)
    kinds = [p.kind for p in pieces if p.kind not in BETWEEN]
    assert kinds == ["math", "code"]


@pytest.mark.parametrize(
    "part", [r"\(", r"\[", r"\(x ", r"\[x^2 ", r"$\text{a $x$ ", r"\text{$x$}", "$x{"]
)
def test_unclosed_markup_is_read_in_linear_time(part: str) -> None:
    assert "".join(piece.raw for piece in scan(part * 3_000)) == part * 3_000


@pytest.mark.parametrize(
    ("note", "words"),
    [
        (
            "The **bold** `code`\nand [a *link*](b.md), $x$.\n\n```\nno\n```",
            "The bold code and a link, x.",
        ),
        ("`a_b_c` and `__init__`", "a_b_c and __init__"),
        ("**`x_y` _z_**", "x_y z"),
        ("$a_1$ or $*b*$", "a_1 or *b*"),
        ("snake_case_name, 2 * 3 * 4", "snake_case_name, 2 * 3 * 4"),
        ("<b>R&amp;D</b>, <https://a.b>", "R&D, https://a.b"),
        (r"so \[ a = b \]", "so [ a = b ]"),
        (r"\(two words\), \[0\]", "(two words), [0]"),
    ],
)
def test_the_words_of_a_note_equal_those_on_its_page(note: str, words: str) -> None:
    assert plain_text(pieces_of(note)) == words
