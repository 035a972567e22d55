"""Names in code and symbols in formulas answer each other."""

import re
from collections import Counter
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.site.audit import HEAVIEST
from tests.site.conftest import PHONE, Visit, Watch
from tests.site.pages import ROOT

NAME = ".lit-code .n"
SYMBOL = '.lit-note .katex:not(a *) .katex-html [class^="sym-"]'
LIT = ".lit-on"


def names(page: Page) -> list[str]:
    """Every name in the code of the page, in order."""
    return page.locator(NAME).all_text_contents()


def lit_names(page: Page) -> set[int]:
    """Which of the names are lit."""
    return set(
        page.eval_on_selector_all(
            NAME,
            "all => all.flatMap((e, i) => e.classList.contains('lit-on') ? [i] : [])",
        )
    )


def lit_symbols(page: Page) -> list[str]:
    """The symbols that are lit in formulas, one entry a place."""
    found: list[str] = page.eval_on_selector_all(
        f".katex-html {LIT}:not(.lit-card *)",
        "all => all.map(e => [...e.classList].find(n => n.startsWith('sym-')))",
    )
    return found


def lit_in_all(page: Page) -> int:
    return page.locator(f"{LIT}:not(.lit-card *)").count()


def places_of(symbol: str, page: Page) -> int:
    return page.locator(f".katex-html .{symbol}:not(.lit-card *)").count()


def uses(name: str, page: Page) -> set[int]:
    return {i for i, other in enumerate(names(page)) if other == name}


def name_without_symbol(page: Page, symbols: dict[str, list[str]]) -> str:
    """A name that stands in many places and for no symbol."""
    known = {name for row in symbols.values() for name in row}
    counted = Counter(name for name in names(page) if name not in known)
    name, count = counted.most_common(1)[0]
    assert count > 3
    return name


def symbol_with_name(page: Page, symbols: dict[str, list[str]]) -> tuple[str, set[int]]:
    """A symbol of a note that code on the page has names for, and where these are."""
    for css in page.eval_on_selector_all(SYMBOL, "all => all.map(e => e.classList[0])"):
        wanted = symbols[css]
        here = {i for i, name in enumerate(names(page)) if name in wanted}
        if here:
            return css, here
    raise AssertionError("no symbol on the page has a name in its code")


def name_at(page: Page, position: int) -> Locator:
    return page.locator(NAME).nth(position)


def light(page: Page, position: int, how: str) -> None:
    """Ask for a name with the mouse, or with the keyboard."""
    if how == "click":
        name_at(page, position).click()
        return
    name_at(page, position).locator("xpath=ancestor::pre").focus()
    for _ in names(page):
        page.keyboard.press("ArrowRight")
        if name_at(page, position).evaluate("e => e === document.activeElement"):
            break
    page.keyboard.press("Enter")


HOW = pytest.mark.parametrize("how", ["click", "Enter"])


@HOW
def test_a_name_lights_up_every_use_and_nothing_else(
    attention: Page, symbols: dict[str, list[str]], how: str
) -> None:
    name = name_without_symbol(attention, symbols)
    wanted = uses(name, attention)
    light(attention, min(wanted), how)
    attention.wait_for_selector(LIT)
    assert lit_names(attention) == wanted
    attention.wait_for_load_state("networkidle")
    assert lit_in_all(attention) == len(wanted)


def test_escape_puts_every_light_out(
    attention: Page, symbols: dict[str, list[str]]
) -> None:
    name = name_without_symbol(attention, symbols)
    light(attention, min(uses(name, attention)), "click")
    expect(attention.locator(".lit-card")).to_be_visible()
    attention.keyboard.press("Escape")
    expect(attention.locator(LIT)).to_have_count(0)
    expect(attention.locator(".lit-card")).to_have_count(0)


def test_another_name_puts_the_first_one_out(
    attention: Page, symbols: dict[str, list[str]]
) -> None:
    first = name_without_symbol(attention, symbols)
    other = next(n for n in names(attention) if n != first)
    light(attention, min(uses(first, attention)), "click")
    light(attention, min(uses(other, attention)), "click")
    assert lit_names(attention) == uses(other, attention)


