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

from labml_txl.literate.commands import settings_of, site_settings

if TYPE_CHECKING:
    from labml_txl.literate.edition.edition import Edition


@dataclass(frozen=True)
class Options:
    """What `txl check` can be told."""

    config: Path = site_settings()


def run(options: Options) -> int:
    """Print what is wrong with the project, a line each."""
    config = settings_of(options.config)
    from labml_txl.literate.edition.check import check
    from labml_txl.literate.hosts.project import edition_of
    from labml_txl.literate.observations.checking import stale

    edition = edition_of(config)
    project = edition.project
    records = stale(project.root / project.observations, project.root)
    found = (*check(edition), *_texts(edition, config), *map(str, records))
    problems = tuple(dict.fromkeys(found))
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print("Every equation has its code and its test.")
    return 1 if problems else 0


def _texts(edition: "Edition", config: Path) -> Iterator[str]:
    """What is wrong with the words of the project, and with how they are written."""
    from labml_txl.literate.edition.check import misread
    from labml_txl.literate.hosts.project import renderer_of
    from labml_txl.literate.lint.english import faults
    from labml_txl.literate.lint.glossary import GlossaryError, project_glossary
    from labml_txl.literate.sources.source import LiterateError
    from labml_txl.literate.translation.inventory import inventory

    try:
        texts = edition.texts
        yield from misread(texts, renderer_of(config))
        if rules := project_glossary(texts.locale).english:
            yield from faults(inventory(texts), rules)
    except (GlossaryError, LiterateError) as error:
        yield str(error)
