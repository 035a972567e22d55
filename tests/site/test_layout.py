"""Where notes, code, figures and formulas stand: at a desk, on a phone, on paper."""

import re
from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.site.conftest import DESKTOP, PHONE, TOUCH, Visit, colours, width
from tests.site.pages import EQUATIONS, FOLDERS, HEAVIEST, modules

WITH_CODE = ".lit-block:has(.lit-code)"
# An introduction has no code beside it, and very uneven halves are below each other.
BESIDE = f"{WITH_CODE}:not(.lit-intro, .lit-stacked)"
IMPORTS = "details.lit-imports"
PAPER = "papers/transformer_xl/"
SOURCE = modules()[HEAVIEST].read_text(encoding="utf-8").splitlines()


# Copying


def test_copying_by_button_or_selection_gives_the_exact_lines(attention: Page) -> None:
    attention.context.grant_permissions(["clipboard-read", "clipboard-write"])
    clipboard = "navigator.clipboard.readText()"
    for block in attention.locator(WITH_CODE).all():
        numbers = "all => all.map(e => e.dataset.n)"
        shown = block.locator("[data-n]").evaluate_all(numbers)
        lines = "\n".join(SOURCE[int(n) - 1] for n in shown).rstrip()
        block.locator(".lit-code").hover()
        block.get_by_role("button", name="Copy").last.click()
        assert attention.evaluate(clipboard) == lines
    block.locator(".lit-code").evaluate("e => getSelection().selectAllChildren(e)")
    attention.keyboard.press("Control+C")
    assert attention.evaluate(clipboard).rstrip() == lines


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


def test_note_and_code_are_aligned_at_the_top(visit: Visit) -> None:
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


def test_on_a_phone_code_can_wrap_which_the_browser_remembers(visit: Visit) -> None:
    page = visit(HEAVIEST, PHONE, **TOUCH)
    switch, code = page.locator(".lit-wrap"), page.locator(".lit-side > .lit-code")
    wide = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).length"
    assert code.evaluate_all(wide) > 0
    switch.focus()
    page.keyboard.press("Enter")
    expect(switch).to_have_attribute("aria-pressed", "true")
    assert code.evaluate_all(wide) == 0
    page.reload()
    expect(switch).to_have_attribute("aria-pressed", "true")
    assert code.evaluate_all(wide) == 0
    # No chip covers its code, and what continues is to the right of the number.
    faults = page.eval_on_selector_all(
        ".lit-side > .lit-code [data-n]",
        """all => all.flatMap(line => {
            const number = line.getBoundingClientRect().left
                + parseFloat(getComputedStyle(line, "::before").width);
            const chip = line.querySelector(".shape")?.getBoundingClientRect();
            const text = document.createRange();
            text.selectNodeContents(line);
            const own = [...line.querySelectorAll(".shape, .shape *")];
            const boxes = [...line.querySelectorAll("span, a")].filter(
                e => !own.includes(e) && e.textContent.trim() && !e.children.length,
            ).flatMap(e => [...e.getClientRects()]);
            return boxes.filter(box => box.left < number - 1
                || chip && box.bottom > chip.top + 3 && box.right > chip.left
                    && box.left < chip.right).map(() => line.dataset.n);
        })""",
    )
    assert faults == []
    page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    expect(switch).to_be_hidden()
    assert code.first.evaluate("e => getComputedStyle(e).whiteSpace") == "pre"
    for path in ("train/", "notebooks/memory/", "ja/train/"):
        expect(visit(path, PHONE).locator(".lit-wrap")).to_be_visible()
    unscripted = visit(HEAVIEST, PHONE, java_script_enabled=False)
    expect(unscripted.locator(".lit-wrap")).to_be_hidden()


# The parts of an introduction between headings and figures that have two columns: how
# high each is.
COLUMNS = """() => {
    const note = document.querySelector(".lit-intro:not(.lit-exercises) > .lit-note");
    const parts = [[]];
    for (const element of note?.children ?? []) {
        const box = element.getBoundingClientRect();
        if (getComputedStyle(element).columnSpan === "all") parts.push([]);
        else if (box.height) parts.at(-1).push(box);
    }
    const span = (boxes, from, to) => Math.max(...boxes.map((box) => box[to]))
        - Math.min(...boxes.map((box) => box[from]));
    return parts.filter((boxes) => boxes.length && span(boxes, "left", "left") > 300)
        .map((boxes) => span(boxes, "top", "bottom"));
}"""


