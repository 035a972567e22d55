r"""Formulas: their symbols are marked, KaTeX sets them, and an error names one."""

import html
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser

from labml_txl.literate.equations.math import (
    Formula,
    MathError,
    Typesetter,
    located,
)
from labml_txl.literate.equations.node import node, package
from labml_txl.literate.equations.registry import Registry, Symbol, load_registry
from labml_txl.literate.equations.symbols import mark_symbols
from labml_txl.literate.mkdocs.templates import THEME
from labml_txl.literate.sources.source import Source, read

ROOT = Path(__file__).parents[3]
STYLE = THEME / "assets" / "literate.css"


def symbol(name: str, *latex: str) -> Symbol:
    return Symbol(f"p.{name}", latex, "", ())


SYMBOLS = (
    symbol("u", "u"),
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
        ("u", U),
        (r"\mu + u", rf"\mu + {U}"),
        (r"u^\top", rf"{U}^\top"),
        ("x_u", f"x_{U}"),
        ("k_j", KJ),
        ("k_i", f"{K}_i"),
        (r"\mathbf{h}", marked("h", r"\mathbf{h}")),
        (r"\tau u", rf"{marked('tau', chr(92) + 'tau ')}{U}"),
        (r"\text{u and h}", r"\text{u and h}"),
        (r"\text{a {u} \(u\)} u", rf"\text{{a {{u}} \(u\)}} {U}"),
        (r"\mathrm{u} u", rf"\mathrm{{u}} {U}"),
        (r"\operatorname{u}", r"\operatorname{u}"),
        (r"\operatorname{top}", marked("top", r"\operatorname{top}")),
    ],
)
def test_symbols_are_marked_token_by_token(tex: str, expected: str) -> None:
    assert mark_symbols(tex, SYMBOLS) == expected


# KaTeX


@pytest.fixture(scope="module")
def typesetter() -> Iterator[Typesetter]:
    made = Typesetter()
    yield made
    made.close()


@pytest.fixture(scope="module")
def registry() -> Registry:
    folder = ROOT / "labml_txl" / "equations"
    return load_registry([read(f, ROOT) for f in sorted(folder.glob("*.toml"))])


@pytest.fixture(scope="module")
def wanted(registry: Registry) -> list[Formula]:
    """The formulas of both papers as the page of equations shows them, and others."""
    everything = registry.symbols_of(registry.equations)
    texts = [(e.latex, True) for e in registry.equations.values()]
    texts += [(s.latex[0], False) for paper in registry.papers for s in paper.symbols]
    texts += [
        (r"x_{a_b^c}^{2^n} + \sum_{i=1}^n \frac{a_i^2}{b_j}\quad f'(x)", False),
        (r"\sqrt{x_i}\quad {\mathbf W}_{k,R}^{n\top}\quad u^\top K_j", False),
        (r"\sum_{i=1}^n \underbrace{x_i^2}_{\text{(a)}}", True),
        # An index in an index in an index is no smaller than the one around it.
        (r"e^{-\frac{x^2}{2\sigma^2}}", True),
        (r"10000^{\frac{2i}{d}} + x^{y^{z^{w}}}", False),
        (r"\Huge x_i^{n_k^{2}}\quad \tiny x_{i_{j_k}}^2", False),
        (r"\left(\frac{a_{i_j}}{b^{c_{d^e}}}\right)^{2^{k^{l}}}", True),
    ]
    return [Formula(mark_symbols(tex, everything), display) for tex, display in texts]


def test_every_symbol_stays_valid_wherever_it_is_marked(
    typesetter: Typesetter, registry: Registry
) -> None:
    every = registry.symbols_of(registry.equations)
    spelled = [tex for s in every for tex in s.latex]
    places = ("{0}", "x_{0}", "x^{{{0}}}", r"{0}^\top", r"\frac{{{0}}}{{2}}", "{0}_i")
    for tex in spelled:
        for place in places:
            # A letter with an index of its own cannot be an index without braces.
            if place == "x_{0}" and not re.fullmatch(r"\w|\\[a-z]+", tex):
                continue
            if place == "{0}_i" and "_" in tex:
                continue
            formula = Formula(mark_symbols(place.format(tex), every))
            assert re.search(r"\b(sym|lit-term)-", typesetter.set([formula])[0])


def test_a_formula_is_set_as_html_and_as_mathml(typesetter: Typesetter) -> None:
    (answer,) = typesetter.set([Formula("x^2")])
    assert '<span class="katex-html" aria-hidden="true">' in answer
    assert "<math" in answer
    assert "<msup><mi>x</mi><mn>2</mn></msup>" in answer


@pytest.mark.parametrize("display", [False, True])
@pytest.mark.parametrize(
    "tex",
    [
        *("x^2", "a +\nb", "\\frac{a}\n{b}\n", "\\text{</annotation>} b"),
        "\\text{<semantics>} b",
    ],
)
def test_the_tex_of_a_formula_stands_nowhere_on_the_page(
    typesetter: Typesetter, tex: str, display: bool
) -> None:
    (answer,) = typesetter.set([Formula(tex, display)])
    assert "<annotation" not in answer
    assert "<semantics" not in answer
    root = ElementTree.fromstring(answer.replace("&nbsp;", " "))
    words = "".join(root.itertext())
    assert "\\frac" not in words
    # What is said in words is shown to the eye and to the ear.
    said = re.findall(r"text\{(.*?)\}", tex)
    assert all(words.count(one) == 2 for one in said)


