"""# Update

`txl i18n update` updates the catalogs of all languages to the current English messages.

```sh
txl i18n update
txl i18n update --check
```
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from labml_txl.literate.cli import open_site, site_settings, write_files
from labml_txl.literate.cli.i18n import (
    only_languages,
    select_languages,
    update_catalogs,
)
from labml_txl.literate.sources.repository import relative_to
from labml_txl.options import option


@dataclass(frozen=True, kw_only=True)
class Options:
    """The command-line options of `txl i18n update`."""

    languages: tuple[str, ...] = only_languages()
    check: bool = option(
        False, "write nothing; exit with status 1 if a file is not up to date"
    )
    config: Path = site_settings()


def run(options: Options) -> int:
    """Write the files that are out of date, and print their paths.

    With `--check`, nothing is written, and the result is 1 if a file is out of date.
    """
    site = open_site(options.config)
    root = site.root
    files: dict[Path, str | None] = {}
    for code in select_languages(site, options.languages):
        files |= update_catalogs(site, code, shared=not options.check)
    there = {path: path.read_bytes() for path in files if path.is_file()}
    changed = [
        path
        for path, text in files.items()
        if there.get(path) != (text and text.encode())
    ]
    if not options.check:
        write_files({path: files[path] for path in changed})
    for path in changed:
        print(relative_to(path, root))
    if not options.check:
        numbers = f"{len(changed)} of {len(files)} files changed"
        print(f"{numbers}; txl i18n stats shows what is left to translate")
    elif changed:
        print("txl: not up to date: run txl i18n update", file=sys.stderr)
    return int(options.check and bool(changed))
