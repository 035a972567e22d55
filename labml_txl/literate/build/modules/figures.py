r"""# The figures of a project

Each is a drawing, a script, and perhaps its arithmetic, its data, and what runs beside
the page, in files of one name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from labml_txl.literate.render.figures.touched import Figure
from labml_txl.literate.sources.source import LiterateError, Source, read


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
                more = (files.get(f"{name}{ending}") for ending in _OPTIONAL)
                drawing, script = read(file, root), read(files[other], root)
                sums, run, data = (read(one, root) if one else None for one in more)
                found[name] = Figure(drawing, script, sums, run, _json(data))
    return found


def _json(data: Source | None) -> Source | None:
    """The data of a figure, which becomes a part of its script."""
    if data is not None:
        try:
            json.loads(data.text, parse_constant=_refused)
        except (ValueError, RecursionError) as error:
            line = getattr(error, "lineno", 1)
            message = f"the data of a figure is no JSON ({error}): write it anew"
            raise LiterateError(data.path, line, message) from None
    return data


def _refused(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


# The ending of a file, and of the one that it needs beside it.
_NEEDS = {".worker.js": ".js", ".svg": ".js", ".js": ".svg"}
_OPTIONAL = (".mjs", ".worker.js", ".json")
# The name of the figure's element is made of it.
_NAME = re.compile(r"[a-z][a-z0-9-]*")
