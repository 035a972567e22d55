"""Where words, drawings and controls are: laws for every page that has them."""

from collections.abc import Iterator, Sequence
from typing import Any

from playwright.sync_api import Browser, Page

from tests.site.conftest import DESKTOP, IDLE, PHONE, TOUCH, Visit, Watch, reader
from tests.site.links import Published
from tests.site.pages import EQUATIONS, FOLDERS, NOT_FOUND, modules
from tests.site.test_in_browser import EACH_LANGUAGE, KINDS

WIDTHS = (390, 768, 1440)
# One page of each kind that has controls over it, or is long.
PLACES = [path for path in KINDS if path not in ("path/", "measured/", "training/")]

# The font of a reader may be wider than ours. Among the usual ones, these are widest.
OUTSIDE = """all => all.flatMap(svg => {
    svg.style.fontFamily = "Verdana, 'DejaVu Sans'";
    // Around a plot, whose labels may be longer in another language, there is room.
    const all = (svg.closest(".lit-plot > div") ?? svg).getBoundingClientRect();
    return [...svg.querySelectorAll("text")].filter(text => {
        const box = text.getBoundingClientRect();
        return box.width && (box.left < all.left - 1 || box.right > all.right + 1
            || box.top < all.top - 1 || box.bottom > all.bottom + 1);
    }).map(text => text.textContent);
})"""


@EACH_LANGUAGE
def test_no_text_of_a_drawing_is_cut_off(
    browser: Browser, home: str, folder: str, published: Published
) -> None:
    others = tuple(one for one in FOLDERS if one and one != folder)
    paths = [
        path
        for path, page in published.pages.items()
        if path.startswith(folder)
        and not path.startswith(others)
        and page.xpath("//figure//*[local-name()='svg']")
    ]
    assert len(paths) > 9
    found = []
    # Without scripts, the pictures of interactive figures are shown too.
    with reader(browser, Watch(home), *DESKTOP, java_script_enabled=False) as context:
        page = context.new_page()
        for path in paths:
            page.goto(home + path)
            words = page.eval_on_selector_all("figure svg", OUTSIDE)
            found += [f"{path}: {one}" for one in words]
    assert found == []


# The letters of a drawing as they are seen, on a phone.
SMALL = """all => all.flatMap(text => {
    const size = parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
    return size < 10.9 ? [`${text.textContent.trim()} ${size.toFixed(1)}`] : [];
})"""


# A line of code has a length of its own: its picture scrolls.
SCROLLS = """all => all.filter(e => e.scrollWidth > e.clientWidth + 1
    && !e.textContent.includes("def "))
    .map(e => e.textContent.trim().slice(0, 60))"""


def test_letters_of_drawings_can_be_read_on_a_phone_and_none_has_to_scroll(
    browser: Browser, home: str, published: Published
) -> None:
    paths = [
        path
        for path, page in published.pages.items()
        if not path.startswith(tuple(one for one in FOLDERS if one))
        and page.xpath("//figure/*[local-name()='svg']")
    ]
    assert len(paths) > 9
    found, wide = [], []
    with reader(browser, Watch(home), 390, 844, **TOUCH) as context:
        page = context.new_page()
        for path in paths:
            page.goto(home + path)
            page.evaluate(IDLE)
            page.add_style_tag(content="* { content-visibility: visible !important; }")
            page.eval_on_selector_all("article details", OPEN)
            wide += page.eval_on_selector_all("figure:has(> svg)", SCROLLS)
            small = page.eval_on_selector_all("figure > svg text", SMALL)
            found += [f"{path}: {one}" for one in small]
            if page.evaluate("document.documentElement.scrollWidth") > 390:
                wide.append(path)
    assert (found, wide) == ([], [])


