# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
#   extras: [site, training]
# ---

# %% [markdown]
# # Annotate your own code in ten minutes
#
# The pages of this site are rendered from Python files with comments. In this notebook
# you write such a file, look at its page, link it to an equation and a test, and see
# how a mistake is reported. At the end, the page is exported as a notebook that can be
# run.
#
# The engine only parses your file and never imports it.
#
# Time: a few seconds on two CPU cores. A T4 makes no difference.
#
# In Colab, the first cell installs the engine with everything that is needed to build a
# site. This replaces Colab's versions of requests, Pygments and Markdown, and adds
# Node.js, which renders the formulas. A new notebook has Colab's versions again.

# %% tags=["parameters"]
COLUMN = 34  # letters in a line of a note, in the pictures

if not (type(COLUMN) is int and 10 <= COLUMN <= 60):
    raise ValueError(f"COLUMN = {COLUMN!r}: give a whole number from 10 to 60")

# %% tags=["imports"]
import json
import re
import tempfile
import textwrap
from pathlib import Path

from matplotlib.figure import Figure

from labml_txl.literate import (
    Project,
    Source,
    annotate,
    notebook,
    split,
    text,
    unfinished,
)
from labml_txl.training import described

folder = tempfile.TemporaryDirectory()
root = Path(folder.name)


def write(path: str, words: str) -> None:
    """Write a file of our project."""
    goal = root / path
    goal.parent.mkdir(parents=True, exist_ok=True)
    goal.write_text(words, encoding="utf-8")


# %% [markdown]
# ## Minute 1: a module
#
# This module, in plain Python, computes a running average.

# %%
PLAIN = """\
class RunningAverage:
    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.mean = 0.0

    def add(self, x: float) -> float:
        self.mean += self.rate * (x - self.mean)
        return self.mean
"""
write("averages/running.py", PLAIN)

# %% [markdown]
# ## Minute 3: notes
#
# There are three kinds of notes:
#
# - The docstring of the module is the beginning of the page, and its heading the title.
# - The docstring of a class or function is shown beside its header.
# - A comment on lines of its own is shown beside the code below it.
#
# Notes are written in Markdown, with formulas between dollar signs, as in `$…$`. A
# docstring that contains a backslash must begin with `r"""`.

# %%
NOTED = '''\
r"""# A running average

One number that remembers all numbers before it, the recent ones best.
"""


class RunningAverage:
    r"""Keeps the average $m_t$ of the numbers that it has seen."""

    def __init__(self, rate: float) -> None:
        self.rate = rate
        # Nothing has been seen: $m_0 = 0$.
        self.mean = 0.0

    def add(self, x: float) -> float:
        r"""The average after one more number, $x_t$."""
        # The average moves towards the new number:
        # $m_t = m_{t-1} + \\alpha\\,(x_t - m_{t-1})$.
        self.mean += self.rate * (x - self.mean)
        return self.mean
'''
write("averages/running.py", NOTED)

# %% [markdown]
# ## Blocks
#
# The engine splits the file into blocks. Each block is a note with the code beside it.

# %%
blocks = split(Source("running.py", NOTED))
for block in blocks:
    kind = block.opens or "note"
    note = textwrap.shorten(block.note.text.lstrip("# "), 42, placeholder=" …")
    lines = f"{block.lines.start}–{block.lines.stop - 1}"
    print(f"{lines:>6}  {kind:<7} {len(block.visible_code)} lines of code  {note}")

# %% [markdown]
# Each line of the file belongs to exactly one block, and the blocks keep the order of
# the lines. So no line of your code can be missing from the page.

# %% tags=["claim"]
[n for block in blocks for n in block.lines] == [*range(1, NOTED.count("\n") + 1)]

# %% [markdown]
# ## Minute 5: the page
#
# `annotate` assembles the pages of a project. On a site, they are rendered as HTML,
# with formulas, highlighted code and links. In this notebook, a few lines of code draw
# the blocks of a page instead, with the notes on the left and the code on the right.

# %%
project = Project(root, modules=("averages",))
page = annotate(project).pages[0]


def wrapped(note: str) -> list[str]:
    """A note in lines that fit the column. Formulas stay whole."""
    note = re.sub(r"\[([^]]*)\]\[[^]]*\]", r"\1", note)  # a citation: its words
    lines, length = [""], 0
    for word in re.findall(r"\$[^$]*\$\S*|\S+", note):
        width = len(word) // (2 if word[0] == "$" else 1)  # TeX is longer than it looks
        if length + width > COLUMN:
            lines, length = [*lines, ""], 0
        lines[-1] += f"{word} "
        length += width + 1
    return lines


