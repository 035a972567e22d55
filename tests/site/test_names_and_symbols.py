"""Names in code and symbols in formulas answer each other."""

import re
from collections import Counter
from collections.abc import Iterable
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


def names_and_symbols(page: Page, lit: str = "") -> tuple[list[str], list[str]]:
    """The names in code and the symbols in formulas, or those of them that are lit."""
    symbols = page.eval_on_selector_all(
        f'.katex-html [class*="sym-"]{lit}:not(.lit-card *)',
        "all => all.map(e => [...e.classList].find(n => n.startsWith('sym-')))",
    )
    return page.locator(NAME + lit).all_text_contents(), symbols


def expect_lit(page: Page, names: Iterable[str], symbols: Iterable[str]) -> None:
    """All uses of these names, all places of these symbols, and nothing else is lit."""
    wanted = tuple(
        [one for one in every if one in given]
        for every, given in zip(names_and_symbols(page), (names, symbols), strict=True)
    )
    count = sum(map(len, wanted))
    expect(page.locator(f"{LIT}:not(.lit-card *)")).to_have_count(count)
    assert names_and_symbols(page, LIT) == wanted


def symbol_with_name(page: Page, symbols: dict[str, list[str]]) -> str:
    """A symbol of a note that code on the page has names for."""
    names, _ = names_and_symbols(page)
    found: list[str] = page.eval_on_selector_all(
        SYMBOL, "all => all.map(e => e.classList[0])"
    )
    return next(css for css in found if {*symbols[css]} & {*names})


@pytest.mark.parametrize("how", ["click", "Enter"])
def test_a_name_highlights_exactly_its_uses_and_symbols_until_escape(
    attention: Page, symbols: dict[str, list[str]], how: str
) -> None:
    # Otherwise a link may come to lie below the pointer, and Escape closes its preview.
    attention.mouse.move(0, 0)
    every, _ = names_and_symbols(attention)
    known = {name for row in symbols.values() for name in row}
    # A name that stands in many places and for no symbol, and one that stands for one.
    (without, count), *_ = Counter(n for n in every if n not in known).most_common(1)
    assert count > 3
    row = symbols[symbol_with_name(attention, symbols)]
    for name in (without, next(one for one in every if one in row)):
        asked = attention.locator(NAME).nth(every.index(name))
        if how == "click":
            asked.click()
        else:
            asked.locator("xpath=ancestor::pre").focus()
            while not asked.evaluate("e => e === document.activeElement"):
                attention.keyboard.press("ArrowRight")
            attention.keyboard.press("Enter")
        stands_for = [css for css, row in symbols.items() if name in row]
        expect_lit(attention, [name], stands_for)
        attention.wait_for_load_state("networkidle")
        expect_lit(attention, [name], stands_for)
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
def test_a_card_links_to_the_right_definition(
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


def test_a_click_on_a_symbol_explains_it_and_highlights_its_names(
    attention: Page, published: Published, symbols: dict[str, list[str]]
) -> None:
    css = symbol_with_name(attention, symbols)
    attention.locator(f".lit-note .katex:not(a *) .{css}").first.click()
    expect_lit(attention, symbols[css], [css])
    (row,) = published.pages[EQUATIONS].xpath(f"//tr[@id='{css}']")
    card = attention.locator(".lit-card")
    for said in (row.xpath("td")[1].text_content().split("$")[0][:15], *symbols[css]):
        expect(card).to_contain_text(said)


def test_enter_on_a_formula_offers_its_symbols_one_by_one(
    attention: Page, symbols: dict[str, list[str]]
) -> None:
    wanted: list[str] = []
    for formula in attention.locator(".lit-note .katex:not(a *)").all():
        wanted = formula.evaluate(
            "e => [...new Set([...e.querySelectorAll('[class^=sym-]')]"
            ".map(s => s.classList[0]))]"
        )
        if len(wanted) > 1 and any(symbols[css] for css in wanted):
            break
    else:
        raise AssertionError("no formula holds two symbols")
    formula.focus()
    attention.keyboard.press("Enter")
    choices = attention.locator(".lit-choices button")
    expect(choices).to_have_count(len(wanted))
    for css in wanted:
        attention.keyboard.press("Enter")
        lit_names, lit_symbols = names_and_symbols(attention, LIT)
        assert {*lit_symbols} == {css}
        assert {*lit_names} <= {name.removeprefix(".") for name in symbols[css]}
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
    href = attention.locator(CITATION).first.get_attribute("href") or ""
    section = visit(EQUATIONS).locator(f'[id="{href.partition("#")[2]}"]')
    heading = section.locator("h3").inner_text().strip()
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


def test_a_tap_on_a_citation_shows_the_equation_and_a_second_tap_follows_the_link(
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


def test_the_page_on_reading_ticks_off_the_parts_that_are_used(visit: Visit) -> None:
    page = visit("reading/")
    steps = page.locator(".lit-tour > ol > li")
    excerpt = page.locator(".lit-tour .lit-excerpt")
    spots = excerpt.locator(".lit-spot")
    expect(spots).to_have_count(steps.count())
    numbers = spots.evaluate_all("all => all.map(e => +e.dataset.spot)")
    # In the order in which one reads.
    assert numbers == [*range(1, steps.count() + 1)]
    done = page.locator(".lit-tour .lit-done")
    expect(done).to_have_count(0)
    excerpt.locator(".shape").first.hover()
    expect(steps.nth(6)).to_have_class("lit-done")
    excerpt.locator(".lit-cite").first.focus()
    expect(steps.nth(5)).to_have_class("lit-done")
    excerpt.locator("[data-o]").first.click()
    expect(steps.nth(4)).to_have_class("lit-done")
    # The numbers are no part of the code.
    assert "7" not in excerpt.locator("code").first.evaluate("e => e.textContent")
    # A phone has no sign for a link to a block, and so no step about it.
    phone = visit("reading/", PHONE, **TOUCH)
    spots = phone.locator(".lit-tour .lit-excerpt .lit-spot")
    expect(spots).to_have_count(len(numbers) - 1)
    order = spots.evaluate_all("all => all.map(e => +e.dataset.spot)")
    assert order == numbers[:-1]
    expect(phone.locator(".lit-tour > ol > li")).to_have_count(len(order))
    silent = visit("reading/", java_script_enabled=False)
    expect(silent.locator(".lit-tour .lit-code").first).to_be_visible()
    expect(silent.locator(".lit-tour > ol > li")).to_have_count(len(numbers))
