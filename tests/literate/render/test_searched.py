"""What the search has of a page."""

from labml_txl.literate.render.html import searched

CODE = (
    '<a class="lit-link" href="#A" aria-label="A">#</a><pre class="lit-code" '
    'tabindex="0"><code><span data-n="1"><span class="k">class</span> '
    '<span class="n d">A</span>(<a class="n" href="../b/">B</a>): **x** $y$ '
    "&lt;div&gt;\n</span></code></pre>"
)


def test_a_search_reads_code_without_its_colours() -> None:
    assert searched(f'<div class="lit-side">{CODE}</div>') == (
        '<pre class="lit-code" tabindex="0"><code>class A(B): **x** $y$ &lt;div&gt;\n'
        "</code></pre>"
    )


def test_a_search_reads_the_tex_of_a_formula_once() -> None:
    formula = "<lit-tex>x</lit-tex><lit-set data-search-exclude>\n<i>x</i></lit-set>"
    assert searched(formula) == "<lit-tex>x</lit-tex>"


def test_a_search_reads_links_and_marks_in_words() -> None:
    words = '<p><a href="x"><span class="n">one</span></a></p>'
    assert searched(words) == words
