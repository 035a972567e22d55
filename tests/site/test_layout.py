"""Where notes, code, figures and formulas stand: at a desk, on a phone, on paper."""

import re
from typing import Any

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.site.conftest import DESKTOP, PHONE, TOUCH, Visit, colours
from tests.site.pages import EQUATIONS, FOLDERS, HEAVIEST, modules

WITH_CODE = ".lit-block:has(.lit-code)"
BESIDE = f"{WITH_CODE}:not(.lit-intro)"  # an introduction has no code beside it
IMPORTS = "details.lit-imports"
PAPER = "papers/transformer_xl/"
SOURCE = modules()[HEAVIEST].read_text(encoding="utf-8").splitlines()


def box(place: Locator) -> FloatRect:
    """Where something is on the screen."""
    found = place.bounding_box()
    assert found, place
    return found


# Copying


def clipboard(page: Page) -> str:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def written(block: Locator) -> str:
    """The lines that a block shows, as they are in the file."""
    numbers = block.locator("[data-n]").evaluate_all("all => all.map(e => e.dataset.n)")
    return "\n".join(SOURCE[int(number) - 1] for number in numbers).rstrip()


def test_the_button_and_a_selection_copy_the_very_lines(attention: Page) -> None:
    attention.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for block in attention.locator(WITH_CODE).all():
        block.locator(".lit-code").hover()
        block.get_by_role("button", name="Copy").last.click()
        assert clipboard(attention) == written(block)
    block.locator(".lit-code").evaluate("e => getSelection().selectAllChildren(e)")
    attention.keyboard.press("Control+C")
    assert clipboard(attention).rstrip() == written(block)


# Notes and code

TOPS = """all => all.map(e => {
    const note = e.querySelector(".lit-note").getBoundingClientRect();
    const side = e.querySelector(".lit-side").getBoundingClientRect();
    return {
        block: e.id, top: e.getBoundingClientRect().top + scrollY,
        note: note.top + scrollY, side: side.top + scrollY,
        noteRight: note.right, sideLeft: side.left,
        noteBottom: note.bottom + scrollY, free: note.height - side.height,
    };
})"""


def test_note_and_code_begin_at_one_height(visit: Visit) -> None:
    for path in ("models/memory/", HEAVIEST):
        page = visit(path, (DESKTOP[0], 30_000))  # so high that nothing sticks
        rows = page.eval_on_selector_all(BESIDE, TOPS)
        assert rows
        apart = [
            row
            for row in rows
            if max(abs(row["note"] - row["top"]), abs(row["side"] - row["top"])) > 1
            or row["noteRight"] > row["sideLeft"] + 1
        ]
        assert apart == []


def test_the_shorter_of_note_and_code_stays_in_sight(visit: Visit) -> None:
    page = visit("models/distances/", (1440, 460))
    header = page.locator(".md-header").evaluate("e => e.offsetHeight")
    rows = page.eval_on_selector_all(BESIDE, TOPS)
    for row, part in (
        (max(rows, key=lambda row: row["free"]), ".lit-code"),
        (min(rows, key=lambda row: row["free"]), ".lit-note"),
    ):
        block = page.locator(f'[id="{row["block"]}"]')
        # Its formulas are laid out when it is near: then the heights are its own.
        block.scroll_into_view_if_needed()
        page.wait_for_timeout(300)
        (now,) = block.evaluate_all(TOPS)
        assert abs(now["free"]) > 60, "neither is longer than the other"
        for share in (0.3, 0.6, 0.95):
            y = now["top"] - header + share * abs(now["free"])
            page.evaluate("y => scrollTo(0, y)", y)
            top = box(block.locator(part))["y"]
            assert header - 1 <= top <= header + 40, (row["block"], part, share)


def test_on_a_phone_the_code_is_below_its_note_and_scrolls_by_itself(
    visit: Visit,
) -> None:
    page = visit(HEAVIEST, PHONE, **TOUCH)
    for row in page.eval_on_selector_all(BESIDE, TOPS):
        assert row["side"] >= row["noteBottom"] - 1, row
        assert row["sideLeft"] <= 2, row
    codes = page.eval_on_selector_all(
        ".lit-code",
        """all => all.map(e => ({
            right: e.getBoundingClientRect().right, wide: e.scrollWidth > e.clientWidth,
            moves: !!(e.scrollLeft = 50) && e.scrollLeft > 0,
            edge: [...e.querySelectorAll("[data-n]")].every(line => {
                const { position, left } = getComputedStyle(line, "::before");
                return position === "sticky" && left === "0px"; }),
            broken: [...e.querySelectorAll(".n")].some(
                name => name.getClientRects().length > 1),
        }))""",
    )
    assert any(code["wide"] for code in codes)
    assert [code for code in codes if code["moves"] != code["wide"]] == []
    assert [c for c in codes if c["broken"] or c["right"] > PHONE[0] + 1] == []
    assert all(code["edge"] for code in codes), "line numbers scroll away"


