r"""# Init

`txl init` makes a site of the Python code in a folder. It asks nothing: it looks for
packages and modules, and writes what a site needs. What is there already stays as it
is.

```sh
txl init
txl init my-project
```

The modules: `found` looks for code, and `origin` for the repository. `files` has what
is written. `annotated_example` is the example that a new site begins with.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from labml_txl.errors import UsageError
from labml_txl.extras import everywhere, how_to_install, is_complete
from labml_txl.literate.cli import write_texts
from labml_txl.options import argument


@dataclass(frozen=True)
class Options:
    """What `txl init` can be told."""

    folder: Path = argument(
        "the project that gets a site", default=Path(), metavar="FOLDER", shown="here"
    )


def run(options: Options) -> int:
    """Write what is missing, all or nothing, and say what to do next."""
    if not options.folder.is_dir():
        raise UsageError(
            f"there is no folder {options.folder}: make it or name another"
        )
    root = options.folder.resolve()
    texts, notes = wanted(root)
    there = {path for path in texts if os.path.lexists(root / path)}
    write_texts({path: texts[path] for path in texts if path not in there}, root)
    for path in texts:
        print(f"{path} is there: left as it is" if path in there else f"wrote {path}")
    for note in notes:
        print(note)
    print("Next:", *_next(options.folder), sep="\n  ")
    return 0


def wanted(root: Path) -> tuple[dict[str, str], list[str]]:
    """The files of a new site, by their paths, and what their owner should know."""
    from labml_txl.literate.cli.init import files
    from labml_txl.literate.cli.init.found import EXAMPLE, look
    from labml_txl.literate.cli.init.origin import origin

    found, known = look(root), origin(root)
    texts, notes = dict[str, str](), [f"{f}: `exclude` has it" for f in found.faults]
    names = ("mkdocs.yml", "mkdocs.yaml")
    settings = next((root / name for name in names if (root / name).exists()), None)
    if settings is None:
        texts[files.SETTINGS] = files.settings(found, known)
        if not root.joinpath("docs/README.md").exists():
            texts[files.INDEX] = files.index(found)
    elif re.search(r"^\s*- *literate\b", settings.read_text("utf-8", "replace"), re.M):
        return {}, [f"{settings.name} has the plugin: all is left as it is"]
    else:
        entry = files.plugin(found)
        notes.append(f"{settings.name} is there: add to its plugins: {entry}")
    texts[EXAMPLE] = files.example()
    if known.publisher:
        notes.append(f"{known.publisher}: no workflow was written")
    else:
        texts[files.WORKFLOW] = files.workflow(known, everywhere("site"))
    return texts, notes


def _next(folder: Path) -> Iterator[str]:
    """What to type to see the site."""
    if folder.resolve() != Path.cwd():
        yield f'cd "{folder}"'
    if not is_complete("site"):
        yield how_to_install("site")
    yield "mkdocs serve"
