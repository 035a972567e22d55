"""# Lint

`txl i18n lint` reports faulty translations, such as those with a missing link.

```sh
txl i18n lint
txl i18n lint ja zh
```
"""

from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from labml_txl.errors import escape_controls
from labml_txl.literate.cli import open_site, site_settings
from labml_txl.literate.cli.i18n import (
    list_catalogs,
    only_languages,
    select_languages,
)
from labml_txl.literate.i18n.glossary import load_glossary
from labml_txl.literate.i18n.lint import RULES, lint_message
from labml_txl.literate.i18n.po import read_po, texts_of
from labml_txl.literate.sources.repository import relative_to


@dataclass(frozen=True, kw_only=True)
class Options:
    """The command-line options of `txl i18n lint`."""

    languages: tuple[str, ...] = only_languages()
    config: Path = site_settings()


_UNKNOWN = (
    "the page has no such English text: restore the msgid, or run txl i18n update "
    "if the page has changed"
)


def run(options: Options) -> int:
    """Print every finding with its file and line; return 1 if one is an error."""
    site = open_site(options.config)
    locale, root = site.locale, site.root
    glossary = load_glossary(locale, root)
    failed = False
    for code in select_languages(site, options.languages):
        inventory = site.messages_in(code)
        for page, path in list_catalogs(site, code):
            known = {message.text for message in inventory.get(page, ())}
            for entry in read_po(path, root):
                place = f"{relative_to(path, root)}:{entry.linenum}"
                if not entry.obsolete and entry.msgid not in known:
                    failed = True
                    print(f"{place}: error msgid {_UNKNOWN}")
                if entry.obsolete or entry.fuzzy:
                    continue
                texts = [(english, text) for english, text in texts_of(entry) if text]
                found = (lint_message(*pair, code, glossary) for pair in texts)
                for one in chain.from_iterable(found):
                    failed |= one.severity == "error"
                    why = f"{RULES[one.code].meaning}: {one.message}"
                    # Quoted text may contain control characters of a terminal.
                    line = f"{place}: {one.severity} {one.code} {why}"
                    print(escape_controls(line).replace("\n", r"\n"))
    return int(failed)
