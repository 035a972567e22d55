"""The page of equations: each leads to the lines that compute it and to its tests."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from playwright.sync_api import Locator, Page, expect

from labml_txl.literate.equations.registry import Registry, load_registry
from labml_txl.literate.sources.source import read
from tests.site.conftest import Visit
from tests.site.links import Ends
from tests.site.links import read as read_links
from tests.site.pages import EQUATIONS, ROOT


@pytest.fixture(scope="session")
def registry() -> Registry:
    """The equations of the papers, as they are written down."""
    folder = ROOT / "labml_txl" / "equations"
    return load_registry([read(file, ROOT) for file in sorted(folder.glob("*.toml"))])


@pytest.fixture
def page(visit: Visit) -> Page:
    return visit(EQUATIONS)


def sections(page: Page, registry: Registry) -> Iterator[tuple[str, Locator]]:
    for key in registry.equations:
        yield key, page.locator(f'section.lit-equation[id="{key}"]')


def test_every_equation_stands_there_once_with_its_title(
    page: Page, registry: Registry
) -> None:
    for key, section in sections(page, registry):
        expect(section).to_have_count(1)
        expect(section.get_by_role("heading")).to_have_text(
            re.compile(re.escape(registry.equations[key].title))
        )
        assert section.locator(".katex-display").count() == 1


def test_every_equation_leads_to_the_lines_that_compute_it(
    page: Page, registry: Registry, home: str, site: Path
) -> None:
    anchors: dict[str, Ends] = {}
    introductions = {p.stem for p in (ROOT / "labml_txl" / "models").rglob("*.py")}
    for key, section in sections(page, registry):
        links = section.locator("a[href^='..'], a[href^='#']").evaluate_all(
            "all => all.map(e => [e.href, e.textContent])"
        )
        assert links, f"{key} is computed nowhere"
        for url, text in links:
            file, anchor = urldefrag(url)
            path = file.removeprefix(home)
            if path not in anchors:
                anchors[path] = read_links(site / path / "index.html")
            assert unquote(anchor) in anchors[path].anchors, url
            # The introduction of a page tells of an equation and computes nothing.
            if anchor not in introductions:
                assert re.search(r"\d+(–\d+)?$", text), text


def test_the_lines_of_an_equation_cite_it(
    page: Page, registry: Registry, visit: Visit
) -> None:
    key, section = next(iter(sections(page, registry)))
    section.locator("a[href^='..']").first.click()
    block = page.locator(".lit-block:target")
    expect(block).to_be_in_viewport()
    assert block.locator(f'a[href$="equations/#{key}"]').count() >= 1


def test_every_equation_leads_to_tests_that_prove_it(
    page: Page, registry: Registry
) -> None:
    for key, section in sections(page, registry):
        links = section.locator("a[href*='/blob/main/tests/']").evaluate_all(
            "all => all.map(e => [e.href, e.textContent])"
        )
        assert links, f"{key} is proved nowhere"
        for url, name in links:
            match = re.search(r"/blob/main/(tests/.+\.py)#L(\d+)", url)
            assert match, url
            text = (ROOT / match[1]).read_text(encoding="utf-8")
            tests = {
                node.name: node
                for node in ast.walk(ast.parse(text))
                if isinstance(node, ast.FunctionDef)
            }
            test = tests[name.strip()]
            first = min([test.lineno, *(mark.lineno for mark in test.decorator_list)])
            assert first <= int(match[2]) <= (test.end_lineno or 0)
            assert key in "".join(text.splitlines()[first - 1 : test.lineno])


def test_every_symbol_has_a_row_with_its_meaning(
    page: Page, registry: Registry, symbols: dict[str, list[str]]
) -> None:
    for paper in registry.papers:
        for symbol in paper.symbols:
            row = page.locator(f"tr#{symbol.css}")
            assert row.locator(".katex").count() >= 1
            # What is far down the page is text already, and not laid out.
            assert (row.locator("td").nth(1).text_content() or "").strip()
            assert symbols[symbol.css] == [*symbol.names]


def test_a_symbol_of_a_formula_is_one_of_the_table(
    page: Page, symbols: dict[str, list[str]]
) -> None:
    classes = page.eval_on_selector_all(
        ".katex-html [class^=sym-]", "all => all.map(e => e.classList[0])"
    )
    assert {*classes} <= {*symbols}


def test_the_names_of_symbols_stand_in_the_models(
    registry: Registry, symbols: dict[str, list[str]]
) -> None:
    names = set()
    for file in (ROOT / "labml_txl" / "models").rglob("*.py"):
        names |= {*re.findall(r"\w+", file.read_text(encoding="utf-8"))}
    ours = {symbol.css for paper in registry.papers for symbol in paper.symbols}
    # `.key` is the attribute alone.
    assert {n.removeprefix(".") for css in ours for n in symbols[css]} <= names


def test_an_address_of_an_equation_opens_there(visit: Visit, home: str) -> None:
    page = visit(EQUATIONS)
    key = page.locator(".lit-equation").nth(5).get_attribute("id")
    page.goto("about:blank")
    page.goto(urljoin(home, f"{EQUATIONS}#{key}"))
    target = page.locator(".lit-equation:target")
    expect(target).to_be_in_viewport()
    header = page.locator(".md-header").bounding_box()
    box = target.bounding_box()
    assert header
    assert box
    assert box["y"] >= header["y"] + header["height"] - 1
