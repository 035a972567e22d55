"""The pages of the site itself in every language: heads, axe, and the way between."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from labml_txl.literate.translation.languages import Language, language
from tests.site.audit import HEAVIEST
from tests.site.conftest import DESKTOP, PHONE, PUBLISHED, Watch, reader
from tests.site.pages import LANGUAGES, ROOT, TRANSLATIONS
from tests.site.test_every_page import violations

FOUND = [language(file, ROOT) for file in sorted(LANGUAGES)]
PAGES = ["", HEAVIEST, "papers/transformer_xl/", "equations/", TRANSLATIONS]


@pytest.fixture(
    scope="module",
    params=[(lang, path) for lang in FOUND for path in PAGES],
    ids=lambda given: f"{given[0].code}/{given[1]}",
)
def opened(
    request: pytest.FixtureRequest, browser: Browser, home: str, axe: str
) -> Iterator[tuple[Page, Language, str]]:
    lang, path = request.param
    watch = Watch(home)
    with reader(browser, watch, *DESKTOP, color_scheme="light") as context:
        page = context.new_page()
        page.goto(f"{home}{lang.code}/{path}")
        page.evaluate(axe)
        yield page, lang, path
        assert watch.complaints == []


Opened = tuple[Page, Language, str]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_any_language(opened: Opened, scheme: str) -> None:
    page, _, _ = opened
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    wanted = {"light": "default", "dark": "slate"}[scheme]
    page.wait_for_selector(f'body[data-md-color-scheme="{wanted}"]')
    assert violations(page) == []


def test_a_page_is_never_wider_than_the_screen(opened: Opened) -> None:
    page, _, _ = opened
    for width, height in (PHONE, DESKTOP):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_head_names_the_page_in_every_language(opened: Opened) -> None:
    page, lang, path = opened
    assert page.get_attribute("html", "lang") == lang.tag
    links = page.eval_on_selector_all(
        "head link[hreflang]", "all => all.map(e => [e.hreflang, e.href])"
    )
    assert dict(links) == {
        "en": f"{PUBLISHED}{path}",
        "x-default": f"{PUBLISHED}{path}",
        **{one.tag: f"{PUBLISHED}{one.code}/{path}" for one in FOUND},
    }
    canonical = page.get_attribute("head link[rel=canonical]", "href")
    assert canonical == f"{PUBLISHED}{lang.code}/{path}"
    locale = page.get_attribute('head meta[property="og:locale"]', "content")
    assert locale == lang.locale


def test_addresses_within_a_page_are_those_of_english(
    opened: Opened, browser: Browser, home: str
) -> None:
    page, _, path = opened
    ids = "all => all.map(e => e.id).filter(id => id && !id.startsWith('__'))"
    english = browser.new_page(java_script_enabled=False)
    english.goto(home + path)
    wanted = english.eval_on_selector_all("main [id]", ids)
    english.close()
    assert page.eval_on_selector_all("main [id]", ids) == wanted


@pytest.mark.parametrize(
    ("code", "typed", "wanted"),
    [
        ("ja", "再帰メモリ", "papers/transformer_xl/"),
        ("ja", "スコア行列", "papers/transformer_xl/"),
        ("ja", "勾配チェックポイント", "training/runs/storage/checkpoint/"),
        ("zh", "注意力", "models/relative_attention/"),
        ("zh", "循环记忆", "models/memory/"),
        ("zh", "检查点", "training/runs/storage/checkpoint/"),
    ],
)
def test_what_is_typed_leads_to_the_page_about_it(
    browser: Browser, home: str, code: str, typed: str, wanted: str
) -> None:
    page = browser.new_page()
    page.goto(f"{home}{code}/")
    page.wait_for_load_state("networkidle")
    page.keyboard.press("/")
    expect(page.locator(".md-search__input")).to_be_focused()
    # As an input method does: the word arrives whole.
    page.keyboard.insert_text(typed)
    page.keyboard.press("Shift")
    found = page.locator(".md-search-result__list > li > a.md-search-result__link")
    expect(found.first).to_be_visible(timeout=15_000)
    first = found.evaluate_all("all => all.slice(0, 10).map(e => e.pathname)")
    page.close()
    assert any(path.endswith(f"/{code}/{wanted}") for path in first), first
