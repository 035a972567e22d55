"""What holds on every page of the site, the page for lost readers included."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Response

from tests.site.conftest import DESKTOP, PHONE, PUBLISHED, Watch, reader
from tests.site.pages import NOT_FOUND, every

PAGES = [*every(), NOT_FOUND]


class Opened:
    """A page that several tests look at, one after the other."""

    def __init__(self, page: Page, path: str, watch: Watch) -> None:
        self.page, self.path, self.watch = page, path, watch

    def shown(self, scheme: str, size: tuple[int, int] = DESKTOP) -> Page:
        """The page in a colour scheme, on a screen."""
        self.page.set_viewport_size({"width": size[0], "height": size[1]})
        self.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        wanted = {"light": "default", "dark": "slate"}[scheme]
        self.page.wait_for_selector(f'body[data-md-color-scheme="{wanted}"]')
        return self.page

    def meta(self, selector: str, attribute: str = "content") -> str:
        """An attribute of the one element in the head that the selector finds."""
        found = self.page.locator(f"head {selector}")
        assert found.count() == 1, selector
        return found.get_attribute(attribute) or ""


@pytest.fixture(scope="module")
def tab(browser: Browser, home: str) -> Iterator[tuple[Page, Watch]]:
    """One reader, who goes from page to page in one tab."""
    watch = Watch(home)
    with reader(browser, watch, *DESKTOP) as context:
        yield context.new_page(), watch


@pytest.fixture(scope="module", params=PAGES, ids=lambda path: path or "home")
def opened(
    request: pytest.FixtureRequest, tab: tuple[Page, Watch], home: str, axe: str
) -> Opened:
    page, watch = tab
    watch.found.clear()
    page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    page.emulate_media(color_scheme="light")
    answer = page.goto(home + request.param)
    assert isinstance(answer, Response)
    assert answer.status == 200
    page.evaluate(axe)
    return Opened(page, request.param, watch)


# What was asked for in idle time, since the page was laid out, is done when this is.
IDLE = """() => new Promise(done => requestAnimationFrame(() =>
    requestAnimationFrame(() => requestIdleCallback(done))))"""


def violations(page: Page) -> list[str]:
    """What axe finds, a line each: the rule, how often, where first."""
    page.evaluate(IDLE)
    found: list[dict[str, Any]] = page.evaluate(
        "axe.run(document, {resultTypes: ['violations']}).then(r => r.violations)"
    )
    return [
        f"{one['id']} ({one['impact']}) × {len(one['nodes'])}: "
        f"{one['nodes'][0]['target']} {one['nodes'][0]['failureSummary']}"
        for one in found
    ]


def test_axe_finds_nothing_in_light(opened: Opened) -> None:
    assert violations(opened.shown("light")) == []


def test_axe_finds_nothing_in_dark(opened: Opened) -> None:
    assert violations(opened.shown("dark")) == []


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_page_is_never_wider_than_the_screen(
    opened: Opened, size: tuple[int, int]
) -> None:
    page = opened.shown("light", size)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    # What hides its overflow may still be scrolled by a finger or by a link.
    page.evaluate("scrollTo(9999, 0)")
    assert page.evaluate("scrollX") == 0


def test_the_head_says_what_the_page_is(opened: Opened) -> None:
    assert opened.page.title().strip()
    assert 50 <= len(opened.meta("meta[name=description]")) <= 160
    assert opened.page.get_attribute("html", "lang") == "en"


def test_the_page_is_known_by_one_whole_address(opened: Opened) -> None:
    if opened.path == NOT_FOUND:
        assert opened.page.locator("head link[rel=canonical]").count() == 0
        return
    assert opened.meta("link[rel=canonical]", "href") == PUBLISHED + opened.path
    assert opened.meta('meta[property="og:url"]') == PUBLISHED + opened.path


def test_a_shared_link_shows_title_words_and_picture(opened: Opened) -> None:
    for name in ("title", "description", "type", "site_name"):
        assert opened.meta(f'meta[property="og:{name}"]').strip()
    assert opened.meta("meta[name='twitter:card']")
    pictures = opened.page.locator('head meta[property="og:image"]')
    for picture in pictures.all():
        assert (picture.get_attribute("content") or "").startswith(PUBLISHED)


def test_there_is_one_heading_of_the_first_level_and_one_main_part(
    opened: Opened,
) -> None:
    assert opened.page.locator("h1").count() == 1
    assert opened.page.locator("main").count() == 1
    assert opened.page.locator("main h1").count() == 1


def test_no_address_within_the_page_exists_twice(opened: Opened) -> None:
    twice = opened.page.evaluate(
        """() => [...document.querySelectorAll("[id]")].map(e => e.id)
            .filter((id, i, all) => all.indexOf(id) !== i)"""
    )
    assert twice == []


def test_each_formula_is_set_and_has_its_mathml(opened: Opened) -> None:
    found = opened.page.evaluate(
        r"""() => {
            const all = (s) => [...document.querySelectorAll(s)];
            const text = (e) => e.textContent.slice(0, 80);
            const words = document.querySelector("main").cloneNode(true);
            const code = "code, pre, annotation, svg [font-family*=monospace]";
            words.querySelectorAll(code).forEach(e => e.remove());
            return {
                errors: all(".katex-error").map(text),
                "without MathML": all(".katex").filter(
                    e => !e.querySelector(".katex-mathml math > *")).map(text),
                "without HTML": all(".katex").filter(
                    e => !e.querySelector(".katex-html > *")).map(text),
                "not set": all(".arithmatex").filter(
                    e => !e.querySelector(".katex")).map(text),
                "as TeX": words.innerText.match(/\\[([a-zA-Z]+[^.]{0,40}/g) ?? [],
            };
        }"""
    )
    assert {kind: some for kind, some in found.items() if some} == {}


def test_every_picture_is_there(opened: Opened) -> None:
    broken = opened.page.eval_on_selector_all(
        "img", "all => all.filter(e => !e.naturalWidth).map(e => e.src)"
    )
    assert broken == []


def test_the_page_is_quiet_and_asks_no_other_host(opened: Opened) -> None:
    opened.page.wait_for_load_state("networkidle")
    opened.page.mouse.wheel(0, 20_000)
    assert json.dumps(opened.watch.complaints, indent=1) == "[]"
