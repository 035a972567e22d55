"""Macros of a site, in formulas that leave it."""

import pytest

from labml_txl.literate.export.macros import expand
from labml_txl.literate.export.text import make_portable
from labml_txl.literate.markdown.note import read
from labml_txl.literate.render.resolve import Site

MACROS = {
    r"\R": r"\mathbb{R}",
    r"\bold": r"\mathbf{#1}",
    r"\half": r"\frac{#1}{#2}",
    r"\both": r"\half{\R}{#1}",
    r"\again": r"\again x",
}


@pytest.mark.parametrize(
    ("tex", "wanted"),
    [
        (r"y \in \R", r"y \in \mathbb{R}"),
        (r"x^\R_ \R", r"x^{\mathbb{R}}_ {\mathbb{R}}"),
        (r"\bold{a_{\R}} + \bold b", r"\mathbf{a_{\mathbb{R}}} + \mathbf{b}"),
        (r"\half 1{2\{}", r"\frac{1}{2\{}"),
        (r"\both\alpha", r"\frac{\mathbb{R}}{\alpha}"),
        (r"a \\R \Rightarrow", r"a \\R \Rightarrow"),
        (r"\half{1", r"\frac{1}{}"),
    ],
)
def test_a_macro_is_replaced_by_its_definition(tex: str, wanted: str) -> None:
    assert expand(tex, MACROS) == wanted
    assert expand(tex, {}) == tex


def test_a_recursive_macro_ends() -> None:
    assert len(expand(r"\again", MACROS)) < 10_000


def test_exported_notes_have_no_macros() -> None:
    note = read("Let $x \\in \\R$ and `\\R`:\n\n$$\n\\bold x\n$$\n")
    shown = make_portable(note, "a.md", Site(macros=MACROS)).text
    assert shown == "Let $x \\in \\mathbb{R}$ and `\\R`:\n\n$$\n\\mathbf{x}\n$$\n"
