"""Nothing of a page is cut off without a sign: at a desk, on a phone, on paper."""

import pytest
from playwright.sync_api import FloatRect, Page, expect

from tests.site.audit import HEAVIEST
from tests.site.conftest import DESKTOP, PHONE, Visit

TOUCH = {"has_touch": True, "is_mobile": True}
PAPER = "papers/transformer_xl/"
SIZES = pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])


# A cited equation


def test_a_tap_on_a_citation_shows_the_equation_and_a_second_one_goes_there(
    visit: Visit, home: str
) -> None:
    page = visit(HEAVIEST, PHONE, **TOUCH)
    link = page.locator(".lit-note a.lit-cite").first
    goal = link.evaluate("e => e.href")
    link.tap()
    card = page.locator(".lit-preview")
    expect(card.locator(".katex-display")).to_be_in_viewport()
    assert page.url == home + HEAVIEST
    link.tap()
    page.wait_for_url(goal)


def test_the_title_of_the_card_goes_to_the_equation_and_a_tap_beside_it_closes_it(
    visit: Visit, home: str
) -> None:
    page = visit(HEAVIEST, PHONE, **TOUCH)
    link = page.locator(".lit-note a.lit-cite").first
    goal = link.evaluate("e => e.href")
    card = page.locator(".lit-preview")
    link.tap()
    expect(card.get_by_role("link").first).to_be_visible()
    page.locator("h1").first.tap()
    expect(card).to_have_count(0)
    assert page.url == home + HEAVIEST
    link.tap()
    card.get_by_role("link").first.tap()
    page.wait_for_url(goal)


def test_a_tap_leads_to_the_equation_where_no_card_can_be_had(
    visit: Visit, home: str
) -> None:
    page = visit(HEAVIEST, PHONE, **TOUCH)
    page.evaluate("() => { window.fetch = () => Promise.reject(Error('off-line')); }")
    page.locator(".lit-note a.lit-cite").first.tap()
    page.wait_for_url(f"{home}equations/#*")


# What is wider than its place


# Of a formula that is not laid out, only what is in it has a width.
SCROLLS = """all => all
    .map(e => e.closest(".md-typeset__scrollwrap") ?? e)
    .filter(e => (e.querySelector(".katex-html") ?? e).scrollWidth > e.clientWidth + 1)
    .map(e => [getComputedStyle(e).backgroundImage, e.tabIndex,
        !!e.querySelector("[tabindex], a[href]")])"""
IN_REACH = f"""wide => ({SCROLLS})([...document.querySelectorAll(wide)])
    .every(([, index, holds]) => index == 0 || holds)"""


@pytest.mark.parametrize(
    ("path", "wide", "size"),
    [
        (PAPER, ".katex-display", PHONE),
        ("measured/", "article table", PHONE),
        ("measured/", "article table", DESKTOP),
        ("train/", "pre > code", PHONE),
        ("train/", "pre > code", DESKTOP),
    ],
)
def test_what_goes_on_to_a_side_is_shaded_there_and_takes_the_focus(
    visit: Visit, path: str, wide: str, size: tuple[int, int]
) -> None:
    page = visit(path, size)
    page.wait_for_load_state("networkidle")
    page.wait_for_function(IN_REACH, arg=wide)
    found = page.locator(wide).evaluate_all(SCROLLS)
    assert found, "nothing is wide enough"
    for background, index, holds in found:
        assert background.count("gradient") == (2 if "code" in wide else 4)
        assert index == 0 or holds


@SIZES
def test_the_first_column_of_a_table_stays_while_it_scrolls(
    visit: Visit, size: tuple[int, int]
) -> None:
    page = visit("measured/", size)
    page.wait_for_load_state("networkidle")
    wide = page.evaluate_handle(
        """() => [...document.querySelectorAll(".md-typeset__scrollwrap")]
            .find(e => e.scrollWidth > e.clientWidth + 1)"""
    )
    before, after, room = wide.evaluate(
        """box => {
            const cell = box.querySelector("td");
            const place = () => cell.getBoundingClientRect().left;
            const before = place();
            box.scrollLeft = box.scrollWidth;
            return [before, place(), cell.offsetWidth / box.clientWidth];
        }"""
    )
    assert abs(before - after) <= 2
    assert room < 0.5


@pytest.mark.parametrize("path", ["measured/", PAPER])
def test_tables_and_formulas_fit_on_paper(visit: Visit, path: str) -> None:
    page = visit(path, (718, 1000))  # A4 within its margins
    page.emulate_media(media="print")
    edges = page.locator("article table").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect().right)"
    )
    assert edges
    assert max(edges) <= 718
    assert page.evaluate("document.documentElement.scrollWidth") <= 718


# Formulas within a line


