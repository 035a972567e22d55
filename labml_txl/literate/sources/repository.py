"""# Addresses in the repository

A page links to the lines of its source and to the editor of the repository's host.
GitHub and GitLab write these addresses in different ways.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

# The default of `edit_uri` in MkDocs, whose branch may be wrong.
_GUESS = "edit/master/docs/"


@dataclass(frozen=True)
class Repository:
    """The repository of a project.

    - `url`: its address, or empty;
    - `edit_uri`: the path from there to the folder of prose, which contains the branch;
    - `revision`: the version, branch or commit that notebooks install; if it is empty,
      they install the branch.
    """

    url: str = ""
    edit_uri: str = ""
    revision: str = ""

    @property
    def source(self) -> str:
        """The URL of source lines, with `{path}`, `{first}` and `{last}`; or empty."""
        if not self.url:
            return ""
        base = self.url.rstrip("/")
        if "gitlab" in base:
            return f"{base}/-/blob/{self._branch}/{{path}}#L{{first}}-{{last}}"
        return f"{base}/blob/{self._branch}/{{path}}#L{{first}}-L{{last}}"

    def edit(self, path: str, line: int = 0) -> str:
        """The URL where a file can be edited; empty if there is no repository."""
        address = self.source.partition("#")[0].replace("/blob/", "/edit/", 1)
        return address.format(path=quote(path)) + (
            f"#L{line}" if line and address else ""
        )

    def issue(self, title: str, text: str) -> str:
        """The URL of a form for a new issue with this title and text; or empty."""
        base = self.url.rstrip("/")
        if "gitlab" in base:
            given = {"issue[title]": title, "issue[description]": text}
            return f"{base}/-/issues/new?{urlencode(given)}"
        given = {"title": title, "body": text}
        return f"{base}/issues/new?{urlencode(given)}" if base else ""

    @property
    def installed(self) -> str:
        """The revision that notebooks install; empty for the default branch."""
        return self.revision or ("" if self.edit_uri == _GUESS else self._branch)

    @property
    def _branch(self) -> str:
        branch = re.match(r"(?:-/)?(?:edit|blob|raw)/([^/]+)", self.edit_uri)
        return branch[1] if branch else "main"

    @property
    def pages(self) -> str:
        """The URL of the repository's site on GitHub Pages; empty for other hosts."""
        match = re.fullmatch(r"https://github\.com/([^/]+)/([^/]+)/?", self.url)
        return f"https://{match[1].lower()}.github.io/{match[2]}/" if match else ""

    @property
    def in_colab(self) -> bool:
        """Whether Colab can open notebooks that install this repository."""
        return self.url.startswith("https://github.com/")


def relative_to(path: Path, root: Path) -> str:
    """A path relative to the root of its project; the path itself if it is outside."""
    path = Path(os.path.realpath(path))  # also of a link to itself
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
