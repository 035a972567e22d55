"""# Interactive figures

An interactive figure has a name, and files of that name in one of the folders that the
setting `figures` lists:

- `NAME.svg`: the picture that is shown where no script runs. It also contains all texts
  of the figure, so that they are translated in the same way as the labels of any other
  picture. Texts that the picture itself does not show are in its `<defs>`.
- `NAME.js`: the script that handles the input of the reader.
- `NAME.mjs`, if the figure computes something: the computation alone, as a module that
  can be tested with Node. It may import the module of another figure:
  `import { read } from "./live.mjs";`.
- `NAME.worker.js`, if the computation takes long: a web worker, so that the page stays
  responsive. It uses the same `NAME.mjs`.
- `NAME.json`, if the figure shows measurements: the script reads them as `DATA`.

A note places the figure by its name: `![What it shows](figure:NAME)`. What follows a
`#` is for its script, as `dataset.start`: `figure:how-far#compressed`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from labml_txl.literate.sources.source import LiterateError, Source, read

# The URL scheme of an interactive figure in a note.
SCHEME = "figure:"

# The only form of `import` that a `NAME.mjs` may use: `script` inlines such imports.
IMPORT = re.compile(r'^import \{.*\} from "\./([a-z0-9-]+\.mjs)";\n', re.M)


@dataclass(frozen=True)
class Figure:
    """The files of an interactive figure.

    - `drawing`: `NAME.svg`, and `script`: `NAME.js`;
    - `numbers`: `NAME.mjs`, or None for a figure that computes nothing;
    - `worker`: `NAME.worker.js`, or None for a figure that computes in the page itself;
    - `data`: `NAME.json`, or None for a figure that shows no measurements;
    - `imported`: the `.mjs` files of other figures that `numbers` imports.
    """

    drawing: Source
    script: Source
    numbers: Source | None = None
    worker: Source | None = None
    data: Source | None = None
    imported: tuple[Source, ...] = ()


def split_name(target: str) -> tuple[str, str]:
    """The name of the figure that an image shows, and what follows a `#`.

    Both are empty for another image.
    """
    if not target.startswith(SCHEME):
        return "", ""
    name, _, start = target.removeprefix(SCHEME).partition("#")
    return name, start


def describe_unknown(name: str, known: Iterable[str]) -> str:
    """An error message for a name that no figure has; it suggests the closest one."""
    names = sorted(known)
    near = get_close_matches(name, names, 1, 0) if names else []
    way = f"did you mean {near[0]}?" if near else "add its folder to `figures:`"
    return f"unknown figure {name}: {way}"


def read_figures(
    root: Path, folders: tuple[str, ...], settings: str
) -> Mapping[str, Figure]:
    """Read the interactive figures in these folders, by their names.

    `settings` is the file that error messages name for a missing folder. Raises
    `LiterateError` for a folder or an imported file that does not exist, a drawing
    without a script, a name that is no valid name of a custom element, and a name that
    occurs in two folders.
    """
    found: dict[str, Figure] = {}
    for folder in folders:
        if not (root / folder).is_dir():
            message = f"figures: the folder {folder} does not exist"
            raise LiterateError(settings, 1, message)
        for file in sorted((root / folder).glob("*.svg")):
            drawing, name = read(file, root), file.stem
            others = {
                ending: read(other, root) if other.is_file() else None
                for ending in (".js", ".mjs", ".worker.js", ".json")
                for other in [file.with_suffix(ending)]
            }
            script, numbers, worker, data = others.values()
            if not re.fullmatch(r"[a-z][a-z0-9-]*", name):  # part of an element's name
                message = f"invalid figure name {name}: use a-z, 0-9 and hyphens"
                raise LiterateError(drawing.path, 1, message)
            if script is None:
                message = f"the figure {name} needs {name}.js beside it"
                raise LiterateError(drawing.path, 1, message)
            if name in found:
                first = found[name].drawing.path
                message = f"duplicate figure {name}, also in {first}: rename one"
                raise LiterateError(drawing.path, 1, message)
            files = [
                file.with_name(n)
                for n in IMPORT.findall(numbers.text if numbers else "")
            ]
            if numbers and (missing := [f.name for f in files if not f.is_file()]):
                message = (
                    f"the script of {name} imports {missing[0]}, which does not exist"
                )
                raise LiterateError(numbers.path, 1, message)
            imported = tuple(read(one, root) for one in files)
            found[name] = Figure(drawing, script, numbers, worker, data, imported)
    return found
