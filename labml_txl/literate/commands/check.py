r"""# Check

`txl check` looks for equations without code or test, and for faulty notes.

```sh
txl check
txl check --config docs/mkdocs.yml
```
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from labml_txl.literate.commands import settings_of, site_settings


@dataclass(frozen=True)
class Options:
    """What `txl check` can be told."""

    config: Path = site_settings()


def run(options: Options) -> int:
    """Print what is wrong with the project, a line each."""
    config = settings_of(options.config)
    from labml_txl.literate.edition.check import check
    from labml_txl.literate.hosts.mkdocs.settings import project_of

    problems = (*check(project_of(config)), *_english(config))
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print("Every equation has its code and its test.")
    return 1 if problems else 0


def _english(config: Path) -> tuple[str, ...]:
    """The words that the glossary of the project does not want in its pages."""
    from labml_txl.literate.hosts.project import texts_of
    from labml_txl.literate.lint.english import faults
    from labml_txl.literate.lint.glossary import GlossaryError, project_glossary
    from labml_txl.literate.sources.source import LiterateError
    from labml_txl.literate.translation.inventory import inventory

    try:
        texts = texts_of(config)
        rules = project_glossary(texts.locale).english
        return tuple(faults(inventory(texts), rules)) if rules else ()
    except GlossaryError as error:
        return (str(error),)
    except LiterateError:
        return ()  # said already
