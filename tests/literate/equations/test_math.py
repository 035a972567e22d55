"""Formulas: symbols are marked, KaTeX sets them wherever Markdown becomes HTML."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from markdown import Markdown
from playwright.sync_api import Browser

from labml_txl.literate.equations.extension import (
    FormulaExtension,
    add_symbols,
    remove_search_texts,
    typeset_title,
)
from labml_txl.literate.equations.math import Formula, MathError, Typesetter, locate
from labml_txl.literate.equations.math import open_typesetter as shared
from labml_txl.literate.equations.node import find_node, find_package
from labml_txl.literate.equations.registry import Registry, Symbol, load_registry
from labml_txl.literate.equations.symbols import mark_symbols
from labml_txl.literate.sources.source import Source, read
from labml_txl.literate.theme.templates import THEME

ROOT = Path(__file__).parents[3]
STYLE = THEME / "assets" / "literate.css"
ARITHMATEX = {"pymdownx.arithmatex": {"generic": True}}


def symbol(name: str, *latex: str) -> Symbol:
    return Symbol(f"p.{name}", latex, "", ())


BIAS = symbol("u", "u")
SYMBOLS = (
    BIAS,
    symbol("h", r"\mathbf{h}", r"\mathbf h", "h"),
    symbol("hx", r"\tilde{\mathbf{h}}"),
    symbol("kj", "k_j"),
    symbol("k", "k"),
    symbol("tau", r"\tau"),
    symbol("top", r"\operatorname{top}"),
)


def marked(name: str, tex: str) -> str:
    return rf"{{\htmlClass{{sym-p-{name}}}{{{tex}}}}}"


U, K, KJ = marked("u", "u"), marked("k", "k"), marked("kj", "k_j")


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        (r"\mu + u", rf"\mu + {U}"),
        (r"u^\top", rf"{U}^\top"),
        ("x_u", f"x_{U}"),
        ("k_j", KJ),
        ("k_i", f"{K}_i"),
        (r"\mathbf{h}", marked("h", r"\mathbf{h}")),
        (r"\tau u", rf"{marked('tau', chr(92) + 'tau ')}{U}"),
        (r"\text{a {u} \(u\)} u", rf"\text{{a {{u}} \(u\)}} {U}"),
        (r"\mathrm{u} u", rf"\mathrm{{u}} {U}"),
        (r"\operatorname{u}", r"\operatorname{u}"),
        (r"\operatorname{top}", marked("top", r"\operatorname{top}")),
    ],
)
def test_symbols_are_marked_token_by_token(tex: str, expected: str) -> None:
    assert mark_symbols(tex, SYMBOLS) == expected


@pytest.fixture(scope="module")
def typesetter() -> Iterator[Typesetter]:
    made = Typesetter()
    yield made
    made.close()


@pytest.fixture(scope="module")
def registry() -> Registry:
    folder = ROOT / "labml_txl" / "equations"
    return load_registry([read(f, ROOT) for f in sorted(folder.glob("*.toml"))])


@pytest.mark.parametrize("display", [False, True])
def test_a_formula_has_html_and_mathml_without_its_tex(
    typesetter: Typesetter, display: bool
) -> None:
    words = ("</annotation>", "<semantics>")
    texts = ["x^2", "a +\nb", "\\frac{a}\n{b}\n", *(f"\\text{{{w}}} b" for w in words)]
    for tex, answer in zip(
        texts, typesetter.typeset([Formula(t, display) for t in texts]), strict=True
    ):
        assert '<span class="katex-html" aria-hidden="true">' in answer
        assert "<math" in answer
        assert "<annotation" not in answer
        assert "<semantics" not in answer
        root = ElementTree.fromstring(answer.replace("&nbsp;", " "))
        said = "".join(root.itertext())
        assert "\\frac" not in said
        # What a formula says in words is shown to the eye and to the ear.
        assert all(said.count(w) == 2 for w in words if w in tex)


@pytest.mark.parametrize(
    "tex",
    [
        *(r"\frac{", r"\nosuch", "}", r"\href{https://a.example}{x}", "x_a_b", "ñ%"),
        # Higher than any formula that is read, at once or in many steps.
        *(r"\raisebox{-900em}{x}", r"\rule[-900em]{1em}{1em}"),
        r"\begin{matrix}a" + r"\\[40em]a" * 9 + r"\end{matrix}",
    ],
)
def test_an_error_names_its_formula(typesetter: Typesetter, tex: str) -> None:
    formula = Formula(tex)
    typesetter.faults.clear()
    typesetter.typeset([Formula("x"), formula])
    (fault,) = typesetter.faults
    assert fault.formula is formula
    assert "\n" not in str(fault)


@pytest.mark.parametrize(
    ("written", "files", "place"),
    [
        (r"\frac{a}{b", [r"# $\frac{a}{b$"], "a.py:2"),
        (r"\frac{a}{b", ["# $x$", r"latex = '\frac{a}{b'"], "p.toml:2"),
        (r"\frac{a}{b", ["# $x$"], "a.py:1"),
        (r"\bad{\text{if \(x\) is}}", [r"# $\bad{\text{if $x$ is}}$"], "a.py:2"),
    ],
)
def test_a_formula_that_fails_is_found_in_the_page_or_else_in_a_registry(
    written: str, files: list[str], place: str
) -> None:
    error = MathError(Formula("", written=written), "wrong")
    named = zip(("a.py", "p.toml"), files, strict=False)
    sources = tuple(Source(path, f"# Words\n{text}\n") for path, text in named)
    assert str(locate(error, sources)).startswith(f"{place}: wrong")


# Pages


def converted(page: str, typesetter: Typesetter) -> tuple[str, Markdown]:
    extensions = [*ARITHMATEX, "toc", "md_in_html", FormulaExtension(typesetter)]
    markdown = Markdown(extensions=extensions, extension_configs=ARITHMATEX)
    return markdown.convert(page), markdown


def test_formulas_of_a_page_are_rendered_in_place(typesetter: Typesetter) -> None:
    page = add_symbols("A $a < u$.\n\n$$\nb\n$$\n\n`$c$`", [BIAS])
    first, second, u = typesetter.typeset(
        [Formula(f"a < {U}"), Formula("b", display=True), Formula("u")]
    )
    html, markdown = converted(page, typesetter)
    whole = '<span class="lit-whole">{}</span>'.format
    assert (
        remove_search_texts(html)
        == f"<p>A {whole(f'{first}.')}</p>\n{second}\n<p><code>$c$</code></p>"
    )
    # The symbols of one page are not marked on the next.
    assert remove_search_texts(markdown.reset().convert("$u$")) == f"<p>{u}</p>"
    assert u in converted('<div markdown="1">\n\nA $u$.\n\n</div>', typesetter)[0]
    # A sign that begins no line stays with its formula.
    html = remove_search_texts(converted("值 $u$，和 $u$ 或 ($u$)。", typesetter)[0])
    assert html == f"<p>值 {whole(f'{u}，')}和 {u} 或 ({whole(f'{u})。')}</p>"


def test_the_table_of_contents_has_the_tex_and_the_search_index_has_it_once(
    typesetter: Typesetter,
) -> None:
    html, markdown = converted("# The bias $u$", typesetter)
    (heading,) = markdown.toc_tokens
    assert heading["name"] == "The bias \\(u\\)"
    read = re.sub(r"<lit-set data-search-exclude>.*?</lit-set>", "", html)
    assert re.sub("<.*?>", "", read) == "The bias \\(u\\)"


def test_titles_in_the_table_of_contents_have_rendered_formulas(
    typesetter: Typesetter,
) -> None:
    words = r"\text{if \(u\) is}"
    u, formula = typesetter.typeset([Formula("u"), Formula(words)])
    assert typeset_title("A & \\(u\\) < b", typesetter) == f"A &amp; {u} &lt; b"
    assert typeset_title("A & b", typesetter) == ""
    assert typeset_title(rf"\({words}\)", typesetter) == formula


def test_a_formula_that_katex_cannot_render_is_shown_as_tex_and_reported(
    typesetter: Typesetter,
) -> None:
    typesetter.faults.clear()
    html, _ = converted(add_symbols(r"$\frac{u$ and $v$", [BIAS]), typesetter)
    (fault,) = typesetter.faults
    assert fault.formula.written == r"\frac{u"
    assert r'<code class="lit-fault">\frac{u</code>' in html
    assert "katex" in html


def test_another_host_needs_only_the_name_of_the_extension() -> None:
    names = [*ARITHMATEX, "labml_txl.literate.equations.extension"]
    try:
        # A closed typesetter starts again.
        for page in ("A $u$.", "A $v$."):
            html = Markdown(extensions=names, extension_configs=ARITHMATEX)
            assert 'class="katex"' in html.convert(page)
            shared().close()
    finally:
        shared().close()


# A formula of fewer elements looks as KaTeX's own does

FULL = """
const katex = require("katex");
const given = JSON.parse(require("fs").readFileSync(0));
console.log(JSON.stringify(given.map(({tex, display}) =>
  katex.renderToString(tex, {displayMode: display, trust: true, strict: "ignore"}))));