def test_no_chart_is_alone_in_half_a_row_and_letters_have_one_size(
    visit: Visit,
) -> None:
    page = visit("measured/")
    sizes = page.eval_on_selector_all(
        ".lit-charts svg text",
        "all => all.map(e => Math.round(14 * e.getScreenCTM().a))",
    )
    assert len(sizes) > 50
    assert len({*sizes}) == 1
    alone = page.eval_on_selector_all(
        ".lit-charts > *",
        """all => all.filter(e => {
            const box = e.getBoundingClientRect();
            const row = [...e.parentElement.children].filter(
                one => one.getBoundingClientRect().top === box.top);
            return row.length === 1 && box.width < e.parentElement.clientWidth - 1;
        }).map(e => e.textContent.trim().slice(0, 60))""",
    )
    assert alone == []


def test_matrices_fit_the_page_and_touch_nothing(visit: Visit) -> None:
    page = visit("papers/transformer_xl/")
    page.eval_on_selector_all("article details", OPEN)
    found = page.eval_on_selector_all(
        "article details .katex-display:has(.mtable)",
        """all => all.map(e => [e.scrollWidth <= e.clientWidth + 1,
            [...e.querySelectorAll(":is(.delimsizing, .delimcenter) + .mtable")]
                .every(one => parseFloat(getComputedStyle(one).marginLeft) > 2),
            [...e.querySelectorAll(".mtable .mtable")]
                .map(one => one.getBoundingClientRect())
                .every((box, n, all) => !n || box.left > all[n - 1].right
                    || box.top > all[n - 1].bottom + 10)])""",
    )
    assert len(found) > 3
    assert found == [[True] * 3] * len(found)


def test_drawings_and_figures_of_an_introduction_have_one_place(visit: Visit) -> None:
    page = visit("models/transformer_xl/")
    places = page.eval_on_selector_all(
        ".lit-intro figure",
        """all => all.filter(e => e.checkVisibility()).map(e => {
            const own = e.firstElementChild.shadowRoot?.querySelector(".stage") ?? e;
            const box = own.getBoundingClientRect();
            return [Math.round(box.left), Math.round(box.right)];
        })""",
    )
    assert len(places) > 1
    assert places == [places[0]] * len(places)


def test_no_equation_has_to_scroll_on_a_wide_screen(visit: Visit) -> None:
    page = visit(EQUATIONS)
    page.add_style_tag(content="* { content-visibility: visible !important; }")
    wide = page.eval_on_selector_all(
        ".lit-equation",
        """all => all.filter(e => {
            const one = e.querySelector(".katex-display");
            return one.scrollWidth > one.clientWidth + 1;
        }).map(e => e.parentElement.id)""",
    )
    assert wide == []


def test_each_stop_of_the_path_has_its_picture_beside_its_words(visit: Visit) -> None:
    """On a phone above them, and never wider than its frame."""
    for size in (DESKTOP, PHONE):
        rows = visit("path/", size).eval_on_selector_all(
            ".lit-stops li",
            """all => all.map(stop => {
                const box = one => stop.querySelector(one).getBoundingClientRect();
                const [frame, drawn, words] = ["figure", "svg", "p"].map(box);
                return [frame.right <= words.left, frame.bottom <= words.top,
                    drawn.right <= frame.right, words.width > 200];
            })""",
        )
        assert len(rows) > 10
        assert rows == [[size == DESKTOP, size == PHONE, True, True]] * len(rows)


def test_tables_of_many_columns_fit_a_wide_screen(visit: Visit) -> None:
    page = visit("measured/")
    wide = page.eval_on_selector_all(
        ".md-typeset__scrollwrap",
        """all => all.filter(e => e.scrollWidth > e.clientWidth + 1)
            .map(e => e.textContent.trim().slice(0, 60))""",
    )
    assert wide == []


# Neighbours in a row of a table that nearly touch, and numbers parted from their units.
CLOSE = """all => all.flatMap(row => {
    const range = document.createRange();
    const boxes = [...row.cells].map(cell => {
        range.selectNodeContents(cell);
        return [...range.getClientRects()].filter(box => box.width > 1);
    });
    return [...row.cells].filter((cell, n) => {
        const [own, next = []] = boxes.slice(n, n + 2);
        const high = Math.max(...own.map(box => box.bottom))
            - Math.min(...own.map(box => box.top));
        const end = Math.max(...own.map(box => box.right));
        return cell.matches("td[style*=right]") && own.length && high > 26
            || own.length && next.some(box => box.left - end < 6);
    }).map(cell => `${cell.textContent} in ${row.textContent.trim()}`.slice(0, 60));
})"""


