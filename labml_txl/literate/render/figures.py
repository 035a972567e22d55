r"""# Figures that one can touch

A figure has a name, and files of that name in a folder that the settings name:

- `NAME.svg`: the picture that stands for it where no script runs. It also holds all
  words of the figure, so they are translated as the labels of any picture are. Those
  that the picture does not show stand in its `<defs>`.
- `NAME.js`: what a reader can do with it.
- `NAME.mjs`, if it computes: its arithmetic alone, as a module that Node can test. It
  may import that of another figure: `import { read } from "./live.mjs";`.
- `NAME.worker.js`, if it computes long: what runs in a thread of its own, beside the
  page, with the same arithmetic.
- `NAME.json`, if it shows what was measured: the script has it as `DATA`.

A note places the figure by its name: `![What it shows](figure:NAME)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from labml_txl.literate.sources.source import LiterateError, Source, read

# How the address of a figure begins.
SCHEME = "figure:"

# How the arithmetic of a figure imports that of another one.
IMPORT = re.compile(r'^import \{.*\} from "\./([a-z0-9-]+\.mjs)";\n', re.M)


@dataclass(frozen=True)
class Figure:
    """The files of a figure.

    `numbers` is None for one that computes nothing, `worker` for one that computes in
    the page itself, and `data` for one that shows nothing measured. `imported` is the
    arithmetic of other figures that `numbers` imports.
    """

    drawing: Source
    script: Source
    numbers: Source | None = None
    worker: Source | None = None
    data: Source | None = None
    imported: tuple[Source, ...] = ()


def unknown(name: str, known: Iterable[str]) -> str:
    """What is wrong with a name that no figure has, in one line."""
    names = sorted(known)
    near = get_close_matches(name, names, 1, 0) if names else []
    way = f"did you mean {near[0]}?" if near else "name its folder in `figures:`"
    return f"there is no figure {name}: {way}"


def read_figures(
    root: Path, folders: tuple[str, ...], settings: str
) -> Mapping[str, Figure]:
    """The figures of a project by their names: each drawing with a script beside it.

    Raises `LiterateError` for a folder that is not there, a drawing without its script,
    and a name that two folders have.
    """
    found: dict[str, Figure] = {}
    for folder in folders:
        if not (root / folder).is_dir():
            message = f"figures: there is no folder {folder}"
            raise LiterateError(settings, 1, message)
        for file in sorted((root / folder).glob("*.svg")):
            drawing, name = read(file, root), file.stem
            others = {
                ending: read(other, root) if other.is_file() else None
                for ending in (".js", ".mjs", ".worker.js", ".json")
                for other in [file.with_suffix(ending)]
            }
            script, numbers, worker, data = others.values()
            if not re.fullmatch(r"[a-z][a-z0-9-]*", name):  # that of an element
                message = f"the figure {name} needs another name: a-z, 0-9 and hyphens"
                raise LiterateError(drawing.path, 1, message)
            if script is None:
                message = f"the figure {name} needs {name}.js beside it"
                raise LiterateError(drawing.path, 1, message)
            if name in found:
                first = found[name].drawing.path
                message = f"{first} is a figure {name} too: rename one"
                raise LiterateError(drawing.path, 1, message)
            files = [
                file.with_name(n)
                for n in IMPORT.findall(numbers.text if numbers else "")
            ]
            if numbers and (missing := [f.name for f in files if not f.is_file()]):
                message = f"the arithmetic of {name} imports {missing[0]}: no file"
                raise LiterateError(numbers.path, 1, message)
            imported = tuple(read(one, root) for one in files)
            found[name] = Figure(drawing, script, numbers, worker, data, imported)
    return found


_STYLE = Path(__file__).parents[1] / "mkdocs" / "theme" / "assets" / "literate.css"


@cache
def roles() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """The colours of the style sheet by their roles: of the light and the dark scheme.

    A role is the name of a variable, as `--lit-a` for the first term of a sum.
    """
    schemes = re.findall(r"\{([^{}]*--lit-a:[^{}]*)\}", _STYLE.read_text("utf-8"))
    light, dark = (dict(re.findall(r"(--[\w-]+): (#\w+)", one)) for one in schemes)
    return light, dark
