"""# Stats

`txl i18n stats` prints how much of each page is translated.

```sh
txl i18n stats
txl i18n stats --check
```
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from labml_txl.literate.cli import open_site, site_settings
from labml_txl.literate.cli.i18n import only_languages, select_languages
from labml_txl.literate.i18n.catalog import State
from labml_txl.literate.i18n.pages import Tally, compute_share
from labml_txl.options import option

_STATES = (State.TRANSLATED, State.FUZZY, State.MISSING, State.FAULTY)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The command-line options of `txl i18n stats`."""

    languages: tuple[str, ...] = only_languages()
    check: bool = option(False, "exit with status 1 if a message is not translated")
    config: Path = site_settings()


def run(options: Options) -> int:
    """Print a table for each language: the number of messages per page and state.

    With `--check`, return 1 if a message is not translated.
    """
    site = open_site(options.config)
    codes = select_languages(site, options.languages)
    whole = True
    for language in (one for one in site.languages if one.code in codes):
        localized = site.select_language(language)
        pages: dict[str, Tally] = {
            page: localized.tally(page) for page in site.inventory
        }
        pages["all"] = sum(pages.values(), Counter())
        whole &= compute_share(pages["all"]) == 100
        width = max(map(len, pages))
        states = "".join(f"{state.value:>12}" for state in _STATES)
        print(f"{language.code:<{width}}{states}   share")
        for page, counts in pages.items():
            numbers = "".join(f"{counts[state]:>12,}" for state in _STATES)
            print(f"{page:<{width}}{numbers}{compute_share(counts):>6} %")
        print()
    if not codes:
        print("There are no translations yet: add a language with txl i18n new LANG.")
    return int(options.check and not whole)
