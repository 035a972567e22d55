"""Build the site as the tests publish it: `python -m tests.site.built FOLDER`.

`make check` builds it, and `make test` then takes it from there, named by `TXL_SITE`.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.site.pages import NOT_FOUND, ROOT

PUBLISHED = "https://reader.example/annotated/"
FOLDER = "annotated"


def build(web: Path) -> str:
    """Build the site below a folder that a server can serve.

    Returns what MkDocs complains of, and nothing where all is well. A build that is
    quiet would not be strict: MkDocs counts only those warnings that it shows.
    """
    command = [sys.executable, "-P", "-m", "mkdocs", "build", "--strict"]
    environment = {**os.environ, "SITE_URL": PUBLISHED, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        [*command, "--site-dir", str(web / FOLDER)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return f"{done.stdout}{done.stderr}"
    # What a host answers where there is no page.
    shutil.copy(web / FOLDER / NOT_FOUND, web)
    return ""


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]).resolve()) or None)
