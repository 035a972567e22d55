"""Find the browser that the tests drive, or install it.

`python -m tests.site.browser` prints where it is. Where there is none it installs
Debian's Chromium, and says in one line what to do where it cannot.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

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
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


class NoBrowserError(Exception):
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


def install() -> None:
    """Install Debian's Chromium, as root or through `sudo`."""
    if not shutil.which("apt-get"):
        require()
    root = [] if os.geteuid() == 0 else ["sudo"]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in ("update", "install --yes --no-install-recommends chromium"):
        command = [*root, "apt-get", "-qq", *words.split()]
        try:
            subprocess.run(
                command, env=environment, stdout=subprocess.DEVNULL, check=True
            )
        except (OSError, subprocess.CalledProcessError) as error:
            raise NoBrowserError(
                f"Chromium is missing, and '{' '.join(command)}' failed: run it as root"
            ) from error


def main() -> str | None:
    """Print the browser's path, after an installation where that is needed."""
    try:
        if not find():
            print("Installing Chromium", file=sys.stderr, flush=True)
            install()
        print(require())
    except NoBrowserError as error:
        return f"error: {error}"
    return None


if __name__ == "__main__":
    sys.exit(main())
