"""A page begins with its introduction, and its imports are one line that opens."""

import pytest

from labml_txl.literate.render.page import assemble
from labml_txl.literate.render.render import render_page
from labml_txl.literate.render.resolve import Site
from labml_txl.literate.sources.blocks import split
from labml_txl.literate.sources.imports import fold
from labml_txl.literate.sources.source import Source

IMPORTS = """import os
from typing import (
    TYPE_CHECKING,
)

if TYPE_CHECKING:
    import io

try:
    import tomllib
except ImportError:
    tomllib = None
__all__ = ["f"]
"""


def page_of(text: str) -> str:
    source = Source("m.py", text)
    page = assemble(source, split(source), module="m", path="m.md")
    return render_page(page, Site())


@pytest.mark.parametrize(
    ("code", "folded", "rest"),
    [
        (IMPORTS, 11, 0),
        (f"{IMPORTS}\nX = 1\n", 11, 1),
        ("import os\n\nX = 1\nimport io\n", 1, 2),
        ("X = 1\nimport os\n", 0, 2),
        ("if X:\n    import os\n", 0, 2),
    ],
)
def test_imports_are_told_from_what_follows_them(
    code: str, folded: int, rest: int
) -> None:
    source = Source("m.py", f'"""Title."""\n\n{code}')
    shown = split(source)[0].shown
    imports, others = fold(source, shown)
    assert len([line for line in imports if line.text.strip()]) == folded
    assert len([line for line in others if line.text.strip()]) == rest
    kept = [line for line in (*imports, *others) if line.text.strip()]
    assert kept == [line for line in shown if line.text.strip()]


def test_the_introduction_stands_above_and_the_imports_in_one_line() -> None:
    html = page_of(f'"""# Title\n\nWords.\n"""\n\n{IMPORTS}\n\n# A note.\nX = 1\n')
    introduction, rest = html.split("</details>")
    assert '<div class="lit-block lit-intro" id="m"' in introduction
    assert "<summary>imports, lines 6–18</summary>" in introduction
    assert 'data-n="6"' in introduction
    assert 'data-n="22"' in rest
    assert "A note." in rest