PARTED = """all => all.filter(e => {
    const parts = [...e.querySelectorAll(":scope > .katex-html > .base")];
    const tops = new Set(parts.map(part => Math.round(part.getBoundingClientRect().top
        + part.getBoundingClientRect().height / 2)));
    const width = parts.reduce((sum, part) => sum + part.offsetWidth, 0);
    const room = e.parentElement.closest("p, li")?.clientWidth ?? 0;
    return width < room && Math.max(...tops) - Math.min(...tops) > 12;
}).map(e => e.textContent)"""


@SIZES
@pytest.mark.parametrize("path", [PAPER, HEAVIEST])
def test_a_formula_that_fits_a_line_stays_in_one(
    visit: Visit, path: str, size: tuple[int, int]
) -> None:
    page = visit(path, size)
    formulas = page.locator("article :is(p, li) > .katex")
    assert formulas.count() > 5
    assert formulas.evaluate_all(PARTED) == []


LINES = """all => all.map(e => {
    const box = e.querySelector(".katex").getBoundingClientRect();
    const range = document.createRange();
    range.setStart(e.lastChild, 0);
    range.setEnd(e.lastChild, 1);
    const sign = range.getBoundingClientRect();
    return [e.lastChild.data[0], sign.left >= box.right - 2];
})"""


@pytest.mark.parametrize("folder", ["ja/", "zh/"])
@pytest.mark.parametrize("width", [320, 390, 1440])
def test_no_line_begins_with_the_sign_after_a_formula(
    visit: Visit, folder: str, width: int
) -> None:
    page = visit(folder + PAPER, (width, 900))
    found = page.locator(".lit-whole").evaluate_all(LINES)
    assert found, "no sign follows a formula"
    assert [sign for sign, follows in found if not follows] == []


@pytest.mark.parametrize("folder", ["ja/", "zh/"])
def test_the_font_is_one_of_the_language(visit: Visit, folder: str) -> None:
    page = visit(folder)
    fonts: str = page.locator("article p").first.evaluate(
        "e => getComputedStyle(e).fontFamily"
    )
    named = {"ja/": "Hiragino Sans", "zh/": "PingFang SC"}[folder]
    assert fonts.startswith(f'"{named}"')
    assert fonts.endswith("system-ui, sans-serif")


# Figures


def enlarged(page: Page) -> tuple[FloatRect, FloatRect, float]:
    """The boxes of an enlarged figure and of its dialog, and its width before."""
    figure = page.locator("article figure > svg").first
    before = figure.bounding_box()
    page.locator("article figure > .lit-zoom").first.click()
    dialog = page.locator(".lit-dialog")
    picture = dialog.locator("svg").bounding_box()
    around = dialog.bounding_box()
    assert before
    assert picture
    assert around
    return picture, around, before["width"]


@SIZES
def test_an_enlarged_figure_is_larger_and_has_no_white_below_it(
    visit: Visit, size: tuple[int, int]
) -> None:
    picture, around, before = enlarged(visit(PAPER, size))
    assert picture["width"] > 1.2 * before
    assert around["height"] <= 0.95 * size[1]
    assert around["y"] + around["height"] - picture["y"] - picture["height"] <= 40


# The pages beside this one


def test_on_a_desktop_the_pages_beside_this_one_unfold_over_it(visit: Visit) -> None:
    page = visit(HEAVIEST)
    page.wait_for_load_state("networkidle")
    button = page.locator("label.md-header__button[for=__drawer]")
    here = page.locator(".md-sidebar--primary [aria-current=page]")
    expect(here).to_be_hidden()
    side = page.locator(".lit-side").first
    before = side.bounding_box()
    button.click()
    expect(here).to_be_in_viewport()
    following = page.locator(".md-footer__link--next").evaluate("e => e.href")
    beside = page.locator(".md-sidebar--primary a").evaluate_all(
        "all => all.map(e => e.href)"
    )
    assert following in beside
    assert side.bounding_box() == before
    page.keyboard.press("Escape")
    expect(here).to_be_hidden()


@pytest.mark.parametrize(
    "path", ["", PAPER, HEAVIEST, "notebooks/memory/", "equations/", "measured/"]
)
def test_on_a_phone_every_page_leads_to_its_neighbours(visit: Visit, path: str) -> None:
    page = visit(path, PHONE, **TOUCH)
    ways = page.locator(".md-footer__link")
    ways.last.scroll_into_view_if_needed()
    assert ways.count() == (2 if path else 1)
    for way in ways.all():
        expect(way).to_be_in_viewport()
        box = way.bounding_box()
        assert box
        assert box["height"] >= 24
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE[0]


@pytest.mark.parametrize("folder", ["ja/", "zh/"])
def test_a_name_in_a_table_is_not_broken_into_letters(
    visit: Visit, folder: str
) -> None:
    page = visit(f"{folder}live/", PHONE)
    name = page.locator(".md-typeset__table td", has_text="Transformer-XL").first
    wide, em = name.evaluate(
        "e => [e.clientWidth, parseFloat(getComputedStyle(e).fontSize)]"
    )
    assert wide > 5 * em  # "Transformer-"
