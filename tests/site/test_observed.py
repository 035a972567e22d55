"""What the names of a page held, asked by mouse, keyboard and touch."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from labml_txl.literate.recording.bindings import hash_code
from labml_txl.literate.recording.records import (
    Axis,
    Record,
    Run,
    Slice,
    Value,
    to_json,
)
from tests.literate.small import CONFIG, FILES, THEME, must_build, write
from tests.literate.translations import JAPANESE, po
from tests.site.conftest import (
    DESKTOP,
    PHONE,
    TOUCH,
    Visit,
    colours,
    opened,
    requests,
    violations,
)
from tests.site.pages import HEAVIEST
from tests.site.served import served

HARM = "<img src=x onerror=alert(1)>"
# Tokens may be any Unicode: marks of HTML, letters of either direction, half a letter.
TOKENS = (HARM, "\n", "\u202e", "\ud83d", "é", "中")
LOOK = '''\
r"""# Looking

Two heads look at six tokens.
"""


class Look:
    r"""Looks at what comes before."""

    def look(self, x, mask=None):
        r"""The weights $w$ of each token."""
        # Terms, then the rest.
        scores = x @ x.T
        hidden = mask if mask is not None and len(mask) == 6 else causal_mask(len(x))
        scores = scores + hidden

        # Weights.
        weights = softmax(scores)
        count = weights.sum()
        return weights @ x
'''
SETTINGS = CONFIG.replace("theme: material\n", THEME)
UNREAL = bytes([253, 254, 255])


def value(name: str, axes: tuple[Axis, ...], ordinal: int = 0, **given: Any) -> Value:
    told: dict[str, Any] = {
        "least": -1.0,
        "most": 1.52,
        "mean": 0.25,
        "deviation": 0.5,
        **given,
    }
    call = "head 1 of 2, a text" if name == "count" else "head 1 of 2"
    return Value("Look.look", name, ordinal, call, "float32", axes, **told)


def record() -> Record:
    """Two heads; of the second slice, every element is 1.52."""
    heads, query = Axis("heads", 4), Axis("query", 6, TOKENS)
    # Of the last two heads, the keys are others.
    key = Axis("key", 6, (*TOKENS, *TOKENS, *"abcdef", *"ghijkl"), by=0)
    first = Slice((0,), -1.0, 0.01, UNREAL + bytes(range(0, 231, 7)))
    second = Slice((2,), -1.0, 0.01, bytes([252]) * 36)
    shown: dict[str, Any] = {"rows": 1, "columns": 2, "slices": (first, second)}
    weights = Slice((0,), 0.0, 0.01, bytes(range(0, 72, 2)))
    values = (
        value("x", (query, Axis(HARM, 3)), rows=0, columns=1),
        value("scores", (heads, query, key), **shown),
        value("scores", (heads, query, key), 1, **shown),
        value(
            "weights",
            (heads, query, key),
            rows=1,
            columns=2,
            slices=(weights,),
            least=0.0,
            most=0.7,
        ),
        value("hidden", (), slices=(Slice((), 1.5, 0.0, b"\0"),)),
        value(*("count", ()), least=None, most=None, mean=None, deviation=None),
        value(
            "return",
            (query, Axis("d", 3, ("1", "0", "-1"))),
            rows=0,
            columns=1,
            slices=(Slice((), 0.0, 0.1, bytes(range(18))),),
        ),
    )
    axes = ("query → key", "token → token before"), ("query", HARM)
    about = HARM, "a text", 10, 1, (("numpy", "2.0"),)
    run = Run(*about, axes)
    return Record("src/counting/look.py", hash_code(LOOK), run, values)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("observed")
    files = {
        "src/counting/look.py": LOOK,
        "docs/seen/look.json": to_json(record()),
        "docs/seen/broken.json": "{",
        "mkdocs.yml": f"{SETTINGS}      observations: docs/seen\n",
        "docs/locale/ja/language.toml": JAPANESE,
        "docs/locale/ja/site.po": po(
            "ja",
            {
                "Value at line {number}": "{number} 行目の値",
                "a text": "ある文章",
                "head 1 of 2": "2 つのうち 1 つ目のヘッド",
                "token before": "前のトークン",
                "{name}, {data}, step {step}, seed {seed}": (
                    "{name}、{data}、ステップ {step}、シード {seed}"
                ),
            },
        ),
    }
    write(folder, FILES, files)
    must_build(folder, "--strict")
    return folder / "site"


@pytest.fixture(scope="module")
def root(folder: Path) -> Iterator[str]:
    with served(folder) as address:
        yield address


PAGE = "counting/look/"


@pytest.fixture(scope="module")
def page(browser: Browser, root: str) -> Iterator[Page]:
    with opened(browser, root, PAGE) as page:
        yield page


@pytest.fixture(autouse=True)
def closed(request: pytest.FixtureRequest) -> None:
    """Each test finds the page without a card."""
    if "page" in request.fixturenames:
        page: Page = request.getfixturevalue("page")
        page.mouse.move(1, 1)
        page.keyboard.press("Escape")
        page.evaluate("document.activeElement.blur()")
        expect(card(page)).to_have_count(0)


def card(page: Page) -> Locator:
    return page.locator(".lit-card")


def name(page: Page, text: str, line: int) -> Locator:
    within = page.locator(f'[data-n="{line}"]')
    return within.locator("[data-o]", has_text=re.compile(f"^{text}$")).first


def line_of(text: str) -> int:
    return next(n for n, line in enumerate(LOOK.split("\n"), 1) if text in line)


FIRST, LONG, SECOND = map(line_of, ("scores = x", "hidden =", "scores = scores"))
WEIGHTS, LAST = line_of("weights = "), line_of("return weights")


def read(page: Page) -> str:
    return page.locator(".lit-read").inner_text().split("\n")[0]


@pytest.mark.parametrize("how", ["hover", "tap", "Enter", "way"])
def test_nothing_is_fetched_before_the_first_card(
    browser: Browser, root: str, how: str
) -> None:
    """The script comes late: what was done before it came is done, and done once."""
    with opened(browser, root, PAGE, has_touch=how == "tap") as page:
        loaded = "performance.getEntriesByType('resource').map(each => each.name)"
        assert not [url for url in page.evaluate(loaded) if "observed" in url]
        fetched, hold = requests(page), list[Route]()
        page.route("**/observed.js", lambda route: hold.append(route))
        asked = name(page, "weights", WEIGHTS)
        if how == "way":
            page.eval_on_selector_all("details", "all => all.map(e => { e.open = 1; })")
            page.locator(".lit-way a", has_text="weights").click()
        elif how == "Enter":
            asked.locator("xpath=ancestor::pre").focus()
            while not asked.evaluate("name => name === document.activeElement"):
                page.keyboard.press("ArrowRight")
            page.keyboard.press("Enter")
        else:
            getattr(asked, how)()
        page.wait_for_timeout(200)
        expect(card(page)).to_have_count(0)
        assert len(hold) == 1
        hold[0].continue_()
        expect(page.locator(".lit-read b")).to_have_text("0.70")
        expect(card(page)).to_have_count(1)
        # The script, the facts, and the first slice of this value.
        base = "assets/observed/counting/look"
        wanted = ["assets/observed.js", f"{base}.json", f"{base}/3.bin"]
        assert [
            one.removeprefix(root) for one in fetched if "observed" in one
        ] == wanted
        # A card that was asked for stays when the pointer goes, another one does not.
        page.mouse.move(5, 5)
        page.wait_for_timeout(500)
        expect(card(page)).to_have_count(0 if how == "hover" else 1)


def to_the_first(page: Page) -> None:
    """Read the element of the first row and column."""
    page.locator(".lit-map canvas").focus()
    page.keyboard.press("Shift+ArrowUp")
    page.keyboard.press("Shift+ArrowLeft")


def test_a_card_shows_all_recorded_values_as_plain_text(page: Page) -> None:
    name(page, "scores", FIRST).click()
    expect(page.locator(".lit-live")).to_have_text("scores [heads 4, query 6, key 6]")
    for words in (
        "[heads 4, query 6, key 6]",
        "float32 · range −1 … 1.52 · mean 0.25",
        f"Value at line {FIRST} · head 1 of 2",
        f"{HARM}, a text, step 10, seed 1",
        "txl observe",
    ):
        expect(card(page)).to_contain_text(words)
    name(page, "scores", WEIGHTS).click()
    expect(card(page)).to_contain_text(f"Value at line {SECOND} ")
    # What is read first is the largest, and it is said in the words of the run.
    expect(page.locator(".lit-read b")).to_have_text("1.24")
    assert read(page) == "token 5 ‘中’ → token before 5 ‘中’: 1.24"
    to_the_first(page)
    token = HARM.replace(" ", "␣")
    assert read(page) == f"token 0 ‘{token}’ → token before 0 ‘{token}’: −∞"
    assert page.locator(".lit-card img").count() == 0


def test_each_element_can_be_read_by_keys_and_pointer(page: Page) -> None:
    name(page, "scores", SECOND).click()
    canvas = page.locator(".lit-map canvas")
    to_the_first(page)
    said = []
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        said.append(read(page).rpartition(": ")[2])
    assert said == ["∞", "NaN", "−1.00"]
    # What has no colour is hatched, which the legend and the map's own name tell.
    hatched = "Hatched: 1 × −∞, 1 × ∞, 1 × NaN"
    expect(page.locator(".lit-ramp")).to_contain_text(hatched)
    assert (canvas.get_attribute("aria-label") or "").endswith(f". {hatched}")
    page.keyboard.press("ArrowDown")
    assert read(page).startswith("token 1 ‘↵’ → token before 3 ‘\\ud83d’: ")
    page.keyboard.press("ArrowLeft")
    assert "token before 2 ‘\\u202e’" in read(page)
    box = canvas.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] - 2)
    assert read(page) == "token 5 ‘中’ → token before 5 ‘中’: 1.24"


def test_sliders_have_the_recorded_indices_and_rows_of_shares_show_their_sum(
    page: Page,
) -> None:
    name(page, "scores", SECOND).click()
    dial = page.get_by_label("heads")
    assert (dial.get_attribute("min"), dial.get_attribute("max")) == ("0", "1")
    dial.press("ArrowRight")
    expect(page.locator(".lit-dials output")).to_have_text("3 / 4")
    expect(page.locator(".lit-read b")).to_have_text("1.52")
    # The tokens are those of what is chosen.
    assert "→ token before 0 ‘a’" in read(page)
    assert page.locator(".lit-columns bdi").all_text_contents() == [*"abcdef"]
    # What may be negative or more than 1 is no share.
    expect(page.locator(".lit-read small")).to_have_count(0)
    name(page, "weights", WEIGHTS).click()
    expect(page.locator(".lit-dials")).to_have_count(0)
    # 0.00, 0.02, 0.04, 0.06, 0.08 and 0.10, each off by half a step at most.
    expect(page.locator(".lit-read b")).to_have_text("0.70")
    to_the_first(page)
    expect(page.locator(".lit-read small")).to_have_text("· the row adds up to ≈ 0.3")
    # What has no elements to show is told in words.
    name(page, "count", line_of("count =")).click()
    expect(card(page)).to_contain_text("no finite element")
    expect(page.locator(".lit-map")).to_have_count(0)
    page.keyboard.press("Escape")
    name(page, "hidden", LONG).click()
    expect(page.locator(".lit-read")).to_have_text("1.5")
    expect(page.locator(".lit-map")).to_be_hidden()


COVERED = """line => {
    const range = document.createRange();
    range.selectNodeContents(document.querySelector(`[data-n="${line}"]`));
    const card = document.querySelector(".lit-seen").getBoundingClientRect();
    return [...range.getClientRects()].some(box => box.right > card.left
        && box.bottom > card.top && box.top < card.bottom);
}"""


FRAMED = (
    """all => all.filter(e => getComputedStyle(e).outlineStyle !== "none").length"""
)


def test_after_a_key_no_frame_is_around_the_whole_code(visit: Visit) -> None:
    page = visit(HEAVIEST)
    for n in (3, 5):
        page.locator(".lit-code [data-o]").nth(n).click()
        expect(page.locator(".lit-seen")).to_have_count(1)
        page.keyboard.press("Escape")
        assert page.eval_on_selector_all(".lit-code", FRAMED) == 0


def test_a_card_is_beside_its_line_and_never_over_it(page: Page) -> None:
    article = "document.querySelector('article').offsetHeight"
    before = page.locator("h1").bounding_box(), page.evaluate(article)
    for text, line in (("scores", FIRST), ("x", LONG), ("weights", WEIGHTS)):
        name(page, text, line).click()
        expect(page.locator(".lit-seen")).to_have_count(1)
        page.wait_for_load_state("networkidle")
        covered = page.evaluate(COVERED, line)
        assert not covered, text
        expect(card(page)).to_be_in_viewport(ratio=1)
        # Nothing on the page moves.
        assert before == (page.locator("h1").bounding_box(), page.evaluate(article))
        page.keyboard.press("Escape")


def test_hover_shows_one_line_and_a_click_the_whole_card(
    page: Page,
) -> None:
    asked = name(page, "scores", FIRST)
    for foot in (False, True):
        if foot:
            asked.evaluate("e => scrollBy(0, e.getBoundingClientRect().bottom - 895)")
        asked.hover()
        expect(page.locator(".lit-axes")).to_have_text("[heads 4, query 6, key 6]")
        line, own = card(page).bounding_box(), asked.bounding_box()
        assert line
        assert own
        assert line["height"] < 30
        apart = max(
            line["y"] - own["y"] - own["height"], own["y"] - line["y"] - line["height"]
        )
        assert 0 < apart < 8, "not at its name"
        assert abs(line["x"] - own["x"]) < 4
        expect(card(page)).to_be_in_viewport(ratio=1)
        expect(page.locator(".lit-map")).to_be_hidden()
        asked.click()
        expect(page.locator(".lit-read b")).to_be_visible()
        assert page.locator(".lit-map").evaluate("e => e.offsetHeight") > 40
        expect(page.locator(".lit-columns bdi")).not_to_have_count(0)
        assert not page.evaluate(COVERED, FIRST)
        page.keyboard.press("Escape")
        page.mouse.move(1, 1)


FOCUS = "document.activeElement"


def test_cards_can_be_used_by_keyboard(page: Page) -> None:
    page.locator(f'.lit-code:has([data-n="{FIRST}"])').focus()
    page.keyboard.press("ArrowRight")
    # The focus opens a card, which goes with it; Enter keeps it.
    expect(card(page)).to_contain_text(f"Value at line {FIRST}")
    page.keyboard.press("Enter")
    for text, line in (("x", FIRST), ("x", FIRST)):
        page.keyboard.press("ArrowRight")
        assert page.evaluate(f"{FOCUS}.textContent") == text
        assert page.evaluate(f"{FOCUS}.closest('[data-n]').dataset.n") == str(line)
    expect(card(page)).to_have_count(1)
    for _ in range(2):
        page.keyboard.press("ArrowLeft")
    expect(page.locator(".lit-read b")).to_be_visible()
    page.keyboard.press("ArrowDown")
    assert page.evaluate(f"{FOCUS}.localName") == "canvas"
    page.keyboard.press("Escape")
    expect(card(page)).to_have_count(0)
    assert page.evaluate(f"{FOCUS}.textContent") == "scores"
    # And it stays closed until it is asked for again.
    page.wait_for_timeout(300)
    expect(card(page)).to_have_count(0)


def test_an_open_card_is_accessible(page: Page, axe: str) -> None:
    page.evaluate(axe)
    for scheme in ("light", "dark"):
        colours(page, scheme)
        name(page, "scores", SECOND).click()
        expect(page.locator(".lit-read b")).to_be_visible()
        assert violations(page) == [], scheme


def test_on_a_phone_a_card_is_a_sheet_in_the_language_of_the_page(
    browser: Browser, root: str, axe: str
) -> None:
    with opened(browser, root, f"ja/{PAGE}", PHONE, **TOUCH) as page:
        asked = name(page, "weights", WEIGHTS)
        asked.tap()
        expect(card(page)).to_contain_text(f"{WEIGHTS} 行目の値 · 2 つのうち 1 つ目の")
        # Also what the run is called, as words.
        expect(card(page)).to_contain_text(f"{HARM}、ある文章、ステップ 10")
        expect(page.locator(".lit-read b")).to_be_visible()
        assert read(page).startswith("token 5 ‘中’ → 前のトークン 5 ‘中’: 0.70")
        box, line = card(page).bounding_box(), asked.bounding_box()
        assert box
        assert line
        assert (box["x"], box["width"]) == (0, PHONE[0])
        assert round(box["y"] + box["height"]) == PHONE[1]
        assert line["y"] + line["height"] <= box["y"]
        page.evaluate(axe)
        assert violations(page) == []
        page.locator(".lit-card .lit-close").tap()
        expect(card(page)).to_have_count(0)
        # And things stand one behind the other as they do in that sentence.
        name(page, "count", line_of("count =")).tap()
        expect(card(page)).to_contain_text("2 つのうち 1 つ目のヘッド、ある文章")


def answer(body: bytes | None, route: Route) -> None:
    route.abort() if body is None else route.fulfill(body=body)


UNREAD = "What this name held cannot be read."


def test_a_name_without_its_values_has_an_ordinary_card(
    browser: Browser, root: str
) -> None:
    """Also between two builds: the page of one, and the record of another."""
    missing = "^failed: .*observed|ERR_FAILED"
    with opened(browser, root, PAGE, DESKTOP, missing) as page:
        for file, body, said in (
            ("observed.js", None, "uses here: 3"),
            ("observed/**", None, UNREAD),
            ("observed/**.bin", b"\0" * 5, UNREAD),
            ("observed/**.json", b"[]", UNREAD),
            ("observed/**.json", b'{"values": {"0": {}}}', UNREAD),
            (
                "observed/**.json",
                b'{"values": [{}, {}, {}, {}, {}, {}, {}, {}]}',
                UNREAD,
            ),
        ):
            page.unroute_all()
            page.route(f"**/{file}", partial(answer, body))
            page.reload()
            name(page, "weights", WEIGHTS).click()
            expect(card(page)).to_contain_text(said)
        page.unroute_all()
        page.reload()
        name(page, "weights", WEIGHTS).click()
        expect(page.locator(".lit-read b")).to_have_text("0.70")


def test_from_a_disk_a_card_says_how_to_see_its_values(
    browser: Browser, folder: Path
) -> None:
    page = browser.new_page()
    page.goto((folder / PAGE / "index.html").as_uri())
    name(page, "weights", WEIGHTS).click()
    expect(card(page)).to_contain_text("over HTTP")
    expect(page.locator(".lit-way")).to_contain_text("weights [4, 6, 6]")
    page.close()
    # No record is published as it is.
    assert not [*folder.rglob("seen")]
    assert not (folder / "ja" / "assets" / "observed").exists()


def test_without_scripts_and_in_print_the_shapes_are_there_as_text(
    browser: Browser, root: str, page: Page
) -> None:
    way = "Shapes of a run: x [6, 3] · scores [4, 6, 6] · hidden [] · "
    with opened(browser, root, PAGE, java_script_enabled=False) as silent:
        expect(silent.locator(".lit-way")).to_contain_text(way)
        style = "e => getComputedStyle(e).textDecorationLine"
        assert name(silent, "weights", WEIGHTS).evaluate(style) == "none"
    name(page, "weights", WEIGHTS).click()
    page.emulate_media(media="print")
    expect(page.locator(".lit-way")).to_be_visible()
    expect(card(page)).to_be_hidden()
    assert name(page, "weights", LAST).evaluate(style) == "none"
    page.emulate_media(media="screen")
    assert name(page, "weights", LAST).evaluate(style) == "underline"
