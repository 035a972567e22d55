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
from labml_txl.literate.cli.i18n import chosen, only_languages
from labml_txl.literate.i18n.glossary import load_glossary
from labml_txl.literate.i18n.labels import Labels
from labml_txl.literate.i18n.lint import lint_message
from labml_txl.literate.i18n.po import load_catalog, read_po, texts_of
from labml_txl.literate.project.inventory import SITE
from labml_txl.literate.sources.repository import relative_to


@dataclass(frozen=True, kw_only=True)
class Options:
    """The command-line options of `txl i18n lint`."""

    languages: tuple[str, ...] = only_languages()
    config: Path = site_settings()


def run(options: Options) -> int:
    """Print every finding with its file and line; return 1 if one is an error.

    The kind of a fault is described in the language of the translation.
    """
    site = open_site(options.config)
    locale, root = site.locale, site.root
    glossary = load_glossary(locale, root)
    failed = False
    for code in chosen(site, options.languages):
        labels = Labels(load_catalog(locale, code, SITE, root))
        for path in sorted((locale / code).rglob("*.po")):
            for entry in read_po(path, root):
                if entry.obsolete or entry.fuzzy:
                    continue
                texts = [(english, text) for english, text in texts_of(entry) if text]
                found = (lint_message(*pair, code, glossary) for pair in texts)
                for one in chain.from_iterable(found):
                    failed |= one.severity == "error"
                    place = f"{relative_to(path, root)}:{entry.linenum}"
                    why = f"{labels.fault(one.code)}: {one.message}"
                    # Quoted text may contain control characters of a terminal.
                    line = f"{place}: {one.severity} {one.code} {why}"
                    print(escape_controls(line).replace("\n", r"\n"))
    return int(failed)
