"""Formulas in the way of Sphinx get dollars."""

import pytest

from labml_txl.literate.sources.blocks import split
from labml_txl.literate.sources.docstrings import with_formulas
from labml_txl.literate.sources.source import Source


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        ("It is :math:`x^2` and :math:`a\nb`.", "It is $x^2$ and $a b$."),
        (r"Is :math:`\text{a $x$}`.", r"Is $\text{a $x$}$."),
        ("So:\n\n.. math:: x = y\n\nand", "So:\n\n\n$$\nx = y\n$$\n\nand"),
        (
            "So\n\n.. math::\n    :label: a\n\n    x\n\n    y\n\nand",
            "So\n\n\n$$\nx\n$$\n\n$$\ny\n$$\n\nand",
        ),
        (
            ".. math::\n  x \\\\\n  y",
            "\n$$\n\\begin{aligned}\nx \\\\\ny\n\\end{aligned}\n$$\n",
        ),
        (
            ".. math::\n  \\begin{cases} a & b \\end{cases}",
            "\n$$\n\\begin{cases} a & b \\end{cases}\n$$\n",
        ),
        ("- a\n  .. math:: x\n- b", "- a\n\n  $$\n  x\n  $$\n\n- b"),
        ("``:math:`x` ``", "``:math:`x` ``"),
        ("So:\n\n    :math:`x`", "So:\n\n    $x$"),
        ("So:\n\n    .. math :: x", "So:\n\n\n    $$\n    x\n    $$\n"),
        ("```\n:math:`x`\n```", "```\n:math:`x`\n```"),
        ("the math: `x`", "the math: `x`"),
    ],
)
def test_a_formula_gets_dollars(note: str, shown: str) -> None:
    assert with_formulas(note) == shown


def test_a_docstring_has_them() -> None:
    source = Source("a.py", 'def f():\n    r"""Takes :math:`\\theta`."""\n')
    assert split(source)[-1].note == r"Takes $\theta$."