def test_an_introduction_has_no_code_beside_it_and_imports_are_one_line(
    visit: Visit,
) -> None:
    for size in (DESKTOP, PHONE):
        page = visit(HEAVIEST, size)
        note = box(page.locator(".lit-intro > .lit-note").first)
        assert box(page.locator(IMPORTS))["y"] >= note["y"] + note["height"] - 1
    summary = page.locator(f"{IMPORTS} summary")
    expect(summary).to_contain_text("imports, lines ")
    expect(page.locator(f"{IMPORTS} .lit-code")).to_be_hidden()
    summary.press("Enter")
    expect(page.locator(f"{IMPORTS} .lit-code")).to_contain_text("import torch")
    silent = visit(HEAVIEST, java_script_enabled=False)
    silent.locator(f"{IMPORTS} summary").click()
    expect(silent.locator(f"{IMPORTS} .lit-code")).to_be_visible()


# Addresses of blocks


def test_a_permalink_shows_its_block_below_the_header(visit: Visit, home: str) -> None:
    page = visit(HEAVIEST)
    block = page.locator('[id="RelativeAttention.scores"]')
    block.hover()
    block.locator(".lit-link").first.click()
    for _ in range(2):
        assert page.url == f"{home}{HEAVIEST}#RelativeAttention.scores"
        page.wait_for_function("scrollY > 0")
        header = box(page.locator(".md-header"))["height"]
        inner = block.locator(".lit-note > *, .lit-code > code")
        top = min(box(part)["y"] for part in inner.all())
        assert 0 <= top - header <= 60
        edge = block.evaluate("e => getComputedStyle(e).boxShadow")
        assert edge != "none", "nothing marks the block that was asked for"
        address = page.url
        page.goto("about:blank")
        page.goto(address)


# Colours


