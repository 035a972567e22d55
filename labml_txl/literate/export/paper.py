r"""# A browser that prints

Chromium or Chrome makes the PDF: with the outline of the headings, with links, and with
what the style sheet writes into the margins. No script runs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from labml_txl.errors import UserError

VARIABLE = "CHROMIUM"
NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-pdf-header-footer",
    "--generate-pdf-document-outline",
)


class NoBrowserError(UserError):
    """There is no browser."""


def find() -> Path | None:
    """The browser named by `CHROMIUM`, else the first known one of this machine."""
    named = os.environ.get(VARIABLE)
    for name in (named,) if named else NAMES:
        if path := shutil.which(name):
            return Path(path)
    if named:
        raise NoBrowserError(f"{VARIABLE}={named} is not a program")
    return None


def require() -> Path:
    """The browser, for what cannot be done without one."""
    if path := find():
        return path
    raise NoBrowserError(
        "there is no Chromium or Chrome: install one, "
        f"or name its program in {VARIABLE}"
    )


def print_page(page: Path, goal: Path) -> None:
    """Write a page of HTML as a PDF. Raises `UserError` where the browser fails."""
    # As root, Chromium only runs without its sandbox. The page has no script.
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with TemporaryDirectory() as profile:
        done = subprocess.run(
            [
                *(str(require()), *FLAGS, *(["--no-sandbox"] if root else [])),
                f"--user-data-dir={profile}",
                f"--print-to-pdf={goal.resolve()}",
                page.resolve().as_uri(),
            ],
            capture_output=True,
            text=True,
            errors="replace",
        )
    if done.returncode or not goal.is_file():
        last = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        raise UserError(f"the browser has not printed {page.name}; it said: {last}")


def numbers(file: Path) -> dict[str, int]:
    """The page of a PDF, from 1, on which each anchor stands that a link leads to."""
    from pypdf import PdfReader

    reader = PdfReader(file)
    places = reader.named_destinations.items()
    found = {name: reader.get_destination_page_number(to) for name, to in places}
    return {k.removeprefix("/"): n + 1 for k, n in found.items() if n is not None}