@pytest.mark.parametrize(
    "tex", [r"\frac{", r"\nosuch", "}", r"\href{https://a.example}{x}", "x_a_b", "ñ%"]
)
def test_an_error_names_its_formula(typesetter: Typesetter, tex: str) -> None:
    formula = Formula(tex)
    with pytest.raises(MathError) as caught:
        typesetter.set([Formula("x"), formula])
    assert caught.value.formula is formula
    assert "\n" not in str(caught.value)


def test_a_closed_typesetter_starts_again() -> None:
    typesetter = Typesetter()
    typesetter.set([Formula("x")])
    typesetter.close()
    typesetter.close()
    assert "katex" in typesetter.set([Formula("y")])[0]
    typesetter.close()


# A formula of fewer elements looks as KaTeX's own does

FULL = """
const katex = require("katex");
const given = JSON.parse(require("fs").readFileSync(0));
console.log(JSON.stringify(given.map(({tex, display}) =>
  katex.renderToString(tex, {displayMode: display, trust: true, strict: "ignore"}))));
"""
MEASURE = r"""
() => [...document.querySelectorAll("p")].map((p) => {
  const origin = p.getBoundingClientRect();
  const round = ({x, y, width, height}) => [x, y - origin.y, width, height];
  const shown = p.querySelector(".katex-html");
  const glyphs = [];
  const walker = document.createTreeWalker(shown, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    for (let i = 0; i < walker.currentNode.data.length; i++) {
      const letter = walker.currentNode.data[i];
      if (!letter.replace(/[\u200b\s]/g, "")) continue;
      const range = document.createRange();
      range.setStart(walker.currentNode, i);
      range.setEnd(walker.currentNode, i + 1);
      glyphs.push([letter, round(range.getBoundingClientRect())]);
    }
  }
  return {text: glyphs.map(([letter]) => letter).join(""),
    height: origin.height,
    formula: round(p.querySelector(".katex").getBoundingClientRect()),
    glyphs};
})
"""
# Browsers round each index to a fraction of a pixel, and a line may have a dozen.
TOLERANCE = 0.8  # pixels


def pages(wanted: list[Formula], slim: list[str]) -> tuple[str, str]:
    """The formulas with few elements, and as KaTeX writes them, with the same style."""
    request = json.dumps([{"tex": f.tex, "display": f.display} for f in wanted])
    command = [node(), "-e", FULL]
    done = subprocess.run(
        command,
        input=request,
        capture_output=True,
        text=True,
        check=True,
        cwd=package("katex"),
    )
    full: list[str] = json.loads(done.stdout)
    rules = re.findall(
        r"^[^{}\n]*\.lit-script[^{]*\{[^}]*\}", STYLE.read_text("utf-8"), re.MULTILINE
    )
    sheet = (package("katex") / "dist" / "katex.min.css").as_uri()
    head = (
        f'<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="{sheet}">'
        f"<style>body{{width:1100px;font-size:16px}}{''.join(rules)}</style>"
    )
    assert rules
    made = [head + "".join(f"<p>Text {f} text</p>" for f in fs) for fs in (slim, full)]
    return made[0], made[1]


@pytest.fixture(scope="module")
def measured(
    wanted: list[Formula],
    typesetter: Typesetter,
    browser: Browser,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    folder = tmp_path_factory.mktemp("formulas")
    found = []
    for name, text in zip(
        ("slim", "full"), pages(wanted, typesetter.set(wanted)), strict=True
    ):
        file = folder / f"{name}.html"
        file.write_text(text, encoding="utf-8")
        view = browser.new_page(viewport={"width": 1200, "height": 900})
        view.goto(file.as_uri())
        view.evaluate("document.fonts.ready")
        found.append(view.evaluate(MEASURE))
        view.close()
    return found[0], found[1]


def test_every_glyph_stands_where_katex_puts_it(
    measured: tuple[list[dict[str, Any]], list[dict[str, Any]]], wanted: list[Formula]
) -> None:
    for formula, slim, full in zip(wanted, *measured, strict=True):
        # KaTeX writes an index below its base before the exponent, so in both.
        assert slim["text"] == full["text"], formula
        for (_, here), (letter, there) in zip(
            slim["glyphs"], full["glyphs"], strict=True
        ):
            # The box of a glyph is as high as its line; its place says where it is.
            assert here[0] == pytest.approx(there[0], abs=TOLERANCE), (letter, formula)
            assert here[2] == pytest.approx(there[2], abs=TOLERANCE), (letter, formula)
            middle = (here[1] + here[3] / 2, there[1] + there[3] / 2)
            assert middle[0] == pytest.approx(middle[1], abs=TOLERANCE), (
                letter,
                formula,
            )


def test_a_slim_formula_has_far_fewer_elements(
    wanted: list[Formula], typesetter: Typesetter
) -> None:
    slim, full = pages(wanted, typesetter.set(wanted))
    assert html.unescape(slim).count("</span>") < 0.6 * full.count("</span>")


@pytest.mark.parametrize("written", [r"\frac{a}{b", r"\\frac{a}{b"])
def test_a_formula_that_fails_is_found_in_the_page_or_else_in_a_registry(
    written: str,
) -> None:
    error = MathError(Formula("", written=r"\frac{a}{b"), "wrong")
    page = Source("a.py", "# Words\n# $x$\n")
    registry = Source("papers/p.toml", f"[equations.a]\n\nlatex = '{written}'\n")
    assert str(located(error, (page, registry))).startswith("papers/p.toml:3: wrong")
    assert str(located(error, (page,))).startswith("a.py:1: wrong")


def test_a_formula_with_a_formula_in_its_words_is_found() -> None:
    error = MathError(Formula("", written=r"\bad{\text{if \(x\) is}}"), "wrong")
    page = Source("a.py", "# One,\n# $\\bad{\\text{if $x$ is}}$\n")
    assert str(located(error, (page,))).startswith("a.py:2: wrong")
