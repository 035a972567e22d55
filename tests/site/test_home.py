"""The first page shows code that runs, and lights a term and its line together."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.site.conftest import DESKTOP, PHONE, Visit
from tests.site.pages import ROOT, folders

SOURCE = ROOT / "labml_txl" / "models" / "relative_attention.py"
BLOCK = ".lit-excerpt"
TERM = f"{BLOCK} .lit-note .katex-html .lit-term-{{}}"
LINE = f"{BLOCK} .lit-line.lit-term-{{}}"


def grounds(page: Page) -> dict[str, str]:
    """The ground below the line of each term."""
    return {
        term: page.eval_on_selector(
            LINE.format(term), "e => getComputedStyle(e).backgroundColor"
        )
        for term in "abcd"
    }


def test_the_code_is_that_of_the_file(visit: Visit) -> None:
    home = visit("")
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    shown = home.eval_on_selector_all(
        f"{BLOCK} [data-n]", "all => all.map(e => [e.dataset.n, e.textContent])"
    )
    assert len(shown) > 6
    for number, text in shown:
        assert text.rstrip("\n") == lines[int(number) - 1]
    code = "".join(text for _, text in shown)
    assert code.lstrip().startswith("def scores(")
    assert "return self.scale * (content + position" in code
    # Each row leads to itself on the page of the module.
    ways = home.eval_on_selector_all(
        f"{BLOCK} .lit-link", "all => all.map(e => e.getAttribute('href'))"
    )
    assert ways[0] == "models/relative_attention/#RelativeAttention.scores"
    assert len(set(ways)) == len(ways) == home.locator(f"{BLOCK} .lit-block").count()


def test_a_term_and_its_line_light_up_together(visit: Visit) -> None:
    home = visit("")
    dark = grounds(home)
    for term in "abcd":
        for place in (LINE, TERM):
            home.locator(place.format(term)).first.hover()
            lit = grounds(home)
            assert {one for one in "abcd" if lit[one] != dark[one]} == {term}
        home.mouse.move(2, 2)
        assert grounds(home) == dark
        formula = home.locator(".katex", has=home.locator(f".lit-term-{term}")).first
        if formula.get_attribute("tabindex") == "0":
            formula.focus()
            assert grounds(home)[term] != dark[term]
            formula.blur()


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("folder", folders(), ids=lambda folder: folder or "en")
def test_a_name_in_the_block_tells_its_shape(
    visit: Visit, folder: str, size: tuple[int, int]
) -> None:
    home = visit(folder, size)
    asked: list[str] = []
    home.on("request", lambda request: asked.append(request.url))
    name = home.locator(
        f"{BLOCK} [data-o]", has_text=re.compile("^position_bias$")
    ).first
    name.click()
    card = home.locator(".lit-seen")
    expect(card).to_contain_text("[batch 2, heads 4, seq_len 24, k_len 96]")
    # What it held is that of the page of the module, asked for now.
    assert any("/assets/observed/models/relative_attention" in url for url in asked)
    canvas = card.locator("canvas")
    canvas.scroll_into_view_if_needed()
    expect(canvas).to_be_in_viewport(ratio=1)
    box = canvas.bounding_box()
    assert box
    middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] - 3]
    top = "([x, y]) => document.elementFromPoint(x, y).localName"
    assert home.evaluate(top, middle) == "canvas"
    home.keyboard.press("Escape")
    expect(card).to_have_count(0)


@pytest.mark.parametrize("folder", folders(), ids=lambda folder: folder or "en")
def test_each_language_has_the_block_and_the_languages(
    visit: Visit, folder: str
) -> None:
    home = visit(folder)
    tongues = home.locator(".lit-tongues a")
    assert tongues.count() == len(folders())
    current = home.locator(".lit-tongues a[aria-current=true]")
    assert current.get_attribute("lang") == home.get_attribute("html", "lang")
    assert home.locator(f"{BLOCK} .lit-block").count() >= 6
    assert home.locator("h1").inner_text().strip()


def test_the_first_screen_has_the_block_and_the_commands(visit: Visit) -> None:
    home = visit("", DESKTOP)
    height = DESKTOP[1]
    for place in (LINE.format("d"), ".lit-hero .highlight >> nth=1"):
        box = home.locator(place).first.bounding_box()
        assert box
        assert box["y"] + box["height"] < height
    # Side by side there, one below the other on a phone.
    hero, block = (
        home.locator(place).bounding_box() for place in (".lit-hero", ".lit-proof")
    )
    assert hero
    assert block
    assert block["x"] >= hero["x"] + hero["width"]
    home.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    hero, block = (
        home.locator(place).bounding_box() for place in (".lit-hero", ".lit-proof")
    )
    assert hero
    assert block
    assert block["y"] >= hero["y"] + hero["height"]


def test_no_line_of_the_block_is_cut_off(visit: Visit) -> None:
    home = visit("")
    cut = home.eval_on_selector_all(
        f"{BLOCK} .lit-code",
        "all => all.filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)",
    )
    assert cut == []
    # The commands can be copied, and one sees it before one points there.
    shown = home.eval_on_selector_all(
        ".lit-hero .lit-copy", "all => all.map(e => getComputedStyle(e).opacity)"
    )
    assert shown == ["1", "1", "1"]


def test_the_link_to_colab_is_copied_like_the_commands(visit: Visit) -> None:
    home = visit("")
    home.context.grant_permissions(["clipboard-read", "clipboard-write"])
    link = home.locator(".lit-hero a", has_text="Open in Colab")
    address = link.get_attribute("href") or ""
    assert address.startswith("https://colab.research.google.com/#fileId=https")
    home.get_by_role("button", name="Copy the link").click()
    assert home.evaluate("navigator.clipboard.readText()") == address
    home.locator(".lit-hero .lit-copy").first.click()
    copied = home.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("pip install ")


def test_three_doors_lead_on(visit: Visit) -> None:
    home = visit("")
    doors = home.locator(".lit-doors h2 a")
    assert doors.count() == 3
    for address in doors.evaluate_all("all => all.map(e => e.href)"):
        answer = home.request.get(address)
        assert answer.ok
        assert re.search(r"<h1\b", answer.text())
    expect(home.locator(".lit-doors")).to_contain_text(re.compile(r"minutes"))