def luminance(color: str) -> float:
    """How bright a colour is, as WCAG counts it."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", color)[:3]]
    linear = [
        p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def stands_out(color: str, page: Page) -> bool:
    """Whether words in a colour can be read on the ground of the page."""
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    low, high = sorted([luminance(color), luminance(ground)])
    return (high + 0.05) / (low + 0.05) >= 4.5


STYLE = "e => (s => [s.color, s.borderBottomStyle])(getComputedStyle(e))"
LINED = (
    "e => (s => [s.textDecorationColor, s.textDecorationStyle])(getComputedStyle(e))"
)


def test_a_term_and_its_line_have_one_colour_and_one_underline(visit: Visit) -> None:
    page = visit(HEAVIEST)
    for scheme in ("light", "dark"):
        colours(page, scheme)
        seen: dict[str, list[str]] = {}
        for letter in "abcd":
            term = page.locator(f".lit-note > p .katex-html .lit-term-{letter}").first
            line = page.locator(f".lit-code .lit-line.lit-term-{letter}").first
            seen[letter] = term.evaluate(STYLE)
            assert seen[letter] == line.evaluate(LINED)
            tag = page.locator(f".lit-code .lit-tag.lit-term-{letter}").first
            content = tag.evaluate("e => getComputedStyle(e, '::before').content")
            assert content == f'"{letter}"'
            assert stands_out(seen[letter][0], page), (letter, scheme)
        for kind in zip(*seen.values(), strict=True):
            assert len({*kind}) == len(kind), seen
    # The letters are no part of the code.
    line = page.locator(".lit-code [data-n]:has(.lit-line.lit-term-a)")
    assert (line.text_content() or "").strip().startswith("content = q @ k.mT")
    for path in (PAPER, EQUATIONS):
        page = visit(path)
        for letter in "abcd":
            marked = page.locator(f".katex-html .munder .lit-term-{letter}")
            expect(marked).to_have_count(1)


PAINT = """all => all.map(e => {
    const style = getComputedStyle(e);
    return [style.fill, style.stroke];
}).flat().filter(color => color !== "none" && !color.startsWith("url"))"""


def test_a_figure_takes_the_colours_of_the_page_and_its_words_stand_out(
    visit: Visit,
) -> None:
    drawing = "article figure > svg"
    parts = f"{drawing} :is(text, path, line, rect, circle, polyline)"
    for path in (PAPER, "papers/compressive_transformer/"):
        page, paints = visit(path), []
        for scheme in ("light", "dark"):
            colours(page, scheme)
            paints.append(page.locator(parts).evaluate_all(PAINT))
            words = page.locator(f"{drawing} text").evaluate_all(
                "all => [...new Set(all.map(e => getComputedStyle(e).fill))]"
            )
            assert words
            assert [one for one in words if not stands_out(one, page)] == []
        pairs = zip(*paints, strict=True)
        assert {light for light, dark in pairs if light == dark} == set()


# Figures


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_figure_keeps_to_its_column_and_is_enlarged_on_its_own(
    visit: Visit, size: tuple[int, int]
) -> None:
    page = visit(PAPER, size)
    column = box(page.locator("article"))
    for figure in page.locator("article figure > svg").all():
        drawn = box(figure)
        assert drawn["x"] >= column["x"] - 1
        assert drawn["x"] + drawn["width"] <= column["x"] + column["width"] + 1
    before = box(page.locator("article figure > svg").first)
    page.locator("article figure > .lit-zoom").first.click()
    dialog = page.locator(".lit-dialog")
    picture, around = box(dialog.locator("svg")), box(dialog)
    assert picture["width"] > 1.2 * before["width"]
    assert around["height"] <= 0.95 * size[1]
    # There is nothing white below it.
    assert around["y"] + around["height"] - picture["y"] - picture["height"] <= 40


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
    ("path", "wide", "shades"),
    [
        (PAPER, ".katex-display", 4),
        ("measured/", "article table", 4),
        ("train/", "pre > code", 2),
    ],
)
def test_what_goes_on_to_a_side_is_shaded_there_and_takes_the_focus(
    visit: Visit, path: str, wide: str, shades: int
) -> None:
    page = visit(path, PHONE)
    page.wait_for_load_state("networkidle")
    page.wait_for_function(IN_REACH, arg=wide)
    found = page.locator(wide).evaluate_all(SCROLLS)
    assert found, "nothing is wide enough"
    assert {background.count("gradient") for background, *_ in found} == {shades}
    assert all(index == 0 or holds for _, index, holds in found)


PARTED = """all => all.filter(e => {
    const parts = [...e.querySelectorAll(":scope > .katex-html > .base")];
    const tops = new Set(parts.map(part => Math.round(part.getBoundingClientRect().top
        + part.getBoundingClientRect().height / 2)));
    const width = parts.reduce((sum, part) => sum + part.offsetWidth, 0);
    const room = e.parentElement.closest("p, li")?.clientWidth ?? 0;
    return width < room && Math.max(...tops) - Math.min(...tops) > 12;
}).map(e => e.textContent)"""
# The signs that follow formulas, and whether each is in the line of its formula.
SIGNS = """all => all.map(e => {
    const box = e.querySelector(".katex").getBoundingClientRect();
    const range = document.createRange();
    range.setStart(e.lastChild, 0);
    range.setEnd(e.lastChild, 1);
    const sign = range.getBoundingClientRect();
    return [e.lastChild.data[0], sign.left >= box.right - 2];
})"""


def test_a_formula_that_fits_a_line_stays_in_one_with_the_sign_after_it(
    visit: Visit, home: str
) -> None:
    wrong: list[Any] = []
    for size in ((320, 900), PHONE, DESKTOP):
        page = visit("", size)
        for path in (PAPER, *(folder + HEAVIEST for folder in FOLDERS)):
            page.goto(home + path)
            formulas = page.locator("article :is(p, li) > .katex")
            wrong += [(path, size, f) for f in formulas.evaluate_all(PARTED)]
            signs = page.locator(".lit-whole").evaluate_all(SIGNS)
            assert signs or not path.startswith(tuple(FOLDERS[1:])), path
            wrong += [(path, size, sign) for sign, follows in signs if not follows]
    assert wrong == []


# Paper


def test_paper_has_notes_and_code_whole_and_nothing_to_press(visit: Visit) -> None:
    page = visit(HEAVIEST, (718, 1000))  # A4 within its margins
    page.emulate_media(media="print")
    pressed = (
        ".md-header, .md-footer, .md-sidebar, .md-tabs, .lit-bar, .lit-copy, "
        ".lit-link, .lit-source"
    )
    seen = "all => all.filter(e => e.checkVisibility()).map(e => e.className)"
    assert page.locator(pressed).evaluate_all(seen) == []
    for part in (".lit-note", ".lit-code", ".katex-html", f"{IMPORTS} .lit-code"):
        expect(page.locator(part).first).to_be_visible()
    cut = page.eval_on_selector_all(
        ".lit-code",
        "all => all.filter(e => e.scrollWidth > e.clientWidth + 1)"
        ".map(e => e.textContent.slice(0, 60))",
    )
    assert cut == []
    places = page.eval_on_selector_all(
        ".lit-note, .lit-side", "all => all.map(e => getComputedStyle(e).position)"
    )
    assert {*places} == {"static"}
    assert page.pdf().startswith(b"%PDF")
    tables = visit("measured/", (718, 1000))
    tables.emulate_media(media="print")
    edges = tables.locator("article table").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect().right)"
    )
    assert edges
    assert max(edges) <= 718


# While a page loads

SHIFTS = """
    window.shifts = 0;
    new PerformanceObserver(list => list.getEntries().forEach(
        entry => { if (!entry.hadRecentInput) window.shifts += entry.value; }
    )).observe({type: "layout-shift", buffered: true});
"""


def test_nothing_moves_while_a_page_loads_its_own_few_files(visit: Visit) -> None:
    page = visit("")
    page.add_init_script(SHIFTS)
    for path in ("", HEAVIEST):
        page.goto(page.url + path)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("shifts") <= 0.05, path
        loaded: list[str] = page.evaluate(
            "performance.getEntriesByType('resource').map(e => e.name)"
        )
        assert len(loaded) <= 20, loaded
