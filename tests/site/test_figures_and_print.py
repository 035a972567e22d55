"""Figures speak to those who do not see them and follow the colours; paper is calm."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.site.conftest import DESKTOP, PHONE, Visit
from tests.site.pages import EQUATIONS

WITH_FIGURES = ("papers/transformer_xl/", "papers/compressive_transformer/", "made/")


@pytest.mark.parametrize("path", WITH_FIGURES)
def test_a_figure_tells_in_words_what_it_shows(visit: Visit, path: str) -> None:
    page = visit(path)
    figures = page.locator(
        "article svg:not(.katex svg, button svg, [aria-hidden=true])"
    )
    assert figures.count() > 0
    for figure in figures.all():
        assert figure.get_attribute("role") == "img"
        text = figure.get_attribute("aria-label") or ""
        assert len(text.split()) > 5, text
    pictures = page.locator("article img")
    assert all(
        len(picture.get_attribute("alt") or "") > 20 for picture in pictures.all()
    )


PAINT = """all => all.map(e => {
    const style = getComputedStyle(e);
    return [style.fill, style.stroke];
}).flat().filter(color => color !== "none" && !color.startsWith("url"))"""


@pytest.mark.parametrize("path", WITH_FIGURES)
def test_a_figure_takes_the_colours_of_the_page(visit: Visit, path: str) -> None:
    parts = "article figure > svg :is(text, path, line, rect, circle, polyline)"
    light = visit(path, color_scheme="light").locator(parts).evaluate_all(PAINT)
    dark = visit(path, color_scheme="dark").locator(parts).evaluate_all(PAINT)
    assert len(light) == len(dark) > 0
    same = {a for a, b in zip(light, dark, strict=True) if a == b}
    assert same == set(), "colours that do not follow the scheme"


def luminance(color: str) -> float:
    """How bright a colour is, as WCAG counts it."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", color)[:3]]
    linear = [
        p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_words_of_a_figure_stand_out(visit: Visit, scheme: str) -> None:
    page = visit(WITH_FIGURES[0], color_scheme=scheme)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    colors = page.locator("article figure > svg text").evaluate_all(
        "all => [...new Set(all.map(e => getComputedStyle(e).fill))]"
    )
    assert colors
    for color in colors:
        low, high = sorted([luminance(color), luminance(ground)])
        assert (high + 0.05) / (low + 0.05) >= 4.5, color


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_figure_keeps_to_its_column(visit: Visit, size: tuple[int, int]) -> None:
    page = visit(WITH_FIGURES[0], size)
    column = page.locator("article").bounding_box()
    assert column
    for figure in page.locator("article figure > svg").all():
        box = figure.bounding_box()
        assert box
        assert box["x"] >= column["x"] - 1
        assert box["x"] + box["width"] <= column["x"] + column["width"] + 1


# Paper


@pytest.fixture
def paper(attention: Page) -> Page:
    attention.emulate_media(media="print")
    return attention


def test_paper_has_notes_and_code_and_nothing_to_press(paper: Page) -> None:
    for part in (
        *(".md-header", ".md-footer", ".md-sidebar", ".md-tabs", ".lit-bar"),
        *(".lit-copy", ".lit-link", ".lit-source"),
    ):
        assert [e for e in paper.locator(part).all() if e.is_visible()] == [], part
    expect(paper.locator(".lit-note").first).to_be_visible()
    expect(paper.locator(".lit-code").first).to_be_visible()
    expect(paper.locator(".katex-html").first).to_be_visible()


def test_paper_cuts_no_code_off(paper: Page) -> None:
    paper.set_viewport_size({"width": 718, "height": 1000})  # A4 within its margins
    cut = paper.eval_on_selector_all(
        ".lit-code",
        "all => all.filter(e => e.scrollWidth > e.clientWidth + 1)"
        ".map(e => e.textContent.slice(0, 60))",
    )
    assert cut == []
    assert paper.evaluate("document.documentElement.scrollWidth") <= 718


def test_nothing_sticks_to_the_paper(paper: Page) -> None:
    places = paper.eval_on_selector_all(
        ".lit-note, .lit-side", "all => all.map(e => getComputedStyle(e).position)"
    )
    assert set(places) == {"static"}


def test_a_page_can_be_printed(visit: Visit) -> None:
    page = visit(EQUATIONS)
    assert page.pdf().startswith(b"%PDF")
