r"""# Stats

`txl i18n stats` tells how much of each page is translated.

```sh
txl i18n stats
txl i18n stats --check
```
"""

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labml_txl.literate.commands import settings_of, site_settings
from labml_txl.literate.commands.i18n import chosen, table
from labml_txl.options import option


@dataclass(frozen=True, kw_only=True)
class Options:
    """What `txl i18n stats` can be told."""

    lang: str | None = option(None, "only this language", metavar="LANG")
    json: bool = option(False, "the same as JSON")
    check: bool = option(False, "the exit status is 1 if anything is not translated")
    config: Path = site_settings()


def run(options: Options) -> int:
    """Print a table a language: how many messages of a page are in which state."""
    from labml_txl.literate.hosts.project import texts_of
    from labml_txl.literate.translation.inventory import inventory
    from labml_txl.literate.translation.pages import Share, shares

    texts = texts_of(settings_of(options.config))
    found = inventory(texts)
    codes = chosen(texts.locale, texts.root, options.lang)
    tables: dict[str, dict[str, Share]] = {
        code: {
            **(pages := shares(found, texts.locale, code, texts.root)),
            "all": sum(pages.values(), Share()),
        }
        for code in codes
    }
    whole = all(pages["all"].percent == 100 for pages in tables.values())
    status = int(options.check and not whole)
    if options.json:
        print(json.dumps(tables, default=_share_json, ensure_ascii=False, indent=1))
        return status
    head = ("translated", "fuzzy", "missing", "faulty", "share")
    for code, pages in tables.items():
        rows = [
            (
                page,
                f"{s.translated:,}",
                f"{s.fuzzy:,}",
                f"{s.missing:,}",
                f"{s.faulty:,}",
                f"{s.percent} %",
            )
            for page, s in pages.items()
        ]
        print(f"{table([(code, *head), *rows])}\n")
    if not tables:
        print("There is no language but English yet: txl i18n new LANG makes one.")
    return status


def _share_json(share: Any) -> dict[str, int]:
    return {**dataclasses.asdict(share), "percent": share.percent}
