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

from labml_txl.literate.build.check import check
from labml_txl.literate.cli import open_site, site_settings
from labml_txl.literate.recording.records import stale


@dataclass(frozen=True)
class Options:
    """What `txl check` can be told."""

    config: Path = site_settings()


def run(options: Options) -> int:
    """Print what is wrong with the project, a line each."""
    localized = open_site(options.config)
    project = localized.project
    records = stale(project.root / project.observations, project.root)
    problems = dict.fromkeys((*check(localized), *map(str, records)))
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print("Every equation has its code and its test.")
    return 1 if problems else 0
