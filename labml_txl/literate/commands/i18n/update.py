r"""# Update

`txl i18n update` brings the files of all languages up to date with the English.

```sh
txl i18n update
txl i18n update --check
```
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from labml_txl.literate.commands import settings_of, site_settings
from labml_txl.literate.commands.i18n import chosen, shown
from labml_txl.options import option


@dataclass(frozen=True, kw_only=True)
class Options:
    """What `txl i18n update` can be told."""

    lang: str | None = option(None, "only this language", metavar="LANG")
    check: bool = option(
        False, "write nothing; the exit status is 1 if a file is not up to date"
    )
    config: Path = site_settings()


def run(options: Options) -> int:
    """Write the files that have to change, all or none, and name them."""
    from labml_txl.literate.hosts.project import edition_of
    from labml_txl.literate.translation.files.po import behind, write_whole
    from labml_txl.literate.translation.inventory import inventory
    from labml_txl.literate.translation.update import update

    texts = edition_of(settings_of(options.config)).texts
    found = inventory(texts)
    files: dict[Path, str | None] = {}
    for code in chosen(texts.locale, texts.root, options.lang):
        files |= update(found, texts.locale, code, texts.root)
    changed = behind(files, texts.root) if options.check else write_whole(files)
    for path in changed:
        print(shown(path, texts.root))
    if options.check and changed:
        print("txl: not up to date: run txl i18n update", file=sys.stderr)
    return int(bool(options.check and changed))
