"""The code column: every character of the source, each with its colour and link."""

import html
import re
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from labml_txl.literate.render.highlight import Link, code_html, code_of
from labml_txl.literate.render.html import simplify_for_search
from labml_txl.literate.sources.blocks import Line
from labml_txl.literate.sources.names import Name
from labml_txl.literate.sources.source import LiterateError, Source, read

LIBRARY = Path(sysconfig.get_path("stdlib"))
# The directories that hold ordinary modules, of all ages and hands.
FILES = sorted([*LIBRARY.glob("*.py"), *LIBRARY.glob("[a-e]*/*.py")])[::2]


CODE = (
    '<pre class="lit-code" tabindex="0"><code><span data-n="1"><span class="k">class'
    '</span> <span class="n d">A</span>(<a class="n" href="../b/">B</a>): **x** '
    "&lt;div&gt;\n</span></code></pre>"
)


def nowhere(name: Name) -> str:
    return f"#{name.target}" if name.target else ""


def column(
    source: Source,
    link: Link = nowhere,
    asked: Mapping[tuple[int, int], str] = MappingProxyType({}),
) -> str:
    """All lines of a source as HTML."""
    lines = [Line(n, t.rstrip("\n")) for n, t in enumerate(source.lines, start=1)]
    return code_html(lines, code_of("module", source), link, asked)


def one(text: str) -> str:
    return column(Source("module.py", text))


def text_of(markup: str) -> str:
    return html.unescape(re.sub(r"<[^<>]*>", "", markup))


def kinds(markup: str) -> list[tuple[str, str]]:
    """The coloured pieces: their class and their text."""
    inner = re.sub(r'<span data-n="\d+">', "", markup)
    found = re.findall(r'<(?:span|a) class="([^"]+)"[^>]*>([^<]*)<', inner)
    return [(kind, html.unescape(text)) for kind, text in found]


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_the_lines_on_the_page_are_the_lines_of_the_file() -> None:
    passed = 0
    for path in FILES:
        try:
            source = read(path, LIBRARY)
        except LiterateError:
            continue
        text = source.text if source.text.endswith("\n") else source.text + "\n"
        assert text_of(column(source)) == (text if source.text else ""), path
        passed += 1
    assert passed > 150


def test_each_piece_has_the_colour_of_its_kind_and_each_name_its_link() -> None:
    markup = one("import json\n\ndef f(x):  # why\n    return 'a' + json.dumps(1)\n")
    assert kinds(markup) == [
        *(("k", "import"), ("n", "json"), ("k", "def"), ("n d", "f"), ("n", "x")),
        *(("c", "# why"), ("k", "return"), ("s", "'a'"), ("n", "json")),
        *(("n", "dumps"), ("m", "1")),
    ]
    assert '<a class="n" href="#json.dumps">dumps</a>' in markup
    assert '<span class="n">x</span>' in markup


@pytest.mark.parametrize(
    ("comment", "shape"),
    [
        ("# [batch, k_len + 1]", "[batch, k_len + 1]"),
        ("# [batch], row i moved left", "[batch], row i moved left"),
        ("# [batch] moved", None),
    ],
)
def test_a_comment_that_is_a_shape_is_marked(comment: str, shape: str | None) -> None:
    markup = one(f"a = 1  {comment}\n")
    assert text_of(markup) == f"a = 1  {comment}\n"
    found = re.search(r'<span class="shape"><i>  # </i>([^<]*)</span>', markup)
    assert (found and found[1]) == shape


def test_a_name_with_a_recorded_value_says_which_one() -> None:
    source = Source("module.py", "def f(x):\n    return x, g\n\ndef g(): ...\n")
    asked = {(1, 6): " data-o=1", (2, 4): " data-o=2", (2, 14): " data-o=3"}
    found = column(source, nowhere, asked)
    assert '<span class="n" data-o=1>x</span>' in found
    assert '<span class="k n" data-o=2>return</span>' in found
    assert '<a class="n" href="#module.g" data-o=3>g</a>' in found
    assert found.count("data-o") == 3
    assert text_of(found) == source.text


def test_a_long_line_is_shown_whole_and_without_marks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("labml_txl.literate.render.highlight.LONG", 20)
    long, short = "f(1)  # " + "<" * 20, "f(2)  # <"
    markup = one(f"{long}\n{short}\n")
    assert text_of(markup) == f"{long}\n{short}\n"
    assert re.findall(r'class="(\w)"', markup) == ["n", "m", "c"]


@pytest.mark.parametrize(
    ("page", "read"),
    [
        (
            f'<div class="lit-side"><a class="lit-link" href="#A">#</a>{CODE}</div>',
            '<pre class="lit-code" tabindex="0"><code>class A(B): **x** &lt;div&gt;\n'
            "</code></pre>",
        ),
        (
            "<lit-tex>x</lit-tex><lit-set data-search-exclude>\n<i>x</i></lit-set>",
            "<lit-tex>x</lit-tex>",
        ),
        ('<p><a href="x"><span class="n">one</span></a></p>', ""),
    ],
)
def test_a_search_reads_words_code_without_colours_and_formulas_once(
    page: str, read: str
) -> None:
    assert simplify_for_search(page, has_rows=True) == (read or page)
    # Only the elements around rows would divide a section.
    other = simplify_for_search(page, has_rows=False)
    assert ("<div" in other, "<i>" in other) == ("<div" in page, False)
