r"""# Update

`txl i18n update` brings the files of all languages up to date with the English.

```sh
txl i18n update
txl i18n update --check
txl i18n update --check --base origin/main
```
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from labml_txl.errors import UsageError
from labml_txl.literate.cli import settings_of, site_settings
from labml_txl.literate.cli.i18n import (
    before_in,
    chosen,
    only_languages,
    shown,
    split_off,
)
from labml_txl.options import option


@dataclass(frozen=True, kw_only=True)
class Options:
    """What `txl i18n update` can be told."""

    languages: tuple[str, ...] = only_languages()
    check: bool = option(
        False, "write nothing; the exit status is 1 if a file is not up to date"
    )
    base: str = option(
        "", "with --check: only what has changed since this commit", metavar="BASE"
    )
    config: Path = site_settings()


def run(options: Options) -> int:
    """Write the files that have to change, all or none, and name them.

    Since a commit, English may have changed for which others have to answer. With
    `--base`, a file that has the English messages that it had there is as it should be.
    """
    if options.base and not options.check:
        raise UsageError("--base goes with --check: give both")
    from labml_txl.literate.i18n.files.po import behind, write_whole
    from labml_txl.literate.i18n.inventory import inventory
    from labml_txl.literate.i18n.update import update
    from labml_txl.literate.mkdocs.settings import open_project

    texts = open_project(settings_of(options.config)).texts
    found = inventory(texts)
    files: dict[Path, str | None] = {}
    for code in chosen(texts.locale, texts.root, options.languages):
        files |= update(found, texts.locale, code, texts.root)
    changed = behind(files, texts.root) if options.check else write_whole(files)
    if options.base:
        changed = _since(options.base, changed, texts.root)
    for path in changed:
        print(shown(path, texts.root))
    if options.check and changed:
        print("txl: not up to date: run txl i18n update", file=sys.stderr)
    return int(bool(options.check and changed))


def _since(base: str, files: list[Path], root: Path) -> list[Path]:
    """Those of the files in which this change has touched the English."""
    from labml_txl.literate.i18n.changes import same_messages

    commit = split_off(root, base)
    if not commit:
        return files
    with TemporaryDirectory() as folder:
        before = Path(folder, "before.po")
        return [
            path
            for path in files
            if not same_messages(
                before_in(before, root, commit, shown(path, root).as_posix()), path
            )
        ]