def rows_of(page):
    """For each section of a page: lines to write on the left, lines of code."""
    yield [page.title, *wrapped(page.sections[0].block.note.text)], ()
    for section in page.sections[1:]:
        words = wrapped(section.block.note.text) if section.block.note else []
        yield (
            [section.heading, *words] if section.heading else words,
            section.block.visible_code,
        )


# %% tags=["plot"]
AS_IT_IS = ["sans-serif", "monospace"]


def picture(page) -> Figure:
    """A page, drawn: notes on the left, numbered code on the right."""
    rows = [*rows_of(page)]
    heights = [max(len(notes), len(code)) + 1 for notes, code in rows]
    figure = Figure(figsize=(7, 0.2 * sum(heights)))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, 100), ylim=(sum(heights), 0))
    axes.set_axis_off()
    axes.axvspan(41, 100, color="#8a8a8a", alpha=0.12, linewidth=0)
    top = 0
    for (notes, code), height in zip(rows, heights, strict=True):
        for n, line in enumerate(notes):
            bold = line in (page.title, *(s.heading for s in page.sections))
            # Shown as it is: what may be in a font for code is not translated.
            style = {"weight": "bold" if bold else "normal", "family": AS_IT_IS}
            axes.text(1, top + n + 1, line, fontsize=9, **style)
        for n, line in enumerate(code):
            number = {"ha": "right", "alpha": 0.65, "family": "monospace"}
            axes.text(45, top + n + 1, f"{line.number}", fontsize=9, **number)
            written = line.text.rstrip().replace(" ", "\N{NO-BREAK SPACE}")
            axes.text(46.5, top + n + 1, written, fontsize=9, family="monospace")
        top += height
        axes.axhline(top - 0.2, color="#8a8a8a", linewidth=0.5)
    return figure


described(
    picture(page),
    "The page of the module. Left, the title, the name of the class and of its "
    "method, and the notes with their formulas. Right, the code of each note with "
    "line numbers.",
)

# %% [markdown]
# Each note is beside the lines that it explains. The names of classes and functions
# have become headings, and the comments are no longer in the code.

# %% tags=["claim"]
headings = [section.heading for section in page.sections if section.heading]
code = "".join(line.text for s in page.sections for line in s.block.visible_code)
page.title == "A running average" and headings == [
    "RunningAverage",
    "add",
] and "#" not in code

# %% [markdown]
# The page can also be rendered as Markdown, for readers and programs that prefer plain
# text. The lines of code keep their numbers.

# %%
print(
    text(page, annotate(project).site)
    .partition("## `Run")[2]
    .partition("\n")[2]
    .strip()
)

# %% [markdown]
# ## Minute 7: an equation
#
# A registry is a TOML file with the equations of one paper or book. A note cites an
# equation by its key, as in `[any words][ema.average]`.

# %%
REGISTRY = r"""
[paper]
key = "ema"
title = "Averages, Briefly"
authors = "A. Author"
year = 2026
arxiv = "2601.00001"

[equations.average]
title = "Running average"
section = "1"
latex = '''m_t = m_{t-1} + \alpha\,(x_t - m_{t-1})'''
text = "The average moves towards the new number."
"""
CITED = NOTED.replace(
    "# The average moves towards the new number:",
    "# [The average moves towards the new number][ema.average]:",
)
write("papers/averages.toml", REGISTRY)
write("averages/running.py", CITED)

project = Project(root, modules=("averages",), equations=("papers",))
for line in unfinished(annotate(project)):
    print(line)

# %% [markdown]
# The engine has found the code that implements the equation, and reports that a test is
# missing. A test is assigned to an equation by a marker. The engine only parses the
# tests, too, and does not run them.

# %%
TEST = """\
import pytest
from averages.running import RunningAverage


@pytest.mark.equation("ema.average")
def test_a_constant_is_approached_from_zero():
    average = RunningAverage(rate=0.5)
    assert [average.add(1.0) for _ in range(3)] == [0.5, 0.75, 0.875]
"""
write("tests/test_running.py", TEST)

annotated = annotate(project)
for cited in annotated.content.cited:
    lines = [line.number for line in cited.block.visible_code]
    print(f"{cited.key}: code in lines {lines[0]} to {lines[-1]}")
