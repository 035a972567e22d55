"""Everything that a page offers can be reached and used by the keyboard alone."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.site.audit import HEAVIEST
from tests.site.conftest import Visit
from tests.site.test_names_and_symbols import lit_names, names, uses

FIGURES = "papers/transformer_xl/"

FOCUSED = """() => {
    let e = document.activeElement;
    // A figure that one can touch has parts of its own.
    while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
    // The box of a switch is hidden; what it does shows the focus.
    const shows = e.matches(".switch input") ? e.closest(".switch")
        : e.matches(".md-option, .choice input") ? e.nextElementSibling : e;
    const style = getComputedStyle(shows);
    const box = shows.getBoundingClientRect();
    const part = (name, selector) => e.closest(selector) ? [name] : [];
    return {
        html: e.outerHTML.slice(0, 120),
        end: e === document.body,
        ring: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2
            || style.boxShadow !== "none",
        ringColor: style.outlineColor,
        ground: getComputedStyle(document.body).backgroundColor,
        seen: box.width > 4 && box.height > 4 && shows.checkVisibility(
            {opacityProperty: true, visibilityProperty: true}),
        code: [...document.querySelectorAll(".lit-code")].indexOf(e),
        parts: [
            ...part("skip", ".md-skip"), ...part("home", ".md-logo"),
            ...part("contents", ".lit-contents"),
            ...part("search", ".md-search__input"),
            ...part("scheme", "form:has(.md-option)"),
            ...part("repository", ".lit-repo"), ...part("tabs", ".md-tabs"),
            ...part("breadcrumbs", ".md-path"), ...part("permalink", ".lit-link"),
            ...part("source", ".lit-source"), ...part("copy", ".lit-copy"),
            ...part("formula", ".katex[tabindex]"), ...part("citation", ".lit-cite"),
            ...part("footer", ".md-footer__link"),
        ],
    };
}"""


def walk(page: Page, key: str = "Tab") -> list[dict[str, Any]]:
    """Every place that the key leads to, from the start of the page to its end."""
    places: list[dict[str, Any]] = []
    page.wait_for_load_state("networkidle")
    while len(places) < 600:
        page.keyboard.press(key)
        place = page.evaluate(FOCUSED)
        if not place["end"]:
            places.append(place)
        if place["end"] or (key != "Tab" and "skip" in place["parts"]):
            return places
    raise AssertionError(f"{key} never comes to the end")


def test_tab_reaches_everything_and_every_block_of_code(attention: Page) -> None:
    places = walk(attention)
    parts = {part for place in places for part in place["parts"]}
    assert parts == {
        *("skip", "home", "contents", "search", "scheme", "repository", "tabs"),
        *("breadcrumbs", "permalink", "source", "copy", "formula", "citation"),
        "footer",
    }
    reached = [place["code"] for place in places if place["code"] >= 0]
    assert reached == [*range(attention.locator(".lit-code").count())]
    assert places[0]["parts"] == ["skip"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", [HEAVIEST, FIGURES], ids=["code", "prose"])
def test_the_focus_is_seen_wherever_it_is(visit: Visit, path: str, scheme: str) -> None:
    page = visit(path, color_scheme=scheme)
    places = walk(page)
    assert [place["html"] for place in places if not place["ring"]] == []
    assert [place["html"] for place in places if not place["seen"]] == []
    alike = [p["html"] for p in places if p["ringColor"] == p["ground"]]
    assert alike == []


def test_shift_and_tab_lead_back_the_same_way(attention: Page) -> None:
    forth = [place["code"] for place in walk(attention) if place["code"] >= 0]
    back = [place["code"] for place in walk(attention, "Shift+Tab")]
    assert [code for code in back if code >= 0] == forth[::-1]


def test_the_skip_link_leads_past_the_header(attention: Page) -> None:
    attention.keyboard.press("Tab")
    attention.keyboard.press("Enter")
    attention.keyboard.press("Tab")
    inside = attention.evaluate("!!document.activeElement.closest('article')")
    assert inside, attention.evaluate("document.activeElement.outerHTML")


def focused_name(page: Page) -> int:
    """Which name of the page has the focus; -1 for none."""
    position: int = page.evaluate(
        "[...document.querySelectorAll('.lit-code .n')].indexOf(document.activeElement)"
    )
    return position


def several_lines(page: Page) -> Locator:
    """A block with names on several lines."""
    line = "[data-n]:has(.n ~ .n)"
    return page.locator(f".lit-code:has({line} ~ {line} ~ {line})").first


def test_arrows_move_from_name_to_name(attention: Page) -> None:
    several_lines(attention).focus()
    attention.keyboard.press("ArrowRight")
    first = focused_name(attention)
    assert first >= 0
    for step in range(1, 4):
        attention.keyboard.press("ArrowRight")
        assert focused_name(attention) == first + step
    attention.keyboard.press("ArrowLeft")
    assert focused_name(attention) == first + 2
    attention.keyboard.press("ArrowDown")
    below = attention.evaluate("document.activeElement.getBoundingClientRect().top")
    attention.keyboard.press("ArrowUp")
    above = attention.evaluate("document.activeElement.getBoundingClientRect().top")
    assert above < below
    assert attention.evaluate(FOCUSED)["ring"]


def test_arrows_reach_every_name_of_a_block(attention: Page) -> None:
    block = several_lines(attention)
    count = block.locator(".n").count()
    block.focus()
    seen = []
    for _ in range(count):
        attention.keyboard.press("ArrowRight")
        seen.append(focused_name(attention))
    assert seen == [*range(seen[0], seen[0] + count)]


def test_the_focus_comes_back_from_a_card(attention: Page) -> None:
    several_lines(attention).focus()
    attention.keyboard.press("ArrowRight")
    here = focused_name(attention)
    attention.keyboard.press("Enter")
    expect(attention.locator(".lit-card")).to_be_visible()
    assert lit_names(attention) == uses(names(attention)[here], attention)
    attention.keyboard.press("Tab")
    attention.keyboard.press("Escape")
    expect(attention.locator(".lit-card")).to_have_count(0)
    assert attention.evaluate("document.activeElement !== document.body")


def test_the_contents_open_with_enter_and_close_with_escape(attention: Page) -> None:
    attention.locator(".lit-contents summary").focus()
    attention.keyboard.press("Enter")
    expect(attention.locator(".lit-contents li a").first).to_be_visible()
    attention.keyboard.press("Tab")
    assert attention.evaluate("!!document.activeElement.closest('.lit-contents li')")
    attention.keyboard.press("Escape")
    expect(attention.locator(".lit-contents li a").first).to_be_hidden()
    assert attention.evaluate("document.activeElement.localName") == "summary"


def to_part(page: Page, part: str) -> None:
    """Press Tab until a part of the page has the focus."""
    page.wait_for_load_state("networkidle")
    for _ in range(30):
        page.keyboard.press("Tab")
        if part in page.evaluate(FOCUSED)["parts"]:
            return
    raise AssertionError(f"Tab does not lead to {part}")


def test_the_colours_change_by_the_keyboard(attention: Page) -> None:
    body = attention.locator("body")
    expect(body).to_have_attribute("data-md-color-scheme", "default")
    to_part(attention, "scheme")
    for wanted in ("default", "slate", "default"):
        attention.keyboard.press("Enter")
        expect(body).to_have_attribute("data-md-color-scheme", wanted)
        assert "scheme" in attention.evaluate(FOCUSED)["parts"]


def test_a_search_needs_no_mouse(attention: Page) -> None:
    to_part(attention, "search")
    attention.keyboard.type("attention", delay=20)
    results = attention.locator(".md-search-result__link")
    expect(results.first).to_be_visible()
    attention.keyboard.press("ArrowDown")
    attention.keyboard.press("Enter")
    attention.wait_for_url("**?h=attention*")


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_figure_is_enlarged_and_put_back(visit: Visit, key: str) -> None:
    page = visit(FIGURES)
    button = page.locator("figure .lit-zoom").first
    button.focus()
    page.keyboard.press(key)
    dialog = page.locator("dialog[open]").locator("svg, img").first
    expect(dialog).to_be_visible()
    small = page.locator("figure > svg").first.bounding_box()
    large = dialog.bounding_box()
    assert small
    assert large
    assert large["width"] > small["width"]
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    assert button.evaluate("e => e === document.activeElement")


def test_the_ways_of_a_figure_are_the_same_by_mouse(visit: Visit) -> None:
    page = visit(FIGURES)
    page.locator("figure > svg").first.click()
    expect(page.locator("dialog[open]")).to_be_visible()
    page.locator("dialog").get_by_role("button").click()
    expect(page.locator("dialog")).to_have_count(0)
