"""# Check

`txl check` reports equations that no code cites or no test covers, faulty notes, and
records of observed values that are out of date.

```sh
txl check
txl check --config docs/mkdocs.yml
```
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from labml_txl.literate.cli import open_site, site_settings
from labml_txl.literate.project.check import check
from labml_txl.literate.recording.records import find_stale


@dataclass(frozen=True)
class Options:
    """The command-line options of `txl check`."""

    config: Path = site_settings()


def run(options: Options) -> int:
    """Print the problems of the project, one line each; return 1 if there are any."""
    localized = open_site(options.config)
    project = localized.project
    records = find_stale(project.root / project.observations, project.root)
    problems = dict.fromkeys((*check(localized), *map(str, records)))
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print("No problems: every equation is cited by code and covered by a test.")
    return 1 if problems else 0