def test_two_columns_of_an_introduction_fit_the_screen(visit: Visit, home: str) -> None:
    columns, high = 0, {}
    page = visit("")
    for path in modules():
        page.goto(home + path)
        for wide, screen in ((1280, 800), (1440, 900), (1920, 1080)):
            page.set_viewport_size({"width": wide, "height": screen})
            heights = page.evaluate(COLUMNS)
            columns += len(heights)
            top = page.locator(".md-header").evaluate("e => e.offsetHeight")
            if any(height > screen - top for height in heights):
                high[path, wide] = heights
    assert high == {}
    assert columns


def test_a_formula_of_several_rows_is_whole_on_a_wide_screen(visit: Visit) -> None:
    formula = visit("ja/models/adaptive/softmax/").locator(".lit-intro .katex-display")
    assert formula.evaluate("e => e.scrollWidth - e.clientWidth") <= 0


def test_a_link_in_a_narrow_cell_is_not_divided_within_a_word(visit: Visit) -> None:
    """The theme divides links anywhere, so a column could be narrower than a word."""
    link = visit("ja/train/").locator("td:nth-child(2) > a.narrow")
    link.page.locator("article tr").last.evaluate("""row => {
        row.cells[1].innerHTML = "<a class='narrow' href='.'>メモリのノートブック</a>";
    }""")
    assert link.evaluate("e => e.getClientRects().length") == 1


@pytest.mark.parametrize("path", [PAPER, "papers/compressive_transformer/"])
def test_the_reference_to_the_paper_is_beside_its_formula(
    visit: Visit, path: str
) -> None:
    page = visit(path)
    page.add_style_tag(content="* { content-visibility: visible !important; }")
    page.eval_on_selector_all("article details", "all => all.map(e => { e.open = 1; })")
    # In an algorithm, it is the number of the line, and stands before it. A place that
    # does not fit beside a formula is below it. In pixels: how far both are apart, how
    # far the place is below, and how much is free.
    rows = """all => all.map(row => {
        const [formula, place] = [...row.children].map(e => e.getBoundingClientRect());
        const isStep = row.parentNode.matches(".lit-steps");
        const parts = [...row.querySelectorAll(".katex-base")];
        const needed = Math.max(...parts.map(e => e.getBoundingClientRect().width));
        return [row.textContent.slice(-30),
            isStep ? formula.left - place.right : place.left - formula.right,
            place.bottom - formula.bottom, row.clientWidth - needed - place.width];
    })"""
    found = page.eval_on_selector_all(".lit-formula", rows)
    assert len(found) > 10
    assert [row for row in found if row[1] < -2 and (row[2] < -2 or row[3] > 40)] == []
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    narrow = page.eval_on_selector_all(".lit-formula", rows)
    assert any(row[1] >= 0 for row in narrow)
    assert [row for row in narrow if row[1] < -2 and row[2] < -2] == []


def test_a_line_of_an_algorithm_leads_to_the_only_code_that_computes_it(
    visit: Visit,
) -> None:
    places = visit("equations/").eval_on_selector_all(
        ".lit-equation",
        """all => Object.fromEntries(all.map(one => [one.id,
            [...one.querySelectorAll('li:nth-child(2) a[href*="/models/"]')].filter(
                link => link.querySelector("code")).map(link => link.href)]))""",
    )
    page = visit("papers/compressive_transformer/")
    lines = page.eval_on_selector_all(
        ".lit-formula:has([data-line])",
        """all => all.map(one => {
            const code = one.querySelector(".lit-computes");
            const cite = one.querySelector(".lit-cite");
            return [cite.hash.slice(1), code ? [code.href] : [],
                !code || !one.closest(".lit-steps")
                    || code.getBoundingClientRect().left
                        > cite.getBoundingClientRect().right + 100];
        })""",
    )
    assert sum(len(code) for _, code, _ in lines) >= 10
    for key, code, beside in lines:
        wanted = places[key] if len(places[key]) == 1 else []
        assert (key, code, beside) == (key, wanted, True)


def test_on_a_wide_screen_both_queues_share_one_row_and_fill_it(visit: Visit) -> None:
    figure = visit("models/compression/").locator("figure-compressed-queue")
    figure.scroll_into_view_if_needed()
    for case in range(4):
        if case:
            figure.locator(".tries button").nth(case - 1).click()
        figure.locator(".player li button").last.click()
        tops, filled, high = figure.evaluate(
            """figure => {
                const of = (e) => e.getBoundingClientRect();
                const within = figure.shadowRoot;
                const queues = [...within.querySelectorAll(".queue")];
                const full = queues.map(e => [...e.querySelectorAll(".cell")].reduce(
                    (most, cell) => Math.max(most, of(cell).right - of(e).left), 0));
                return [queues.map(e => of(e).top),
                    Math.max(...full) / of(queues[0]).width,
                    of(queues[1]).bottom - of(within.querySelector(".tries")).top];
            }"""
        )
        assert (
            figure.locator(".cell .use").evaluate_all(
                "all => all.filter(e => e.getBoundingClientRect().height > 18).length"
            )
            == 0
        )
        assert len({*tops}) == 1
        assert 0.85 < filled < 1, case
        assert high <= 400, case


