"""What a browser shows of each kind of page, in every language.

A kind is a template, or what makes a page larger than others of its template. What can
be read in the files is held for all pages in `test_pages.py`.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Response

from tests.site.conftest import (
    CONTRAST,
    DESKTOP,
    IDLE,
    PHONE,
    Watch,
    colours,
    reader,
    violations,
    width,
)
from tests.site.pages import EQUATIONS, FOLDERS, HEAVIEST, NOT_FOUND, TRANSLATIONS

PAPER = "papers/transformer_xl/"
KINDS = [
    *("", PAPER, "path/", "models/", "models/adaptive/softmax/", HEAVIEST, "live/"),
    *("training/", "train/", "measured/", "notebooks/memory/"),
    *(EQUATIONS, "annotate/", TRANSLATIONS, NOT_FOUND),
]
EACH_LANGUAGE = pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f or "en")
SIZES = ((DESKTOP, "screen"), (PHONE, "screen"), ((718, 1000), "print"))
FONTS = "all => [...new Set(all.map(e => getComputedStyle(e).fontFamily))]"


def too_wide(page: Page) -> bool:
    """Whether a page is wider than its screen, or can be moved to a side."""
    # What hides its overflow may still be scrolled by a finger or by a link.
    page.evaluate("scrollTo(9999, 0)")
    screen = page.viewport_size
    assert screen
    return width(page) > screen["width"] or bool(page.evaluate("scrollX"))


def neighbours(page: Page) -> list[str]:
    """What is wrong with the links to the pages before and after this one."""
    ways = page.locator(".md-footer__link")
    ways.last.scroll_into_view_if_needed()
    boxes = ways.evaluate_all("all => all.map(e => e.getBoundingClientRect().toJSON())")
    if not boxes:
        return ["no link to a neighbour"]
    return [
        f"the link to a neighbour is at {box}"
        for box in boxes
        if not (0 <= box["left"] < box["right"] <= PHONE[0] and box["height"] >= 24)
    ]


def faults(page: Page, path: str, axe: str, *, translated: bool) -> Iterator[str]:
    """What is wrong with a page that has just been opened on a desktop."""
    page.mouse.wheel(0, 20_000)
    page.evaluate(IDLE)
    broken = "all => all.filter(e => !e.naturalWidth).map(e => `no picture ${e.src}`)"
    yield from page.eval_on_selector_all("img", broken)
    fonts = page.eval_on_selector_all("body, body *", FONTS)
    # It is a Chinese one on a Chinese system: `lang` decides instead.
    if translated and any(font.startswith("system-ui") for font in fonts):
        yield "words in the font of the system"
    for size, media in SIZES:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(media=media)  # type: ignore[arg-type]
        if too_wide(page):
            yield f"on {media}, {size}: {width(page)} wide"
        if size == PHONE and path != NOT_FOUND:
            yield from neighbours(page)
    page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    page.emulate_media(media="screen")
    if translated:
        # Formulas are the same in every language, and most of what a page holds.
        page.eval_on_selector_all(".katex", "all => all.map(e => e.replaceWith('x'))")
    page.evaluate("scrollTo(0, 0)")
    page.evaluate(axe)
    yield from violations(page)
    colours(page, "dark")
    yield from (f"dark: {one}" for one in violations(page, *CONTRAST))


@EACH_LANGUAGE
def test_a_page_keeps_nobody_out_fits_screens_and_paper_and_asks_no_other_host(
    browser: Browser, home: str, axe: str, folder: str
) -> None:
    watch, found = Watch(home), []
    with reader(browser, watch, *DESKTOP) as context:
        page = context.new_page()
        for path in KINDS:
            page.emulate_media(color_scheme="light")
            answer = page.goto(home + folder + path)
            assert isinstance(answer, Response)
            assert answer.status == 200, path
            wrong = faults(page, path, axe, translated=bool(folder))
            found += [f"{path}: {one}" for one in (*wrong, *watch.complaints)]
            watch.found.clear()
    assert found == []


HIDDEN = """all => all.filter(e => !e.checkVisibility({opacityProperty: true}))
    .map(e => e.textContent.slice(0, 80))"""


@EACH_LANGUAGE
def test_all_text_is_readable_without_scripts(
    browser: Browser, home: str, folder: str
) -> None:
    found = []
    silent = {"java_script_enabled": False}
    with reader(browser, Watch(home), *PHONE, **silent) as context:
        page = context.new_page()
        for path in KINDS:
            page.goto(home + folder + path)
            words = "h1, .lit-note > p, :not(details) > .lit-code, article > p"
            hidden = page.eval_on_selector_all(words, HIDDEN)
            found += [f"{path}: {one}" for one in hidden]
            if too_wide(page):
                found.append(f"{path}: {width(page)} wide")
    assert found == []
