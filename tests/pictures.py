"""The pictures of the engine's page: a module as it is written, and its page.

`python -m tests.pictures` draws them anew, of the example that a new site begins with.
They show what the engine makes of it: its blocks, with the headings of its page.
"""

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path

from labml_txl.literate.commands.init.files import example
from labml_txl.literate.commands.init.found import EXAMPLE
from labml_txl.literate.pages.page import Page, assemble
from labml_txl.literate.sources.blocks import split
from labml_txl.literate.sources.source import Source

FIGURES = Path(__file__).parents[1] / "docs" / "figures"
SOURCE = Source(EXAMPLE, example())

# The formulas of the example, as letters.
FORMULAS = {
    "m_t": "mₜ",
    "m_0 = 0": "m₀ = 0",
    "x_t": "xₜ",
    r"m_t = m_{t-1} + \alpha\,(x_t - m_{t-1})": "mₜ = mₜ₋₁ + α (xₜ − mₜ₋₁)",
}
LINE, LETTER = 17, 6.3  # height of a line, width of a letter of code
WIDE, HALF = 700, 356  # width of a picture, left edge of its code
# What is set in this font is no sentence to be translated.
CODE = 'font-size="10.5" font-family="ui-monospace, monospace"'
FORMULA = 'font-size="13" font-style="italic" font-family="serif, monospace"'


def words(role: str, x: float, y: float, text: str, form: str) -> str:
    shown = escape(text, quote=False)
    return f'  <text class="{role}" x="{x:g}" y="{y:g}" {form}>{shown}</text>'


def code(x: float, y: float, number: int, line: str) -> Iterator[str]:
    """A line of code with its number. What is indented starts further right."""
    yield words("fig-soft", x, y, f"{number:>2}", CODE)
    text = line.strip()
    if text:
        indent = len(line) - len(line.lstrip())
        yield words("fig-ink", x + (4 + indent) * LETTER, y, text, CODE)


def drawing(height: float, parts: list[str]) -> str:
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {height:g}">'
    )
    return "\n".join([opening, *parts, "</svg>", ""])


def before() -> str:
    """The module, as an editor shows it."""
    lines = SOURCE.text.splitlines()
    height = (len(lines) + 1) * LINE
    parts = [f'  <rect class="fig-fill" width="{WIDE}" height="{height}" rx="8"/>']
    for number, line in enumerate(lines, start=1):
        parts += code(14, number * LINE + 4, number, line)
    return drawing(height, parts)


def after() -> str:
    """The page, which has each note beside its code."""
    page = assemble(SOURCE, split(SOURCE), module="annotated_example", path="")
    parts = [words("fig-ink", 8, 24, page.title, 'font-size="19" font-weight="600"')]
    top = 34.0
    for section in page.sections:
        note = [*note_of(page, section.block.note)]
        shown = [line for line in section.block.shown if line.text.strip()]
        if not note and not shown:
            continue
        lines = max(len(note) + bool(section.heading), len(shown))
        height = lines * LINE + 14
        if shown:
            box = f'x="{HALF}" y="{top:g}" width="{WIDE - HALF}" height="{height:g}"'
            parts.append(f'  <rect class="fig-fill" {box}/>')
        y = top + LINE + 2
        if section.heading:
            form = f'{CODE} font-weight="600"'.replace("10.5", "13")
            parts.append(words("fig-ink", 8, y, section.heading, form))
        for place, (text, form) in enumerate(note, start=bool(section.heading)):
            parts.append(words("fig-ink", 8, y + place * LINE, text, form))
        for place, line in enumerate(shown):
            parts += code(HALF + 10, y + place * LINE, line.number, line.text)
        top += height
        parts.append(
            f'  <path class="fig-line" d="M0 {top:g}H{WIDE}" stroke-width="0.5"/>'
        )
    return drawing(top + 4, parts)


def note_of(page: Page, note: str) -> Iterator[tuple[str, str]]:
    """The lines of a note, each with its form; a formula alone is a line of its own."""
    body = re.sub(r"\A#.*\n+", "", note) if note.startswith("#") else note
    sentence = " ".join(body.split())
    text, formula, _ = re.fullmatch(r"(.*?:)? ?(\$[^$]*\$\.)?(.*)", sentence).groups()  # type: ignore[union-attr]
    if formula and text and len(formula) > 20:
        yield text, 'font-size="12"'
        yield letters(formula), FORMULA
    elif sentence:
        yield letters(sentence), 'font-size="12"'


def letters(note: str) -> str:
    """A note whose formulas are written as letters."""
    return re.sub(r"\$([^$]*)\$", lambda formula: FORMULAS[formula[1]], note)


DRAWINGS = {"source.svg": before, "page.svg": after}

if __name__ == "__main__":
    for name, draw in DRAWINGS.items():
        FIGURES.joinpath(name).write_text(draw(), encoding="utf-8")