def test_a_line_shows_how_much_of_a_long_page_has_been_read(visit: Visit) -> None:
    page = visit(PAPER)
    page.emulate_media(reduced_motion="no-preference")
    width = """() => new DOMMatrix(
        getComputedStyle(document.querySelector(".md-header"), "::before").transform
    ).a"""
    assert page.evaluate(width) < 0.01
    page.evaluate("scrollTo(0, document.body.scrollHeight / 2)")
    page.wait_for_timeout(100)
    assert 0.3 < page.evaluate(width) < 0.7


def test_code_does_not_cover_what_is_open_below_it(visit: Visit) -> None:
    page = visit(HEAVIEST, (DESKTOP[0], 500))
    page.add_style_tag(content="* { content-visibility: visible !important; }")
    given = page.locator(".lit-block:not(.lit-stacked) > .lit-given")
    given.evaluate_all("all => all.forEach(e => { e.open = true; })")
    for fold in given.all():
        fold.locator("> div").evaluate("e => { e.style.minHeight = '800px'; }")
        # The top of the row is above the screen, so that its code would stick.
        fold.evaluate("e => scrollTo(0, scrollY + e.getBoundingClientRect().top)")
        ends = "e => e.previousElementSibling.getBoundingClientRect().bottom"
        begins = "e => e.getBoundingClientRect().top"
        assert fold.evaluate(ends) <= fold.evaluate(begins) + 1


def test_equations_are_numbered_through_a_page(visit: Visit) -> None:
    page = visit(PAPER)
    page.locator(".md-content p").first.evaluate(
        """e => { e.innerHTML = [1, 2].map(() => '<span class="katex-display">'
            + '<span class="katex"><span class="tag"><span class="eqn-num"></span>'
            + '</span></span></span>').join(''); }"""
    )
    shown = page.locator(".katex-display:has(.eqn-num)")
    modes = shown.evaluate_all(
        "all => all.map(e => getComputedStyle(e).contentVisibility)"
    )
    assert modes == ["visible", "visible"]


def test_a_title_of_one_long_word_does_not_widen_the_page(visit: Visit) -> None:
    page = visit(HEAVIEST, PHONE, **TOUCH)
    for place in (".lit-links a", ".lit-route a", ".lit-given > summary"):
        links = page.locator(place)
        assert links.count()
        links.evaluate_all("all => all.forEach(e => { e.append('w'.repeat(400)); })")
        assert width(page) == PHONE[0], place


# The height of the line of stops, and what begins at another place than the logo.
EDGES = """() => {
    const start = e => Math.round(e.getBoundingClientRect().left);
    const logo = document.querySelector(".md-logo img, .md-header__title");
    const route = document.querySelector(".lit-route > div > :first-child");
    return [document.querySelector(".lit-route").offsetHeight, ...[
        logo, route, document.querySelector(".md-path__item"),
        document.querySelector("article h1"),
    ].map(start)];
}"""


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_line_of_stops_is_one_row_and_begins_where_the_page_does(
    visit: Visit, folder: str
) -> None:
    for wide in (320, *(size[0] for size in (PHONE, DESKTOP)), 768):
        page = visit(f"{folder}live/", (wide, 900))
        high, logo, *starts = page.evaluate(EDGES)
        assert high < 40, wide
        assert len(set(starts)) == 1, (wide, starts)
        if wide == DESKTOP[0]:
            assert starts[0] == logo
        assert page.locator(".lit-route li").first.is_visible(), wide
        assert width(page) == wide
    # On a phone, the dots give way to the words, where the number of minutes is long.
    page = visit(f"{folder}papers/compressive_transformer/", PHONE)
    cut = "e => e.scrollWidth > e.clientWidth"
    assert not page.locator(".lit-route__home").evaluate(cut)


