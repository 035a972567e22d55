"""Figures that one can touch: with a pointer, a finger, keys, or without any script.

They stand on a small site of their own, with the figure that the page on annotating
tells how to make. Below a folder, as the pages of a project are; and on a disk.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.literate.small import build, write
from tests.site.conftest import (
    DESKTOP,
    PHONE,
    Watch,
    colours,
    reader,
    violations,
    width,
)
from tests.site.served import compressed, served
from tests.site.test_layout import SHIFTS

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "labml_txl" / "figures"
SETTINGS = """\
site_name: To touch
theme:
  name: material
  font: false
  palette:
    - media: "(prefers-color-scheme)"
      toggle: {icon: material/circle-half-full, name: System}
    - media: "(prefers-color-scheme: light)"
      scheme: default
      primary: literate
      toggle: {icon: material/brightness-7, name: Light}
    - media: "(prefers-color-scheme: dark)"
      scheme: slate
      primary: literate
      toggle: {icon: material/moon-waning-crescent, name: Dark}
plugins:
  - literate:
      figures: [figures, docs/figures/live]
"""
NAMES = [file.stem for file in sorted(FIGURES.glob("*.svg"))]
PAGES = {f"docs/{n}.md": f"# It\n\nWords.\n\n![It.](figure:{n})\n" for n in NAMES}
LANGUAGE = 'name = "日本語"\nenglish = "Japanese"\ntag = "ja"\ntheme = "ja"\n'
JAPANESE = (
    'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    'msgid "Play"\nmsgstr "再生"\n'
)


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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("touch")
    files = {f"figures/{file.name}": file.read_bytes() for file in FIGURES.iterdir()}
    models = "docs/observations/models"
    files |= {
        f"{models}/{file.name}": file.read_bytes() for file in (ROOT / models).iterdir()
    }
    locale = {"docs/locale/ja/language.toml": LANGUAGE}
    locale |= {f"docs/locale/ja/figures/{name}.po": JAPANESE for name in NAMES}
    plain = {"mkdocs.yml": SETTINGS, "docs/plain.md": "# None\n\nNo figure.\n"}
    write(root, files, told(), PAGES, locale, plain)
    done = build(root, "--site-dir", str(root / "web" / "below"))
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr, done.stderr
    return root / "web"


@dataclass
class Shown:
    """A browser, and what it complains of."""

    context: BrowserContext
    home: str
    watch: Watch

    def open(self, path: str) -> Page:
        page = self.context.new_page()
        page.add_init_script(SHIFTS)
        page.goto(self.home + path)
        return page


@pytest.fixture(scope="module")
def shown(folder: Path, browser: Browser) -> Iterator[Shown]:
    with served(folder) as address:
        watch = Watch(address)
        with reader(browser, watch, *DESKTOP, color_scheme="light") as context:
            yield Shown(context, f"{address}below/", watch)
        assert watch.complaints == []


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


def test_the_figure_that_the_page_on_annotating_tells_of_works(shown: Shown) -> None:
    page = shown.open("")
    says = figure(page).locator(".says")
    expect(says).to_have_text("They stand for 12 tokens.")
    page.keyboard.press("Tab")
    figure(page).get_by_role("slider", name="Slots").press("ArrowRight")
    expect(says).to_have_text("They stand for 15 tokens.")


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


CUT = """e => [e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight,
    getComputedStyle(e).textOverflow]"""


def test_a_script_is_light_and_stands_on_the_pages_that_need_it(folder: Path) -> None:
    site = folder / "below"
    texts = {f.parent.name: f.read_text("utf-8") for f in site.rglob("*.html")}
    for name in NAMES:
        script = f"assets/figures/{name}.js"
        # Recorded queries, keys and values weigh 16,500 bytes, recorded maps 12,000.
        recorded = {"attention-reconstruction": 26_000, "four-terms": 20_500}
        assert len(compressed(site / script)) <= recorded.get(name, 20_000), name
        assert {page for page, text in texts.items() if script in text} == {name}


def test_axe_finds_nothing_in_any_step(shown: Shown, axe: str) -> None:
    found = []
    for name in NAMES:
        page = shown.open(f"{name}/")
        page.evaluate(axe)
        for scheme in ("light", "dark"):
            colours(page, scheme)
            steps = figure(page).locator(".player li button").all()
            for step in (steps[0], steps[-1]) if steps else ():
                step.click()
                found += [(name, scheme, one) for one in violations(page)]
            for radio in figure(page).get_by_role("radio").all()[1::2]:
                radio.check(force=True)
            found += [(name, scheme, one) for one in violations(page)]
        page.close()
    assert found == []


@pytest.mark.parametrize("name", ["relative-shift", "compressed-queue"])
def test_keys_play_step_and_keep_the_focus(shown: Shown, name: str) -> None:
    page = shown.open(f"{name}/")
    steps = figure(page).locator(".player li")
    steps.first.locator("button").click()
    ahead = figure(page).locator(".go .next")
    for _ in range(steps.count() + 1):
        ahead.press("Enter")
        assert focused(page).startswith("BUTTON next"), name
    expect(ahead).to_have_attribute("aria-disabled", "true")
    expect(steps.last).to_have_attribute("aria-current", "step")
    page.keyboard.press("p")
    expect(steps.nth(steps.count() - 2)).to_have_attribute("aria-current", "step")
    page.keyboard.press("N")
    expect(steps.last).to_have_attribute("aria-current", "step")
    play = figure(page).locator(".go .play")
    play.press("Enter")
    expect(play).to_have_text("Pause")
    expect(steps.first).to_have_attribute("aria-current", "step")
    page.keyboard.press("Escape")
    expect(play).to_have_text("Play")


# What they show is drawn, or a list.
NO_TABLE = {"live", "four-terms", "tell-wait-ask"}
ONE_CHOSEN = {"how-far", "attention-reconstruction"}


@pytest.mark.parametrize("name", [n for n in NAMES if n not in NO_TABLE])
def test_a_table_is_one_stop_and_leads_to_the_twin(shown: Shown, name: str) -> None:
    page = shown.open(f"{name}/")
    tables = figure(page).locator("[role=grid], .slots")
    for table in tables.all():
        assert table.locator(".cell[tabindex='0']").count() == 1
    first = tables.first.locator(".cell[tabindex='0']")
    first.focus()
    before = focused(page)
    there, back = "ArrowRight", "ArrowLeft"
    if name == "how-far":  # The last token is chosen: nothing is at its right.
        there, back = back, there
    page.keyboard.press(there)
    assert focused(page) != before
    page.keyboard.press(back)
    assert focused(page) == before
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert focused(page) == before
    assert figure(page).locator(".lit").count() >= (1 if name in ONE_CHOSEN else 2)
    page.keyboard.press("Enter")
    assert focused(page).startswith("BUTTON")


def test_the_pointer_and_the_finger_light_a_number_and_its_twin(
    shown: Shown,
) -> None:
    page = shown.open("relative-shift/")
    figure(page).locator(".player li button").nth(4).click()
    figure(page).get_by_role("gridcell", name="query b, distance 1").hover()
    lit = figure(page).locator(".lit")
    assert lit.all_inner_texts() == ["b1", "b1"]
    expect(figure(page).locator(".numbers .title")).to_have_text(
        "b1: query b and key 2, 1 apart"
    )
    sums = figure(page).locator("dd").all_inner_texts()
    assert sums == [
        "i + M − j = 1 + 2 − 2 = 1",
        "j + L − 1 − i = 2 + 3 − 1 − 1 = 3",
        "1 · 6 + 4 = 10",
        "3 + 1 · 5 + 2 = 10",
    ]
    figure(page).locator(".player li button").first.click()
    figure(page).get_by_role("gridcell", name="query a, distance 4").click()
    expect(figure(page).locator(".numbers .title")).to_have_text(
        "a4: in no column of a key"
    )
    # What is not there any more is not chosen.
    figure(page).locator(".player li button").nth(3).click()
    expect(figure(page).locator(".cell[tabindex='0']")).to_be_visible()


def test_another_size_and_the_other_order_change_table_and_code(shown: Shown) -> None:
    page = shown.open("relative-shift/")
    queries, memory = figure(page).get_by_role("slider").all()
    queries.press("End")
    memory.press("Home")
    cells = figure(page).get_by_role("gridcell")
    heads = figure(page).locator(".head")
    code = figure(page).locator(".code li")
    now = figure(page).locator(".code [aria-current]")
    assert cells.count() == 4 * 4
    assert heads.all_inner_texts() == ["3", "2", "1", "0"]
    assert code.all_inner_texts()[1] == "padded = F.pad(scores, (1, 0))  # [4, 5]"
    figure(page).get_by_role("radio").nth(1).check(force=True)
    assert cells.count() == 4 * 8
    assert heads.all_inner_texts()[:2] == ["−4", "−3"]
    assert code.all_inner_texts()[1] == "padded = F.pad(scores, (0, 1))  # [4, 9]"
    figure(page).locator(".player li button").nth(3).click()
    expect(now).to_have_text("result = rows.view(L, K + L)[:, L:]  # [4, 4]")


def test_the_queue_shows_what_a_slot_is_made_of(shown: Shown) -> None:
    page = shown.open("compressed-queue/")
    after = figure(page).locator(".slots").last
    expect(figure(page).locator(".made li")).to_have_text("max(5, 1, 9) = 9")
    after.get_by_role("button", name="9 3–5: value and tokens, compressed").hover()
    lit = figure(page).locator(".lit").all_inner_texts()
    assert [" ".join(one.split()) for one in lit] == ["5 3", "1 4", "9 5", "9 3–5"]
    figure(page).get_by_role("radio", name="mean pooling").check(force=True)
    expect(figure(page).locator(".made li")).to_have_text("(5 + 1 + 9) / 3 = 5")


def test_the_queue_shows_what_is_used_and_what_is_dropped(shown: Shown) -> None:
    page = shown.open("compressed-queue/")
    made = figure(page).locator(".made li")
    figure(page).get_by_role("radio", name="most used").check(force=True)
    expect(made.first).to_have_text(
        "Token 3 received 7 % of the attention: its state is kept as it is, 5"
    )
    expect(made.last).to_contain_text("2 states (tokens 4, 5)")
    before = figure(page).locator(".slots").first
    assert before.locator(".dropped .use").all_inner_texts() == ["1 %", "5 %"]
    figure(page).get_by_role("radio", name="dilated convolution").check(force=True)
    expect(made.last).to_contain_text("2 states (tokens 3, 5)")
    name = "5 3: value and tokens, memory, no slot is made of it"
    expect(before.get_by_role("button", name=name)).to_be_visible()


def test_another_query_and_another_function_have_another_loss(shown: Shown) -> None:
    page = shown.open("attention-reconstruction/")
    row = figure(page).locator("tr.on")
    chosen = row.inner_text()
    assert chosen.startswith("1D convolution")
    says = figure(page).locator(".says")
    assert chosen.split()[2] in says.inner_text()
    figure(page).locator(".queries .cell[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    expect(row).not_to_have_text(chosen)
    figure(page).get_by_role("radio", name="most used").check(force=True)
    expect(row).to_contain_text("most used")
    assert row.inner_text().split()[2] in says.inner_text()
    assert figure(page).locator(".keys.slot span").count() == 5


def test_both_models_are_told_a_fact_and_asked_for_it(shown: Shown) -> None:
    """What is recorded comes first; then the models run in the page."""
    page = shown.open("tell-wait-ask/")
    answers = figure(page).locator(".answers")
    says, status = (
        figure(page).locator(".model .title"),
        figure(page).locator(".status"),
    )
    expect(status).to_contain_text("Recorded")
    expect(says.last).to_contain_text("answers v7")
    figure(page).get_by_role("radio", name="v2").check(force=True)
    expect(status).to_be_empty(timeout=30_000)
    expect(says.last).to_contain_text("answers v2")
    expect(answers.last.locator(".right")).to_contain_text("v2")
    expect(figure(page).locator(".where").first).to_contain_text("no memory any more")
    expect(figure(page).locator(".where").last).to_contain_text("compressed slot")
    # The answer of who remembers exactly, as long as it remembers.
    figure(page).get_by_role("slider").press("Home")
    expect(status).to_be_empty(timeout=30_000)
    for model in (says.first, says.last):
        expect(model).to_contain_text("answers v2")


def test_on_a_phone_the_queue_is_seen_whole(shown: Shown) -> None:
    page = shown.open("compressed-queue/")
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    rows = figure(page).locator(".slots")
    expect(rows).to_have_count(2)
    for size in ("default", "largest"):
        if size == "largest":
            for slider in figure(page).get_by_role("slider").all():
                slider.press("End")
            figure(page).get_by_role("slider").last.press("Home")
        for row in rows.all():
            assert row.evaluate("e => e.scrollWidth - e.clientWidth") == 0, size
            cells = row.locator(".cell").all()
            ends = [box["x"] + box["width"] for e in cells if (box := e.bounding_box())]
            assert max(ends) <= PHONE[0], size


def test_each_step_shows_another_table_under_its_name(shown: Shown) -> None:
    page = shown.open("relative-shift/")
    title = figure(page).locator(".table .title")
    grid = figure(page).get_by_role("grid")
    steps = figure(page).locator(".player li button")
    for order in (0, 1):
        figure(page).get_by_role("radio").nth(order).check(force=True)
        columns, seen = 8 if order else 5, set()
        for step, told in enumerate(
            (
                f"By distance 3 queries × {columns} columns",
                *[f"By distance 3 queries × {columns + 1} columns"] * 2,
                *["By key 3 queries × 5 keys"] * 2,
            )
        ):
            steps.nth(step).click()
            expect(title).to_have_text(told)
            assert told.startswith(grid.get_attribute("aria-label") or "-")
            seen.add(grid.inner_html())
        assert len(seen) == 5


def test_a_state_lights_what_reaches_it(shown: Shown) -> None:
    page = shown.open("how-far/")
    lit = figure(page).locator(".cell:is(.own, .memory, .compressed, .reached)")
    # The last of 24 tokens draws on all of them.
    expect(figure(page).locator(".says")).to_contain_text("draws on 24 tokens")
    assert (
        figure(page).locator(".net [role=row]").last.locator(".reached").count() == 24
    )
    measured = figure(page).locator(".measured")
    before = measured.inner_text()
    data = json.loads((FIGURES / "how-far.json").read_text(encoding="utf-8"))
    cells = measured.locator("tbody td:last-child").all_inner_texts()
    assert cells == [f"{model['effective']}" for model in data["models"]]
    figure(page).get_by_role("radio", name="the segment alone").check(force=True)
    assert lit.count() == 3 * 4
    # What counts for nothing yet is in sight, and cannot be moved.
    sliders = figure(page).get_by_role("slider")
    assert [one.is_disabled() for one in sliders.all()] == [False] * 2 + [True] * 3
    assert all(one.is_visible() for one in sliders.all())
    figure(page).get_by_role("radio", name="with memory").check(force=True)
    # Layer 2: the segment and a memory of 4; then 4 and 4 more.
    assert lit.count() == 8 + 12 + 16
    assert measured.inner_text() == before
    assert [one.is_disabled() for one in sliders.all()] == [False] * 3 + [True] * 2
    sums = figure(page).locator("dd").all_inner_texts()
    assert [one.replace("\n", "") for one in sums] == [
        "l × nm = 3 × 4 = 12",
        "4",
        "12 + 4 = 16",
    ]
    figure(page).get_by_role("gridcell", name="5: token 5 of layer 1").click()
    expect(figure(page).locator(".says b")).to_have_text(
        "The state of token 5 in layer 1"
    )


# What a reader changes in each figure, which then moves or is drawn anew. The models
# that run in the page wait to be asked for, and have tests of their own.
CHANGES = {
    "relative-shift": ".player li:nth-child(2) button",
    "compressed-queue": ".player li:nth-child(2) button",
    "how-far": "input[type=radio] >> nth=1",
    "positions": "input[type=range] >> nth=0",
    "four-terms": "input[type=checkbox] >> nth=0",
    "attention-reconstruction": "input[type=radio] >> nth=0",
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
def test_nothing_moves_by_itself_for_who_wants_less_motion(
    shown: Shown, name: str
) -> None:
    page = shown.open(f"{name}/")
    page.emulate_media(reduced_motion="reduce")
    before = figure(page).evaluate(MOVES)[1]
    part = figure(page).locator(CHANGES[name]).first
    # What is drawn at once is the end: it is the same when all frames have passed.
    running, now = part.evaluate(AT_ONCE)
    assert running == 0
    assert now != before
    frames = "() => new Promise(f => setTimeout(() => requestAnimationFrame(f), 300))"
    page.evaluate(frames)
    assert figure(page).evaluate(MOVES)[1] == now


# What a finger touches in each figure.
TOUCHED = {
    "relative-shift": ".grid .cell >> nth=2",
    "compressed-queue": ".slots .cell >> nth=2",
    "how-far": ".net .cell >> nth=30",
    "positions": ".cell >> nth=6",
    "four-terms": ".map.a canvas",
    "attention-reconstruction": ".queries .cell >> nth=5",
}


@pytest.mark.parametrize("name", TOUCHED)
def test_a_finger_chooses_and_switches(
    shown: Shown, browser: Browser, name: str
) -> None:
    with reader(browser, shown.watch, *PHONE, has_touch=True) as context:
        page = context.new_page()
        page.goto(f"{shown.home}{name}/")
        stage = figure(page).locator(".stage")
        for place in (TOUCHED[name], CHANGES[name]):
            part = figure(page).locator(place).first
            part.scroll_into_view_if_needed()
            box, before = part.bounding_box(), stage.inner_html()
            x, y = box["x"] + box["width"] - 4, box["y"] + box["height"] / 2
            page.touchscreen.tap(x, y)
            expect(stage).not_to_have_js_property("innerHTML", before)
        # A finger can still scroll the page over what it touches.
        action = (
            figure(page)
            .locator(TOUCHED[name])
            .first.evaluate("e => getComputedStyle(e).touchAction")
        )
        assert action in {"manipulation", "pan-y"}


def read_weights(page: Page) -> tuple[str, str]:
    """What the figure of four terms tells of the chosen pair, and of all rows."""
    told = [" ".join(figure(page).locator(f).inner_text().split()) for f in FOUR_TELLS]
    return told[0], told[1]


FOUR_TELLS = (".pair", ".says")


def test_a_term_that_is_switched_off_leaves_the_sum(shown: Shown) -> None:
    page = shown.open("four-terms/")
    page.emulate_media(reduced_motion="reduce")
    pair, rows = read_weights(page)
    a, b, c, d, total = map(float, re.findall(r"-?\d+\.\d\d", pair.replace("−", "-")))
    assert total == pytest.approx(a + b + c + d, abs=0.03)
    ink = figure(page).locator(".weights canvas").evaluate("c => c.toDataURL()")
    position = figure(page).get_by_role("checkbox", name="position", exact=True)
    position.focus()
    page.keyboard.press("Space")
    less, now = read_weights(page)
    assert float(re.findall(r"= (\S+)", less)[0]) == pytest.approx(total - b, abs=0.02)
    assert now != rows
    expect(figure(page).locator(".map.b")).to_have_class(re.compile(r"\boff\b"))
    assert figure(page).locator(".weights canvas").evaluate("c => c.toDataURL()") != ink
    page.keyboard.press("Space")
    assert read_weights(page) == (pair, rows)


def test_a_pair_of_the_terms_is_read_by_pointer_and_keys(shown: Shown) -> None:
    page = shown.open("four-terms/")
    crosses = figure(page).locator(".cross")
    before = [one.bounding_box()["x"] for one in crosses.all()]
    figure(page).get_by_role("checkbox").last.focus()
    page.keyboard.press("Tab")
    assert focused(page).startswith("CANVAS")
    told = read_weights(page)[0]
    page.keyboard.press("ArrowLeft")
    assert "5 tokens back" in read_weights(page)[0] != told
    after = [one.bounding_box()["x"] for one in crosses.all()]
    assert all(x < y for x, y in zip(after, before, strict=True))
    page.keyboard.press("ArrowUp")
    assert "4 tokens back" in read_weights(page)[0]
    # One stop for all maps; each of them can be pointed at.
    assert figure(page).locator("canvas[tabindex='0']").count() == 1
    canvas = figure(page).locator(".map.c canvas")
    canvas.hover(position={"x": 3, "y": 3})
    assert read_weights(page)[0].startswith(
        "From the query ␣have␣a␣dau to the key ay,␣:"
    )
    canvas.hover(position={"x": canvas.bounding_box()["width"] - 3, "y": 3})
    assert read_weights(page)[0].endswith("it is hidden.")
    figure(page).get_by_role("slider").press("End")
    expect(figure(page).locator(".dial output")).to_have_text("4")
    assert figure(page).locator(".map.a .num").inner_text() != ""


def test_the_words_are_those_of_the_language(shown: Shown) -> None:
    page = shown.open("ja/relative-shift/")
    expect(figure(page).locator(".go .play")).to_have_text("再生")
    expect(figure(page).locator(".go .next")).to_have_text("Next")


def test_on_paper_and_without_scripts_the_picture_stands_for_the_figure(
    shown: Shown, browser: Browser
) -> None:
    page = shown.open("relative-shift/")
    picture = page.get_by_role("img", name="It.")
    expect(picture).not_to_be_visible()
    page.emulate_media(media="print")
    expect(picture).to_be_visible()
    expect(figure(page).locator(".stage")).not_to_be_visible()
    silent = {"java_script_enabled": False}
    with reader(browser, shown.watch, *DESKTOP, **silent) as context:
        page = context.new_page()
        page.goto(f"{shown.home}relative-shift/")
        box = page.get_by_role("img", name="It.").bounding_box()
        around = page.locator("figure.lit-touched").bounding_box()
        assert box is not None
        assert around is not None
        # No place is kept free for what does not come.
        assert around["height"] <= box["height"] + 1


def test_a_figure_works_from_a_disk(folder: Path, browser: Browser) -> None:
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((folder / "below/relative-shift/index.html").as_uri())
    expect(figure(page).locator(".stage")).to_be_visible()
    page.close()
    assert errors == []
