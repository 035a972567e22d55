r"""# Where the source can be read

A page links to the file that it was made of: to its lines, and to the place where it
can be edited. Each host of repositories has a way of its own to write these addresses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

# What MkDocs takes for `edit_uri` where nobody set it. The branch may be another.
_GUESS = "edit/master/docs/"


@dataclass(frozen=True)
class Repository:
    """The repository of a project.

    - `url`: its address, or empty;
    - `edit_uri`: the way from there to the folder of the prose, which names the branch;
    - `revision`: the version, branch or commit that notebooks install; else the branch.
    """

    url: str = ""
    edit_uri: str = ""
    revision: str = ""

    @property
    def source(self) -> str:
        """Where lines can be read, with `{path}`, `{first}` and `{last}`; or empty."""
        if not self.url:
            return ""
        base = self.url.rstrip("/")
        if "gitlab" in base:
            return f"{base}/-/blob/{self._branch}/{{path}}#L{{first}}-{{last}}"
        return f"{base}/blob/{self._branch}/{{path}}#L{{first}}-L{{last}}"

    def edit(self, path: str, line: int = 0) -> str:
        """Where a file can be edited; empty if nobody said where the repository is."""
        address = self.source.partition("#")[0].replace("/blob/", "/edit/", 1)
        return address.format(path=quote(path)) + (
            f"#L{line}" if line and address else ""
        )

    def issue(self, title: str, text: str) -> str:
        """Where a new issue with this title and text can be opened; or empty."""
        base = self.url.rstrip("/")
        if "gitlab" in base:
            given = {"issue[title]": title, "issue[description]": text}
            return f"{base}/-/issues/new?{urlencode(given)}"
        given = {"title": title, "body": text}
        return f"{base}/issues/new?{urlencode(given)}" if base else ""

    @property
    def installed(self) -> str:
        """What notebooks install: empty for the branch that is shown first."""
        return self.revision or ("" if self.edit_uri == _GUESS else self._branch)

    @property
    def _branch(self) -> str:
        branch = re.match(r"(?:-/)?(?:edit|blob|raw)/([^/]+)", self.edit_uri)
        return branch[1] if branch else "main"

    @property
    def pages(self) -> str:
        """Where GitHub publishes the site of a repository; empty for other hosts."""
        match = re.fullmatch(r"https://github\.com/([^/]+)/([^/]+)/?", self.url)
        return f"https://{match[1].lower()}.github.io/{match[2]}/" if match else ""

    @property
    def in_colab(self) -> bool:
        """Whether Colab can open notebooks that install this repository."""
        return self.url.startswith("https://github.com/")


def relative_to(path: Path, root: Path) -> str:
    """A path as seen from the root of its project, if it lies below."""
    path = path.resolve()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
