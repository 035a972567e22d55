"""The Chromium or Chrome that the tests of the site run in."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

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
