"""Formulas are set wherever Python-Markdown makes HTML of a page."""

import re
from collections.abc import Iterator

import pytest
from markdown import Markdown

from labml_txl.literate.equations.extension import (
    FormulaExtension,
    as_title,
    bare,
    with_symbols,
)
from labml_txl.literate.equations.math import Formula, Typesetter
from labml_txl.literate.equations.math import typesetter as shared
from labml_txl.literate.equations.registry import Symbol

SYMBOL = Symbol("p.u", ("u",), "A bias.", ())
MARKED = "{\\htmlClass{sym-p-u}{u}}"


@pytest.fixture(scope="module")
def typesetter() -> Iterator[Typesetter]:
    typesetter = Typesetter()
    yield typesetter
    typesetter.close()


def converted(page: str, typesetter: Typesetter) -> tuple[str, Markdown]:
    arithmatex = {"pymdownx.arithmatex": {"generic": True}}
    extensions = [*arithmatex, "toc", "md_in_html", FormulaExtension(typesetter)]
    markdown = Markdown(extensions=extensions, extension_configs=arithmatex)
    return markdown.convert(page), markdown


def test_the_formulas_of_a_page_are_set_in_their_place(typesetter: Typesetter) -> None:
    page = with_symbols("A $a < u$.\n\n$$\nb\n$$\n\n`$c$`", [SYMBOL])
    first, second = typesetter.set(
        [Formula(f"a < {MARKED}"), Formula("b", display=True)]
    )
    html = bare(converted(page, typesetter)[0])
    assert html == f"<p>A {first}.</p>\n{second}\n<p><code>$c$</code></p>"
    assert "sym-p-u" in first


def test_formulas_in_boxes_of_html_are_set_too(typesetter: Typesetter) -> None:
    html = converted('<div markdown="1">\n\nA $u$.\n\n</div>', typesetter)[0]
    assert typesetter.set([Formula("u")])[0] in html


def test_a_sign_that_begins_no_line_stays_with_its_formula(
    typesetter: Typesetter,
) -> None:
    html = bare(converted("值 $u$，和 $u$ 或 ($u$)。", typesetter)[0])
    (u,) = typesetter.set([Formula("u")])
    whole = f'<span class="lit-whole">{u}，</span>'
    assert html == f"<p>值 {whole}和 {u} 或 ({u})。</p>"


def test_a_page_without_symbols_is_left_as_it_is(typesetter: Typesetter) -> None:
    assert with_symbols("A $u$.", []) == "A $u$."
    assert "sym-" not in converted("A $u$.", typesetter)[0]


def test_the_symbols_of_one_page_are_not_marked_on_the_next(
    typesetter: Typesetter,
) -> None:
    markdown = converted(with_symbols("$u$", [SYMBOL]), typesetter)[1]
    assert "sym-" not in markdown.reset().convert("$u$")


def test_contents_have_the_tex_and_the_search_has_it_once(
    typesetter: Typesetter,
) -> None:
    html, markdown = converted("# The bias $u$", typesetter)
    (heading,) = markdown.toc_tokens
    assert heading["name"] == "The bias \\(u\\)"
    read = re.sub(r"<lit-set data-search-exclude>.*?</lit-set>", "", html)
    assert re.sub("<.*?>", "", read) == "The bias \\(u\\)"


def test_a_formula_that_cannot_be_set_is_named(typesetter: Typesetter) -> None:
    typesetter.faults.clear()
    html, _ = converted(with_symbols(r"$\frac{u$ and $v$", [SYMBOL]), typesetter)
    (fault,) = typesetter.faults
    assert fault.formula.written == r"\frac{u"
    # It is shown as it is written, and the others are set.
    assert r'<code class="lit-fault">\frac{u</code>' in html
    assert "katex" in html


def test_a_title_of_the_contents_is_set_where_it_has_a_formula(
    typesetter: Typesetter,
) -> None:
    (formula,) = typesetter.set([Formula("u")])
    title = as_title("A & \\(u\\) < b", typesetter)
    assert title == f"A &amp; {formula} &lt; b"
    assert as_title("A & b", typesetter) == ""
    words = r"\text{if \(u\) is}"
    assert as_title(rf"\({words}\)", typesetter) == typesetter.set([Formula(words)])[0]


def test_the_extension_needs_only_its_name() -> None:
    arithmatex = {"pymdownx.arithmatex": {"generic": True}}
    names = [*arithmatex, "labml_txl.literate.equations.extension"]
    try:
        html = Markdown(extensions=names, extension_configs=arithmatex).convert(
            "A $u$."
        )
    finally:
        shared().close()
    assert 'class="katex"' in html
