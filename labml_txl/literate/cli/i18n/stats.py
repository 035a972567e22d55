r"""# Stats

`txl i18n stats` tells how much of each page is translated.

```sh
txl i18n stats
txl i18n stats --check
```
"""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from labml_txl.literate.cli import settings_of, site_settings
from labml_txl.literate.cli.i18n import chosen, only_languages, table
from labml_txl.options import option

if TYPE_CHECKING:
    from labml_txl.literate.i18n.pages import Tally


@dataclass(frozen=True, kw_only=True)
class Options:
    """What `txl i18n stats` can be told."""

    languages: tuple[str, ...] = only_languages()
    json: bool = option(False, "the same as JSON")
    check: bool = option(False, "the exit status is 1 if anything is not translated")
    config: Path = site_settings()


def run(options: Options) -> int:
    """Print a table a language: how many messages of a page are in which state."""
    from labml_txl.literate.i18n.inventory import in_order_of_use
    from labml_txl.literate.i18n.pages import share, tally
    from labml_txl.literate.mkdocs.settings import open_project

    edition = open_project(settings_of(options.config))
    given = chosen(edition.texts.locale, edition.root, options.languages)
    tables: dict[str, dict[str, Tally]] = {}
    for language in (one for one in edition.languages if one.code in given):
        catalog = edition.into(language).translation.of
        pages = {
            page: tally((one.message for one in said), catalog(page))
            for page, said in in_order_of_use(edition.inventory).items()
        }
        tables[language.code] = {**pages, "all": sum(pages.values(), Counter())}
    whole = all(share(pages["all"]) == 100 for pages in tables.values())
    status = int(options.check and not whole)
    if options.json:
        told = {
            code: {
                page: {**_counts(found), "percent": share(found)}
                for page, found in pages.items()
            }
            for code, pages in tables.items()
        }
        print(json.dumps(told, ensure_ascii=False, indent=1))
        return status
    for code, pages in tables.items():
        rows: list[tuple[str, ...]] = [(code, *_STATES, "share")]
        for page, found in pages.items():
            counts = (f"{count:,}" for count in _counts(found).values())
            rows.append((page, *counts, f"{share(found)} %"))
        print(f"{table(rows)}\n")
    if not tables:
        print("There is no language but English yet: txl i18n new LANG makes one.")
    return status


_STATES = ("translated", "fuzzy", "missing", "faulty")


def _counts(found: "Tally") -> dict[str, int]:
    counts = {state.value: count for state, count in found.items()}
    return {state: counts.get(state, 0) for state in _STATES}
