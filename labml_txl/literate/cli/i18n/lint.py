r"""# Lint

`txl i18n lint` looks for translations that are broken.

```sh
txl i18n lint
txl i18n lint ja zh
txl i18n lint --all
```
"""

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labml_txl.literate.cli import settings_of, site_settings
from labml_txl.literate.cli.i18n import chosen, only_languages
from labml_txl.options import option


@dataclass(frozen=True, kw_only=True)
class Options:
    """What `txl i18n lint` can be told."""

    languages: tuple[str, ...] = only_languages()
    json: bool = option(False, "the same as JSON")
    all: bool = option(False, "also what need not be changed")
    config: Path = site_settings()


def run(options: Options) -> int:
    """Print every finding with its place; the result is 1 if one is an error.

    What kind of fault it is is said in the language of the translator.
    """
    from labml_txl.literate.i18n.files.po import (
        line_of,
        load_catalog,
        read_po,
        words_of,
    )
    from labml_txl.literate.i18n.inventory import SITE
    from labml_txl.literate.i18n.labels import Labels
    from labml_txl.literate.i18n.lint.findings import lint_message
    from labml_txl.literate.i18n.lint.glossary import project_glossary
    from labml_txl.literate.mkdocs.settings import open_project
    from labml_txl.literate.sources.source import read

    texts = open_project(settings_of(options.config)).texts
    glossary = project_glossary(texts.locale)
    rows: list[dict[str, Any]] = []
    for code in chosen(texts.locale, texts.root, options.languages):
        labels = Labels(load_catalog(texts.locale, code, SITE, texts.root))
        for path in sorted((texts.locale / code).rglob("*.po")):
            name = path.relative_to(texts.root).as_posix()
            start = len(rows)
            lines = read(path, texts.root).lines
            page = path.relative_to(texts.locale / code).with_suffix("").as_posix()
            catalog = load_catalog(texts.locale, code, page, texts.root)
            rows += [
                {"path": name, "line": one.line}
                | {"severity": "warning", "code": "twice", "message": one.message}
                for one in catalog.twice
            ]
            for entry in read_po(path, texts.root):
                if entry.obsolete or entry.fuzzy:
                    continue
                rows += [
                    {"path": name, "line": line_of(entry, lines)}
                    | dataclasses.asdict(one)
                    for words in filter(None, words_of(entry))
                    for one in lint_message(entry.msgid, words, code, glossary)
                ]
            for row in rows[start:]:
                row["reason"] = labels.fault(row["code"])
    if not options.all:
        rows = [row for row in rows if row["severity"] != "info"]
    if options.json:
        print(json.dumps(rows, ensure_ascii=False, indent=1))
    else:
        for row in rows:
            place = f"{row['path']}:{row['line']}"
            what = f"{row['severity']} {row['code']}"
            told = f"{place}: {what} {row['reason']}: {row['message']}"
            # What is quoted may hold signs that a terminal obeys.
            print("".join(c if c.isprintable() else repr(c)[1:-1] for c in told))
    return int(any(row["severity"] == "error" for row in rows))
