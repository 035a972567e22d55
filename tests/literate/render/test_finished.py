"""Finished pages are read quickly, and for what a slow reading would find."""

import pytest

from labml_txl.literate.render.finished.html import searched
from labml_txl.literate.render.finished.links import Document, dead_links, ends
from labml_txl.literate.sources.source import Source

CODE = (
    '<a class="lit-link" href="#A" aria-label="A">#</a><pre class="lit-code" '
    'tabindex="0"><code><span data-n="1"><span class="k">class</span> '
    '<span class="n d">A</span>(<a class="n" href="../b/">B</a>): **x** $y$ '
    "&lt;div&gt;\n</span></code></pre>"
)

# Links


@pytest.mark.parametrize(
    ("html", "anchors", "links"),
    [
        ('<p id="a">', {"a"}, ()),
        ("<p id=a><p\nid = 'b'>", {"a", "b"}, ()),
        ('<P ID="a"><A HREF="x">', {"a"}, ("x",)),
        ('<a href="b"></a><a href="a"></a><a href="b">', set(), ("b", "a")),
        ('<a title="a > b" href="x&amp;y">', set(), ("x&y",)),
        ('<link href="x"><img src="y"><a>', set(), ()),
        ('<!-- <a href="x"> --><a href="y">', set(), ("y",)),
        ("""<script>"<a href='x'>"</script><a href="y">""", set(), ("y",)),
        ("<style>/* <p id=a> */</style>", set(), ()),
        ("a < b <p id=a>", {"a"}, ()),
    ],
)
def test_the_ends_of_links_are_those_that_a_browser_finds(
    html: str, anchors: set[str], links: tuple[str, ...]
) -> None:
    found = ends(html)
    assert found.anchors == anchors
    assert found.links == links


def test_a_drawing_that_was_not_found_is_not_told_twice() -> None:
    source = Source("docs/a.md", "# A\n\n![One](gone.svg)\n")
    html = '<img src="../gone.svg" alt="One"><img src="../lost.svg" alt="">'
    (told,) = dead_links([Document(source, "a/", ends(html))], ())
    assert "lost.svg" in str(told)


@pytest.mark.parametrize(
    ("address", "missing"),
    [
        ("there.png", False),
        ("there.png#only-dark", False),
        ("there.png?size=2", False),
        ("two%20words.png", False),
        ("../a/there.png", False),
        ("/elsewhere.png", False),
        ("//a.example/b.png", False),
        ("https://a.example/b.png", False),
        ("data:image/png;base64,AA==", False),
        ("gone.png", True),
        ("gone.png#only-dark", True),
        ("../there.png", True),
    ],
)
def test_a_picture_that_is_not_there_is_told(address: str, missing: bool) -> None:
    source = Source("docs/a.md", f"# A\n\nWords.\n\n![One]({address})\n")
    page = Document(source, "a/", ends(f'<p><img src="{address}" alt="One"></p>'))
    told = [*map(str, dead_links([page], {"a/there.png", "a/two words.png"}))]
    wanted = f"docs/a.md:5: there is no picture {address}: correct it or remove it"
    assert told == ([wanted] if missing else [])


# The search


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
