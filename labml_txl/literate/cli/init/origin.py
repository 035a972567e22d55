r"""# Where a project comes from

Its repository and the branch that is published, as Git knows them. Where there is no
Git, nothing is known, and a site needs none of it.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

WORKFLOWS = ".github/workflows"


@dataclass(frozen=True)
class Origin:
    """The address of a repository, or empty, and the branch that is published.

    `publisher` says why no workflow should publish the site, or is empty.
    """

    url: str = ""
    branch: str = "main"
    publisher: str = ""

    @property
    def edit_uri(self) -> str:
        """The way from the repository to where a page is edited; empty if unknown."""
        host = re.match(r"https://[^/]*(github|gitlab)", self.url)
        dash = {"github": "", "gitlab": "-/"}
        return f"{dash[host[1]]}edit/{self.branch}/docs/" if host else ""


def origin(root: Path) -> Origin:
    """What Git knows of the project in a folder."""
    above = next((p for p in root.parents if p.joinpath(".git").exists()), None)
    if root.joinpath(".git").exists():
        first = _git(root, "symbolic-ref", "--short", "refs/remotes/origin/HEAD")
        here = first or _git(root, "symbolic-ref", "--short", "HEAD")
        branch = here.removeprefix("origin/")
        url = _web(_git(root, "remote", "get-url", "origin"))
        known = branch if branch and "/" not in branch else "main"
        return Origin(url, known, _publisher(root))
    why = f"GitHub reads workflows in {above} alone" if above else _publisher(root)
    return Origin(publisher=why)


def _git(root: Path, *words: str) -> str:
    """What Git answers; nothing if it does not know, or is not there."""
    try:
        done = subprocess.run(
            ["git", *words], cwd=root, capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _web(remote: str) -> str:
    """The address that a browser knows a repository by, without any password."""
    found = re.fullmatch(
        r"(?:https?://|ssh://|git://|(?=[\w.-]+@[\w.-]+:))(?:[^@/]*@)?"
        r"([\w.-]+)(?::\d+/|[:/])(.+?)(?:\.git)?/?",
        remote,
    )
    return f"https://{found[1]}/{found[2]}" if found else ""


def _publisher(root: Path) -> str:
    """The workflow that publishes a site already."""
    for file in sorted(root.joinpath(WORKFLOWS).glob("*.y*ml")):
        text = file.read_text(encoding="utf-8", errors="replace")
        if re.search(r"deploy-pages|gh-deploy|gh-pages", text):
            return f"{WORKFLOWS}/{file.name} publishes a site already"
    return ""
