"""Interactive figures: used with a pointer, a finger, keys, or without any script.

They stand on a small site of their own, with the figure that the page on annotating
tells how to make. Below a folder, as the pages of a project are; and on a disk.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from labml_txl.literate.markdown.inline import scan
from labml_txl.literate.project.inventory import figure_messages
from labml_txl.literate.sources.source import Source
from tests.literate.small import THEME, must_build, write
from tests.literate.translations import po
from tests.site.conftest import (
    CONTRAST,
    DESKTOP,
    PHONE,
    colours,
    opened,
    violations,
    width,
)
from tests.site.served import served
from tests.site.test_layout import SHIFTS

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "labml_txl" / "figures"
HOST = "https://models.example.org"
SETTINGS = f"""\
site_name: To touch
{THEME}plugins:
  - literate:
      figures: [figures, docs/figures/live]
      connect: {{own.md: [{HOST}]}}
"""
NAMES = [file.stem for file in sorted(FIGURES.glob("*.svg"))]
PAGES = {f"docs/{n}.md": f"# It\n\nWords.\n\n![It.](figure:{n})\n" for n in NAMES}
LANGUAGE = 'name = "日本語"\nenglish = "Japanese"\ntag = "ja"\ntheme = "ja"\n'


def told() -> dict[str, str]:
    """The figure and the page that `docs/annotate.md` shows, as they stand there."""
    text = (ROOT / "docs/annotate.md").read_text(encoding="utf-8")
    part = text.partition("## Interactive figures")[2].partition("\n## ")[0]
    blocks = dict(re.findall(r"```(\w+)\n(.*?)```", part, re.DOTALL))
    return {
        "docs/figures/live/slots.svg": blocks["xml"],
        "docs/figures/live/slots.js": blocks["js"],
        "docs/index.md": f"# Slots\n\n{blocks['md']}",
    }


def in_greek(message: str) -> str:
    """A message whose letters are Greek, but for code, formulas and names in braces."""
    letters = str.maketrans({chr(97 + n): chr(0x3B1 + n % 17) for n in range(26)})

    changed = ""
    for piece in scan(message):
        parts = re.split(r"(\{\w+\})", piece.raw)
        if piece.kind == "text":
            parts[::2] = [part.lower().translate(letters) for part in parts[::2]]
        changed += "".join(parts)
    return changed


def translated(name: str) -> str:
    """The catalog of a figure, in which all of its labels are in Greek letters."""
    drawing = FIGURES / f"{name}.svg"
    labels = figure_messages(Source(name, drawing.read_text(encoding="utf-8")))
    return po("el", {label.text: in_greek(label.text) for label in labels})


def published(root: Path) -> Path:
    """A site with each figure on a page of its own, below a folder."""
    files = {f"figures/{file.name}": file.read_bytes() for file in FIGURES.iterdir()}
    models = "docs/observations/models"
    files |= {
        f"{models}/{file.name}": file.read_bytes() for file in (ROOT / models).iterdir()
    }
    locale = {"docs/locale/ja/language.toml": LANGUAGE}
    words = po("ja", {"Play": "再生"})
    locale |= {f"docs/locale/ja/figures/{name}.po": words for name in NAMES}
    locale |= {"docs/locale/el/language.toml": 'name = "Ελληνικά"\n'}
    locale |= {f"docs/locale/el/figures/{name}.po": translated(name) for name in NAMES}
    own = f'# Own\n\n<txl-model src="{HOST}/model.json"></txl-model>\n'
    plain = {"mkdocs.yml": SETTINGS, "docs/plain.md": "# None\n\nNo figure.\n"}
    plain["docs/own.md"] = own
    write(root, files, told(), PAGES, locale, plain)
    done = must_build(root, "--site-dir", str(root / "web" / "below"))
    # This site annotates no code, which the engine remarks.
    warned = [line for line in done.stderr.splitlines() if line.startswith("WARNING")]
    assert [line for line in warned if "no Python file gets a page" not in line] == []
    return root / "web"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return published(tmp_path_factory.mktemp("touch"))


class Shown(NamedTuple):
    """A browser, and the address of the site."""

    context: BrowserContext
    home: str

    def open(self, path: str) -> Page:
        page = self.context.new_page()
        page.add_init_script(SHIFTS)
        page.goto(self.home + path)
        return page


@pytest.fixture(scope="module")
def shown(folder: Path, browser: Browser) -> Iterator[Shown]:
    with served(folder) as address, opened(browser, f"{address}below/") as page:
        yield Shown(page.context, f"{address}below/")


def figure(page: Page) -> Any:
    return page.locator("figure.lit-touched > :first-child")


def focused(page: Page) -> str:
    """What has the focus, wherever it stands."""
    return str(
        page.evaluate(
            """() => { let e = document.activeElement;
            while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
            return `${e.tagName} ${e.className} ${e.ariaLabel ?? e.textContent}`; }"""
        )
    )


def test_the_figure_of_the_page_on_annotating_works_and_words_are_translated(
    shown: Shown,
) -> None:
    page = shown.open("")
    says = figure(page).locator(".says")
    expect(says).to_have_text("They stand for 12 tokens.")
    page.keyboard.press("Tab")
    figure(page).get_by_role("slider", name="Slots").press("ArrowRight")
    expect(says).to_have_text("They stand for 15 tokens.")
    # Where a word is translated, it is in the language of the page.
    page = shown.open("ja/relative-shift/")
    expect(figure(page).locator(".go .play")).to_have_text("再生")
    expect(figure(page).locator(".go .next")).to_have_text("Next")


# The texts that a figure shows or has read aloud, but for those in a monospaced font,
# which are code or data.
TEXTS = """root => {
    const found = [], names = ["aria-label", "aria-valuetext", "title", "placeholder"];
    for (const one of root.shadowRoot.querySelectorAll(".stage, .stage *")) {
        if (one.localName === "style" || /mono/.test(getComputedStyle(one).fontFamily))
            continue;
        const own = [...one.childNodes].filter(n => n.nodeType === 3);
        found.push(...own.map(n => n.data), ...names.map(n => one.getAttribute(n)));
    }
    return found.filter(text => text && /[A-Za-z]{3}/.test(text));
}"""


@pytest.mark.parametrize("name", NAMES)
def test_every_word_of_a_figure_can_be_translated(shown: Shown, name: str) -> None:
    """Single words too: where each label is in Greek letters, none is left in Latin."""
    page = shown.open(f"el/{name}/")
    root = figure(page)
    expect(root.locator(".stage")).to_be_visible()
    page.wait_for_load_state("networkidle")
    left = {*root.evaluate(TEXTS)}
    for button in root.locator(".player li button").all():
        button.click()
        left |= {*root.evaluate(TEXTS)}
    for radio in root.get_by_role("radio").all():
        radio.check(force=True)
        left |= {*root.evaluate(TEXTS)}
    if name == "live":
        # The model fills the parts that are folded.
        root.locator("details").evaluate_all("all => all.map(e => { e.open = true; })")
        root.locator(".do").click()
        expect(root.locator(".heads li").first).to_be_visible(timeout=60_000)
        left |= {*root.evaluate(TEXTS)}
    # Names, letters of formulas, and the tokens of a text that a model has read.
    data = FIGURES / f"{name}.json"
    tokens = data.read_text(encoding="utf-8") if data.is_file() else ""
    numbers = FIGURES / f"{name}.mjs"
    if numbers.is_file():
        tokens += " ".join(re.findall('"(.*?)"', numbers.read_text(encoding="utf-8")))
    names = {"Transformer-XL", "Compressive Transformer", "ncm"}
    bare = {re.sub("|".join(names), "", text) for text in left}
    assert {t for t in bare if re.search("[A-Za-z]{3}", t) and t not in tokens} == set()


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_fits_its_place_from_the_start_and_in_every_step(
    shown: Shown, name: str
) -> None:
    """Nothing moves while it loads, and each step has its words."""
    page = shown.open("plain/")
    for wide, high in (DESKTOP, (900, 900), PHONE):
        page.set_viewport_size({"width": wide, "height": high})
        page.goto(f"{shown.home}{name}/")
        expect(figure(page).locator(".stage")).to_be_visible()
        page.wait_for_load_state("networkidle")
        assert wide == 900 or page.evaluate("shifts") < 0.0005
        assert width(page) <= wide
        # The height that was kept free is enough in every step, and hardly more.
        steps = figure(page).locator(".player li button").all()
        stage = figure(page).locator(".stage")
        heights = [stage.bounding_box()["height"]]
        for step in steps:
            step.click()
            heights.append(stage.bounding_box()["height"])
            assert step.evaluate(CUT) == [False, "clip"], (wide, step.inner_text())
        free = figure(page).evaluate("e => parseFloat(getComputedStyle(e).minHeight)")
        assert free - max(heights) >= 0, (wide, free, heights)
        assert wide == 900 or free - max(heights) < 80, (wide, free, heights)
        # On a phone only the step that is shown has its words.
        size = "e => getComputedStyle(e).fontSize"
        worded = [step for step in steps if step.evaluate(size) != "0px"]
        assert len(worded) == (min(1, len(steps)) if wide == PHONE[0] else len(steps))


# The rows of the regions of each queue, and what is free below them.
ROWS = """figure => [...figure.shadowRoot.querySelectorAll(".slots")]
    .filter(slots => slots.children.length)
    .map(slots => {
        const boxes = [...slots.children].map(e => e.getBoundingClientRect());
        const regions = [...slots.querySelectorAll(".region")];
        const tops = new Set(regions.map(e => e.getBoundingClientRect().top));
        const end = Math.max(...boxes.map(box => box.bottom));
        return [tops.size, slots.getBoundingClientRect().bottom - end];
    })"""


@pytest.mark.parametrize("name", ["compressed-queue", "memory-steps"])
def test_on_a_phone_a_queue_is_one_row_without_a_blank_below(
    shown: Shown, name: str
) -> None:
    page = shown.open(f"{name}/")
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    for step in figure(page).locator(".player li button").all():
        step.click()
        for rows, free in figure(page).evaluate(ROWS):
            assert rows == 1
            assert free < 24


def test_five_sliders_are_never_four_and_one(shown: Shown) -> None:
    page = shown.open("how-far/")
    figure(page).locator(".tries button").last.click()
    dials = figure(page).locator(".dial")
    for wide in (1440, 900, 768):
        page.set_viewport_size({"width": wide, "height": 900})
        tops = dials.evaluate_all(
            "all => all.map(e => Math.round(e.getBoundingClientRect().bottom))"
        )
        assert len(tops) == 5
        assert min(map(tops.count, tops)) > 1, wide


DIALS = """figure => {
    const of = (e) => e.getBoundingClientRect();
    const shown = [...figure.shadowRoot.querySelectorAll(".dial")]
        .filter(e => e.checkVisibility());
    return { right: of(figure.shadowRoot.querySelector(".stage")).right,
        dials: shown.map(e => [of(e).top, of(e).right,
            of(e.querySelector("span")).height]) };
}"""


@pytest.mark.parametrize("name", ["compressed-queue", "how-far", "positions"])
def test_sliders_take_the_width_of_their_figure_and_have_labels_of_one_line(
    shown: Shown, name: str
) -> None:
    page = shown.open(f"{name}/")
    for wide in (1920, 1440, 390):
        page.set_viewport_size({"width": wide, "height": 900})
        found = figure(page).evaluate(DIALS)
        ends: dict[float, float] = {}
        for top, right, label in found["dials"]:
            ends[top] = max(right, ends.get(top, 0))
            assert label < 30, wide
        assert ends
        assert all(found["right"] - right < 30 for right in ends.values()), wide


@pytest.mark.parametrize("name", ["relative-shift", "four-terms", "compressed-queue"])
def test_on_a_phone_what_one_presses_stays_in_sight(shown: Shown, name: str) -> None:
    page = shown.open(f"{name}/")
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    stage = figure(page).locator(".stage")
    stage.evaluate("e => scrollBy(0, e.getBoundingClientRect().bottom - 600)")
    expect(figure(page).locator(".player, .sticks")).to_be_in_viewport(ratio=1)


# The live page has its own arrangement, and the first page no controls but one.
FRAMED = [name for name in NAMES if name not in ("live", "next-letter")]
# From the first control to the end of the last picture, and the smallest letters.
PICTURES = ".net, .table, .grid, .row, .queue, .strip, .maps, .part, .terms"
HIGH = f"""figure => {{
    const within = figure.shadowRoot, first = within.querySelector(".tries, .player");
    const ends = [...within.querySelectorAll("{PICTURES}")]
        .map(e => e.getBoundingClientRect().bottom);
    return Math.max(...ends) - first.getBoundingClientRect().top;
}}"""
LETTERS = """figure => Math.min(...[...figure.shadowRoot.querySelectorAll(".stage *")]
    .filter(e => !e.closest("sub, sup") && e.checkVisibility()
        && [...e.childNodes].some(c => c.nodeType === 3 && c.data.trim()))
    .map(e => parseFloat(getComputedStyle(e).fontSize)).filter(Boolean))"""
# What is written left of the title, but for what scrolls.
LEFT = """figure => {
    const range = document.createRange();
    const left = (e) => {
        range.selectNodeContents(e);
        return Math.min(...[...range.getClientRects()].map(box => box.left));
    };
    const from = left(figure.shadowRoot.querySelector(".top .title"));
    return [...figure.shadowRoot.querySelectorAll(".stage *")]
        .filter(e => !e.closest(".sticks, .maps, [type], .hint") && e.checkVisibility()
            && [...e.childNodes].some(c => c.nodeType === 3 && c.data.trim())
            && left(e) < from - 1)
        .map(e => `${e.className} ${e.textContent} ${left(e) - from}`);
}"""


@pytest.mark.parametrize("name", FRAMED)
def test_a_figure_has_a_title_cases_help_and_fits_a_screen(
    shown: Shown, name: str
) -> None:
    page = shown.open("plain/")
    page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    page.goto(f"{shown.home}{name}/")
    expect(figure(page).locator(".top .title")).not_to_be_empty()
    assert figure(page).evaluate(HIGH) <= 560
    hint, help_ = (figure(page).locator(of) for of in (".hint", ".help"))
    for open_ in (True, False):
        help_.press("Enter")
        expect(hint).to_be_visible(visible=open_)
        expect(help_).to_have_attribute("aria-expanded", f"{open_}".lower())
    # Each case shows something else, and the controls show what is chosen.
    stage, seen = figure(page).locator(".stage"), set()
    for case in figure(page).locator(".tries button").all():
        case.click()
        values = "e => [...e.querySelectorAll('input')].map(i => [i.value, i.checked])"
        seen.add(f"{stage.inner_text()} {stage.evaluate(values)}")
    cases = figure(page).locator(".tries button").count()
    assert len(seen) == cases
    assert cases > 1 or name == "derivation"
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    assert figure(page).evaluate(LETTERS) >= 11
    assert figure(page).evaluate(LEFT) == []


CUT = """e => [e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight,
    getComputedStyle(e).textOverflow]"""


def test_scripts_are_only_on_pages_that_need_them(folder: Path) -> None:
    site = folder / "below"
    texts = {f.parent.name: f.read_text("utf-8") for f in site.rglob("*.html")}
    for name in NAMES:
        script = f"assets/figures/{name}.js"
        assert {page for page, text in texts.items() if script in text} == {name}


def test_every_step_of_a_figure_is_accessible(shown: Shown, axe: str) -> None:
    found = []
    for name in NAMES:
        page = shown.open(f"{name}/")
        page.evaluate(axe)
        for scheme, rules in (("light", ()), ("dark", CONTRAST)):
            colours(page, scheme)
            steps = figure(page).locator(".player li button").all()
            for step in (steps[0], steps[-1]) if steps else ():
                step.click()
                found += [(name, scheme, one) for one in violations(page, *rules)]
            for radio in figure(page).get_by_role("radio").all()[1::2]:
                radio.check(force=True)
            found += [(name, scheme, one) for one in violations(page, *rules)]
        page.close()
    assert found == []


def test_keys_play_step_and_keep_the_focus(shown: Shown) -> None:
    page = shown.open("relative-shift/")
    steps = figure(page).locator(".player li")
    steps.first.locator("button").click()
    ahead = figure(page).locator(".go .next")
    for _ in range(steps.count() + 1):
        ahead.press("Enter")
        assert focused(page).startswith("BUTTON next")
    expect(ahead).to_have_attribute("aria-disabled", "true")
    for key, current in (("Shift", -1), ("p", -2), ("N", -1)):
        page.keyboard.press(key)
        expect(steps.nth(current)).to_have_attribute("aria-current", "step")
    play = figure(page).locator(".go .play")
    play.press("Enter")
    expect(play).to_have_text("Pause")
    expect(steps.first).to_have_attribute("aria-current", "step")
    page.keyboard.press("Escape")
    expect(play).to_have_text("Play")


# What they show is drawn, or a list.
NO_TABLE = {"live", "next-letter", "four-terms", "tell-wait-ask", "derivation"}
ONE_CHOSEN = {"how-far", "attention-reconstruction"}


@pytest.mark.parametrize("name", [n for n in NAMES if n not in NO_TABLE])
def test_a_table_is_one_tab_stop_and_a_key_moves_to_the_twin(
    shown: Shown, name: str
) -> None:
    page = shown.open(f"{name}/")
    tables = figure(page).locator("[role=grid], .slots")
    stops = [table.locator(".cell[tabindex='0']") for table in tables.all()]
    assert {stop.count() for stop in stops} == {1}
    stops[0].focus()
    before = focused(page)
    there, back = "ArrowRight", "ArrowLeft"
    if name == "how-far":  # The last token is chosen: nothing is at its right.
        there, back = back, there
    page.keyboard.press(there)
    assert focused(page) != before
    for key in (back, "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
    assert focused(page) == before
    assert figure(page).locator(".lit").count() >= (1 if name in ONE_CHOSEN else 2)
    page.keyboard.press("Enter")
    assert focused(page).startswith("BUTTON")


@pytest.mark.parametrize("name", ["how-far", "positions"])
def test_a_finger_chooses_the_nearest_cell_and_goes_on_while_it_moves(
    shown: Shown, name: str
) -> None:
    """A finger is wider than a cell, and may touch what is between two of them."""
    page = shown.context.new_page()
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.goto(f"{shown.home}{name}/")
    root = figure(page)
    cells = root.locator("[role=row]").last.locator(".cell")
    cells.first.scroll_into_view_if_needed()
    for kind, number in (("pointerdown", 7), ("pointermove", 6)):
        box = cells.nth(number).bounding_box()
        assert box
        # Just below the cell, where only the table is.
        place = {"clientX": box["x"] + box["width"] / 2 + 1, "clientY": box["y"] + 30}
        touch = {**place, "pointerType": "touch", "bubbles": True}
        root.locator(".net[role=grid]").dispatch_event(kind, touch)
        expect(cells.nth(number)).to_have_class(re.compile(r"\blit\b"))
    # The page scrolls when the finger moves down.
    style = "e => getComputedStyle(e).touchAction"
    assert root.locator(".net[role=grid]").evaluate(style) == "pan-y"


def test_hovering_a_number_highlights_its_twin(shown: Shown) -> None:
    page = shown.open("relative-shift/")
    figure(page).locator(".player li button").nth(4).click()
    figure(page).get_by_role("gridcell", name="query b, distance 1").hover()
    assert figure(page).locator(".lit").all_inner_texts() == ["b1", "b1"]
    title = figure(page).locator(".numbers .title")
    expect(title).to_have_text("b1: query b and key 2, 1 apart")
    # What is not there any more is not chosen.
    figure(page).locator(".player li button").first.click()
    figure(page).get_by_role("gridcell", name="query a, distance 4").click()
    expect(title).to_have_text("a4: in no column of a key")
    figure(page).locator(".player li button").nth(3).click()
    expect(figure(page).locator(".cell[tabindex='0']")).to_be_visible()


def test_both_models_are_told_a_fact_and_asked_for_it(shown: Shown) -> None:
    """What is recorded comes first; then the models run in the page."""
    page = shown.open("tell-wait-ask/")
    answers, says, status, where = (
        figure(page).locator(of)
        for of in (".answers", ".model .title", ".status", ".where")
    )
    expect(status).to_contain_text("Recorded")
    expect(says.last).to_contain_text("answers v7")
    figure(page).get_by_role("radio", name="v2").check(force=True)
    expect(status).to_be_empty(timeout=30_000)
    expect(says.last).to_contain_text("answers v2")
    expect(answers.last.locator(".right")).to_contain_text("v2")
    expect(where.first).to_contain_text("no memory any more")
    expect(where.last).to_contain_text("compressed slot")
    # The answer of who remembers exactly, as long as it remembers.
    figure(page).get_by_role("slider").press("Home")
    expect(status).to_be_empty(timeout=30_000)
    for model in (says.first, says.last):
        expect(model).to_contain_text("answers v2")


# What a finger touches in each figure, and what a reader changes, which then moves or
# is drawn anew. The models that run in the page have tests of their own.
STEP, RADIO, RANGE = (
    ".player li:nth-child(2) button",
    "input[type=radio] >> nth=1",
    "input[type=range] >> nth=0",
)
CHANGES = {
    "relative-shift": (".grid .cell >> nth=2", STEP, RADIO, RANGE),
    "compressed-queue": (".slots .cell >> nth=2", RADIO, STEP, RANGE),
    # Of these choices, the second one is made at first.
    "how-far": (".net .cell >> nth=30", "input[type=radio] >> nth=2", RANGE),
    "positions": (".cell >> nth=6", RANGE),
    "memory-steps": (".states .cell >> nth=1", ".player li:last-child button", RANGE),
    "derivation": (".player li:nth-child(4) button", ".player li:nth-child(5) button"),
    "worked-score": (".table .cell >> nth=8", RADIO),
    "four-terms": (".map.a canvas", "input[type=checkbox] >> nth=0", RANGE),
    "attention-reconstruction": (
        ".queries .cell >> nth=5",
        "input[type=radio] >> nth=0",
    ),
}
# Everything that moves: animations of style sheets, and what a script draws.
MOVES = """figure => {
    const parts = [...figure.shadowRoot.querySelectorAll("*")];
    const drawn = parts.filter(e => e.localName === "canvas").map(e => e.toDataURL());
    const at = parts.map(e => e.getBoundingClientRect().toJSON());
    const told = figure.shadowRoot.querySelector(".stage").innerHTML;
    const running = parts.flatMap(e => e.getAnimations({subtree: true}));
    return [running.length, JSON.stringify([drawn, at, told])];
}"""

# The same right after a change.
AT_ONCE = f"""part => {{
    if (part.type === "range") {{
        part.value = part.max;
        part.dispatchEvent(new Event("input"));
    }} else part.click();
    return ({MOVES})(part.getRootNode().host);
}}"""


@pytest.mark.parametrize("name", CHANGES)
def test_nothing_is_animated_with_reduced_motion(shown: Shown, name: str) -> None:
    page = shown.open(f"{name}/")
    page.emulate_media(reduced_motion="reduce")
    for change in CHANGES[name][1:]:
        before = figure(page).evaluate(MOVES)[1]
        # What is drawn at once is the end: it is the same when all frames have passed.
        running, now = figure(page).locator(change).first.evaluate(AT_ONCE)
        assert running == 0, change
        assert now != before, change
        page.wait_for_timeout(300)
        assert figure(page).evaluate(MOVES)[1] == now, change


@pytest.mark.parametrize("name", CHANGES)
def test_a_finger_chooses_and_switches(
    shown: Shown, browser: Browser, name: str
) -> None:
    with opened(browser, shown.home, f"{name}/", PHONE, has_touch=True) as page:
        stage = figure(page).locator(".stage")
        parts = [figure(page).locator(place).first for place in CHANGES[name][:2]]
        for part in parts:
            part.scroll_into_view_if_needed()
            box, before = part.bounding_box(), stage.inner_html()
            x, y = box["x"] + box["width"] - 4, box["y"] + box["height"] / 2
            page.touchscreen.tap(x, y)
            expect(stage).not_to_have_js_property("innerHTML", before)
        # A finger can still scroll the page over what it touches.
        action = parts[0].evaluate("e => getComputedStyle(e).touchAction")
        assert action in {"manipulation", "pan-y"}


def test_a_pair_of_the_terms_is_read_by_pointer_and_keys(shown: Shown) -> None:
    page = shown.open("four-terms/")
    pair = figure(page).locator(".pair")
    figure(page).get_by_role("checkbox").last.focus()
    page.keyboard.press("Tab")
    assert focused(page).startswith("CANVAS")
    page.keyboard.press("ArrowLeft")
    expect(pair).to_contain_text("5 tokens back")
    # One stop for all maps; each of them can be pointed at.
    assert figure(page).locator("canvas[tabindex='0']").count() == 1
    canvas = figure(page).locator(".map.c canvas")
    canvas.hover(position={"x": 1, "y": 3})
    expect(pair).to_contain_text("From the query ␣have␣a␣dau to the key ay,␣:")
    canvas.hover(position={"x": canvas.bounding_box()["width"] - 3, "y": 3})
    expect(pair).to_contain_text("it is hidden.")


def test_in_print_and_without_scripts_figures_are_pictures(
    shown: Shown, browser: Browser
) -> None:
    page = shown.open("relative-shift/")
    picture = page.get_by_role("img", name="It.")
    expect(picture).not_to_be_visible()
    page.emulate_media(media="print")
    expect(picture).to_be_visible()
    expect(figure(page).locator(".stage")).not_to_be_visible()
    way = shown.home, "relative-shift/"
    with opened(browser, *way, java_script_enabled=False) as page:
        high = "e => e.getBoundingClientRect().height"
        picture = page.get_by_role("img", name="It.").evaluate(high)
        # No place is kept free for what does not come.
        assert page.locator("figure.lit-touched").evaluate(high) <= picture + 1


def test_from_a_disk_figures_work_and_models_are_pictures(
    folder: Path, browser: Browser
) -> None:
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text))
    page.goto((folder / "below/relative-shift/index.html").as_uri())
    expect(figure(page).locator(".stage")).to_be_visible()
    page.goto((folder / "below/live/index.html").as_uri())
    expect(page.get_by_role("img", name="It.")).to_be_visible()
    expect(figure(page).locator(".says").first).to_contain_text("a local file")
    expect(figure(page).get_by_role("button")).to_have_count(0)
    page.close()
    assert errors == []
