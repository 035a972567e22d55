"""Which font Japanese and Chinese words have is decided by their language.

`system-ui` is the font of the reader's system. On a Chinese system it is a Chinese one,
and Japanese set in it looks wrong. So it comes first nowhere but in English.
"""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from labml_txl.literate.export.notebooks.tutorial import outputs_of
from labml_txl.literate.sources.cells import pictures
from labml_txl.literate.sources.source import Source

ROOT = Path(__file__).parents[1]
STYLE = "labml_txl/literate/mkdocs/theme/assets/literate.css"
# Where styles and drawings are written, and the programs that write them.
ENDINGS = (".css", ".svg", ".js", ".mjs", ".html", ".py")
# In CSS, in an attribute, and where a program writes one: what is named, and the names.
FONT = re.compile(r"([\w-]*font(?:-family)?\"?)\s*[:=,]\s*([\"']?)([^;}\n]*)")
# The default of the theme, which the languages replace, and a page in English.
ENGLISH = {(STYLE, "--md-text-font"), ("labml_txl/web.py", "font")}


def texts() -> Iterator[tuple[str, str]]:
    """The files of the project that set words in a font."""
    done = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in done.stdout.split("\0"):
        if name.endswith(ENDINGS) and not name.startswith("tests/"):
            yield name, (ROOT / name).read_text(encoding="utf-8")
    for file in ROOT.glob("notebooks/*.py"):
        for outputs in outputs_of(Source(f"notebooks/{file.name}", ""), ROOT):
            for output in outputs:
                yield from ((file.name, drawing) for *_, drawing in pictures(output))


def system_first(text: str) -> Iterator[str]:
    """What is set in the font of the system before all others."""
    for match in FONT.finditer(text):
        first = match[3].partition(match[2] or ",")[0].partition(",")[0]
        if "system-ui" in first:
            yield match[1].strip('"')


def test_the_font_of_the_system_comes_first_in_english_only() -> None:
    found = {(name, what) for name, text in texts() for what in system_first(text)}
    assert found == ENGLISH


def test_each_language_of_ours_names_its_fonts() -> None:
    style = (ROOT / STYLE).read_text(encoding="utf-8")
    for language in ("ja", "zh"):
        rule = re.search(rf":lang\({language}\) \{{[^}}]*--md-text-font-family:", style)
        assert rule, language
