"""A project whose translators want to do harm, with a payload in every place."""

import io
import json
import re
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from markdown_it import MarkdownIt

from labml_txl.literate.export.notebooks.tutorial import parse, stored
from labml_txl.literate.i18n.foreign import foreign
from labml_txl.literate.i18n.labels import LABELS
from labml_txl.literate.markdown.elements import elements
from labml_txl.literate.sources.source import Source
from tests.literate.small import write
from tests.literate.tongues import po

CONFIG = """\
site_name: Hostile
site_description: About the site
theme:
  name: material
  font: false
  palette:
    - scheme: default
      toggle: {icon: material/brightness-7, name: Colours of the day}
    - scheme: slate
      toggle: {icon: material/brightness-4, name: Colours of the night}
  features: [navigation.tabs, navigation.footer, navigation.path]
extra: {generator: false}
repo_url: https://github.com/reader/things
plugins:
  - search
  - literate:
      modules: [src/module]
      equations: [papers]
      notebooks: [notebooks]
nav:
  - Home: index.md
"""
LAST = """\
  - Modules: module/
  - Notebooks: notebooks/
  - Equations: equations.md
"""
LANGUAGE = 'name = "日本語"\nenglish = "Japanese"\nlocale = "ja_JP"\n'
DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 20">'
    "<title>Title of the figure</title>"
    '<text x="1" y="15">Label in the figure</text></svg>'
)
REGISTRY = """
[paper]
key = "cnt"
title = "On Counting"
authors = "A. Author"
year = 2020
arxiv = "2001.00001"

[symbols.n]
latex = ['n']
meaning = "Meaning of the symbol."
names = ["number"]

[equations.next]
title = "Title of the equation"
section = "2"
number = 1
latex = '''n = n + 1'''
text = "Text of the equation."
symbols = ["n"]
"""
HEADER = """\
# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

"""
HOME = "# Home of all\n\nWords of the home page.\n\n<script>window.ours = 1</script>\n"
# So many payloads share a page, and one of them is its title.
SHARED = 4


def _opening(page: int) -> str:
    words = _words(page)
    return f"---\ntitle: Title {words}\ndescription: About {words}\n---\n\n"


def _prose(number: int) -> str:
    words = _words(number)
    return f"""\
## Heading {words}

Paragraph {words} says [words](../index.md) and $n$, with `code`.

- Item {words}

| Head {words} |
| --- |
| Cell {words} |

> Quotation {words}

![Picture {words}](../figure.svg)
"""


def _words(number: int) -> str:
    """A number as letters: a message without words is no message."""
    return "".join("abcdefghij"[int(digit)] * 2 for digit in f"{number:03}")


def _said(number: int, payload: str) -> Iterator[tuple[str, str]]:
    words = _words(number)
    for kind in ("Item", "Head", "Picture"):
        yield f"{kind} {words}", payload
    for kind in ("Heading", "Cell", "Quotation"):
        yield f"{kind} {words}", f"言葉 {payload}"
    yield (
        f"Paragraph {words} says [words][1] and $n$, with `code`.",
        f"$n$と`code`の[リンク][1]{payload}",
    )


