"""How much a reader has to load: the heaviest page within its limits."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.site.audit import HEAVIEST, NODE_LIMIT, SIZE_LIMIT, compressed
from tests.site.conftest import Visit
from tests.site.pages import notebooks


def test_the_heaviest_page_is_light(site: Path) -> None:
    assert len(compressed(site / HEAVIEST / "index.html")) <= SIZE_LIMIT


def test_the_heaviest_page_has_few_elements(attention: Page) -> None:
    attention.wait_for_load_state("networkidle")
    assert attention.evaluate("document.querySelectorAll('*').length") <= NODE_LIMIT


@pytest.mark.parametrize("path", notebooks())
def test_a_notebook_is_light_with_all_its_figures(site: Path, path: str) -> None:
    assert len(compressed(site / path / "index.html")) <= 120_000


def test_a_page_loads_its_own_few_files_and_no_font_that_it_does_not_use(
    visit: Visit,
) -> None:
    page = visit("")
    page.wait_for_load_state("networkidle")
    loaded: list[str] = page.evaluate(
        "performance.getEntriesByType('resource').map(e => e.name)"
    )
    assert len(loaded) <= 20, loaded


SHIFTS = """
    window.shifts = 0;
    new PerformanceObserver(list => list.getEntries().forEach(
        entry => { if (!entry.hadRecentInput) window.shifts += entry.value; }
    )).observe({type: "layout-shift", buffered: true});
"""


def test_nothing_moves_while_a_page_loads(visit: Visit) -> None:
    page = visit("")
    page.add_init_script(SHIFTS)
    for path in ("", HEAVIEST):
        page.goto(page.url + path)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("shifts") <= 0.05, path
