"""The terms of a sum keep their colour, letter and underline wherever they stand."""

from labml_txl.literate.equations.registry import Paper, load_registry
from labml_txl.literate.equations.symbols import mark_symbols
from labml_txl.literate.render.highlight import letters, mark_code
from labml_txl.literate.sources.source import Source

TOML = r"""
[paper]
key = "p"
title = "P"
authors = "A"
year = 2019
arxiv = "1"

[symbols.u]
latex = ['u']
meaning = "A bias."

[terms.a]
latex = ['q k']

[terms.c]
latex = ['u k', 'u^{\top} k']

[equations.sum]
title = "Sum"
section = "1"
latex = 'q k + u k'
text = "The sum."
symbols = ["u"]
"""
REGISTRY = load_registry([Source("p.toml", TOML)])


def papers() -> tuple[Paper, ...]:
    return REGISTRY.papers


def test_a_term_is_marked_in_a_formula_and_its_symbols_within_it() -> None:
    symbols = REGISTRY.symbols_of(["p.sum"])
    assert mark_symbols("q  k + u k + u", symbols) == (
        r"{\htmlClass{lit-term-a}{q  k}} + "
        r"{\htmlClass{lit-term-c}{{\htmlClass{sym-p-u}{u}} k}} + "
        r"{\htmlClass{sym-p-u}{u}}"
    )


def test_a_paper_that_is_not_cited_colours_nothing() -> None:
    assert REGISTRY.symbols_of([]) == ()


def test_the_letters_of_a_note_are_those_of_its_inline_formulas() -> None:
    assert letters(r"The bias $u^{\top} k$, and $q k$.", papers()) == "ac"
    assert letters("The sum:\n\n$$\nq k + u k\n$$\n", papers()) == ""
    assert letters("`u k` is code, and $u$ no term.", papers()) == ""


def test_code_shows_its_letters_and_one_term_alone_is_underlined() -> None:
    code = (
        '<span data-n="5">    x = q @ k<span class="shape"> [a]</span>\n</span>'
        '<span data-n="6">\n</span><span data-n="7">y\n</span>'
    )
    one = mark_code(code, "a")
    assert one.startswith(
        '<span data-n="5"><i class="lit-tag lit-term-a"></i>    <span'
    )
    line = '<span class="lit-line lit-term-a">'
    assert f'{line}x = q @ k</span><span class="shape">' in one
    assert f'<span data-n="6">\n</span><span data-n="7">{line}y</span>\n</span>' in one
    two = mark_code(code, "ac")
    assert 'lit-term-a"></i><i class="lit-tag lit-term-c"></i>    x = q' in two
    assert "lit-line" not in two
    assert mark_code(code, "") == code
