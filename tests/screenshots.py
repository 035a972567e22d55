"""The two pictures of the site that others show: the README, and who shares a link.

`python -m tests.screenshots SITE` takes them anew of a built site, in Chromium.
"""

import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.site.browser import FLAGS, find
from tests.site.served import served

ASSETS = Path(__file__).parents[1] / "docs" / "assets"

# Of the first page, what says what the site is: its title, a sentence, a block of code.
SHARED = """
.md-header, .md-tabs, .lit-languages-home, .lit-hero > :not(h1, h1 + p), .lit-proof > p,
.lit-first ~ *, .md-footer { display: none !important }
.md-content { padding: 80px 24px 0 }
"""


def screenshot(page: Page, home: str) -> None:
    """Relative attention, with the card of a name that holds weights."""
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{home}models/relative_attention/#RelativeAttention.forward")
    page.wait_for_load_state("networkidle")
    page.locator("[data-o]", has_text="weights").first.click()
    page.locator(".lit-seen canvas").wait_for()
    page.wait_for_timeout(500)
    page.screenshot(path=ASSETS / "screenshot.png")


def social(page: Page, home: str) -> None:
    """The first page, as far as it fits."""
    page.set_viewport_size({"width": 1200, "height": 630})
    page.goto(home)
    page.add_style_tag(content=SHARED)
    page.wait_for_timeout(500)
    page.screenshot(path=ASSETS / "social.png")


if __name__ == "__main__":
    with served(Path(sys.argv[1])) as home, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=FLAGS)
        page = browser.new_page(color_scheme="light")
        for take in (screenshot, social):
            take(page, home)
        browser.close()
