r"""# Extract

`txl i18n extract` lists all messages of the site, page by page.

```sh
txl i18n extract
txl i18n extract --out messages
```
"""

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path

from labml_txl.literate.cli import settings_of, site_settings
from labml_txl.literate.cli.i18n import table
from labml_txl.options import exclusive, option


@dataclass(frozen=True, kw_only=True)
class Options:
    """What `txl i18n extract` can be told."""

    json: bool = option(False, "every message, as JSON")
    out: Path | None = option(None, "write a .pot file a page there", metavar="FOLDER")
    config: Path = site_settings()


def run(options: Options) -> int:
    """List the messages: how many a page has, all of them, or templates of files."""
    exclusive({"json": options.json, "out": options.out})
    from labml_txl.literate.i18n.files.po import write_whole
    from labml_txl.literate.i18n.inventory import inventory
    from labml_txl.literate.i18n.update import update
    from labml_txl.literate.mkdocs.project import edition_of

    texts = edition_of(settings_of(options.config)).texts
    found = inventory(texts)
    if options.json:
        said = {p: [dataclasses.asdict(one) for one in s] for p, s in found.items()}
        print(json.dumps(said, ensure_ascii=False, indent=1))
    elif options.out:
        empty = update(found, options.out, "", options.out / "")
        pots = {path.with_suffix(".pot"): text for path, text in empty.items()}
        for path in write_whole(pots):
            print(path)
    else:
        rows = [(page, f"{len(said):,}") for page, said in found.items()]
        total = sum(len(said) for said in found.values())
        print(table([("page", "messages"), *rows, ("all", f"{total:,}")]))
    return 0
