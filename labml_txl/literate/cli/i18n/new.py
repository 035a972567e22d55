"""# New

`txl i18n new LANG` adds a language. Its catalogs have the labels of the engine only if
the engine does not translate them into that language.

```sh
txl i18n new pt-BR
txl i18n new de --config docs/mkdocs.yml
```
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from labml_txl.errors import UsageError
from labml_txl.literate.cli import open_site, site_settings, write_files
from labml_txl.literate.cli.i18n import update_catalogs
from labml_txl.literate.i18n.languages import (
    ENGLISH,
    SETTINGS,
    find_locale,
    is_code,
    write_settings,
)
from labml_txl.literate.mkdocs.settings import address_of, theme_for
from labml_txl.literate.project.localized import LocalizedProject
from labml_txl.literate.sources.repository import relative_to
from labml_txl.options import argument, option


@dataclass(frozen=True, kw_only=True)
class Options:
    """The command-line options of `txl i18n new`."""

    language: str = argument(
        "the code of the language, such as de, pt-BR or zh-TW", metavar="LANG"
    )
    name: str = option("", "the name of the language, in the language itself")
    config: Path = site_settings()


def run(options: Options) -> int:
    """Create the folder of a language, and print the next steps.

    Raises `UsageError` if the code is not valid, if the language exists, or if its name
    is neither known nor given.
    """
    code = options.language
    if not is_code(code):
        other = code.replace("_", "-")
        why = f"did you mean {other!r}?" if is_code(other) else "codes look like pt-BR"
        raise UsageError(f"the language {code} cannot be added: {why}")
    if not find_locale(code) and not options.name:
        raise UsageError(f"the name of the language {code} is unknown: add --name")
    site = open_site(options.config)
    for other in (language.code for language in site.languages):
        if other != code and other.lower() == code.lower():
            raise UsageError(
                f"the language {code} cannot be added: did you mean {other!r}?"
            )
    if code == site.language.code == ENGLISH.code:
        why = "the pages are written in English"
        raise UsageError(f"the language {code} cannot be added: {why}")
    file = site.locale / code / SETTINGS
    if file.exists():
        raise UsageError(f"{file} exists already: txl i18n update keeps it up to date")
    files = update_catalogs(site, code).files
    theme = theme_for(options.config, code)
    write_files({file: write_settings(code, options.name, theme), **files})
    count = sum(map(len, site.messages_in(code).values()))
    folder = relative_to(file.parent, site.root)
    print(f"Created {folder}: {len(files)} files, {count} messages.")
    for line in _next_steps(code, site, address_of(options.config)):
        print(line)
    return 0


def _next_steps(code: str, site: LocalizedProject, address: str) -> Iterator[str]:
    """Yield the instructions for the translator, line by line.

    `address` is where `mkdocs serve` shows the site.
    """
    labels = relative_to(site.locale / code / "site.po", site.root)
    yield f"Begin with {labels}, whose labels appear on every page; then index.po, the"
    yield "papers, the models, the notebooks. Write each translation after msgstr."
    makefile = site.root / "Makefile"
    rules = makefile.read_text(encoding="utf-8") if makefile.is_file() else ""
    makes = "\nserve:" in rules
    if makes and (port := re.search(r"^PORT *\??= *(\d+)", rules, re.M)):
        address = f"{address.rpartition(':')[0]}:{port[1]}"
    serve = "make serve" if makes else "mkdocs serve"
    yield f"Preview: {serve}, then open http://{address}/{code}/"
    yield f"Check: txl i18n lint {code}"
    about = site.root / site.project.docs / "translate.md"
    if about.is_file():
        yield f"Guide: {relative_to(about, site.root)}"
