"""One real site and one real browser, for all tests of the pages.

The site is built once, however many processes run the tests, and served below a folder,
as the pages of a GitHub project are: an address that leaves the folder is then seen.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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

from labml_txl.literate.equations.node import package
from tests.site.audit import HEAVIEST, served
from tests.site.pages import EQUATIONS, NOT_FOUND, ROOT

PUBLISHED = "https://reader.example/annotated/"
FOLDER = "annotated"
DESKTOP = (1440, 900)
PHONE = (390, 844)
PATIENCE = 15_000  # milliseconds: other tests may keep the machine busy
expect.set_options(timeout=PATIENCE)


def build(folder: Path, **settings: str) -> None:
    """Build the site into a folder; it appears there whole or not at all.

    `settings` are the variables that `mkdocs.yml` reads. A build that is quiet would
    not be strict: MkDocs counts only those warnings that it shows.
    """
    given = {"SITE_URL": PUBLISHED, "NO_MKDOCS_2_WARNING": "1", **settings}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mkdocs", "build", "--strict"),
            *("--site-dir", str(folder)),
        ],
        cwd=ROOT,
        env={**os.environ, **given},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"the site cannot be built:\n{done.stdout}{done.stderr}")


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of a server; the site is a folder in it."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # of all processes
    root, lock, failed = base / "web", base / "web.lock", base / "web.failed"
    try:
        lock.touch(exist_ok=False)
    except FileExistsError:
        while not (root / NOT_FOUND).exists() and not failed.exists():
            time.sleep(0.1)
    else:
        try:
            build(root / FOLDER)
            shutil.copy(root / FOLDER / NOT_FOUND, root / f"{NOT_FOUND}.partial")
            (root / f"{NOT_FOUND}.partial").rename(root / NOT_FOUND)
        except Exception as error:
            failed.write_text(str(error))
            raise
    if failed.exists():
        pytest.fail(failed.read_text(), pytrace=False)
    return root


@pytest.fixture(scope="session")
def site(web: Path) -> Path:
    """The folder of the built site."""
    return web / FOLDER


@pytest.fixture(scope="session")
def home(web: Path) -> Iterator[str]:
    """The address of the home page."""
    with served(web) as address:
        yield f"{address}{FOLDER}/"


@pytest.fixture(scope="session")
def axe() -> str:
    """The script that looks for what keeps people out."""
    return (package("axe-core") / "axe.min.js").read_text(encoding="utf-8")


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
    closing: list[Any] = []

    def open_page(path: str, size: tuple[int, int] = DESKTOP, **options: Any) -> Page:
        opened = reader(browser, watch, *size, **options)
        context = opened.__enter__()
        closing.append(opened)
        page = context.new_page()
        page.goto(home + path)
        return page

    yield open_page
    for opened in closing:
        opened.__exit__(None, None, None)


@pytest.fixture
def attention(visit: Visit) -> Page:
    """The heaviest page, on a desktop, with its imports open."""
    page = visit(HEAVIEST)
    page.eval_on_selector_all(
        "details.lit-imports", "all => all.forEach(e => { e.open = true; })"
    )
    return page


@pytest.fixture(scope="session")
def symbols(browser: Browser, home: str) -> dict[str, list[str]]:
    """The names in code that stand for each symbol, as the page of equations says."""
    page = browser.new_page(java_script_enabled=False)
    page.goto(home + EQUATIONS)
    rows: dict[str, list[str]] = page.eval_on_selector_all(
        "tr[id^=sym-]",
        """rows => Object.fromEntries(rows.map(row =>
            [row.id, (row.dataset.names ?? "").split(" ").filter(Boolean)]))""",
    )
    page.close()
    return rows
