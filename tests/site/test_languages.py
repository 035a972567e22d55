"""The pages of the site itself in every language: heads, axe, and the way between."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from labml_txl.literate.export.notebooks.tutorial import outputs_of
from labml_txl.literate.i18n.languages import Language, language
from labml_txl.literate.markdown.messages import cut_figure
from labml_txl.literate.sources.cells import pictures
from labml_txl.literate.sources.source import Source
from tests.site.audit import HEAVIEST
from tests.site.conftest import DESKTOP, PHONE, PUBLISHED, Watch, reader
from tests.site.pages import LANGUAGES, ROOT, TRANSLATIONS
from tests.site.test_every_page import violations

FOUND = [language(file, ROOT) for file in sorted(LANGUAGES)]
NOTEBOOKS = sorted(file.stem for file in ROOT.glob("notebooks/*.py"))
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


def test_no_words_are_set_in_the_font_of_the_system(opened: Opened) -> None:
    """It is a Chinese one on a Chinese system: `lang` decides instead."""
    page, _, _ = opened
    fonts = "all => [...new Set(all.map(e => getComputedStyle(e).fontFamily))]"
    found = page.eval_on_selector_all("body, body *", fonts)
    assert len(found) > 1
    assert not [font for font in found if font.startswith("system-ui")]


@pytest.mark.parametrize("lang", FOUND, ids=lambda lang: lang.code)
def test_a_name_in_another_language_has_a_font_of_that_language(
    browser: Browser, home: str, lang: Language
) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.goto(home)
    font = "e => getComputedStyle(e).fontFamily"
    assert page.eval_on_selector("body", font).startswith("system-ui")
    name = page.eval_on_selector(f".lit-tongues a[lang={lang.tag}]", font)
    page.goto(f"{home}{lang.code}/")
    assert name == page.eval_on_selector("body", font)
    page.close()


@pytest.mark.parametrize("name", NOTEBOOKS)
@pytest.mark.parametrize("lang", FOUND, ids=lambda lang: lang.code)
def test_plots_speak_the_language_of_the_page(
    site: Path, lang: Language, name: str
) -> None:
    file = site / lang.code / "notebooks" / name / "index.html"
    shown = re.findall(r'<figure class="lit-plot".*?</figure>', file.read_text("utf-8"))
    ran = outputs_of(Source(f"notebooks/{name}.py", ""), ROOT)
    drawn = [one for outputs in ran for output in outputs for one in pictures(output)]
    assert len(shown) == len(drawn)
    for picture, (_, words, drawing) in zip(shown, drawn, strict=True):
        told = re.search(r'(?:aria-label|alt)="([^"]*)"', picture)
        assert told
        english = unescape(told[1]) == words
        assert english == ('<div lang="en">' in picture), words
        assert not english, f"{words} is not translated"
        labels = {unescape(said) for said in re.findall(r">([^<>]+)</text>", picture)}
        messages = {part.message for part in cut_figure(drawing) if part.message}
        assert not [m for m in messages & labels if m.isascii()]


# The labels of plots that reach out of what can be scrolled to, each with its plot.
CUT_OFF = """all => all.flatMap((box, n) => {
  const { left, top, bottom } = box.getBoundingClientRect();
  const from = left - box.scrollLeft, drawing = box.querySelector("svg");
  if (drawing && getComputedStyle(drawing).overflow !== "visible") return [n];
  return [...box.querySelectorAll("svg text")].filter(label => {
    const at = label.getBoundingClientRect();
    return at.left < from || at.right > from + box.scrollWidth
      || at.top < top || at.bottom > bottom;
  }).map(label => [n, label.textContent]);
})"""


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("name", ["memory", "relative_shift", "train_compressive"])
@pytest.mark.parametrize("lang", FOUND, ids=lambda lang: lang.code)
def test_no_label_of_a_plot_is_cut_off(
    browser: Browser, home: str, lang: Language, name: str, size: tuple[int, int]
) -> None:
    width, height = size
    page = browser.new_page(
        viewport={"width": width, "height": height}, java_script_enabled=False
    )
    page.goto(f"{home}{lang.code}/notebooks/{name}/")
    assert page.locator(".lit-plot svg text").count() > 20
    assert page.eval_on_selector_all(".lit-plot > div", CUT_OFF) == []
    page.close()


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
