"""# New

`txl i18n new LANG` adds a language. Its catalogs have the labels of the engine only if
the engine does not translate them into that language.

```sh
txl i18n new pt-BR
txl i18n new de --config docs/mkdocs.yml
```
"""

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
    files = update_catalogs(site, code)
    write_files({file: write_settings(code, options.name), **files})
    count = sum(map(len, site.messages_in(code).values()))
    folder = relative_to(file.parent, site.root)
    print(f"Created {folder}: {len(files)} files, {count} messages.")
    for line in _next_steps(code, site):
        print(line)
    return 0


def _next_steps(code: str, site: LocalizedProject) -> Iterator[str]:
    """Yield the instructions for the translator, line by line."""
    yield "Write each translation after msgstr. Begin with site.po, which has the menu."
    yield f"Preview: mkdocs serve, then open the folder {code}/ of the site"
    yield f"Check: txl i18n lint {code}"
    if guide := site.project.translators:
        yield f"Guide: {site.project.docs}/{guide}"