def write_project(folder: Path, payloads: Sequence[str]) -> list[str]:
    """Write the project; the paths of its pages below that of a language."""
    numbers = range(len(payloads))
    pages = [numbers[n : n + SHARED] for n in numbers[::SHARED]]
    # What passes as text comes first: it has to be harmless as a title.
    inert = sorted(payloads, key=lambda payload: bool(foreign("Words.", payload)))
    cells = "\n\n".join(
        f"# %% [markdown]\n# Words {_words(n)} are here." for n in numbers
    )
    notebook = f"{HEADER}# %% [markdown]\n# # The notebook\n\n{cells}\n\n# %%\n1 + 1\n"
    notes = "\n\n".join(f"# Note {_words(n)} is here.\nx{n} = {n}" for n in numbers)
    module = f'r"""# The module\n\nIts words, see [it][cnt.next].\n"""\n\n{notes}\n'
    nav = "".join(f"  - Entry {_words(n)}: p/{n}.md\n" for n, _ in enumerate(pages))
    names = ["Hostile", "About the site", "Colours of the day", "Colours of the night"]
    names += ["Home", "Modules", "Notebooks", "Equations"]
    names += [f"Entry {_words(n)}" for n, _ in enumerate(pages)]
    names += [label for label in LABELS.values() if label not in names]
    site = {name: inert[n % len(inert)] for n, name in enumerate(names)}
    told = ["Title of the equation", "Text of the equation.", "Meaning of the symbol."]
    tutorial = parse(Source("notebooks/play.py", notebook))
    locale = "docs/locale/ja"
    files = {
        "mkdocs.yml": f"{CONFIG}{nav}{LAST}",
        "docs/index.md": HOME,
        "docs/figure.svg": DRAWING,
        "src/module/__init__.py": module,
        "papers/counting.toml": REGISTRY,
        "notebooks/play.py": notebook,
        "notebooks/play.ipynb": stored(tutorial),
        f"{locale}/language.toml": LANGUAGE,
        f"{locale}/site.po": po("ja", site),
        f"{locale}/equations.po": po("ja", dict(zip(told, inert, strict=False))),
        f"{locale}/notebooks/play.po": po(
            "ja", {f"Words {_words(n)} are here.": p for n, p in enumerate(payloads)}
        ),
        f"{locale}/module/index.po": po(
            "ja", {f"Note {_words(n)} is here.": p for n, p in enumerate(payloads)}
        ),
    }
    for page, shared in enumerate(pages):
        files[f"docs/p/{page}.md"] = _opening(page) + "\n".join(map(_prose, shared))
        said = {
            f"Title {_words(page)}": inert[page],
            f"About {_words(page)}": inert[-page],
        }
        said |= {
            "Label in the figure": inert[page],
            "Title of the figure": inert[-page],
        }
        for number in shared:
            said |= dict(_said(number, payloads[number]))
        files[f"{locale}/p/{page}.po"] = po("ja", said)
    write(folder, files)
    numbered = (f"p/{n}/" for n, _ in enumerate(pages))
    return ["", *numbered, "module/", "notebooks/play/", "equations/"]


def brought_as_text(site: Path, code: str) -> Iterator[tuple[str, str]]:
    """What the texts and notebooks of a language have and the English have not.

    They are read as GitHub and notebooks do, which make links of bare addresses too.
    """
    reader = MarkdownIt("commonmark", {"html": True, "linkify": True})
    reader.enable(["table", "strikethrough", "linkify"])
    english = dict(_texts(site))
    for name, words in _texts(site / code):
        ours, theirs = (
            Counter(
                re.sub(rf"(/|%2F){code}(?=\1)", "", one)
                for one in elements(reader.render(text))
            )
            for text in (english[name], words)
        )
        for element in theirs - ours:
            # A name such as `model.pt` may be code there, and a word here.
            address = element.removeprefix('<a href="http://').removesuffix('">')
            if address not in english[name]:
                yield name, element


def other_code(site: Path, code: str) -> Iterator[str]:
    """The notebooks of a language whose code is not that of the English."""
    found = [*(site / code).rglob("*.ipynb")]
    assert found
    for file in found:
        if _code(file) != _code(site / file.relative_to(site / code)):
            yield file.name


def _texts(folder: Path) -> Iterator[tuple[str, str]]:
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if file.suffix == ".ipynb":
            cells = json.loads(file.read_text("utf-8"))["cells"]
            words = [c for c in cells if c["cell_type"] == "markdown"]
            yield name, "\n\n".join("".join(c["source"]) for c in words)
        elif file.suffix == ".md" or file.name == "llms.txt":
            yield name, file.read_text("utf-8")


def _code(notebook: Path) -> list[list[str]]:
    """The code of each cell of a notebook, sign by sign, without its comments."""
    unseen = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE)
    return [
        [
            token.string
            for token in tokenize.generate_tokens(io.StringIO(source).readline)
            if token.type not in unseen
        ]
        for cell in json.loads(notebook.read_text("utf-8"))["cells"]
        if cell["cell_type"] == "code" and (source := "".join(cell["source"]))
    ]