def test_columns_of_a_table_are_apart_on_a_phone(
    browser: Browser, home: str, published: Published
) -> None:
    paths = [
        path
        for path, page in published.pages.items()
        if not path.startswith(tuple(one for one in FOLDERS if one))
        and page.xpath("//article//table[not(@data-cards)]")
    ]
    assert len(paths) > 15
    found = []
    with reader(browser, Watch(home), *PHONE, **TOUCH) as context:
        page = context.new_page()
        for path in paths:
            page.goto(home + path)
            page.add_style_tag(content="* { content-visibility: visible !important; }")
            page.eval_on_selector_all("article details", OPEN)
            close = page.eval_on_selector_all(
                "article table:not([data-cards], [class], figure *) tr", CLOSE
            )
            found += [f"{path}: {one}" for one in close]
    assert found == []


@EACH_LANGUAGE
def test_charts_and_tables_of_the_experiments_fit_a_phone(
    browser: Browser, home: str, folder: str
) -> None:
    with reader(browser, Watch(home), *PHONE, **TOUCH) as context:
        page = context.new_page()
        page.goto(f"{home}{folder}experiments/")
        page.evaluate(IDLE)
        wide = page.eval_on_selector_all(
            ".md-typeset__scrollwrap, figure:has(> svg)",
            """all => all.filter(e => e.scrollWidth > e.clientWidth + 1)
                .map(e => e.textContent.trim().slice(0, 60))""",
        )
    assert wide == []


# The formulas of a page whose parts end a line within brackets: what each line has.
ALGORITHM = """all => all.map(formula => {
    const tops = [...formula.querySelectorAll(".katex-html > .katex-base")]
        .map(part => Math.round(part.getBoundingClientRect().bottom / 8));
    return [formula.textContent.slice(0, 30), new Set(tops).size];
})"""


def test_a_line_of_an_algorithm_has_its_shape_in_one_piece_on_a_phone(
    visit: Visit,
) -> None:
    page = visit("papers/compressive_transformer/", PHONE, **TOUCH)
    page.add_style_tag(content="* { content-visibility: visible !important; }")
    page.eval_on_selector_all("article details", OPEN)
    lines = page.eval_on_selector_all(".lit-formula > .katex-display", ALGORITHM)
    assert len(lines) > 9
    assert [line for line in lines if line[1] > 2] == []


def test_the_options_of_a_command_stay_whole_on_a_phone(visit: Visit) -> None:
    page = visit("train/", PHONE, **TOUCH)
    lines = page.eval_on_selector_all(
        "td code .lit-whole",
        "all => all.map(e => [e.textContent, e.getClientRects().length])",
    )
    assert ["--sweep-memory", 1] in lines
    assert {count for _, count in lines} == {1}


def test_on_a_phone_links_reach_rows_that_are_laid_out_later(
    visit: Visit,
) -> None:
    page = visit("models/relative_attention/", PHONE, **TOUCH)
    waits = """all => all.map(e => !e.firstElementChild.checkVisibility(
        {contentVisibilityAuto: true}))"""
    assert page.eval_on_selector_all(".lit-block", waits)[-3]
    id = page.eval_on_selector_all(".lit-block[id]", "all => all.at(-3).id")
    page.goto(f"{page.url.split('#')[0]}#{id}")
    page.evaluate(IDLE)
    top = page.locator(f"[id='{id}']").evaluate("e => e.getBoundingClientRect().top")
    assert 40 < top < 80


def test_the_script_of_the_theme_does_not_restyle_pages(visit: Visit) -> None:
    """Another class of the root would style each element of the page once more."""
    page = visit("models/memory/")
    written = page.evaluate(
        """fetch(location.href).then(answer => answer.text()).then(
            text => text.match(/className = "([^"]*)"/)[1])"""
    )
    assert page.locator("html").get_attribute("class") == written


