"""How to install an extra of this package.

Pip records the folder, the repository with its commit, or the URL that a package was
installed from. The extra is installed from the same place.
"""

import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

PACKAGE = "labml_txl"


def how_to_install(extra: str) -> str:
    """The command that adds an extra to the installed package.

    The requirement is in double quotes, because every shell understands these.
    """
    named = f"{PACKAGE}[{extra}]"
    try:
        text = distribution(PACKAGE).read_text("direct_url.json")
    except PackageNotFoundError:
        # The package was not installed, but imported from its folder.
        return f'pip install -e "{Path(__file__).resolve().parents[1]}[{extra}]"'
    found = json.loads(text or "{}")
    url = found.get("url", "")
    if "dir_info" in found:
        mode = "-e " if found["dir_info"].get("editable") else ""
        return f'pip install {mode}"{url2pathname(urlsplit(url).path)}[{extra}]"'
    if version := found.get("vcs_info"):
        url = f"{version['vcs']}+{url}@{version['commit_id']}"
    return f'pip install "{named} @ {url}"' if url else f'pip install "{named}"'
