"""A small project of somebody else's, and MkDocs as its owner runs it."""

import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from labml_txl.literate.sources.names import Index, read_names
from labml_txl.literate.sources.source import Source
from tests.literate.warm import run

ROOT = Path(__file__).parents[2]

CONFIG = """\
site_name: Counting
theme: material
plugins:
  - search
  - literate:
      modules: [src/counting]
"""
# A theme that follows the system, and fetches no font.
THEME = """\
theme:
  name: material
  font: false
  palette:
    - media: "(prefers-color-scheme)"
      primary: literate
      toggle: {icon: material/circle-half-full, name: System}
    - media: "(prefers-color-scheme: light)"
      primary: literate
      toggle: {icon: material/brightness-7, name: Light}
    - media: "(prefers-color-scheme: dark)"
      scheme: slate
      primary: literate
      toggle: {icon: material/moon-waning-crescent, name: Dark}
"""
WITH_REGISTRY = CONFIG + "      equations: [papers]\n"

HOME = "# Counting\n\nWe count with `Counter`, and $1 + 1 = 2$.\n"

PACKAGE = '''\
r"""# Counting things

The package counts. Read `steps` before `counter`.
"""

from .counter import Counter

__all__ = ["Counter"]
'''
STEPS = '''\
r"""# Steps

One step of the count, as wide as the reader wants it to be.
"""

STEP = 1
'''
COUNTER = '''\
r"""# The counter

A counter that knows how many things there were, and nothing more than that.
"""

from .steps import STEP


class Counter:
    r"""Keeps the count $n_t$."""

    def count(self, number: int) -> int:
        r"""The next count, $n_{t+1} = n_t + 1$."""
        # One more than before:
        # $$
        # n_{t+1} = n_t + 1
        # $$
        return number + STEP  # [total]
'''
REGISTRY = """
[paper]
key = "cnt"
title = "On Counting"
authors = "A. Author"
year = 2020
arxiv = "2001.00001"

[symbols.n]
latex = ['n', 'n_t']
meaning = "How many there were at step $t$."
names = ["number"]

[equations.next]
title = "The next count"
section = "2"
number = 1
latex = '''n_{t+1} = n_t + 1'''
text = "The next count is one more."
symbols = ["n"]
"""

COUNTER_FILE = "src/counting/counter.py"

FILES: Mapping[str, str | bytes] = {
    "mkdocs.yml": CONFIG,
    "docs/index.md": HOME,
    "src/counting/__init__.py": PACKAGE,
    "src/counting/steps.py": STEPS,
    COUNTER_FILE: COUNTER,
}
# Exercises that end in a call and what it prints: their page offers a notebook.
RUN_IT = """\
## Run it

```python
from counting.counter import Counter

print(Counter().count(2))
```

```text
3
```
"""
RUNNABLE = {"src/counting/exercises/counter.md": RUN_IT}
ENVIRONMENT = {
    **os.environ,
    "NO_MKDOCS_2_WARNING": "1",
    "PYTHONPATH": str(ROOT),
    "PYTHONDONTWRITEBYTECODE": "1",
}


def write(folder: Path, *files: Mapping[str, str | bytes]) -> None:
    """Put the files into a folder; the later ones take the place of the earlier."""
    for name, content in {k: v for given in files for k, v in given.items()}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def build(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run `mkdocs build` in a folder."""
    return run("mkdocs", ("build", *options), folder, ENVIRONMENT)


def must_build(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run `mkdocs build` in a folder, which has to succeed."""
    done = build(folder, *options)
    assert done.returncode == 0, done.stderr
    return done


def txl(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `txl` in a folder."""
    return run("labml_txl", words, folder, ENVIRONMENT)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, byte for byte."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def index_modules(sources: Iterable[tuple[str, Source]]) -> Index:
    """The names of many modules, each given with its dotted name."""
    return Index({name: read_names(name, source) for name, source in sources})
