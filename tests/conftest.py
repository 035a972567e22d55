"""What tests of several folders share."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, sync_playwright

from tests.site.browser import FLAGS, require

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


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, started once a process."""
    with sync_playwright() as playwright:
        # Without a browser these tests fail: a skipped test proves nothing.
        browser = playwright.chromium.launch(executable_path=require(), args=FLAGS)
        yield browser
        browser.close()
