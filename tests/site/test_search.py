"""The search puts first what readers look for, asked in a browser as they ask."""

from collections.abc import Mapping

import pytest
from playwright.sync_api import Page, expect

from tests.site.conftest import Visit
from tests.site.questions import CHINESE, ENGLISH, JAPANESE

# What the search was asked last, and the pages that it found, in their order.
OVERHEARD = """
    const { Worker } = window;
    window.Worker = class extends Worker {
        constructor(...given) {
            super(...given);
            this.addEventListener("message", ({ data: { type, data } }) => {
                if (type !== 3) return;
                window.found = data.items.map(parts => parts[0].location);
            });
        }
        postMessage(told) {
            if (told.type === 2) [window.asked, window.found] = [told.data, null];
            super.postMessage(told);
        }
    };
"""


def opened(visit: Visit, path: str) -> Page:
    """A page whose search is open and ready."""
    page = visit("")
    page.add_init_script(OVERHEARD)
    page.goto(page.url + path)
    page.wait_for_load_state("networkidle")
    page.keyboard.press("/")
    expect(page.locator(".md-search__input")).to_be_focused()
    return page


def pages(page: Page, question: str) -> list[str]:
    """The pages that a question finds, the best first."""
    page.locator(".md-search__input").fill(question)
    page.keyboard.press("End")  # The search listens to keys.
    page.wait_for_function("it => window.asked === it && window.found", arg=question)
    found: list[str] = page.evaluate("found")
    return [place.partition("#")[0] for place in found]


@pytest.mark.parametrize(
    ("folder", "questions"), [("", ENGLISH), ("ja/", JAPANESE), ("zh/", CHINESE)]
)
def test_what_a_reader_looks_for_is_among_the_first_three(
    visit: Visit, folder: str, questions: Mapping[str, str]
) -> None:
    page = opened(visit, f"{folder}reading/")
    firsts = {question: pages(page, question)[:3] for question in questions}
    missed = {
        question: (wanted, firsts[question])
        for question, wanted in questions.items()
        if wanted not in firsts[question]
    }
    assert missed == {}


def test_the_list_shows_the_pages_in_that_order(visit: Visit, home: str) -> None:
    page = opened(visit, "reading/")
    found = pages(page, "memory")
    links = page.locator(".md-search-result__item > a")
    expect(links.nth(2)).to_be_visible()
    shown = links.evaluate_all("all => all.map(e => e.href)")
    # A page stands above its parts.
    places = (link.removeprefix(home).partition("?")[0] for link in shown)
    assert [*dict.fromkeys(places)][:2] == found[:2]


def test_readers_of_the_models_come_before_those_of_the_engine(visit: Visit) -> None:
    page = opened(visit, "reading/")
    found = pages(page, "cache")
    engine = [place for place in found if place.startswith("literate/")]
    assert engine
    assert found.index("models/fast/cache/") < found.index(engine[0])
    # Who asks for a page of the engine by its name gets it.
    assert pages(page, "without installing Node")[0] == "literate/equations/node/"


def test_little_words_find_nothing_by_themselves(visit: Visit) -> None:
    page = opened(visit, "reading/")
    assert pages(page, "how do I mask") == pages(page, "mask")
    # Signs mean what they say.
    assert set(pages(page, '"causal mask"')) < set(pages(page, "causal mask"))