def test_the_key_of_an_equation_is_copied_with_one_press(visit: Visit) -> None:
    page = visit(EQUATIONS)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    equation = page.locator("[id='txl.memory']")
    equation.hover()
    equation.get_by_role("button", name="Copy").click()
    assert page.evaluate("navigator.clipboard.readText()") == "txl.memory"


def test_the_longest_paper_is_no_longer_than_twelve_screens(visit: Visit) -> None:
    page = visit("papers/transformer_xl/")
    page.add_style_tag(content="* { content-visibility: visible !important; }")
    page.evaluate(IDLE)
    for figure in page.locator(".lit-touched").all():  # a figure is drawn when near
        figure.scroll_into_view_if_needed()
    page.evaluate(IDLE)
    assert page.evaluate("document.documentElement.scrollHeight") <= 11_000


def test_labels_of_table_cards_repeat_each_header_once(
    browser: Browser, home: str
) -> None:
    with reader(browser, Watch(home), 390, 844, **TOUCH) as context:
        page = context.new_page()
        page.goto(home + "papers/compressive_transformer/")
        page.evaluate(IDLE)
        labels = page.eval_on_selector_all(
            "[data-cards] td", "all => all.map(cell => cell.dataset.label)"
        )
    assert "how it computes one slot from c states" in [
        " ".join(one.split()) for one in labels
    ]


# What lies over a page, and is no part of the row of code that it belongs to.
COVERED = """() => {
    const boxes = [];
    const walk = document.createTreeWalker(document.querySelector("main"), 4);
    while (walk.nextNode()) {
        const holder = walk.currentNode.parentElement;
        if (!walk.currentNode.data.trim() || !holder.checkVisibility()
            || holder.closest(".katex, script, style, svg")) continue;
        const range = document.createRange();
        range.selectNodeContents(walk.currentNode);
        for (const box of range.getClientRects()) boxes.push([box, holder]);
    }
    // What is beside the page stays there while the page scrolls.
    for (const bar of document.querySelectorAll(".md-sidebar__inner")) {
        if (!bar.checkVisibility()) continue;
        const { left, right } = bar.getBoundingClientRect();
        boxes.push([{ left, right, top: 0, bottom: Infinity }, bar]);
    }
    const over = "main :is(a, button, summary, input, label)";
    const free = e => /absolute|fixed/.test(getComputedStyle(e).position);
    return [...document.querySelectorAll(over)]
        .filter(e => free(e) && e.checkVisibility())
        .flatMap(e => {
            const { left, right, top, bottom } = e.getBoundingClientRect();
            const own = matchMedia("(hover: hover)").matches ? e.parentElement : e;
            return boxes.filter(([box, holder]) => !own.contains(holder)
                && !holder.contains(e)
                && box.left < right - 1 && box.right > left + 1
                && box.top < bottom - 1 && box.bottom > top + 1)
                .map(([, holder]) => `${e.className} over ${holder.textContent.trim()}`
                    .slice(0, 80));
        });
}"""
# A control that scrolls into sight is reached, and so is what only a reader is told.
LOST = """() => [...document.querySelectorAll("a, button, summary, input, label")]
    .filter(e => e.checkVisibility({ visibilityProperty: true }))
    .filter(e => {
        const { left, right, width, height } = e.getBoundingClientRect();
        for (let box = e; box !== document.body; box = box.parentElement) {
            const { overflowX, clipPath } = getComputedStyle(box);
            if (/auto|scroll|hidden|clip/.test(overflowX) || clipPath !== "none"
                || box.matches(".md-sidebar, .md-search")) return false;
        }
        return width > 1 && height > 1 && (left < -1 || right > innerWidth + 1);
    }).map(e => `${e.className} ${e.textContent.trim()}`.slice(0, 60))"""
ALL_LAID_OUT = "* { content-visibility: visible !important; }"
OPEN = """all => all.forEach(menu => { menu.open = true; })"""
CONTENTS = ".md-sidebar--secondary .md-nav__link, .lit-contents > summary"
SEEN = "all => all.some(e => e.checkVisibility({ visibilityProperty: true }))"


