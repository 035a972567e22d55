r"""# The figures of a project

Each is a drawing, a script, and perhaps its arithmetic and what runs beside the page,
in files of one name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from labml_txl.literate.pages.figures.touched import Figure
from labml_txl.literate.sources.source import LiterateError, read


def figures(root: Path, folders: Iterable[str], settings: str) -> Mapping[str, Figure]:
    """The figures of a project by their names: each drawing with a script beside it.

    Raises `LiterateError` for a folder that is not there, a drawing without its script
    or the other way round, and a name that two folders have.
    """
    found: dict[str, Figure] = {}
    for folder in folders:
        if not (root / folder).is_dir():
            message = f"figures: there is no folder {folder}"
            raise LiterateError(settings, 1, message)
        files = {file.name: file for file in sorted((root / folder).iterdir())}
        for file in files.values():
            ending = next(filter(file.name.endswith, _NEEDS), "")
            if not ending:
                continue
            name = file.name.removesuffix(ending)
            other, message = f"{name}{_NEEDS[ending]}", ""
            if not _NAME.fullmatch(name):
                message = f"the figure {name} needs another name: a-z, 0-9 and hyphens"
            elif other not in files:
                message = f"the figure {name} needs {other} beside it"
            elif name in found and file.suffix == ".svg":
                message = (
                    f"{found[name].drawing.path} is a figure {name} too: rename one"
                )
            if message:
                raise LiterateError(f"{folder}/{file.name}", 1, message)
            if file.suffix == ".svg":
                drawing, script = read(file, root), read(files[other], root)
                more = (files.get(f"{name}{ending}") for ending in _OPTIONAL)
                numbers, worker = (read(one, root) if one else None for one in more)
                found[name] = Figure(drawing, script, numbers, worker)
    return found


# The ending of a file, and of the one that it needs beside it.
_NEEDS = {".worker.js": ".js", ".svg": ".js", ".js": ".svg"}
_OPTIONAL = (".mjs", ".worker.js")
# The name of the figure's element is made of it.
_NAME = re.compile(r"[a-z][a-z0-9-]*")
