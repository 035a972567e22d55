"""Find the browser that the tests drive and the book is printed with, or install it.

`python -m tests.site.browser` prints where it is. Where there is none it installs
Debian's Chromium, and says in one line what to do where it cannot.
"""

import os
import shutil
import subprocess
import sys

from tests.chromium import NoBrowserError, find, require

FLAGS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def install() -> None:
    """Install Debian's Chromium, as root or through `sudo`."""
    if not shutil.which("apt-get"):
        require()
    root = os.geteuid() == 0
    if not root and not shutil.which("sudo"):
        raise NoBrowserError(
            "Chromium is missing, and only root may install it: "
            "run 'apt-get install chromium' as root"
        )
    prefix = [] if root else ["sudo"]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (
        ["update"],
        ["install", "--yes", "--no-install-recommends", "chromium"],
    ):
        command = [*prefix, "apt-get", "-qq", *arguments]
        done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL)
        if done.returncode:
            raise NoBrowserError(
                f"Chromium is missing, and '{' '.join(command)}' failed "
                f"with exit status {done.returncode}"
            )


def main() -> int:
    """Print the browser's path, after an installation where that is needed."""
    try:
        if not find():
            print("Installing Chromium", file=sys.stderr, flush=True)
            install()
        print(require())
    except NoBrowserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