def sized(
    browser: Browser, home: str, widths: Sequence[int], paths: Sequence[str]
) -> Iterator[tuple[str, Page]]:
    """Each page at each width; the narrow screens are touched."""
    touched = [wide for wide in widths if wide < 1000]
    others = [wide for wide in widths if wide >= 1000]
    for widths, touch in ((touched, TOUCH), (others, dict[str, Any]())):
        if not widths:
            continue
        with reader(browser, Watch(home), widths[0], 900, **touch) as context:
            page = context.new_page()
            for path in paths:
                page.goto(home + path)
                # A row that waits has its own height only when it is near the screen.
                page.add_style_tag(content=ALL_LAID_OUT)
                for wide in widths:
                    page.set_viewport_size({"width": wide, "height": 900})
                    page.evaluate(IDLE)
                    yield f"{path} at {wide}", page


@EACH_LANGUAGE
def test_no_control_covers_text_or_is_outside_the_screen(
    browser: Browser, home: str, folder: str
) -> None:
    found = []
    # Another language changes what fits a phone, and hardly a wide screen.
    widths = WIDTHS[:1] if folder else WIDTHS
    for where, page in sized(browser, home, widths, [folder + p for p in PLACES]):
        found += [f"{where}: {one}" for one in page.evaluate(COVERED)]
        page.eval_on_selector_all(".lit-menu", OPEN)
        found += [f"{where}: {one} is off" for one in page.evaluate(LOST)]
        long = page.evaluate("document.body.scrollHeight > 3 * innerHeight")
        is_home = where.startswith(f"{folder} at")
        shown = page.eval_on_selector_all(CONTENTS, SEEN)
        if long and not (shown or is_home or NOT_FOUND in where):
            found.append(f"{where}: no contents")
    assert found == []


# How much of a half of a row is empty while the other one goes on.
EMPTY = """() => [...document.querySelectorAll(".lit-block")]
    .filter(row => !row.matches(".lit-intro, .lit-stacked"))
    .map(row => {
        const [note, side, below] = row.children;
        const end = (note.lastElementChild ?? note).getBoundingClientRect().bottom;
        // What is folded below the code fills its half, however little it shows.
        const shown = below?.open ? below : below?.firstElementChild;
        const code = (shown ?? side).getBoundingClientRect().bottom;
        return [row.id, Math.round(Math.abs(end - code))];
    }).filter(([, empty]) => empty > 120)"""


def test_no_row_has_an_empty_half(browser: Browser, home: str) -> None:
    found = []
    # So high that nothing sticks.
    with reader(
        browser, Watch(home), DESKTOP[0], 30_000, java_script_enabled=False
    ) as context:
        page = context.new_page()
        for path in (folder + path for folder in FOLDERS for path in modules()):
            page.goto(home + path)
            found += [(path, *one) for one in page.evaluate(EMPTY)]
    assert found == []


# The ends of paragraphs whose last line is one letter with its sign.
ALONE = """all => all.filter(e => e.checkVisibility() && !e.querySelector("p, ul"))
    .map(e => {
        const range = document.createRange();
        range.selectNodeContents(e);
        const boxes = [...range.getClientRects()].filter(box => box.width > 1);
        const bottom = Math.max(...boxes.map(box => box.bottom));
        const last = boxes.filter(box => box.bottom > bottom - 12);
        const start = Math.min(...last.map(box => box.left));
        const wide = Math.max(...last.map(box => box.right)) - start;
        return [wide, e.offsetHeight, e.textContent.trim().slice(-9)];
    }).filter(([wide, high]) => high > 40 && wide < 36).map(found => found[2])"""


def test_paragraphs_do_not_end_with_a_line_of_one_letter_on_a_phone(
    browser: Browser, home: str
) -> None:
    found = []
    silent = {"java_script_enabled": False}
    with reader(browser, Watch(home), 390, 844, **silent, **TOUCH) as context:
        page = context.new_page()
        for folder in ("ja/", "zh/"):
            for path in ("live/", "train/"):
                page.goto(f"{home}{folder}{path}")
                found += page.eval_on_selector_all("article :is(p, li)", ALONE)
    # A long name in code before the end may leave no other place for a line to end.
    assert len(found) < 3, found


