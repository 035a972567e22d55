"""Names in code and symbols in formulas answer each other."""

import re
from collections import Counter
from urllib.parse import unquote

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.site.built import PUBLISHED
from tests.site.conftest import PHONE, TOUCH, Visit
from tests.site.links import Published
from tests.site.pages import EQUATIONS, HEAVIEST, ROOT, modules
from tests.site.test_pages import having, text_of

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
def test_a_name_lights_up_every_use_and_nothing_else_until_escape(
    attention: Page, symbols: dict[str, list[str]], how: str
) -> None:
    name = name_without_symbol(attention, symbols)
    other = next(n for n in names(attention) if n != name)
    for asked in (other, name):
        wanted = uses(asked, attention)
        light(attention, min(wanted), how)
        expect(attention.locator(f"{NAME}{LIT}")).to_have_count(len(wanted))
        assert lit_names(attention) == wanted
    attention.wait_for_load_state("networkidle")
    expect(attention.locator(f"{LIT}:not(.lit-card *)")).to_have_count(len(wanted))
    attention.keyboard.press("Escape")
    expect(attention.locator(LIT)).to_have_count(0)
    expect(attention.locator(".lit-card")).to_have_count(0)


@pytest.mark.parametrize(
    ("path", "code", "which", "owner"),
    [
        # Two classes have a function of this name; the second one asks for its own.
        ("distances", "self.[reset_parameters]()", -1, "class LearnedDistances"),
        # A local name, and the function of the same name.
        ("relative_attention", "[scores] = self.scores(q, k", 0, None),
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
    expect(words).to_contain_text(re.compile(r"uses here: \d"))
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


def test_a_click_on_a_symbol_explains_it_and_lights_up_its_names(
    attention: Page, published: Published, symbols: dict[str, list[str]]
) -> None:
    css, wanted = symbol_with_name(attention, symbols)
    attention.locator(f".lit-note .katex:not(a *) .{css}").first.click()
    expect(attention.locator(f"{NAME}{LIT}")).to_have_count(len(wanted))
    assert lit_names(attention) == wanted
    assert lit_symbols(attention) == [css] * places_of(css, attention)
    (row,) = published.pages[EQUATIONS].xpath(f"//tr[@id='{css}']")
    card = attention.locator(".lit-card")
    expect(card).to_contain_text(row.xpath("td")[1].text_content().split("$")[0][:15])
    for name in symbols[css]:
        expect(card).to_contain_text(name)


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


def test_every_linked_name_leads_to_its_definition_or_to_its_documentation(
    published: Published,
) -> None:
    """Over all pages: a name of ours to the block that defines it."""
    wrong, torch = [], "https://docs.pytorch.org/docs/stable/"
    others = (torch, "https://docs.python.org/3/", "https://numpy.org/doc/stable/")
    seen = set()
    for path in modules():
        tree = published.pages[path]
        for link in tree.xpath(f"//*[{having('lit-code')}]//a[{having('n')}][@href]"):
            name = text_of(link).rpartition(".")[2]
            whole = published.whole(f"{path}index.html", link.get("href"))
            page, _, anchor = whole.removeprefix(PUBLISHED).partition("#")
            if not whole.startswith(PUBLISHED):
                seen.add(whole)
                if not whole.startswith(others):
                    wrong.append(f"{path}: {name} to {whole}")
                continue
            if not anchor and page.endswith(f"{name}/"):
                continue  # a module
            found = published.pages[page].xpath("//*[@id=$id]", id=unquote(anchor))
            defined = {
                text_of(one)
                for block in found
                for one in block.xpath(f"descendant-or-self::*[{having('d')}]")
            }
            if name not in defined and text_of(link) not in defined:
                wrong.append(f"{path}: {name} to {whole}")
    assert wrong == []
    assert any(url.startswith(torch) for url in seen)


# A cited equation, shown where it is cited

CITATION = '.lit-note a.lit-cite[href*="equations/#"]:not(:has(.katex))'


def heading_of_first_citation(page: Page, visit: Visit) -> str:
    href = page.locator(CITATION).first.get_attribute("href") or ""
    key = href.partition("#")[2]
    section = visit("equations/").locator(f'[id="{key}"]')
    return section.locator("h3").inner_text().strip()


def pointed(link: Locator) -> tuple[float, float]:
    """The middle of a link's first line, in view.

    Playwright asks Chromium for it in a way that knows no second column: there it would
    point at the first.
    """
    link.scroll_into_view_if_needed()
    x, y = link.evaluate(
        "e => (r => [r.x + r.width / 2, r.y + r.height / 2])(e.getClientRects()[0])"
    )
    return x, y


def test_a_cited_equation_is_shown_on_hover_and_on_focus_and_is_one_click_away(
    attention: Page, visit: Visit
) -> None:
    heading = heading_of_first_citation(attention, visit)
    link, preview = attention.locator(CITATION).first, attention.get_by_role("tooltip")
    attention.mouse.move(*pointed(link))
    expect(preview).to_contain_text(heading)
    expect(preview.locator(".katex").first).to_be_visible()
    expect(preview).to_be_in_viewport(ratio=0.99)
    # The pointer may go to what it shows, and it stays.
    preview.hover()
    attention.wait_for_timeout(400)
    expect(preview).to_be_visible()
    attention.keyboard.press("Escape")
    expect(preview).to_have_count(0)
    attention.mouse.move(0, 0)
    attention.keyboard.press("Tab")
    link.focus()
    expect(preview).to_contain_text(heading)
    assert link.get_attribute("aria-describedby") == preview.get_attribute("id")
    attention.keyboard.press("Escape")
    expect(preview).to_have_count(0)
    expect(link).to_be_focused()
    attention.locator(CITATION).nth(1).focus()
    expect(preview).to_be_visible()
    attention.locator(".lit-code").first.focus()
    expect(preview).to_have_count(0)
    attention.mouse.click(*pointed(link))
    target = attention.locator(".lit-equation:target")
    expect(target).to_be_in_viewport()
    expect(target.locator("h3")).to_contain_text(heading)


def test_a_tap_on_a_citation_shows_the_equation_and_a_second_one_goes_there(
    visit: Visit, home: str
) -> None:
    page = visit(HEAVIEST, PHONE, **TOUCH)
    link = page.locator(".lit-note a.lit-cite").first
    goal = link.evaluate("e => e.href")
    card = page.locator(".lit-preview")
    link.tap()
    expect(card.locator(".katex-display")).to_be_in_viewport()
    page.locator("h1").first.tap()
    expect(card).to_have_count(0)
    assert page.url == home + HEAVIEST
    for second in (link, card.get_by_role("link").first):
        link.tap()
        expect(card.locator(".katex-display")).to_be_in_viewport()
        second.tap()
        page.wait_for_url(goal)
        page.goto(home + HEAVIEST)
    # Where no card can be had, the first tap leads there.
    page.evaluate("() => { window.fetch = () => Promise.reject(Error('off-line')); }")
    link.tap()
    page.wait_for_url(goal)