@pytest.mark.parametrize("folder", FOLDERS)
def test_numbers_of_the_live_page_are_not_divided_on_a_phone(
    visit: Visit, folder: str
) -> None:
    shares = visit(f"{folder}live/", PHONE, **TOUCH).locator(".best td:last-child")
    shares.first.wait_for()
    high = shares.evaluate_all("all => all.map(e => e.offsetHeight)")
    assert max(high) < 30, high


def test_a_phone_folds_what_belongs_to_an_equation_and_a_wide_screen_does_not(
    visit: Visit,
) -> None:
    uses = visit(EQUATIONS).locator(".lit-uses")
    shown = "all => all.filter(e => e.lastElementChild.checkVisibility()).length"
    assert uses.evaluate_all(shown) == uses.count() > 30
    page = visit(EQUATIONS, PHONE, **TOUCH)
    folded = page.locator(".lit-uses")
    heights = folded.evaluate_all("all => all.map(e => e.offsetHeight)")
    assert max(heights) < 40
    # A link to something within a fold opens it.
    row = folded.locator("tr[id]").last
    page.evaluate("id => { location.hash = id; }", row.get_attribute("id"))
    expect(row).to_be_visible()


# Where the figure begins, whether the label of its arc is within its text, and where
# the costs, the terms and the heads end.
ANSWER = """async figure => {
    await new Promise(done => setTimeout(done, 300));
    const box = one => one.getBoundingClientRect(), root = figure.shadowRoot;
    const [text, label, ...parts] = [
        ".text", ".arc text", ".costs", ".terms table", ".best table",
    ].map(one => box(root.querySelector(one)));
    return [box(figure).top, text.left <= label.left && label.right <= text.right,
        ...parts.map(part => part.bottom)];
}"""


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_text_of_the_live_page_and_its_answer_stand_on_one_screen(
    visit: Visit, folder: str
) -> None:
    for wide, high in (DESKTOP, (1920, 1080), (1024, 1200), (768, 1200), PHONE):
        figure = visit(f"{folder}live/", (wide, high)).locator("figure-live")
        expect(figure.locator(".arc text")).to_have_count(1)
        expect(figure.locator(".best tr")).to_have_count(4)
        top, inside, *ends = figure.evaluate(ANSWER)
        assert inside, wide
        assert top < high / 2, wide
        if wide >= DESKTOP[0]:
            assert max(ends) <= high, wide


NAME = """topic => {
    const text = topic.querySelector(".md-ellipsis").firstChild, range = new Range();
    range.setStart(text, 0);
    range.setEnd(text, "Transformer-XL".length);
    return [range.toString(), range.getClientRects().length];
}"""


def test_the_name_of_the_site_is_not_divided_on_a_phone(visit: Visit) -> None:
    for path in ("", "models/memory/"):
        topic = visit(path, PHONE, **TOUCH).locator(".md-header__topic").first
        assert topic.evaluate(NAME) == ["Transformer-XL", 1], path


# What begins outside of the place that it can be scrolled in.
CUT_AT_THE_LEFT = """all => all.filter(e => e.firstElementChild.checkVisibility()
    && e.firstElementChild.getBoundingClientRect().left
        < e.getBoundingClientRect().left - 1).length"""


@pytest.mark.parametrize("path", ["", "path/", HEAVIEST, PAPER])
def test_from_right_to_left_drawings_begin_at_their_left_and_signs_stay_in_front(
    visit: Visit, path: str
) -> None:
    page = visit(path, PHONE, **TOUCH)
    page.evaluate("document.body.dir = 'rtl'")
    assert width(page) == PHONE[0]
    drawings = page.locator("figure:has(> svg), .katex-display")
    assert drawings.count()
    assert drawings.evaluate_all(CUT_AT_THE_LEFT) == 0
    numbers = page.locator('td[style*="right"]')
    ways = "all => all.map(e => getComputedStyle(e).direction)"
    assert {*numbers.evaluate_all(ways)} <= {"ltr"}


# Addresses of blocks


@pytest.mark.parametrize("html", ["<pre>{}</pre>", "<ruby>a<rt>{}</rt></ruby>"])
def test_what_cannot_break_in_a_note_does_not_widen_the_page(
    visit: Visit, html: str
) -> None:
    page = visit("models/memory/", DESKTOP)
    page.locator(".lit-note").last.evaluate(
        "(note, html) => { note.innerHTML += html; }", html.format("w" * 900)
    )
    assert width(page) == DESKTOP[0]


