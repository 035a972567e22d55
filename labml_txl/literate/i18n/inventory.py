r"""# All messages of a project

What there is to translate, page by page: the notes of annotated modules, the pages of
prose, the notebooks, the equations, the labels in figures, the navigation, and the
site's own words. Each message comes with its file and the heading above it, so that a
translator can find it. No line number is kept, since lines move when nothing changes.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from labml_txl.literate.equations.registry import Paper, load_registry
from labml_txl.literate.i18n.labels import LABELS
from labml_txl.literate.markdown.headings import title_of
from labml_txl.literate.markdown.inline import LEADS, plain
from labml_txl.literate.markdown.messages import Part, cut, has_words
from labml_txl.literate.markdown.svg import DrawingError, parse, relabel
from labml_txl.literate.sources.blocks import Block, heading_of
from labml_txl.literate.sources.cells import Cell, Output, cells_of, pictures
from labml_txl.literate.sources.source import Source, read

# The page of what stands on no page of its own: navigation and labels.
SITE = "site"


@dataclass(frozen=True)
class Texts:
    """What a site is made of, as its host knows it.

    - `modules`: the annotated modules, by path in the site;
    - `blocks`: those of each module, by the same paths;
    - `exercises`: what stands at the end of their pages, by path in the site;
    - `registries`: the registries of equations, shown on the page `equations`;
    - `prose`: the pages that are written by hand, by path in the site;
    - `notebooks`: the notebooks as Python files, by path in the site;
    - `outputs`: what each of their cells of code gave, by the same paths;
    - `figures`: the pictures of the figures that one can touch, by their names;
    - `names`: the name of the site, the titles in its navigation, and the like;
    - `settings`: the file that the names stand in;
    - `runs`: what recorded runs are called, and the file that says it first;
    - `docs`: the folder that the paths of pages and figures start from;
    - `locale`: the folder of the languages.
    """

    root: Path
    modules: Mapping[str, Source] = field(default_factory=dict)
    blocks: Mapping[str, tuple[Block, ...]] = field(default_factory=dict)
    exercises: Mapping[str, Source] = field(default_factory=dict)
    registries: tuple[Source, ...] = ()
    equations: str = "equations.md"
    prose: Mapping[str, Source] = field(default_factory=dict)
    notebooks: Mapping[str, Source] = field(default_factory=dict)
    outputs: Mapping[str, tuple[tuple[Output, ...], ...]] = field(default_factory=dict)
    figures: Mapping[str, Source] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    settings: str = "mkdocs.yml"
    runs: Mapping[str, str] = field(default_factory=dict)
    docs: Path = Path("docs")
    locale: Path = Path("docs/locale")


@dataclass(frozen=True)
class Message:
    """A message, what it is, the file that it stands in, and the heading above it."""

    text: str
    kind: str
    place: str
    heading: str = ""


Inventory = Mapping[str, tuple[Message, ...]]


# What a translator does first: the labels, which stand on every page, the front page,
# the papers, the models and the notebooks.
FIRST = (SITE, "index", "papers/", "models/", "notebooks/")


def in_order_of_use(found: Inventory) -> Inventory:
    """The same pages: those first that most readers see, the others as they were."""

    def place(page: str) -> int:
        return next((n for n, one in enumerate(FIRST) if page.startswith(one)), 9)

    return {page: found[page] for page in sorted(found, key=place)}


def inventory(texts: Texts) -> Inventory:
    """The messages of each page, in its order; on one page each only once.

    A page is named without its ending, as in `models/memory`.
    """
    pages: dict[str, dict[str, Message]] = {}

    def add(path: str, messages: Iterable[Message]) -> None:
        page = pages.setdefault(str(PurePosixPath(path).with_suffix("")), {})
        for message in messages:
            page.setdefault(message.text, message)

    add(SITE, _site(texts))
    for path, source in texts.prose.items():
        add(path, _with_figures(cut(source.text), path, source.path, texts))
    for path, source in texts.modules.items():
        add(path, _module(path, source, texts))
    for path, source in texts.exercises.items():
        add(path, _with_figures(cut(source.text), path, source.path, texts))
    for path, source in texts.notebooks.items():
        words = _cells(cells_of(source).cells, texts.outputs.get(path, ()))
        add(path, _with_figures(words, path, source.path, texts))
    for name, drawing in texts.figures.items():
        add(f"figures/{name}", _labels(drawing, ""))
    papers = load_registry(texts.registries).papers
    for source, paper in zip(texts.registries, papers, strict=True):
        add(texts.equations, _equations(paper, source.path))
    return {page: tuple(found.values()) for page, found in pages.items() if found}


def _site(texts: Texts) -> Iterator[Message]:
    for name in texts.names:
        # A site need not say what it is about.
        if words := " ".join(name.split()):
            yield Message(words, "label", texts.settings)
    for words, place in texts.runs.items():
        yield Message(" ".join(words.split()), "label", place)
    for label in LABELS.values():
        yield Message(label, "label", "labml_txl/literate/i18n/labels.py")


def _module(path: str, source: Source, texts: Texts) -> Iterator[Message]:
    title = ""
    for block in texts.blocks[path]:
        opens = block.opens == "module"
        title = title_of(block.note)[0] if opens else title
        above = heading_of(block)[0] or block.scope or ("" if opens else title)
        yield from _with_figures(cut(block.note), path, source.path, texts, above)


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
    parts: Iterable[Part], page: str, place: str, texts: Texts, heading: str = ""
) -> Iterator[Message]:
    """The messages of a text, and behind a figure those of its labels."""
    for part in parts:
        if part.message:
            above = "" if part.kind in {"title", "description"} else heading
            yield Message(part.message, part.kind, place, above)
        if part.kind == "heading":
            heading = plain(part.raw)
        for address in _LINK.findall(part.raw):
            file = posixpath.normpath(posixpath.join(posixpath.dirname(page), address))
            if file.endswith(".svg") and (texts.docs / file).is_file():
                yield from _labels(read(texts.docs / file, texts.root), heading)


def _cells(
    cells: Iterable[Cell], outputs: Iterable[tuple[Output, ...]]
) -> Iterator[Part]:
    """The words of each cell of a notebook, or those of the pictures that it gave."""
    given = iter(outputs)
    for cell in cells:
        if cell.kind == "markdown":
            yield from cut(cell.text)
        for output in next(given, ()) if cell.kind == "code" else ():
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

    # The page that shows a faulty drawing tells of it.
    with suppress(DrawingError):
        relabel(parse(drawing), message)
    return found
