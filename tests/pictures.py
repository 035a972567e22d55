"""The pictures of pages: a module and its page, and the marks of an annotated block.

`python -m tests.pictures` draws them anew. The first two are of the example that a new
site begins with. They show what the engine makes of it: its blocks, with the headings
of its page. The third is of a block of this site, and shows how to read one.
"""

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path

from labml_txl.literate.recording.records import read_record
from labml_txl.literate.render.page import Page, assemble
from labml_txl.literate.sources.blocks import split
from labml_txl.literate.sources.source import Source, read

ROOT = Path(__file__).parents[1]
FIGURES = ROOT / "docs" / "figures"
EXAMPLE = Path(__file__).with_name("annotated_example.py")
SOURCE = Source("annotated_example.py", EXAMPLE.read_text(encoding="utf-8"))

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


def drawing(height: float, parts: list[str], wide: float = WIDE) -> str:
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {height:g}">'
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


# The block whose parts have marks: a sign of its citation, and its note.
CITED = "[txl.distance_keys]"
NOTE = r"""[The matrix $\mathbf Q$][txl.distance_keys] contains the keys of all
distances, $\mathbf Q_c = \mathbf W_{k,R}\,\mathbf R_{M+L-1-c}$."""
# The pieces of its formula: left edge, size, weight.
PIECES = {
    "Q": (26, 15, 700),
    "c": (38, 9, 400),
    "=": (47, 15, 400),
    "W": (62, 15, 700),
    "k,R": (77.5, 9, 400),
    "R": (93, 15, 700),
    "M+L−1−c": (104, 9, 400),
    ".": (144, 12, 400),
}
NAME = "projection"  # what the code calls W
# The marks, each with its place and its way from there.
MARKS = (
    *((1, 12, 18, "V58"), (3, 60, 18, "V58"), (2, 120, 18, "V78")),
    *((5, 320, 18, "V74"), (4, 464, 18, "V60H492"), (5, 12, 182, "V138H76V136")),
    *((7, 206, 182, "V133"), (6, 464, 182, "V133")),
)
RIGHT = 528  # edge of the shapes
SMALL = 'font-size="9.5" font-family="ui-monospace, monospace"'
SHAPE = 'font-size="8" text-anchor="end" font-family="ui-monospace, monospace"'


def block() -> str:
    """A block of the page on distances, with a mark at each of its parts."""
    source = read(ROOT / "labml_txl" / "models" / "distances.py", ROOT)
    (found,) = (one for one in split(source) if CITED in one.note)
    assert found.note == NOTE
    lines = [line for line in found.shown if line.text.strip()]
    place = f"{lines[0].number}–{lines[-1].number}"
    link = 'font-size="12" text-decoration="underline"'
    parts = [
        '  <rect class="fig-fill" x="166" y="48" width="370" height="94" rx="8"/>',
        '  <path class="fig-line" d="M8 48H158M8 142H158" fill="none"/>',
        '  <rect class="fig-fill2" x="60" y="114" width="32" height="21" rx="3"/>',
        words("fig-soft", 8, 72, "#", 'font-size="14"'),
        words("fig-accent", 26, 72, "The matrix Q", link),
        words("fig-ink", 26, 90, "contains the keys of", 'font-size="12"'),
        words("fig-ink", 26, 106, "all distances,", 'font-size="12"'),
        words("fig-soft", RIGHT, 64, place, 'font-size="11" text-anchor="end"'),
    ]
    for text, (x, size, weight) in PIECES.items():
        form = f'font-weight="{weight}" font-family="serif, monospace"'
        y = 131 if size == 9 else 128
        parts.append(words("fig-ink", x, y, text, f'font-size="{size}" {form}'))
    for y, line in zip((87, 107, 127), lines, strict=True):
        parts += marked_line(y, line.number, line.text.strip())
    for mark in MARKS:
        parts += marker(*mark)
    return drawing(198, parts, 540)


def marked_line(y: int, number: int, line: str) -> Iterator[str]:
    """A line of code. What a run showed is underlined, and the shape stands apart."""
    left, letter = 194, 5.7
    record = ROOT / "docs" / "observations" / "labml_txl.models.distances.json"
    held = {value.name for value in read_record(record, ROOT).values}
    text, _, shape = line.partition("  # ")
    yield words("fig-soft", 174, y, f"{number}", SMALL)
    for name in re.finditer(r"\w+", text):
        x, width = left + name.start() * letter, len(name[0]) * letter
        if name[0] == NAME:
            box = f'x="{x - 2:g}" y="{y - 11}" width="{width + 4:g}" height="16"'
            yield f'  <rect class="fig-fill2" {box} rx="3"/>'
        elif name[0] in held and text[name.start() - 1] != ".":
            path = f"M{x:g} {y + 4}h{width:g}"
            yield f'  <path class="fig-line" d="{path}" stroke-dasharray="1.5"/>'
    yield words("fig-ink", left, y, text, SMALL)
    width = len(shape) * 4.8 + 8
    box = f'x="{RIGHT - width:g}" y="{y - 10}" width="{width:g}" height="14"'
    yield f'  <rect class="fig-line" {box} rx="3" fill="none"/>'
    yield words("fig-ink", RIGHT - 4, y, shape, SHAPE)


def marker(number: int, x: int, y: int, way: str) -> Iterator[str]:
    """A number in a circle, and a line from there to what it stands for."""
    circle = f"M{x - 10} {y}a10 10 0 1 0 20 0a10 10 0 1 0 -20 0"
    path = f"{circle}M{x} {y + (10 if y < 100 else -10)}{way}"
    yield f'  <path class="fig-accent" d="{path}" stroke-width="1.5" fill="none"/>'
    form = 'font-size="12" text-anchor="middle" font-weight="600"'
    yield words("fig-accent", x, y + 4, f"{number}", form)


DRAWINGS = {"source.svg": before, "page.svg": after, "block.svg": block}

if __name__ == "__main__":
    for name, draw in DRAWINGS.items():
        FIGURES.joinpath(name).write_text(draw(), encoding="utf-8")
