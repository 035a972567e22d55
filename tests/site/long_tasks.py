"""How long the page in which a model runs keeps its reader waiting.

`python -m tests.site.long_tasks SITE [RATE]` loads a model in a built site, reads,
writes and looks, with the processor slowed `RATE` times (4). It prints the longest
tasks of the main thread in each phase, in milliseconds of its time; some of them are
the driver's. Times depend on what else the machine does: nothing is tested by them.
"""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, sync_playwright

from tests.chromium import require
from tests.site.audit import served
from tests.site.browser import FLAGS
from tests.site.conftest import PHONE

PAGE = "live/"
TEXT = ("MIRANDOL:\nWhere is Mirandol? I am Mirandol, and Mirandol is here.\n" * 60)[
    :3000
]
TASKS = {"RunTask", "ThreadControllerImpl::RunTask"}
IDLE = """() => document.querySelector("figure-live").halt.ariaDisabled === "true" """
TYPE = "(e, text) => { e.value = text; e.dispatchEvent(new Event('input')); }"


def phases(page: Page, address: str) -> Iterator[tuple[str, Callable[[], None]]]:
    """What a reader does, one thing after another."""
    figure = page.locator("figure-live")

    def opened() -> None:
        page.goto(address)
        page.wait_for_load_state("networkidle")
        figure.scroll_into_view_if_needed()

    def click(part: Locator) -> None:
        """As a mouse does: the driver's own click runs scripts in the page."""
        part.scroll_into_view_if_needed()
        box = part.bounding_box()
        assert box
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def press(name: str) -> Callable[[], None]:
        def act() -> None:
            click(figure.get_by_role("button", name=name))
            page.wait_for_timeout(300)
            page.wait_for_function(IDLE, timeout=300_000, polling=500)

        return act

    def read() -> None:
        figure.get_by_role("textbox").first.evaluate(TYPE, TEXT)
        press("Read the text")()

    def look() -> None:
        figure.locator(".text").focus()
        for _ in range(6):
            page.keyboard.press("ArrowUp")
            page.wait_for_timeout(100)

    yield "open the page", opened
    yield "load the model", press("Load the model")
    yield "write 200 characters", press("Continue")
    yield "read 3,000 characters", read
    yield "look at six of them", look
    yield "choose a head", lambda: click(figure.locator(".heads button").nth(3))


def longest(events: list[dict[str, Any]]) -> list[float]:
    """The longest tasks of the main thread, in milliseconds."""
    mains = {
        (event["pid"], event["tid"])
        for event in events
        if event.get("name") == "thread_name"
        and event["args"].get("name") == "CrRendererMain"
    }
    times = [
        event.get("tdur", 0) / 1000
        for event in events
        if event.get("ph") == "X"
        and event.get("name") in TASKS
        and (event["pid"], event["tid"]) in mains
    ]
    return sorted(times, reverse=True)[:5]


def main(site: Path, rate: float = 4.0) -> None:
    """Print what each phase costs."""
    with served(site) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=require(), args=[*FLAGS])
        size = {"width": PHONE[0], "height": PHONE[1]}
        page = browser.new_page(viewport=size)  # type: ignore[arg-type]
        session = page.context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": rate})
        for name, act in phases(page, f"{address}{PAGE}"):
            browser.start_tracing(page=page, categories=["toplevel", "__metadata"])
            act()
            page.wait_for_timeout(300)
            events = json.loads(browser.stop_tracing())["traceEvents"]
            told = ", ".join(f"{one:.0f}" for one in longest(events))
            print(f"{name:24} {told}", flush=True)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(float, sys.argv[2:]))
