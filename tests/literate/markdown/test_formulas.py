"""Formulas, in all the ways in which people write them."""

import pytest

from labml_txl.literate.markdown.inline import plain, scan


def formulas(note: str) -> list[tuple[str, str]]:
    found = [p for p in scan(note) if p.kind not in {"text", "code"}]
    return [(p.kind, " ".join(p.body.split())) for p in found]


ALIGNED = "\\begin{align}\na &= b \\\\\n&= c\n\\end{align}"
ONE_LINE = " ".join(ALIGNED.split())


@pytest.mark.parametrize(
    ("note", "found"),
    [
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
def test_what_can_be_meant_in_one_way_is_a_formula(
    note: str, found: list[tuple[str, str]]
) -> None:
    told = [(kind, body.replace("> ", "")) for kind, body in formulas(note)]
    assert told == found


@pytest.mark.parametrize("text", [r"so \[ a = b \]", r"\(two words\), \[0\]"])
def test_a_bracket_of_markdown_is_shown_without_its_backslash(text: str) -> None:
    assert plain(text) == text.replace("\\", "")


@pytest.mark.parametrize(
    "part", [r"\(", r"\[", r"\(x ", r"\[x^2 ", r"$\text{a $x$ ", r"\text{$x$}", "$x{"]
)
def test_signs_without_end_are_read_in_time(part: str) -> None:
    assert "".join(piece.raw for piece in scan(part * 3_000)) == part * 3_000


def test_a_note_that_is_moved_as_a_whole_has_no_code_by_its_margin() -> None:
    note = "    $x$\n\n    `y`"
    assert [p.kind for p in scan(note)] == ["fence"]
    pieces = scan(note, moved=True)
    assert [p.kind for p in pieces if p.kind != "text"] == ["math", "code"]
