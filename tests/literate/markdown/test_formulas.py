"""Formulas, in all the ways in which people write them."""

import pytest

from labml_txl.literate.markdown.inline import scan


def formulas(note: str) -> list[tuple[str, str]]:
    found = [p for p in scan(note) if p.kind not in {"text", "code"}]
    return [(p.kind, " ".join(p.body.split())) for p in found]


ALIGNED = "\\begin{align}\na &= b \\\\\n&= c\n\\end{align}"
ONE_LINE = " ".join(ALIGNED.split())


@pytest.mark.parametrize(
    ("note", "found"),
    [
        (ALIGNED, [("display", ONE_LINE)]),
        (f"So:\n\n{ALIGNED}\n\nEnd.", [("display", ONE_LINE)]),
        ("  " + ALIGNED.replace("\n", "\n  "), [("display", ONE_LINE)]),
        ("> " + ALIGNED.replace("\n", "\n> "), [("display", ONE_LINE)]),
        (r"so \begin{align} a \end{align} is", []),
        (r"\begin{itemize} a \end{itemize}", []),
        ("$$\na\n\nb\n$$", [("display", "a b")]),
        ("$$\na\n\nb\n", []),
        ("$$ a\n\nb $$", []),
        ("  $$x$$", [("display", "x")]),
        ("- item\n  $$x$$", [("display", "x")]),
        ("the $$x$$, then", [("math", "x")]),
        (r"if $f \otimes g $ is", [("math", r"f \otimes g")]),
        (r"if $ \alpha$ is", [("math", r"\alpha")]),
        ("costs $ 5 or 6 $", []),
        ("    $x$ is code", [("fence", "$x$ is code")]),
        ("So:\n\n    $x$\n\n    `y`", [("fence", "$x$ `y`")]),
        ("So:\n\n    $$\n    x\n    $$\n\nnow", [("display", "x")]),
        ("So:\n\n    $$x$$\n    y", [("fence", "$$x$$ y")]),
        ("- item\n\n    $x$", [("math", "x")]),
        ("1. item\n\n    words\n\n    $x$", [("math", "x")]),
        ("so\n    $x$", [("math", "x")]),
    ],
)  # fmt: skip
def test_what_can_be_meant_in_one_way_is_a_formula(
    note: str, found: list[tuple[str, str]]
) -> None:
    told = [(kind, body.replace("> ", "")) for kind, body in formulas(note)]
    assert told == found


def test_a_note_that_is_moved_as_a_whole_has_no_code_by_its_margin() -> None:
    note = "    $x$\n\n    `y`"
    assert [p.kind for p in scan(note)] == ["fence"]
    pieces = scan(note, moved=True)
    assert [p.kind for p in pieces if p.kind != "text"] == ["math", "code"]
