r"""# Check

`txl check` looks for equations without code or test, and for faulty notes.

```sh
txl check
txl check --config docs/mkdocs.yml
```
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from labml_txl.literate.cli import settings_of, site_settings

if TYPE_CHECKING:
    from labml_txl.literate.build.localized import LocalizedProject


@dataclass(frozen=True)
class Options:
    """What `txl check` can be told."""

    config: Path = site_settings()


def run(options: Options) -> int:
    """Print what is wrong with the project, a line each."""
    config = settings_of(options.config)
    from labml_txl.literate.build.check import check
    from labml_txl.literate.mkdocs.settings import open_project
    from labml_txl.literate.recording.records import stale

    localized = open_project(config)
    project = localized.project
    records = stale(project.root / project.observations, project.root)
    found = (*check(localized), *_texts(localized), *map(str, records))
    problems = tuple(dict.fromkeys(found))
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print("Every equation has its code and its test.")
    return 1 if problems else 0


def _texts(localized: "LocalizedProject") -> Iterator[str]:
    """What is wrong with the words of the project, and with how they are written."""
    from labml_txl.literate.i18n.inventory import inventory
    from labml_txl.literate.i18n.lint.english import faults
    from labml_txl.literate.i18n.lint.glossary import GlossaryError, project_glossary
    from labml_txl.literate.sources.source import LiterateError

    try:
        texts = localized.content.texts
        if rules := project_glossary(texts.locale).english:
            yield from faults(inventory(texts), rules)
    except (GlossaryError, LiterateError) as error:
        yield str(error)