def test_the_card_of_a_name_counts_its_uses_and_leads_to_its_definition(
    attention: Page,
) -> None:
    counted = Counter(names(attention))
    linked = attention.locator(f'{NAME}[href^="#"]')
    name = linked.last.text_content() or ""
    assert counted[name] > 1
    linked.last.click()
    card = attention.locator(".lit-card")
    expect(card).to_contain_text(str(counted[name]))
    card.get_by_role("link").first.click()
    definition = attention.locator(f"{NAME}.d", has_text=name).first
    block = attention.locator(".lit-block").filter(has=definition).first
    expect(block).to_be_in_viewport()


@pytest.mark.parametrize(
    ("path", "code", "which", "owner"),
    [
        # Two classes have a function of this name; the second one asks for its own.
        ("distances", "self.[reset_parameters]()", -1, "class LearnedDistances"),
        ("distances", "super().[__init__]()", -1, None),
        # A local name, and the function of the same name.
        ("relative_attention", "[scores] = self.scores(q, k", 0, None),
        ("relative_attention", "self.[scores](q, k", -1, "class RelativeAttention"),
    ],
)
def test_a_card_names_the_definition_that_is_meant_and_no_other(
    visit: Visit, path: str, code: str, which: int, owner: str | None
) -> None:
    page = visit(f"models/{path}/")
    before, name, after = re.split(r"[\[\]]", code)
    line = page.locator(".lit-code [data-n]", has_text=f"{before}{name}{after}").last
    line.locator(".n", has_text=re.compile(f"^{name}$")).nth(which).click()
    words = page.locator(".lit-card p").first
    expect(words).to_contain_text(re.compile(r"\d uses here"))
    if owner is None:
        expect(words).not_to_contain_text("defined")
        return
    source = (ROOT / "labml_txl" / "models" / f"{path}.py").read_text("utf-8")
    above, _, body = source.partition(owner)
    number = f"{above}{body.partition(f'def {name}(')[0]}".count("\n") + 1
    expect(words.get_by_role("link")).to_have_text(f"defined in line {number}")


@HOW
def test_a_name_lights_up_the_symbols_that_it_stands_for(
    attention: Page, symbols: dict[str, list[str]], how: str
) -> None:
    _, places = symbol_with_name(attention, symbols)
    name = names(attention)[min(places)]
    light(attention, min(places), how)
    wanted = Counter(
        {
            css: places_of(css, attention)
            for css, row in symbols.items()
            if name in row and places_of(css, attention)
        }
    )
    expect(attention.locator(f".katex-html {LIT}:not(.lit-card *)")).to_have_count(
        wanted.total()
    )
    assert Counter(lit_symbols(attention)) == wanted
    assert lit_names(attention) == uses(name, attention)


def test_a_click_on_a_symbol_lights_up_that_symbol_and_its_names(
    attention: Page, symbols: dict[str, list[str]]
) -> None:
    css, wanted = symbol_with_name(attention, symbols)
    attention.locator(f".lit-note .katex:not(a *) .{css}").first.click()
    expect(attention.locator(f"{NAME}{LIT}")).to_have_count(len(wanted))
    assert lit_names(attention) == wanted
    assert lit_symbols(attention) == [css] * places_of(css, attention)


def test_enter_on_a_formula_offers_its_symbols_one_by_one(
    attention: Page, symbols: dict[str, list[str]]
) -> None:
    formulas = attention.locator(".lit-note .katex:not(a *)")
    wanted: list[str] = []
    for formula in formulas.all():
        here: list[str] = formula.evaluate(
            "e => [...new Set([...e.querySelectorAll('[class^=sym-]')]"
            ".map(s => s.classList[0]))]"
        )
        if len(here) > 1 and any(symbols[css] for css in here):
            wanted = here
            formula.focus()
            break
    assert wanted, "no formula holds two symbols"
    attention.keyboard.press("Enter")
    choices = attention.locator(".lit-choices button")
    expect(choices).to_have_count(len(wanted))
    for css in wanted:
        attention.keyboard.press("Enter")
        assert set(lit_symbols(attention)) == {css}
        known = {name.removeprefix(".") for name in symbols[css]}
        assert {names(attention)[i] for i in lit_names(attention)} <= known
        attention.keyboard.press("Tab")
    attention.keyboard.press("Escape")
    expect(attention.locator(LIT)).to_have_count(0)