"""
# The box of a glyph is as high as its line; its middle says where it is.
MEASURE = r"""
() => [...document.querySelectorAll("p")].map((p) => {
  const top = p.getBoundingClientRect().y;
  const glyphs = [];
  const shown = p.querySelector(".katex-html");
  const walker = document.createTreeWalker(shown, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    for (let i = 0; i < walker.currentNode.data.length; i++) {
      const letter = walker.currentNode.data[i];
      if (!letter.replace(/[\u200b\s]/g, "")) continue;
      const range = document.createRange();
      range.setStart(walker.currentNode, i);
      range.setEnd(walker.currentNode, i + 1);
      const {x, y, width, height} = range.getBoundingClientRect();
      glyphs.push([letter, [x, y - top + height / 2, width]]);
    }
  }
  return glyphs;
})
"""
# Browsers round each index to a fraction of a pixel, and a line may have a dozen.
TOLERANCE = 0.8  # pixels
HARD = [
    (r"x_{a_b^c}^{2^n} + \sum_{i=1}^n \frac{a_i^2}{b_j}\quad f'(x)", False),
    (r"\sqrt{x_i}\quad {\mathbf W}_{k,R}^{n\top}\quad u^\top K_j", False),
    (r"\sum_{i=1}^n \underbrace{x_i^2}_{\text{(a)}}", True),
    # An index in an index in an index is no smaller than the one around it.
    (r"e^{-\frac{x^2}{2\sigma^2}}", True),
    (r"10000^{\frac{2i}{d}} + x^{y^{z^{w}}}", False),
    (r"\Huge x_i^{n_k^{2}}\quad \tiny x_{i_{j_k}}^2", False),
    (r"\left(\frac{a_{i_j}}{b^{c_{d^e}}}\right)^{2^{k^{l}}}", True),
]


# What is enlarged or moved, to the side or over what is near.
WILD = [
    *(
        r"\rule{90em}{90em}",
        r"\kern900em x",
        r"\hspace{-50em}x",
        r"\llap{\rule{60em}{3em}}",
    ),
    *(r"\smash{\raisebox{20em}{x}}", r"\raisebox{90em}{x}", r"\rlap{\rule{60em}{9em}}"),
    *(r"x^{\rule{90em}{9em}}", r"\begin{matrix}a\\[900em]b\end{matrix}"),
    *(
        r"\kern-30em\smash{\raisebox{-20em}{\rule{30em}{30em}}}",
        r"\Huge\rule{99em}{9em}",
    ),
    *(r"\mathclap{\rule{99em}{3em}}", r"\smash{\rule[-50em]{9em}{99em}}"),
]
STRAY = """() => {
  const found = [];
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) found.push(scrollWidth);
  for (const button of document.querySelectorAll("button")) {
    button.scrollIntoView({ block: "center" });
    const { x, y, width, height } = button.getBoundingClientRect();
    const shown = document.elementFromPoint(x + width / 2, y + height / 2);
    if (shown !== button) found.push(button.nextElementSibling.textContent);
  }
  return found;
}"""
BASELINE = """() => {
  const glyph = document.querySelector(".plain .katex-html .mathnormal");
  return glyph.getBoundingClientRect().y - glyph.closest("p").getBoundingClientRect().y;
}"""


@pytest.mark.parametrize("display", [False, True])
def test_no_formula_overlaps_its_neighbours_or_widens_the_page(
    typesetter: Typesetter, browser: Browser, tmp_path: Path, display: bool
) -> None:
    wild = typesetter.typeset([Formula(tex, display) for tex in WILD])
    (plain,) = typesetter.typeset([Formula("x")])
    sheet = (find_package("katex") / "dist" / "katex.min.css").as_uri()
    rows = "".join(f"<div><button>Press</button><p>It is {f}</p></div>" for f in wild)
    page = (
        f'<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="{sheet}">'
        f"<style>{STYLE.read_text('utf-8')}</style><style>div > div {{display: grid;"
        "grid-template-columns: 6rem 1fr} p {min-width: 0} button {height: 2rem}"
        '</style><div class="md-typeset"><p class="plain">Text '
        f"{plain} text</p>{rows}</div>"
    )
    file = tmp_path / "formulas.html"
    file.write_text(page, encoding="utf-8")
    view = browser.new_page()
    try:
        for width in (390, 1200):
            view.set_viewport_size({"width": width, "height": 900})
            view.goto(file.as_uri())
            view.evaluate("document.fonts.ready")
            assert view.evaluate(STRAY) == []
        # What keeps them in their place does not move a formula off its line.
        before = view.evaluate(BASELINE)
        view.add_style_tag(content=".md-typeset .katex {contain: none !important}")
        assert view.evaluate(BASELINE) == before
    finally:
        view.close()


def test_every_glyph_is_at_the_position_of_katex(
    registry: Registry, typesetter: Typesetter, browser: Browser, tmp_path: Path
) -> None:
    symbols = registry.symbols_of(registry.equations)
    texts = [(e.latex, True) for e in registry.equations.values()]
    texts += [(s.latex[0], False) for paper in registry.papers for s in paper.symbols]
    wanted = [
        Formula(mark_symbols(tex, symbols), display) for tex, display in texts + HARD
    ]
    done = subprocess.run(
        [find_node(), "-e", FULL],
        input=json.dumps([{"tex": f.tex, "display": f.display} for f in wanted]),
        capture_output=True,
        text=True,
        check=True,
        cwd=find_package("katex"),
    )
    slim, full = typesetter.typeset(wanted), json.loads(done.stdout)
    assert "".join(slim).count("</span>") < 0.6 * "".join(full).count("</span>")

    rules = re.findall(
        r"^[^{}\n]*\.lit-script[^{]*\{[^}]*\}", STYLE.read_text("utf-8"), re.MULTILINE
    )
    assert rules
    sheet = (find_package("katex") / "dist" / "katex.min.css").as_uri()
    head = (
        f'<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="{sheet}">'
        f"<style>body{{width:1100px;font-size:16px}}{''.join(rules)}</style>"
    )

    def measured(formulas: list[str]) -> list[Any]:
        file = tmp_path / "formulas.html"
        page = head + "".join(f"<p>Text {f} text</p>" for f in formulas)
        file.write_text(page, encoding="utf-8")
        view = browser.new_page(viewport={"width": 1200, "height": 900})
        view.goto(file.as_uri())
        view.evaluate("document.fonts.ready")
        found: list[Any] = view.evaluate(MEASURE)
        view.close()
        return found

    for formula, here, there in zip(
        wanted, measured(slim), measured(full), strict=True
    ):
        # KaTeX writes an index below its base before the exponent, so in both.
        assert [one[0] for one in here] == [one[0] for one in there], formula
        for (letter, place), (_, wanted_place) in zip(here, there, strict=True):
            near = pytest.approx(wanted_place, abs=TOLERANCE)
            assert place == near, (letter, formula)


def test_formulas_may_use_the_macros_of_the_project_and_labels_of_latex() -> None:
    typesetter = Typesetter({"\\R": "\\mathbb{R}", "\\norm": "\\lVert #1 \\rVert"})
    cases = {
        "x \\in \\R": "x \\in \\mathbb{R}",
        "\\norm{x}": "\\lVert x \\rVert",
        "x \\label{eq:a_b}": "x",
        "\\eqref{eq:a_b}": "\\text{(eq:a\\_b)}",
        "\\ref{a}": "\\text{a}",
        "\\mbox{if } x": "\\text{if } x",
        # The command of one formula is unknown in the next.
        "\\gdef\\one{1}\\one": "1",
    }
    shown = [
        typesetter.typeset([Formula(one), Formula(two)]) for one, two in cases.items()
    ]
    assert [one for one, _ in shown] == [two for _, two in shown]
    assert typesetter.faults == []
    typesetter.typeset([Formula("\\one")])
    assert len(typesetter.faults) == 1
    typesetter.use({"\\one": "1"})
    assert typesetter.typeset([Formula("\\one")]) == typesetter.typeset([Formula("1")])
    typesetter.close()