# Where each table ends, and what is below it begins.
AFTER = """all => all.map(table => {
    const box = table.closest(".md-typeset__scrollwrap") ?? table;
    const next = box.nextElementSibling;
    const bottom = table.getBoundingClientRect().bottom;
    return [table.offsetWidth, table.offsetHeight,
        next && Math.round(next.getBoundingClientRect().top - bottom)];
})"""


def test_what_is_below_a_table_stays_where_it_is_when_scripts_run(
    browser: Browser, home: str
) -> None:
    """The theme's script puts each table into a box, once the page is on the screen."""
    for path in ("measured/", "growing/", "annotate/"):
        found = []
        for scripts in (False, True):
            with reader(
                browser, Watch(home), 1350, 940, java_script_enabled=scripts
            ) as context:
                page = context.new_page()
                page.goto(home + path)
                page.wait_for_load_state("networkidle")
                found.append(page.eval_on_selector_all("table:not([class])", AFTER))
        assert found[0] == found[1] != [], path


# How far what is on the screen moves by itself, in the unit of the web vitals.
MOVED = """() => new Promise(done => new PerformanceObserver(list => done(
    list.getEntries().reduce((sum, one) => sum + one.value, 0)
)).observe({ type: "layout-shift", buffered: true }) || setTimeout(done, 500, 0))"""


def test_nothing_moves_while_a_page_loads_slowly(browser: Browser, home: str) -> None:
    found = {}
    for path in ("reading/", "growing/", "train/", "models/memory/"):
        with reader(browser, Watch(home), 1350, 940) as context:
            page = context.new_page()
            # As slow as a line at home, so that the page is seen before its scripts.
            line = context.new_cdp_session(page)
            line.send("Network.enable")
            speed = {"downloadThroughput": 1_200_000, "uploadThroughput": 600_000}
            line.send(
                "Network.emulateNetworkConditions",
                {"offline": False, "latency": 40, **speed},
            )
            page.goto(home + path)
            page.wait_for_load_state("networkidle")
            if (moved := page.evaluate(MOVED)) > 0.004:
                found[path] = moved
    assert found == {}


# A heading of Chinese that ends a line between two characters of Han.
DIVIDED = """all => all.flatMap(heading => {
    const text = document.createTreeWalker(heading, 4).nextNode(), found = [];
    let last = 0;
    for (let i = 0; i < text.length; i++) {
        const range = document.createRange();
        range.setStart(text, i);
        range.setEnd(text, i + 1);
        const { top } = range.getBoundingClientRect();
        const two = text.data.slice(i - 1, i + 1);
        if (i && top > last + 8 && /^[\u4e00-\u9fff]{2}$/.test(two)) found.push(two);
        last = top;
    }
    return found;
})"""


def test_headings_and_summaries_of_chinese_are_not_divided_within_words_on_a_phone(
    browser: Browser, home: str
) -> None:
    found = []
    heads = "article :is(h1, h2, details:not(.lit-given) > summary)"
    with reader(browser, Watch(home), 390, 844, **TOUCH) as context:
        page = context.new_page()
        for path in (
            "experiments/",
            "models/fast/attention/",
            "models/memory/",
            "papers/compressive_transformer/",
        ):
            page.goto(f"{home}zh/{path}")
            found += page.eval_on_selector_all(heads, DIVIDED)
    assert found == []


def test_the_lines_of_a_card_begin_below_each_other(visit: Visit) -> None:
    for path in ("train/", "papers/introduction/", "papers/transformer_xl/"):
        page = visit(path, PHONE, **TOUCH)
        page.evaluate(IDLE)
        begins = page.eval_on_selector_all(
            "[data-cards]",
            """all => all.map(table => [...table.querySelectorAll("td:not(:empty)")]
                .map(cell => cell.getBoundingClientRect().left
                    + parseFloat(getComputedStyle(cell).paddingLeft)))""",
        )
        assert begins
        assert [one for one in begins if max(one) - min(one) > 1] == [], path
