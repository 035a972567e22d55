r"""# Lint

`txl i18n lint` looks for translations that are broken.

```sh
txl i18n lint
txl i18n lint ja zh
```
"""

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
    config: Path = site_settings()


def run(options: Options) -> int:
    """Print every finding with its place; the result is 1 if one is an error.

    What kind of fault it is is said in the language of the translator.
    """
    from labml_txl.literate.i18n.glossary import load_glossary
    from labml_txl.literate.i18n.inventory import SITE
    from labml_txl.literate.i18n.labels import Labels
    from labml_txl.literate.i18n.lint import lint_message
    from labml_txl.literate.i18n.po import line_of, load_catalog, read_po
    from labml_txl.literate.mkdocs.settings import open_project
    from labml_txl.literate.sources.source import read

    texts = open_project(settings_of(options.config)).texts
    glossary = load_glossary(texts.locale)
    rows: list[dict[str, Any]] = []
    for code in chosen(texts.locale, texts.root, options.languages):
        labels = Labels(load_catalog(texts.locale, code, SITE, texts.root))
        for path in sorted((texts.locale / code).rglob("*.po")):
            lines = read(path, texts.root).lines
            rows += (
                {
                    "path": path.relative_to(texts.root).as_posix(),
                    "line": line_of(entry, lines),
                    "severity": finding.severity,
                    "code": finding.code,
                    "message": finding.message,
                    "reason": labels.fault(finding.code),
                }
                for entry in read_po(path, texts.root)
                if entry.msgstr and not entry.obsolete and not entry.fuzzy
                for finding in lint_message(entry.msgid, entry.msgstr, code, glossary)
            )
    if options.json:
        print(json.dumps(rows, ensure_ascii=False, indent=1))
    else:
        for row in rows:
            line = "{path}:{line}: {severity} {code} {reason}: {message}".format(**row)
            # What is quoted may hold signs that a terminal obeys.
            print("".join(c if c.isprintable() else repr(c)[1:-1] for c in line))
    return int(any(row["severity"] == "error" for row in rows))
