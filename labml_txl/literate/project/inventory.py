"""# The messages of a project

Extracts all messages to translate, page by page: the notes of annotated modules, the
pages of prose, the notebooks, the equations, the labels in figures, the navigation, and
the labels of the engine. Each message has its file and the heading above it, so that a
translator can find it. It has no line number, because line numbers change even if the
message does not, and the catalogs would change with them.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import PurePosixPath

from labml_txl.literate.equations.registry import Paper
from labml_txl.literate.i18n.labels import LABELS
from labml_txl.literate.i18n.update import Inventory, Message
from labml_txl.literate.markdown.headings import title_of
from labml_txl.literate.markdown.inline import LEADS, plain
from labml_txl.literate.markdown.messages import Part, cut, has_words
from labml_txl.literate.project.content import Content
from labml_txl.literate.project.modules import ModuleSource
from labml_txl.literate.project.settings import Project
from labml_txl.literate.security.svg import DrawingError, parse, relabel
from labml_txl.literate.sources.blocks import heading_of, split
from labml_txl.literate.sources.cells import Cell, pictures
from labml_txl.literate.sources.source import Source, read

# The catalog of messages that belong to no single page: navigation and labels.
SITE = "site"
# The page of the equations of all papers.
EQUATIONS = "equations.md"


# The pages that a translator should begin with: the labels, which are on every page,
# the front page, the papers, the models and the notebooks.
FIRST = (SITE, "index", "papers/", "models/", "notebooks/")


def in_order_of_use(found: Inventory) -> Inventory:
    """Sort pages so that those in `FIRST` come first; the others keep their order."""

    def place(page: str) -> int:
        return next((n for n, one in enumerate(FIRST) if page.startswith(one)), 9)

    return {page: found[page] for page in sorted(found, key=place)}


# All languages ask for the messages of the same content.
@lru_cache(maxsize=1)
def inventory(content: Content) -> Inventory:
    """Extract the messages of each page, in their order and without duplicates.

    The result is keyed by the path of the page without extension: `models/memory`.
    """
    project, pages = content.project, dict[str, dict[str, Message]]()

    def add(path: str, messages: Iterable[Message]) -> None:
        page = pages.setdefault(str(PurePosixPath(path).with_suffix("")), {})
        for message in messages:
            page.setdefault(message.text, message)

    add(SITE, _site(content))
    for path in sorted(project.prose):
        add(path, _prose(content.prose(path), path, project))
    for module in content.modules:
        add(module.path, _module(module, project))
        if module.exercises:
            add(module.path, _prose(module.exercises, module.path, project))
    for path, tutorial in content.tutorials.items():
        words = _cells(tutorial.cells)
        add(path, _with_figures(words, path, tutorial.source.path, project))
    for name, figure in content.figures.items():
        add(f"figures/{name}", _labels(figure.drawing, ""))
    for source, paper in zip(content.registries, content.registry.papers, strict=True):
        add(EQUATIONS, _equations(paper, source.path))
    return {page: tuple(found.values()) for page, found in pages.items() if found}


def _site(content: Content) -> Iterator[Message]:
    for name in content.project.names:
        # The description of a site may be empty.
        if words := " ".join(name.split()):
            yield Message(words, "label", content.project.settings)
    for words, place in content.recorded_words.items():
        yield Message(" ".join(words.split()), "label", place)
    for label in LABELS.values():
        yield Message(label, "label", "labml_txl/literate/i18n/labels.py")


def _prose(source: Source, path: str, project: Project) -> Iterator[Message]:
    return _with_figures(cut(source.text), path, source.path, project)


def _module(module: ModuleSource, project: Project) -> Iterator[Message]:
    title, path = "", module.path
    for block in split(module.source):
        opens = block.opens == "module"
        title = title_of(block.note)[0] if opens else title
        above = heading_of(block)[0] or block.scope or ("" if opens else title)
        given = (path, module.source.path, project)
        yield from _with_figures(cut(block.note), *given, above)


def _equations(paper: Paper, place: str) -> Iterator[Message]:
    for equation in paper.equations:
        for kind, text in (("heading", equation.title), ("paragraph", equation.text)):
            for part in cut(text):
                if part.message:
                    yield Message(part.message, kind, place, equation.key)
    for symbol in paper.symbols:
        for part in cut(symbol.meaning):
            if part.message:
                yield Message(part.message, "cell", place, symbol.key)


_LINK = re.compile(rf"\]{LEADS}")


def _with_figures(
    parts: Iterable[Part], page: str, place: str, project: Project, heading: str = ""
) -> Iterator[Message]:
    """The messages of a text; those of the labels of a figure follow the figure."""
    docs = project.root / project.docs
    for part in parts:
        if part.message:
            above = "" if part.kind in {"title", "description"} else heading
            yield Message(part.message, part.kind, place, above)
        if part.kind == "heading":
            heading = plain(part.raw)
        for address in _LINK.findall(part.raw):
            file = posixpath.normpath(posixpath.join(posixpath.dirname(page), address))
            if file.endswith(".svg") and (docs / file).is_file():
                yield from _labels(read(docs / file, project.root), heading)


def _cells(cells: Iterable[Cell]) -> Iterator[Part]:
    """The messages of each Markdown cell, and those of the pictures in outputs."""
    for cell in cells:
        if cell.kind == "markdown":
            yield from cut(cell.text)
        for output in cell.outputs:
            for _, words, drawing in pictures(output):
                if has_words(words):
                    yield Part(words, "alternative", words)
                yield from _messages_in(drawing)


def _labels(drawing: Source, heading: str) -> Iterator[Message]:
    for part in _messages_in(drawing.text):
        yield Message(part.message, part.kind, drawing.path, heading)


def _messages_in(drawing: str) -> list[Part]:
    found = list[Part]()

    def message(words: str) -> str:
        found.append(Part(words, "figure", words))
        return words

    # An invalid drawing is reported for the page that shows it.
    with suppress(DrawingError):
        relabel(parse(drawing), message)
    return found