for proof in annotated.content.proved:
    print(f"{proof.key}: tested by {proof.test}")

# %% [markdown]
# Now the equation has both code and a test, so nothing is reported.

# %% tags=["claim"]
[*unfinished(annotated)] == []

# %% [markdown]
# ## Minute 8: a mistake
#
# If the key of an equation is misspelled, the engine reports it and suggests the key
# that was probably meant.

# %%
write("averages/running.py", CITED.replace("ema.average", "ema.averge"))
(found,) = annotate(project).faults
fault = str(found)
print(fault)

# %% [markdown]
# The message begins with the file and the line, so that an editor can jump there. When
# the mistake is corrected, the page is rendered again.

# %% tags=["claim"]
write("averages/running.py", CITED)
page = annotate(project).pages[0]
wrong = 1 + CITED[: CITED.index("ema.average")].count("\n")
fault.startswith(f"averages/running.py:{wrong}: ") and "ema.average" in fault

# %% [markdown]
# ## Minute 9: a notebook that runs
#
# Each page can also be exported as a notebook, in which the notes are the text and the
# code can be run. These are its cells:

# %%
cells = json.loads(notebook(page, annotate(project).site))["cells"]
for cell in cells:
    first, *more = "".join(cell["source"]).strip().splitlines()
    print(
        f"{cell['cell_type']:<9} {first}"
        + (f"  (and {len(more)} more)" if more else "")
    )

# %% [markdown]
# If its code cells are run one after the other, they define the same names as the
# module.

# %%
names = {"__name__": "__main__"}
for cell in cells:
    if cell["cell_type"] == "code":
        exec("".join(cell["source"]), names)
average = names["RunningAverage"](rate=0.5)
seen = [average.add(1.0) for _ in range(3)]
print(seen)

# %% [markdown]
# Each step covers half of the remaining distance to 1, as the test requires.

# %% tags=["claim"]
seen == [0.5, 0.75, 0.875]

# %% [markdown]
# ## Try it
#
# **1. A rate of 1.** Which average does a rate of 1 give? Try to answer before you run
# the cell.
#
# <details markdown="1">
# <summary>Hint</summary>
#
# With $\alpha = 1$ the formula becomes $m_t = x_t$.
#
# </details>

# %% tags=["answer"]
answer = None  # the averages after 3, 5 and 4, as [0.0, 0.0, 0.0]

# %% tags=["check"]
None if answer is None else answer == [3.0, 5.0, 4.0]

# %% tags=["solution"]
latest = names["RunningAverage"](rate=1.0)
solution = [latest.add(value) for value in (3.0, 5.0, 4.0)]
solution

# %% [markdown]
# **2. Every line.** How many lines of the file are in no block, and how many in two?
#
# <details markdown="1">
# <summary>Hint</summary>
#
# See the section on blocks.
#
# </details>

# %% tags=["answer"]
answer = None  # how many lines stand in no block or in two

# %% tags=["check"]
None if answer is None else answer == 0

# %% tags=["solution"]
source = Source("averages/running.py", CITED)
lines = [number for block in split(source) for number in block.lines]
solution = sum(lines.count(n + 1) != 1 for n in range(len(CITED.splitlines())))
solution

# %% [markdown]
# **3. Without a test.** If you delete the file of the test, what does the engine
# report?
#
# <details markdown="1">
# <summary>Hint</summary>
#
# It reported the same before there was a test.
#
# </details>

# %% tags=["answer"]
answer = None  # how many things are missing then

# %% tags=["check"]
None if answer is None else answer == 1

# %% tags=["solution"]
(root / "tests/test_running.py").unlink()
missing = [*unfinished(annotate(project))]
write("tests/test_running.py", TEST)
print(*missing, sep="\n")
solution = len(missing)
solution

# %% [markdown]
# ## Minute 10: a site
#
# To build a site of these pages, you need a few lines in a file `mkdocs.yml`. The
# command `txl init` writes them, together with a first page:
#
# ```yaml
# site_name: Averages
# theme: material
# plugins:
#   - search
#   - literate: {modules: [averages], equations: [papers]}
# ```
#
# This command shows the site while you write, and reloads a page when you save its
# module:
#
# ```sh
# mkdocs serve
# ```
#
# On the site, the symbols of a formula and their names in the code light up together,
# each name links to its definition, and a page can be translated without changing the
# code. [Annotate your own code](../annotate.md) explains the installation and all
# features.