def test_a_permalink_shows_its_block_below_the_header(visit: Visit, home: str) -> None:
    page = visit(HEAVIEST)
    block = page.locator('[id="RelativeAttention.scores"]')
    block.hover()
    block.locator(".lit-link").first.click()
    for _ in range(2):
        assert page.url == f"{home}{HEAVIEST}#RelativeAttention.scores"
        page.wait_for_function("scrollY > 0")
        header = page.locator(".md-header").evaluate("e => e.offsetHeight")
        inner = block.locator(".lit-note > *, .lit-code > code")
        tops = inner.evaluate_all("all => all.map(e => e.getBoundingClientRect().y)")
        assert 0 <= min(tops) - header <= 60
        edge = block.evaluate("e => getComputedStyle(e).boxShadow")
        assert edge != "none", "nothing marks the block that was asked for"
        address = page.url
        page.goto("about:blank")
        page.goto(address)


def test_a_formula_that_fits_has_no_shade_on_a_dense_screen(visit: Visit) -> None:
    for density in (2, 3):
        page = visit(PAPER, PHONE, **TOUCH, device_scale_factor=density)
        page.add_style_tag(
            content="body :not(.katex-display) { visibility: hidden !important }"
            ".katex-display { visibility: visible }"
        )
        formulas = page.locator(".katex-display:visible").all()
        fit = [f for f in formulas if f.evaluate("e => e.scrollWidth <= e.clientWidth")]
        assert fit
        for formula in fit:
            picture = Image.open(BytesIO(formula.screenshot())).convert("L")
            # Where the shade is covered, colours are rounded.
            assert np.ptp(np.asarray(picture)) <= 2


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


STYLE = "e => (s => [s.{}, s.{}])(getComputedStyle(e))"
TERM = STYLE.format("color", "borderBottomStyle")
LINE = STYLE.format("textDecorationColor", "textDecorationStyle")


def test_a_term_and_its_line_have_one_colour_and_one_underline(visit: Visit) -> None:
    page = visit(HEAVIEST)
    for scheme in ("light", "dark"):
        colours(page, scheme)
        seen: dict[str, list[str]] = {}
        for letter in "abcd":
            term = page.locator(f".lit-note > p .katex-html .lit-term-{letter}").first
            line = page.locator(f".lit-code .lit-line.lit-term-{letter}").first
            seen[letter] = term.evaluate(TERM)
            assert seen[letter] == line.evaluate(LINE)
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
            expect(marked).to_have_count(2)  # with absolute positions, and relative


PAINT = """all => all.map(e => {
    const style = getComputedStyle(e);
    return [style.fill, style.stroke];
}).flat().filter(color => color !== "none" && !color.startsWith("url"))"""


def test_a_figure_takes_the_colours_of_the_page_with_enough_contrast(
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
def test_scrollable_elements_are_shaded_and_focusable(
    visit: Visit, path: str, wide: str, shades: int
) -> None:
    page = visit(path, PHONE)
    page.wait_for_load_state("networkidle")
    page.wait_for_function(IN_REACH, arg=wide)
    found = page.locator(wide).evaluate_all(SCROLLS)
    assert found, "nothing is wide enough"
    assert {background.count("gradient") for background, *_ in found} == {shades}
    assert all(index == 0 or holds for _, index, holds in found)


# Paper


def test_print_has_all_notes_and_code_and_no_controls(visit: Visit) -> None:
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
    for path in (HEAVIEST, "models/memory/"):
        page.goto(page.url.replace(HEAVIEST, path))
        cut = page.eval_on_selector_all(
            ".lit-code, .lit-note > table",
            "all => all.filter(e => e.scrollWidth > e.clientWidth + 1)"
            ".map(e => e.textContent.slice(0, 60))",
        )
        assert cut == []
    places = page.eval_on_selector_all(
        ".lit-note, .lit-side", "all => all.map(e => getComputedStyle(e).position)"
    )
    assert {*places} == {"static"}
    assert page.pdf().startswith(b"%PDF")


# While a page loads

SHIFTS = """
    window.shifts = 0;
    new PerformanceObserver(list => list.getEntries().forEach(
        entry => { if (!entry.hadRecentInput) window.shifts += entry.value; }
    )).observe({type: "layout-shift", buffered: true});
"""


def test_nothing_moves_while_a_page_loads(visit: Visit, home: str) -> None:
    page = visit("")
    page.add_init_script(SHIFTS)
    # At 1350 pixels, a sentence has one line more until its bold letters have come.
    for path, wide in (("", DESKTOP[0]), (HEAVIEST, DESKTOP[0]), (HEAVIEST, 1350)):
        page.set_viewport_size({"width": wide, "height": DESKTOP[1]})
        page.goto(home + path)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("shifts") <= 0.05, path
