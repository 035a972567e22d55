"""What tests of several folders share."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, sync_playwright

from tests.site.browser import FLAGS, require

ROOT = Path(__file__).parents[1]

# As many processes as there are cores run the tests. So each keeps to one thread, as
# does whatever it starts.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A machine that has other work to do is no reason to fail, and what one machine sees
# another sees too.
settings.register_profile(
    "patient",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("patient")


# The files that take longest, the longest first: they begin first, so that at the end
# no process works while the others have nothing left to do.
LONGEST = (
    "tests/site/test_in_browser.py",
    "tests/site/test_interactive_figures.py",
    "tests/site/test_layout.py",
    "tests/site/test_navigation.py",
    "tests/site/test_hostile.py",
    "tests/site/test_live.py",
    "tests/training/test_processes.py",
    "tests/site/test_keyboard.py",
    "tests/site/test_names_and_symbols.py",
    "tests/models/test_exercises.py",
    "tests/literate/export/test_export.py",
    "tests/literate/export/notebooks/test_tutorial.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first, the others behind them as they were."""
    places = {ROOT / file: place for place, file in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, started once a process."""
    with sync_playwright() as playwright:
        # Without a browser these tests fail: a skipped test proves nothing.
        browser = playwright.chromium.launch(executable_path=require(), args=FLAGS)
        yield browser
        browser.close()
