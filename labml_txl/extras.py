r"""How an extra of this package is installed, in a line that works as it stands.

Pip keeps where a package came from: a folder, a repository at a commit, or an index.
What is missing is installed from the same place.
"""

import json
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname


def how_to_install(extra: str, package: str = "labml_txl") -> str:
    r"""The command that adds an extra to the installed package.

    Double quotes keep brackets and blanks together, whatever the shell.
    """
    try:
        found = origin(distribution(package))
    except PackageNotFoundError:
        # The source lies on the path, and was never installed.
        folder = Path(__file__).resolve().parents[1]
        found = {"url": folder.as_uri(), "dir_info": {"editable": True}}
    return f"pip install {requirement(found, f'{package}[{extra}]', extra)}"


def origin(found: Distribution) -> dict[str, Any]:
    r"""Where pip took a package from; nothing if that was an index."""
    kept: dict[str, Any] = json.loads(found.read_text("direct_url.json") or "{}")
    return kept


def requirement(found: dict[str, Any], named: str, extra: str) -> str:
    r"""What pip has to be told, from what it kept."""
    url = found.get("url", "")
    if "dir_info" in found:
        folder = url2pathname(urlsplit(url).path)
        flag = "-e " if found["dir_info"].get("editable") else ""
        return f'{flag}"{folder}[{extra}]"'
    if "vcs_info" in found:
        kept = found["vcs_info"]
        return f'"{named} @ {kept["vcs"]}+{url}@{kept["commit_id"]}"'
    return f'"{named} @ {url}"' if url else f'"{named}"'
