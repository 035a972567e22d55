"""# Notebooks

`txl notebooks` runs the tutorial notebooks and stores their outputs.

```sh
txl notebooks --quick
txl notebooks --keep
```
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from labml_txl.errors import UsageError
from labml_txl.literate.cli import open_site, site_settings, write_files
from labml_txl.literate.export.notebooks.execution import execute
from labml_txl.literate.export.notebooks.tutorial import (
    add_outputs,
    document,
    find_tutorials,
)
from labml_txl.literate.mkdocs.settings import use_default_branch
from labml_txl.literate.project.settings import import_folders
from labml_txl.options import argument, option


@dataclass(frozen=True, kw_only=True)
class Options:
    """The command-line options of `txl notebooks`."""

    notebooks: tuple[str, ...] = argument(
        "the name or the file of a notebook (default: all)",
        default=(),
        metavar="NOTEBOOK",
    )
    quick: bool = option(False, "run with small sizes, and save nothing")
    keep: bool = option(
        False, "do not run: save the current text with the stored outputs"
    )
    config: Path = site_settings()


def run(options: Options) -> int:
    """Run the notebooks, or reuse their stored outputs, and write them.

    If an error occurs, no notebook is written.
    """
    localized = use_default_branch(open_site(options.config))
    root, project = localized.project.root, localized.project
    known = [*find_tutorials(root, project.notebooks, project.settings)]
    names = {Path(words).stem for words in options.notebooks}
    if unknown := names - {t.name for t in known}:
        there = ", ".join(t.name for t in known) or "none"
        raise UsageError(f"no notebook {min(unknown)}: choose from {there}")
    texts: dict[Path, str | None] = {}
    for tutorial in known:
        if names and tutorial.name not in names:
            continue
        if tutorial.is_stored:
            where = "is run in Jupyter, which stores it"
            print(f"{tutorial.source.path} {where}", file=sys.stderr)
            continue
        if options.keep:
            ran = add_outputs(tutorial, root)
        else:
            print(f"Running {tutorial.source.path}", file=sys.stderr, flush=True)
            ran = execute(tutorial, import_folders(project), quick=options.quick)
        path = root / tutorial.notebook
        texts[path] = document(ran, localized.site, localized.content.install)
    if not options.quick:
        write_files(texts)
        for path in texts:
            print(path.relative_to(root))
    return 0
