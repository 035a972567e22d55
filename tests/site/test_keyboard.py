"""Everything that a page offers can be reached and used by the keyboard alone."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labml_txl.literate.theme.templates import THEME
from tests.site.conftest import DESKTOP, Visit

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


def unseen(places: list[dict[str, Any]]) -> list[str]:
    """The places at which nobody would see the focus."""
    return [
        place["html"]
        for place in places
        if not (place["ring"] and place["seen"])
        or place["ringColor"] == place["ground"]
    ]


def test_tab_reaches_every_control_with_a_visible_focus(attention: Page) -> None:
    places = walk(attention)
    assert unseen(places) == []
    parts = {part for place in places for part in place["parts"]}
    wanted = {"skip", "home", "contents", "search", "scheme", "repository", "tabs"}
    wanted |= {"breadcrumbs", "permalink", "source", "copy", "formula", "citation"}
    assert parts ^ (wanted | {"footer"}) == set()
    reached = [place["code"] for place in places if place["code"] >= 0]
    assert reached == [*range(attention.locator(".lit-code").count())]
    assert places[0]["parts"] == ["skip"]
    back = [place["code"] for place in walk(attention, "Shift+Tab")]
    assert [code for code in back if code >= 0] == reached[::-1]


def test_the_focus_is_visible_in_dark_colours_and_on_prose(visit: Visit) -> None:
    for path, scheme in (("models/memory/", "dark"), ("", "light"), (FIGURES, "dark")):
        page = visit(path, color_scheme=scheme)
        assert unseen(walk(page)) == [], (path, scheme)


def focused_name(page: Page) -> int:
    """Which name of the page has the focus; -1 for none."""
    position: int = page.evaluate(
        "[...document.querySelectorAll('.lit-code .n')].indexOf(document.activeElement)"
    )
    return position


def test_arrows_reach_every_name_of_a_block(attention: Page) -> None:
    line = "[data-n]:has(.n ~ .n)"  # a block with names on several lines
    block = attention.locator(f".lit-code:has({line} ~ {line} ~ {line})").first
    count = block.locator(".n").count()
    block.focus()
    seen = []
    for _ in range(count):
        attention.keyboard.press("ArrowRight")
        seen.append(focused_name(attention))
    assert seen == [*range(seen[0], seen[0] + count)]
    attention.keyboard.press("ArrowLeft")
    assert focused_name(attention) == seen[-2]
    top = "document.activeElement.getBoundingClientRect().top"
    below = attention.evaluate(top)
    attention.keyboard.press("ArrowUp")
    assert attention.evaluate(top) < below
    assert attention.evaluate(FOCUSED)["ring"]


def test_the_contents_open_with_enter_and_close_with_escape(attention: Page) -> None:
    attention.locator(".lit-contents summary").focus()
    attention.keyboard.press("Enter")
    expect(attention.locator(".lit-contents li a").first).to_be_visible()
    attention.keyboard.press("Tab")
    assert attention.evaluate("!!document.activeElement.closest('.lit-contents li')")
    attention.keyboard.press("Escape")
    expect(attention.locator(".lit-contents li a").first).to_be_hidden()
    assert attention.evaluate("document.activeElement.localName") == "summary"


def test_a_figure_is_enlarged_and_put_back_by_keys_and_by_the_mouse(
    visit: Visit,
) -> None:
    page = visit(FIGURES)
    button = page.locator("figure .lit-zoom").first
    dialog = page.locator("dialog[open]")
    for key in ("Enter", "Space"):
        button.press(key)
        expect(dialog.locator("svg, img").first).to_be_visible()
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(button).to_be_focused()
    page.locator("figure > svg").first.click()
    expect(dialog).to_be_visible()
    dialog.get_by_role("button").click()
    expect(dialog).to_have_count(0)


KEYS = {"e": ".katex-display .katex", "g": "figure"}


@pytest.mark.parametrize("scripts", [True, False])
def test_one_of_two_drawings_is_chosen_without_scripts_too(
    visit: Visit, scripts: bool
) -> None:
    page = visit("models/transformer_xl/", DESKTOP, java_script_enabled=scripts)
    drawn = page.locator(".tabbed-content svg")
    expect(drawn.nth(0)).to_be_visible()
    expect(drawn.nth(1)).to_be_hidden()
    page.locator(".tabbed-set > input").first.focus()
    page.keyboard.press("ArrowRight")
    expect(drawn.nth(0)).to_be_hidden()
    expect(drawn.nth(1)).to_be_visible()
    # A click on the title chooses too.
    page.locator(".tabbed-set > label").first.click()
    expect(drawn.nth(0)).to_be_visible()
    boxes = """svg => [...svg.querySelectorAll("a:has(rect) text")]
        .sort((one, other) => other.getAttribute("y") - one.getAttribute("y"))
        .map(one => one.textContent)"""
    norm, attention, network = (
        "layer norm",
        "attention with the four terms",
        "feed-forward network",
    )
    assert drawn.nth(0).evaluate(boxes) == [norm, attention, norm, network]
    assert drawn.nth(1).evaluate(boxes) == [attention, norm, network, norm]
    page.evaluate("for (const sheet of document.styleSheets) sheet.disabled = true")
    for n in range(2):
        expect(drawn.nth(n)).to_be_visible()


def test_the_keys_that_move_have_a_test_and_are_none_of_material() -> None:
    script = (THEME / "assets/literate.js").read_text(encoding="utf-8")
    (stops,) = re.findall(r"const STOPS = {(.*?)};", script, re.DOTALL)
    keys = {*re.findall(r"\b(\w): [\"']", stops)}
    assert keys == {*KEYS}
    assert not keys & {*"fsnp"}


@pytest.mark.parametrize(("letter", "selector"), KEYS.items())
def test_a_key_moves_to_the_next_formula_or_figure_and_back(
    visit: Visit, letter: str, selector: str
) -> None:
    page = visit(FIGURES)
    at = (
        f"() => [...document.querySelectorAll('.md-content {selector}')]"
        ".indexOf(document.activeElement)"
    )
    places = []
    back = f"Shift+{letter.upper()}"
    for key in (letter, letter, letter, back, back):
        page.keyboard.press(key)
        places.append(page.evaluate(at))
    assert places == [0, 1, 2, 1, 0]
    inside = "() => document.activeElement.getBoundingClientRect().top"
    assert 0 < page.evaluate(inside) < DESKTOP[1]
    # What is hidden, such as what is folded, is left out.
    hidden = f".md-content {selector} >> nth=1"
    page.locator(hidden).evaluate("hidden => (hidden.style.display = 'none')")
    page.keyboard.press(letter)
    assert page.evaluate(at) == 2
    # In the search field, the key is a letter.
    page.locator(".md-search__input").focus()
    page.keyboard.press(letter)
    assert page.evaluate(at) == -1
