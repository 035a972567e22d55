r"""# Figures that one can touch

A figure has a name, and files of that name in a folder that the settings name:

- `NAME.svg`: the picture that stands for it where no script runs. It also holds all
  words of the figure, so they are translated as the labels of any picture are. Those
  that the picture does not show stand in its `<defs>`.
- `NAME.js`: what a reader can do with it.
- `NAME.mjs`, if it computes: its arithmetic alone, as a module that Node can test.

A note places the figure by its name: `![What it shows](figure:NAME)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from labml_txl.literate.sources.source import LiterateError, Source, read

# How the address of a figure begins.
SCHEME = "figure:"


@dataclass(frozen=True)
class Figure:
    """The files of a figure; `numbers` is None for one that computes nothing."""

    drawing: Source
    script: Source
    numbers: Source | None = None


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
        for file in (file for file in files.values() if file.suffix in _ENDINGS):
            name, other = file.stem, file.with_suffix(_ENDINGS[file.suffix]).name
            message = ""
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
                numbers = files.get(f"{name}.mjs")
                drawing, script = read(file, root), read(files[other], root)
                sums = read(numbers, root) if numbers else None
                found[name] = Figure(drawing, script, sums)
    return found


# Each of these needs the other.
_ENDINGS = {".svg": ".js", ".js": ".svg"}
# The name of the figure's element is made of it.
_NAME = re.compile(r"[a-z][a-z0-9-]*")


def unknown(name: str, known: Iterable[str]) -> str:
    """What is wrong with a name that no figure has, in one line."""
    names = sorted(known)
    near = get_close_matches(name, names, 1, 0) if names else []
    way = f"did you mean {near[0]}?" if near else "name its folder in `figures:`"
    return f"there is no figure {name}: {way}"
