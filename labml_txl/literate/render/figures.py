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
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from labml_txl.literate.sources.source import Source

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
