r"""# The script of a figure

One file for each figure: what all figures build on, the data, the arithmetic, and what
a reader can do. It is no module, since browsers refuse modules from a folder on a disk.
So the words `export` go, what is imported stands before what imports it, and all of it
stands in a function of its own: no name leaves it.

What runs beside the page is a file of its own. It then has the arithmetic.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from labml_txl.literate.render.figures import IMPORT, Figure

_SHARED = Path(__file__).with_name("figure.js")
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|let|class|function)\b)", re.M)


def script(
    figure: Figure,
    assets: str = "../../assets/",
    element: str = "",
    own: Mapping[str, Any] | None = None,
) -> str:
    """The script that a page loads for a figure.

    `assets` leads from its folder to the files that all languages share. `element` is
    another name for the element. Where no picture stands in it and no theme around it,
    `own` has its `words`, its `label` and the `style` of its colours.
    """
    shared, name = _SHARED.read_text(encoding="utf-8"), figure.drawing.stem
    given = (element or f"figure-{name}", name, assets, own or {})
    known = f"const [NAME, FILE, ASSETS, OWN] = {json.dumps(given)};"
    numbers = "" if figure.worker else _numbers(figure)
    # What is JSON is an expression of JavaScript too.
    data = f"const DATA = {figure.data.text.strip()};" if figure.data else ""
    return _alone(known, shared, "{", data, numbers, figure.script.text, "}")


def worker(figure: Figure) -> str:
    """What a figure runs beside the page; empty if it needs nothing of the kind."""
    run = figure.worker
    return _alone(_numbers(figure), run.text) if run else ""


def _numbers(figure: Figure) -> str:
    if not figure.numbers:
        return ""
    own = IMPORT.sub("", figure.numbers.text)
    return _EXPORT.sub("", "".join([*(one.text for one in figure.imported), own]))


def _alone(*parts: str) -> str:
    return "(() => {\n" + "\n".join(('"use strict";', *parts)) + "\n})();\n"
