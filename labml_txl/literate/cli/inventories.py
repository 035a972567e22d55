r"""# Fetching inventories

`txl inventories` fetches the inventories that a project names, each from the
documentation that it describes. It is the only step of the engine that asks another
project's site for anything. Whoever runs it commits what it writes; a build reads the
files.

```sh
txl inventories
txl inventories --config docs/mkdocs.yml
```
"""

import os
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from labml_txl.literate.cli import settings_of, site_settings
from labml_txl.literate.render.references import complete, plain, read_inventory
from labml_txl.literate.sources.source import LiterateError

PATIENCE = 30  # seconds that a site may take to answer


@dataclass(frozen=True)
class Options:
    """What `txl inventories` can be told."""

    config: Path = site_settings()


def run(options: Options) -> int:
    """Fetch every inventory into its file, and tell how many names it holds."""
    config = settings_of(options.config)
    from labml_txl.literate.i18n.files.po import write_whole
    from labml_txl.literate.mkdocs.settings import open_project

    project = open_project(config).project
    given = project.inventory_files
    for address, file in given.items():
        name = os.path.relpath(file, project.root)
        source = f"{complete(address)}objects.inv"
        text = plain(_inventory(source), source)
        write_whole({file: text})
        print(f"{name}: {len(read_inventory(text.encode(), name)):,} names")
    if not given:
        print("The settings name no inventory: add them below `inventories:`.")
    return 0


def _inventory(address: str) -> bytes:
    request = urllib.request.Request(address, headers={"User-Agent": "labml_txl"})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
            data: bytes = reply.read()
            return data
    except urllib.error.HTTPError as error:
        why = f"the site answers {error.code}"
    except OSError as error:
        why = f"no answer ({getattr(error, 'reason', error)})"
    raise LiterateError(address, 1, f"{why}: is the address that of a documentation?")
