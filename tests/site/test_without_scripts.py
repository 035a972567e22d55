"""The pages for those who run no scripts: all there is to read can be read."""

import pytest
from playwright.sync_api import Page, expect

from tests.site.audit import HEAVIEST
from tests.site.conftest import DESKTOP, PHONE, Visit
from tests.site.pages import EQUATIONS, NOT_FOUND, annotated, every

READ = (HEAVIEST, "models/transformer_xl/", "papers/transformer_xl/", EQUATIONS, "")


def silent(visit: Visit, path: str, size: tuple[int, int] = DESKTOP) -> Page:
    return visit(path, size, java_script_enabled=False)


def test_the_text_of_every_kind_of_page_can_be_read(visit: Visit, home: str) -> None:
    page = silent(visit, "")
    # Modules have one template: some of them stand for all.
    others = {*every()} - {*annotated()}
    for path in [*sorted(others), *annotated()[::5], NOT_FOUND]:
        page.goto(home + path)
        assert_readable(page)


def assert_readable(page: Page) -> None:
    assert page.locator("h1").is_visible(), page.url
    hidden = page.eval_on_selector_all(
        ".lit-note > p, :not(details) > .lit-code, article > p",
        "all => all.filter(e => !e.checkVisibility({opacityProperty: true}))"
        ".map(e => e.textContent.slice(0, 80))",
    )
    assert hidden == [], page.url


@pytest.mark.parametrize("path", READ, ids=lambda path: path or "home")
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_page_keeps_to_the_screen(
    visit: Visit, path: str, size: tuple[int, int]
) -> None:
    page = silent(visit, path, size)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


@pytest.mark.parametrize("path", READ[:4])
def test_formulas_are_set(visit: Visit, path: str) -> None:
    page = silent(visit, path)
    formulas = page.locator(".katex-html")
    assert formulas.count() > 3
    page.evaluate("document.fonts.ready")
    loaded = page.evaluate(
        "[...document.fonts].filter(f => f.status === 'loaded').map(f => f.family)"
    )
    assert any("KaTeX" in family for family in loaded)
    assert formulas.first.is_visible()


def test_the_contents_open_and_lead_to_their_place(visit: Visit) -> None:
    page = silent(visit, HEAVIEST)
    entry = page.locator(".lit-contents li li a").last
    expect(entry).to_be_hidden()
    page.get_by_text("Contents", exact=True).click()
    entry.click()
    expect(page.locator(":target")).to_be_in_viewport()


def test_colours_follow_the_system(visit: Visit) -> None:
    page = silent(visit, HEAVIEST)
    expect(page.locator("body")).to_be_visible()
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(255, 255, 255)"


def test_one_page_leads_to_the_next(visit: Visit) -> None:
    page = silent(visit, "models/")
    page.locator("a[rel=next]").last.click()
    expect(page.locator("h1")).to_be_visible()
    assert "/models/" in page.url
    page.locator("a[rel=prev]").last.click()
    assert page.url.endswith("/models/")
