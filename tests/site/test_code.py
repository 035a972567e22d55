"""The code beside the notes: whose lines it is, how it is copied, where it stands."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.site.audit import HEAVIEST
from tests.site.conftest import DESKTOP, PHONE, Visit
from tests.site.pages import ROOT, annotated

BLOCK = ".lit-block"
WITH_CODE = ".lit-block:has(.lit-code)"
BESIDE = f"{WITH_CODE}:not(.lit-intro)"  # an introduction has no code beside it


@dataclass(frozen=True)
class Shown:
    """The code of a block as the page has it."""

    block: str
    link: str
    label: str
    numbers: list[int]
    lines: list[str]


SHOWN = """all => all.map(e => {
    const lines = [...e.querySelectorAll(".lit-code [data-n]")];
    const source = e.querySelector(".lit-source");
    return {
        block: e.id, link: source.href, label: source.textContent,
        numbers: lines.map(l => Number(l.dataset.n)),
        lines: lines.map(l => l.textContent),
    };
})"""
WRITTEN = f"""html => ({SHOWN})([...new DOMParser().parseFromString(html, "text/html")
    .querySelectorAll("{WITH_CODE}")])"""


def shown(page: Page) -> Iterator[Shown]:
    """The code of each block."""
    for fields in page.eval_on_selector_all(WITH_CODE, SHOWN):
        yield Shown(**fields)


@dataclass(frozen=True)
class Module:
    """An annotated page, and the file that it is made of."""

    file: Path
    blocks: list[Shown]

    @property
    def lines(self) -> list[str]:
        return self.file.read_text(encoding="utf-8").splitlines()


def file_of(path: str) -> Path:
    """The module that an annotated page shows."""
    module = ROOT / "labml_txl" / path.rstrip("/")
    return module / "__init__.py" if module.is_dir() else module.with_suffix(".py")


@pytest.fixture(scope="module")
def parser(browser: Browser) -> Iterator[Page]:
    """A browser that only parses."""
    page = browser.new_page()
    yield page
    page.close()


@pytest.fixture(scope="module", params=annotated())
def module(request: pytest.FixtureRequest, parser: Page, site: Path) -> Module:
    """Each annotated page, as a browser without scripts parses it."""
    html = (site / request.param / "index.html").read_text(encoding="utf-8")
    blocks = [Shown(**fields) for fields in parser.evaluate(WRITTEN, html)]
    return Module(file_of(request.param), blocks)


def test_lines_and_numbers_are_those_of_the_file(module: Module) -> None:
    for block in module.blocks:
        for number, line in zip(block.numbers, block.lines, strict=True):
            assert line.removesuffix("\n") == module.lines[number - 1], number


def test_every_line_of_code_is_shown_once(module: Module) -> None:
    numbers = [number for block in module.blocks for number in block.numbers]
    assert len(set(numbers)) == len(numbers)
    syntax = ast.parse(module.file.read_text(encoding="utf-8"))
    # A note is a string that is a statement of its own; every other statement is code.
    statements = {
        node.lineno
        for node in ast.walk(syntax)
        if isinstance(node, ast.stmt)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    }
    assert statements <= set(numbers)


def test_a_source_link_leads_to_the_very_lines(module: Module) -> None:
    for block in module.blocks:
        match = re.search(r"/blob/main/(.+)#L(\d+)-L(\d+)$", block.link)
        assert match, block.link
        first, last = int(match[2]), int(match[3])
        assert match[1] == module.file.relative_to(ROOT).as_posix()
        assert (first, last) == (block.numbers[0], block.numbers[-1])
        assert block.label == (f"{first}–{last}" if last > first else f"{first}")


# Copying


def clipboard(page: Page) -> str:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def test_the_copy_button_copies_the_very_lines(attention: Page) -> None:
    file = file_of(HEAVIEST).read_text(encoding="utf-8").splitlines()
    attention.context.grant_permissions(["clipboard-read", "clipboard-write"])
    blocks = attention.locator(WITH_CODE)
    for position, code in enumerate(shown(attention)):
        block = blocks.nth(position)
        block.locator(".lit-code").hover()
        block.get_by_role("button", name="Copy").last.click()
        wanted = "\n".join(file[number - 1] for number in code.numbers)
        assert clipboard(attention) == wanted.rstrip("\n")


def test_a_selection_takes_no_line_numbers_along(attention: Page) -> None:
    file = file_of(HEAVIEST).read_text(encoding="utf-8").splitlines()
    attention.context.grant_permissions(["clipboard-read", "clipboard-write"])
    numbers = [block.numbers for block in shown(attention)]
    longest = max(range(len(numbers)), key=lambda i: len(numbers[i]))
    attention.locator(WITH_CODE).nth(longest).locator(".lit-code").evaluate(
        "e => getSelection().selectAllChildren(e)"
    )
    attention.keyboard.press("Control+C")
    wanted = "\n".join(file[number - 1] for number in numbers[longest])
    assert clipboard(attention).rstrip("\n") == wanted.rstrip("\n")


def test_dragging_over_code_selects_it_and_lights_nothing(attention: Page) -> None:
    line = attention.locator(".lit-code [data-n]:has(.n ~ .n ~ .n)").first
    line.scroll_into_view_if_needed()
    names = line.locator(".n")
    start, end = names.first.bounding_box(), names.last.bounding_box()
    assert start
    assert end
    attention.mouse.move(start["x"] + 1, start["y"] + 4)
    attention.mouse.down()
    attention.mouse.move(end["x"] + end["width"], end["y"] + 4, steps=4)
    attention.mouse.up()
    assert attention.evaluate("getSelection().toString()")
    expect(attention.locator(".lit-on")).to_have_count(0)


# Where it stands

TOPS = """all => all.map(e => {
    const note = e.querySelector(".lit-note").getBoundingClientRect();
    const side = e.querySelector(".lit-side").getBoundingClientRect();
    return {
        block: e.id, top: e.getBoundingClientRect().top + scrollY,
        note: note.top + scrollY, side: side.top + scrollY,
        noteLeft: note.left, noteRight: note.right, sideLeft: side.left,
        noteBottom: note.bottom + scrollY, noteHeight: note.height,
        sideHeight: side.height,
    };
})"""


@pytest.mark.parametrize(
    "path", ["models/memory/", HEAVIEST, "literate/edition/check/"]
)
def test_note_and_code_begin_at_one_height(visit: Visit, path: str) -> None:
    page = visit(path, (DESKTOP[0], 30_000))  # so high that nothing is held in sight
    rows = page.eval_on_selector_all(BESIDE, TOPS)
    assert rows
    for row in rows:
        assert abs(row["note"] - row["top"]) <= 1, row
        assert abs(row["side"] - row["top"]) <= 1, row
        assert row["noteRight"] <= row["sideLeft"] + 1, row


def test_the_code_stays_in_sight_beside_a_long_note(visit: Visit) -> None:
    page = visit("models/distances/", (1440, 460))
    rows = page.eval_on_selector_all(BESIDE, TOPS)
    row = max(rows, key=lambda row: row["noteHeight"] - row["sideHeight"])
    assert row["noteHeight"] > row["sideHeight"] + 100, (
        "no note is longer than its code"
    )
    block = page.locator(f'[id="{row["block"]}"]')
    header = page.locator(".md-header").evaluate("e => e.offsetHeight")
    # Its formulas are laid out when it is near: then the heights are those it has.
    block.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    rows = page.eval_on_selector_all(BESIDE, TOPS)
    row = next(one for one in rows if one["block"] == row["block"])
    for part in (0.3, 0.6, 0.95):
        free = row["noteHeight"] - row["sideHeight"]
        page.evaluate("y => scrollTo(0, y)", row["top"] - header + part * free)
        box = block.locator(".lit-code").bounding_box()
        assert box
        assert header - 1 <= box["y"] <= header + 40


def test_a_note_stays_in_sight_beside_long_code(visit: Visit) -> None:
    page = visit("literate/hosts/mkdocs/plugin/", (1440, 460))
    rows = page.eval_on_selector_all(BESIDE, TOPS)
    row = max(rows, key=lambda row: row["sideHeight"] - row["noteHeight"])
    free = row["sideHeight"] - row["noteHeight"]
    assert free > 100
    page.evaluate("y => scrollTo(0, y)", row["top"] + 0.6 * free)
    box = page.locator(f'[id="{row["block"]}"] .lit-note').bounding_box()
    assert box
    assert box["y"] >= page.locator(".md-header").evaluate("e => e.offsetHeight") - 1


def test_on_a_phone_the_code_is_below_its_note_and_scrolls_by_itself(
    visit: Visit,
) -> None:
    page = visit(HEAVIEST, PHONE, has_touch=True, is_mobile=True)
    rows = page.eval_on_selector_all(BESIDE, TOPS)
    for row in rows:
        assert row["side"] >= row["noteBottom"] - 1, row
        assert row["sideLeft"] <= 2, row
    boxes = page.eval_on_selector_all(
        ".lit-code",
        """all => all.map(e => ({
            right: e.getBoundingClientRect().right, wide: e.scrollWidth > e.clientWidth,
            moves: (e.scrollLeft = 50) && e.scrollLeft > 0,
        }))""",
    )
    assert any(box["wide"] for box in boxes)
    for box in boxes:
        assert box["right"] <= PHONE[0] + 1
        assert bool(box["moves"]) == box["wide"]
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE[0]


def test_on_a_phone_words_of_code_do_not_break(visit: Visit) -> None:
    page = visit(HEAVIEST, PHONE)
    heights = page.eval_on_selector_all(
        ".lit-code .n", "all => all.map(e => e.getClientRects().length)"
    )
    assert set(heights) == {1}


def test_line_numbers_stay_at_the_edge_of_code_that_is_scrolled(visit: Visit) -> None:
    page = visit(HEAVIEST, PHONE)
    style = page.locator(".lit-code [data-n]").first.evaluate(
        "e => (({position, left}) => [position, left])(getComputedStyle(e, '::before'))"
    )
    assert style == ["sticky", "0px"]


# Addresses of blocks


def top_of(page: Page, block: str) -> float:
    """How far below the header the words and the code of a block begin."""
    top: float = page.evaluate(
        """id => {
            const block = document.getElementById(id);
            const top = (e) => e.getBoundingClientRect().top;
            const box = (e) => e.getBoundingClientRect();
            const note = box(block.querySelector(".lit-note > *"));
            const code = box(block.querySelector(".lit-code > code"));
            const header = box(document.querySelector(".md-header"));
            return Math.min(note.top, code.top) - header.bottom;
        }""",
        block,
    )
    return top


def middle_block(page: Page) -> str:
    """A block far enough from the end of the page to be scrolled to the top."""
    ids: list[str] = page.eval_on_selector_all(
        WITH_CODE,
        """all => all.filter(e =>
            document.documentElement.scrollHeight - scrollY -
            e.getBoundingClientRect().top > 1.5 * innerHeight).map(e => e.id)""",
    )
    return ids[-1]


def test_a_permalink_shows_its_block_below_the_header(attention: Page) -> None:
    block = middle_block(attention)
    row = attention.locator(f'[id="{block}"]')
    row.hover()
    row.locator(".lit-link").click()
    assert attention.url.endswith(f"#{block}")
    assert 0 <= top_of(attention, block) <= 60


def test_every_block_has_a_permalink_of_its_own(attention: Page) -> None:
    ids = attention.eval_on_selector_all(BLOCK, "all => all.map(e => e.id)")
    goals = attention.eval_on_selector_all(
        ".lit-link", "all => all.map(e => decodeURIComponent(e.hash.slice(1)))"
    )
    assert ids == goals
    assert len(set(ids)) == len(ids)


def test_an_address_of_a_block_opens_at_that_block(visit: Visit, home: str) -> None:
    page = visit(HEAVIEST)
    block = middle_block(page)
    page.goto("about:blank")
    page.goto(f"{home}{HEAVIEST}#{block}")
    page.wait_for_function("scrollY > 0")
    assert 0 <= top_of(page, block) <= 60
    edge = page.locator(f'[id="{block}"]').evaluate(
        "e => getComputedStyle(e).boxShadow"
    )
    assert edge != "none", "nothing marks the block that was asked for"