def test_a_symbol_explains_itself(
    attention: Page, visit: Visit, symbols: dict[str, list[str]]
) -> None:
    css, _ = symbol_with_name(attention, symbols)
    attention.locator(f".lit-note .katex:not(a *) .{css}").first.click()
    row = visit("equations/").locator(f"tr#{css}")
    meaning = row.locator("td").nth(1).inner_text()
    expect(attention.locator(".lit-card")).to_contain_text(meaning.split("$")[0][:20])
    for name in symbols[css]:
        expect(attention.locator(".lit-card")).to_contain_text(name)


def test_a_name_with_a_dot_is_the_attribute_alone(
    attention: Page, symbols: dict[str, list[str]]
) -> None:
    css = "sym-txl-W_kE"
    assert symbols[css] == [".key"]
    attention.locator(f".lit-note .katex:not(a *) .{css}").first.click()
    expect(attention.locator(".lit-card")).to_contain_text(".key")
    found = attention.eval_on_selector_all(
        f"{NAME}.lit-on",
        "all => all.map(e => e.previousSibling.textContent.slice(-1) + e.textContent)",
    )
    assert found
    assert {*found} == {".key"}
    assert names(attention).count("key") > len(found)


def test_a_touch_lights_up_a_name(visit: Visit, symbols: dict[str, list[str]]) -> None:
    page = visit(HEAVIEST, PHONE, has_touch=True, is_mobile=True)
    name = name_without_symbol(page, symbols)
    wanted = uses(name, page)
    name_at(page, min(wanted)).tap()
    expect(page.locator(LIT)).to_have_count(len(wanted))
    box = page.locator(".lit-card").bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE[0]


def links(page: Page) -> list[tuple[int, str, str]]:
    """The names that are links: position, name, whole address."""
    return [
        (i, text, urljoin(page.url, href))
        for i, text, href in page.eval_on_selector_all(
            NAME,
            """all => all.flatMap((e, i) => e.matches("a[href]")
                ? [[i, e.textContent, e.getAttribute("href")]] : [])""",
        )
    ]


def test_a_click_with_control_leads_to_the_definition(
    attention: Page, home: str
) -> None:
    position, name, _ = next(
        link for link in links(attention) if link[2].startswith(home)
    )
    with attention.context.expect_page() as opened:
        name_at(attention, position).click(modifiers=["Control"])
    assert_defines(opened.value, name)


def test_without_scripts_every_linked_name_leads_to_its_definition(
    visit: Visit, home: str
) -> None:
    page = visit(HEAVIEST, java_script_enabled=False)
    ours = {(name, url) for _, name, url in links(page) if url.startswith(home)}
    assert ours
    for name, url in sorted(ours):
        page.goto(url)
        assert_defines(page, name)


def assert_defines(page: Page, name: str) -> None:
    """The address names a block, in sight, whose code defines the name."""
    page.wait_for_load_state()
    target = page.locator(".lit-block:target")
    expect(target).to_be_in_viewport()
    defined = target.locator(".lit-code .n.d").all_text_contents()
    assert name.rpartition(".")[2] in defined


def test_names_of_others_lead_to_their_documentation(
    attention: Page, home: str
) -> None:
    others = {url for _, _, url in links(attention) if not url.startswith(home)}
    torch = "https://docs.pytorch.org/docs/stable/"
    assert any(url.startswith(torch) for url in others)
    for url in others:
        assert url.startswith((torch, "https://docs.python.org/3/"))


# A cited equation, shown where it is cited

CITATION = '.lit-note a.lit-cite[href*="equations/#"]:not(:has(.katex))'


