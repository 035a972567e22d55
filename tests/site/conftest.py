"""One built site and one browser, for all tests of the pages.

The site is served below a folder, as the pages of a GitHub project are: an address that
leaves the folder is then seen.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    expect,
)

from labml_txl.literate.equations.node import find_package
from tests.site.built import FOLDER, PUBLISHED, build
from tests.site.links import Published
from tests.site.pages import EQUATIONS, HEAVIEST, NOT_FOUND, REPOSITORY, ROOT
from tests.site.served import served

DESKTOP = (1440, 900)
PHONE = (390, 844)
TOUCH: dict[str, Any] = {"has_touch": True, "is_mobile": True}
PATIENCE = 15_000  # milliseconds: other tests may keep the machine busy
expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of a server; the site is a folder in it.

    `TXL_SITE` names a folder in which `make test` has built it already. Else each
    process builds its own.
    """
    if given := os.environ.get("TXL_SITE"):
        return Path(given).resolve()
    web = tmp_path_factory.mktemp("web")
    if said := build(web):
        pytest.fail(said, pytrace=False)
    return web


@pytest.fixture(scope="session")
def site(web: Path) -> Path:
    """The folder of the built site."""
    return web / FOLDER


@pytest.fixture(scope="session")
def published(site: Path) -> Published:
    """Every file of the site, each read once."""
    assert (site / NOT_FOUND).is_file(), site
    return Published(site, PUBLISHED, REPOSITORY, ROOT)


@pytest.fixture(scope="session")
def home(web: Path) -> Iterator[str]:
    """The address of the home page."""
    with served(web) as address:
        yield f"{address}{FOLDER}/"


# What was asked for in idle time, since the page was laid out, is done when this is. A
# browser that draws no more frames is not waited for.
IDLE = """() => new Promise(done => {
    setTimeout(done, 5000);
    requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(done)));
})"""
# Playwright waits for an answer for ever, so this one ends by itself.
AXE = """options => Promise.race([
    axe.run(document, options).then(found => found.violations),
    new Promise((_, fail) => setTimeout(() => fail(Error("axe takes 300 s")), 300000)),
])"""


# Of the colour scheme, these rules alone depend.
CONTRAST = ("color-contrast", "link-in-text-block")


@pytest.fixture(scope="session")
def axe() -> str:
    """The script that looks for what keeps people out."""
    return (find_package("axe-core") / "axe.min.js").read_text(encoding="utf-8")


def violations(page: Page, *rules: str) -> list[str]:
    """What axe finds, by all of its rules or by these: the rule, how often, where."""
    page.evaluate(IDLE)
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = [*rules]
    found: list[dict[str, Any]] = page.evaluate(AXE, options)
    return [
        f"{one['id']} ({one['impact']}) × {len(one['nodes'])}: "
        f"{one['nodes'][0]['target']} {one['nodes'][0]['failureSummary']}"
        for one in found
    ]


def colours(page: Page, scheme: Any) -> None:
    """Show the page in a colour scheme, "light" or "dark"."""
    page.emulate_media(color_scheme=scheme)
    wanted = {"light": "default", "dark": "slate"}[scheme]
    page.wait_for_selector(f'body[data-md-color-scheme="{wanted}"]')


def width(page: Page) -> int:
    """How wide the page is, which is no more than the screen."""
    found: int = page.evaluate("document.documentElement.scrollWidth")
    return found


def requests(page: Page) -> list[str]:
    """The addresses that a page asks for from now on."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    return asked


@dataclass
class Watch:
    """What pages complain of, and what they ask for elsewhere."""

    home: str
    found: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)

    def over(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.found.append(f"error: {error}"))
        page.on("request", self._request)
        page.on("requestfailed", self._failed)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.found.append(f"{message.type}: {message.text}")

    def _failed(self, request: Request) -> None:
        # Whoever leaves a page leaves what it was still asking for.
        if request.failure != "net::ERR_ABORTED":
            self.found.append(f"failed: {request.url}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.home, "data:", "blob:")):
            self.found.append(f"asks for {request.url}")

    def allow(self, pattern: str) -> None:
        """Expect complaints like this one, and no other."""
        self.allowed.append(pattern)

    @property
    def complaints(self) -> list[str]:
        return [
            one
            for one in self.found
            if not any(re.search(pattern, one) for pattern in self.allowed)
        ]


@contextmanager
def reader(
    browser: Browser, watch: Watch, width: int, height: int, **options: Any
) -> Iterator[BrowserContext]:
    """Somebody's browser: their screen, their settings, nothing remembered."""
    context = browser.new_context(
        viewport={"width": width, "height": height},
        # Colours and places must stand still before they are measured.
        reduced_motion="reduce",
        **options,
    )
    context.set_default_timeout(PATIENCE)
    context.on("page", watch.over)
    yield context
    context.close()


@contextmanager
def opened(
    browser: Browser,
    root: str,
    path: str = "",
    size: tuple[int, int] = DESKTOP,
    *allowed: str,
    **options: Any,
) -> Iterator[Page]:
    """A page of a site of one's own, and a complaint if it complains."""
    watch = Watch(root, allowed=[*allowed])
    with reader(browser, watch, *size, **options) as context:
        page = context.new_page()
        page.goto(root + path)
        page.wait_for_load_state("networkidle")
        yield page
    assert watch.complaints == []


@pytest.fixture
def watch(home: str) -> Iterator[Watch]:
    """Fails the test in which a page complains or asks another host."""
    watch = Watch(home)
    yield watch
    assert watch.complaints == []


Visit = Callable[..., Page]


@pytest.fixture
def visit(browser: Browser, home: str, watch: Watch) -> Iterator[Visit]:
    """Open pages: `visit("equations/", PHONE, color_scheme="dark")`."""
    with ExitStack() as opened:

        def open_page(
            path: str, size: tuple[int, int] = DESKTOP, **options: Any
        ) -> Page:
            context = opened.enter_context(reader(browser, watch, *size, **options))
            page = context.new_page()
            page.goto(home + path)
            return page

        yield open_page


@pytest.fixture
def attention(visit: Visit) -> Page:
    """The heaviest page, on a desktop, with its imports open."""
    page = visit(HEAVIEST)
    page.eval_on_selector_all(
        "details.lit-imports", "all => all.forEach(e => { e.open = true; })"
    )
    return page


@pytest.fixture(scope="session")
def symbols(published: Published) -> dict[str, list[str]]:
    """The names in code that stand for each symbol, as the page of equations says."""
    return {
        row.get("id"): row.get("data-names", "").split()
        for row in published.pages[EQUATIONS].xpath("//tr[starts-with(@id, 'sym-')]")
    }
