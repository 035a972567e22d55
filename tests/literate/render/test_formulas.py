"""Each formula of a note becomes one that Markdown reads."""

import pytest

from labml_txl.literate.markdown.inline import rewrite
from labml_txl.literate.render.resolve import Site, formula, resolve
from labml_txl.literate.sources.source import LiterateError


def written(note: str) -> str:
    """The note with its formulas as Markdown reads them, without empty lines."""
    kinds = {"display", "math"}
    text = rewrite(note, lambda p: formula(note, p) if p.kind in kinds else p.raw)
    return "\n".join(line for line in text.split("\n") if line.strip())


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        ("the $$x$$, then", "the $\\displaystyle x$, then"),
        ("if $\\a $ is", "if $\\a$ is"),
        ("- item\n  $$x$$\n- next", "- item\n    $$x$$\n- next"),
        ("So:\n\n    $$\n    x\n    $$", "So:\n$$\nx\n$$"),
        (r"the \( x \) is", "the $x$ is"),
        (r"the \[x^2\], then", "the $\\displaystyle x^2$, then"),
        (r"a $\text{b $c$ d}$ e", r"a $\text{b \(c\) d}$ e"),
        (
            "\\begin{align}\na\n\\end{align}",
            "$$\n\\begin{align}\na\n\\end{align}\n$$",
        ),
        (
            "- so\n\n    \\begin{gather}\n    a\n    \\end{gather}",
            "- so\n    $$\n    \\begin{gather}\n    a\n    \\end{gather}\n    $$",
        ),
    ],
)
def test_a_formula_is_written_as_markdown_reads_it(note: str, shown: str) -> None:
    assert written(note) == shown


@pytest.mark.parametrize(
    ("note", "line", "stray"),
    [
        ("Words\nand $$ x", 8, "$$"),
        ("Words\n\n\\frac{1}{2} of it", 9, "\\frac"),
        ("$x$ and\n\\begin{cases} a", 8, "\\begin"),
    ],
)
def test_tex_outside_of_formulas_is_told_with_its_line(
    note: str, line: int, stray: str
) -> None:
    told: list[LiterateError] = []
    site = Site()
    shown = resolve(note, "a.md", site, near="", path="a.py", line=7, tell=told.append)
    (fault,) = told
    assert str(fault).startswith(f"a.py:{line}: {stray} stands outside of a formula")
    assert stray in shown


@pytest.mark.parametrize(
    "note", ["`\\frac{1}`", "    \\frac{1}", "C:\\Users", "5$ and 6$"]
)
def test_what_may_be_something_else_is_not_told(note: str) -> None:
    assert resolve(note, "a.md", Site(), near="", path="a.py", line=1) == note