def heading_of_first_citation(page: Page, visit: Visit) -> str:
    href = page.locator(CITATION).first.get_attribute("href") or ""
    key = href.partition("#")[2]
    section = visit("equations/").locator(f'[id="{key}"]')
    return section.locator("h3").inner_text().strip()


def test_a_cited_equation_is_shown_on_hover_and_goes_with_escape(
    attention: Page, visit: Visit
) -> None:
    heading = heading_of_first_citation(attention, visit)
    attention.locator(CITATION).first.hover()
    preview = attention.get_by_role("tooltip")
    expect(preview).to_contain_text(heading)
    expect(preview.locator(".katex").first).to_be_visible()
    expect(preview).to_be_in_viewport(ratio=0.99)
    # The pointer may go to what it shows, and it stays.
    preview.hover()
    attention.wait_for_timeout(400)
    expect(preview).to_be_visible()
    attention.keyboard.press("Escape")
    expect(preview).to_have_count(0)


def test_a_cited_equation_is_shown_on_focus_and_goes_with_escape(
    attention: Page, visit: Visit
) -> None:
    heading = heading_of_first_citation(attention, visit)
    link = attention.locator(CITATION).first
    attention.keyboard.press("Tab")
    link.focus()
    preview = attention.get_by_role("tooltip")
    expect(preview).to_contain_text(heading)
    described = link.get_attribute("aria-describedby")
    assert described
    assert described == preview.get_attribute("id")
    attention.keyboard.press("Escape")
    expect(preview).to_have_count(0)
    assert link.evaluate("e => e === document.activeElement")


def test_a_preview_goes_when_the_focus_goes(attention: Page) -> None:
    attention.keyboard.press("Tab")
    attention.locator(CITATION).first.focus()
    expect(attention.get_by_role("tooltip")).to_be_visible()
    attention.locator(".lit-code").first.focus()
    expect(attention.get_by_role("tooltip")).to_have_count(0)


def test_a_cited_equation_is_one_click_away(attention: Page, visit: Visit) -> None:
    heading = heading_of_first_citation(attention, visit)
    attention.locator(CITATION).first.click()
    target = attention.locator(".lit-equation:target")
    expect(target).to_be_in_viewport()
    expect(target.locator("h3")).to_contain_text(heading)


def test_lights_copies_and_symbols_work_without_a_network(
    attention: Page, symbols: dict[str, list[str]], watch: Watch
) -> None:
    attention.wait_for_load_state("networkidle")
    attention.context.set_offline(True)
    # The page of equations cannot be asked for now, and nothing may hang on it.
    watch.allow(r"equations/$|ERR_INTERNET_DISCONNECTED")
    name = name_without_symbol(attention, symbols)
    light(attention, min(uses(name, attention)), "click")
    expect(attention.locator(LIT)).to_have_count(len(uses(name, attention)))
    attention.keyboard.press("Escape")
    css, _ = symbol_with_name(attention, symbols)
    attention.locator(f".lit-note .katex:not(a *) .{css}").first.click()
    expect(attention.locator(f".katex-html {LIT}:not(.lit-card *)")).to_have_count(
        places_of(css, attention)
    )
    attention.keyboard.press("Escape")
    attention.context.grant_permissions(["clipboard-read", "clipboard-write"])
    attention.locator(".lit-block:has(.lit-copy)").first.hover()
    attention.locator(".lit-copy").first.click()
    assert attention.evaluate("navigator.clipboard.readText()")
    attention.locator(".lit-contents summary").click()
    expect(attention.locator(".lit-contents li a").first).to_be_visible()


def test_an_equation_seen_once_is_there_without_a_network(attention: Page) -> None:
    attention.locator(CITATION).first.hover()
    expect(attention.get_by_role("tooltip")).to_be_visible()
    attention.keyboard.press("Escape")
    attention.context.set_offline(True)
    attention.mouse.move(0, 0)
    attention.locator(CITATION).last.hover()
    expect(attention.get_by_role("tooltip").locator(".katex").first).to_be_visible()
