"""The terms of a sum keep their colour, letter and underline wherever they stand."""

import pytest

from labml_txl.literate.colours import style_terms, write_style_sheet
from labml_txl.literate.equations.registry import load_registry
from labml_txl.literate.equations.symbols import mark_symbols
from labml_txl.literate.markdown.note import read
from labml_txl.literate.render.highlight import letters, mark_code
from labml_txl.literate.sources.source import LiterateError, Source
from tests.literate.small import REGISTRY

TERMS = r"""
[terms.a]
latex = ['q k']

[terms.c]
latex = ['n k', 'n^{\top} k']
"""
REGISTERED = load_registry([Source("p.toml", REGISTRY + TERMS)])


def test_a_term_is_marked_in_a_formula_and_its_symbols_within_it() -> None:
    symbols = REGISTERED.symbols_of(["cnt.next"])
    assert mark_symbols("q  k + n k + n", symbols) == (
        r"{\htmlClass{lit-term-a}{q  k}} + "
        r"{\htmlClass{lit-term-c}{{\htmlClass{sym-cnt-n}{n}} k}} + "
        r"{\htmlClass{sym-cnt-n}{n}}"
    )
    # A paper that is not cited colours nothing.
    assert REGISTERED.symbols_of([]) == ()


def test_the_letters_of_a_note_are_those_of_its_inline_formulas() -> None:
    for note, found in (
        (r"The bias $n^{\top} k$, and $q k$.", "ac"),
        ("The sum:\n\n$$\nq k + n k\n$$\n", ""),
        ("`n k` is code, and $n$ no term.", ""),
    ):
        assert letters(read(note), REGISTERED.papers) == found


def test_code_shows_its_letters_and_one_term_alone_is_underlined() -> None:
    code = (
        '<span data-n="5">    x = q @ k<span class="shape"> [a]</span>\n</span>'
        '<span data-n="6">\n</span><span data-n="7">y\n</span>'
    )
    tag, line = (
        '<i class="lit-tag lit-term-{}"></i>',
        '<span class="lit-line lit-term-a">',
    )
    assert mark_code(code, "a") == (
        f'<span data-n="5">{tag.format("a")}    {line}x = q @ k</span>'
        '<span class="shape"> [a]</span>\n</span>'
        f'<span data-n="6">\n</span><span data-n="7">{line}y</span>\n</span>'
    )
    both = tag.format("a") + tag.format("c")
    assert mark_code(code, "ac") == code.replace(">", f">{both}", 1)
    assert mark_code(code, "") == code


def test_each_letter_of_a_registry_has_a_style_and_four_are_different() -> None:
    assert REGISTERED.letters == "ac"
    css = write_style_sheet("uvxyz")
    styles = style_terms("uvxyz")
    assert len({*styles.values()}) == 4
    assert styles["z"] == styles["u"]
    for letter, term in styles.items():
        for colour in (term.light, term.dark):
            assert f"--lit-{letter}: {colour};" in css
        assert f'--l: "{letter}";' in css
        for rule in (f".lit-term-{letter} {{", f".fig-term-{letter} {{"):
            assert css.count(f"\n{rule}") == 1
    # A site without terms has no rules for any.
    assert "-term-" not in write_style_sheet()


def test_a_term_is_named_by_one_letter() -> None:
    named = TERMS.replace("terms.c", "terms.bias")
    with pytest.raises(LiterateError, match=r"invalid key 'bias': use one letter"):
        load_registry([Source("p.toml", REGISTRY + named)])
