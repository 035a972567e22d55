r"""# The script of a figure

One file for each figure: what all figures build on, the data, the arithmetic, and what
a reader can do. It is no module, since browsers refuse modules from a folder on a disk.
So the words `export` go, and all of it stands in a function of its own: no name leaves
it.
"""

from __future__ import annotations

import re
from pathlib import Path

from labml_txl.literate.pages.figures.touched import Figure

_SHARED = Path(__file__).with_name("figure.js")
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|let|class|function)\b)", re.M)


def script(figure: Figure) -> str:
    """The script that a page loads for a figure."""
    numbers = _EXPORT.sub("", figure.numbers.text) if figure.numbers else ""
    # What is JSON is an expression of JavaScript too.
    data = f"const DATA = {figure.data.text.strip()};" if figure.data else ""
    shared = _SHARED.read_text(encoding="utf-8")
    name = f'const NAME = "figure-{figure.drawing.stem}";'
    parts = (name, shared, "{", data, numbers, figure.script.text, "}")
    return "(() => {\n" + "\n".join(('"use strict";', *parts)) + "\n})();\n"
