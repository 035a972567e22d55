"""# The script of a figure

Bundles the files of an interactive figure into one script: the shared `figure.js`, the
data, the computation (`NAME.mjs`) and the user interface (`NAME.js`). The result is a
classic script, because browsers refuse to load modules from a `file:` URL. So we remove
`export`, insert imported code before the code that imports it, and wrap everything into
a function, so that no name becomes global.

A figure with a web worker has two scripts. The computation is then in that of the
worker.
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


def bundle_script(
    figure: Figure,
    assets: str = "../../assets/",
    element: str = "",
    own: Mapping[str, Any] | None = None,
) -> str:
    """The script that a page loads for a figure.

    `assets` is the path from the folder of the script to the files that all languages
    share. `element` replaces the default name of the custom element. On a page without
    the picture and the theme, `own` provides what they would: the texts (`words`), the
    `label` and the `style` with the colours.
    """
    shared, name = _SHARED.read_text(encoding="utf-8"), figure.drawing.stem
    given = (element or f"figure-{name}", name, assets, own or {})
    known = f"const [NAME, FILE, ASSETS, OWN] = {json.dumps(given)};"
    numbers = "" if figure.worker else _numbers(figure)
    # JSON is a subset of JavaScript.
    data = f"const DATA = {figure.data.text.strip()};" if figure.data else ""
    return _alone(known, shared, "{", data, numbers, figure.script.text, "}")


def bundle_worker(figure: Figure) -> str:
    """The script of the web worker of a figure; empty if it has none."""
    run = figure.worker
    return _alone(_numbers(figure), run.text) if run else ""


def _numbers(figure: Figure) -> str:
    if not figure.numbers:
        return ""
    own = IMPORT.sub("", figure.numbers.text)
    return _EXPORT.sub("", "".join([*(one.text for one in figure.imported), own]))


def _alone(*parts: str) -> str:
    return "(() => {\n" + "\n".join(('"use strict";', *parts)) + "\n})();\n"
