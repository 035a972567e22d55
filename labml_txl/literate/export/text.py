r"""# A page as plain Markdown

Some readers want a page without the site around it: in a terminal, in an editor, or as
a program that reads text. For them the notes are plain Markdown, and the code stands
between them with its line numbers.

What leaves the site takes no address of the site with it that works only there. So
every link becomes a whole address. Where the site is not published, its words remain.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import quote, unquote, urljoin, urlsplit

from labml_txl.literate.export.picture import embedded
from labml_txl.literate.markdown.inline import Piece, fence, rewrite
from labml_txl.literate.render.figures import SCHEME
from labml_txl.literate.render.page import Page
from labml_txl.literate.render.resolve import Site, formula
from labml_txl.literate.sources.blocks import Line


def text(page: Page, site: Site) -> str:
    """An annotated module as Markdown, its code with line numbers.

    Every line of code that is not empty stands in it exactly once.
    """
    head = f"# {page.title}\n\n{origin(page, site)}"
    return f"{head}\n\n{excerpt_text(page, site)}\n"


def excerpt_text(page: Page, site: Site) -> str:
    """Some rows of an annotated module as Markdown, within another text."""
    return "\n\n".join(_blocks(page, site))


def _blocks(page: Page, site: Site) -> Iterator[str]:
    width = len(str(len(page.source.lines)))
    for section in page.sections:
        if section.heading:
            yield f"{'#' * section.level} `{section.heading}`"
            if shapes := page.observed.shapes_text(section.block.scope, site.labels):
                yield shapes
        note = portable(section.block.note, page.path, site, near=page.module).strip()
        if note:
            yield note
        if section.block.shown:
            yield fenced(numbered(section.block.shown, width))


def equations_text(site: Site) -> str:
    """All equations as Markdown: formula, words, place in the paper, and symbols."""
    parts = [f"# {site.labels('equations_title')}"]
    for paper in site.registry.papers:
        address = f"https://arxiv.org/abs/{paper.arxiv}"
        parts += [f"## {paper.title}", f"{paper.authors}, {paper.year}, <{address}>"]
        for equation in paper.equations:
            place = f"- {site.key(equation)}"
            formula = f"$$\n{equation.latex}\n$$"
            parts += [f"### {equation.title}", formula, equation.text, place]
        parts.append(f"### {site.labels('symbols')}")
        for symbol in paper.symbols:
            names = ", ".join(f"`{name}`" for name in symbol.names)
            code = f" {site.labels('named_in_code', names=names)}" if names else ""
            parts.append(f"- ${symbol.latex[0]}$: {symbol.meaning}{code}")
    pages = (portable(part, site.equations, site) for part in parts)
    return "\n\n".join(pages) + "\n"


@dataclass(frozen=True)
class Entry:
    """A page in the list of all pages: what it is, and where its Markdown stands."""

    title: str
    description: str
    address: str


def contents(name: str, description: str, parts: Mapping[str, list[Entry]]) -> str:
    """The file `llms.txt`, which leads programs that read to the Markdown pages.

    Its form is that of llmstxt.org: the name of the site, what it is, and lists of
    links, a heading above each.
    """
    text = [
        f"# {_flat(name)}",
        *([f"> {_flat(description)}"] if description else []),
    ]
    for heading, entries in parts.items():
        lines = (
            f"- [{_flat(e.title)}]({e.address})"
            + (f": {_flat(e.description)}" if e.description else "")
            for e in entries
        )
        text += [f"## {_flat(heading)}", "\n".join(lines)]
    return "\n\n".join(text) + "\n"


def _flat(words: str) -> str:
    """Words on one line, in which nothing becomes a link or an element."""
    return re.sub(r"[\[\]<]", r"\\\g<0>", " ".join(words.split()))


def beside(page: str, ending: str) -> str:
    """Where another form of a page stands: at its address, with that ending.

    `models/memory.md` stands at `models/memory/`, its notebook at
    `models/memory.ipynb`; that of `models/index.md` is `models.ipynb`.
    """
    path = PurePosixPath(page)
    if path.stem == "index" and path.parent.name:
        path = path.parent
    return f"{path.with_suffix('') if path.suffix == '.md' else path}.{ending}"


def numbered(lines: Iterable[Line], width: int) -> str:
    """Lines of code, each behind its number in the file."""
    return "\n".join(f"{n.number:>{width}}  {n.text}".rstrip() for n in lines)


def fenced(code: str, language: str = "") -> str:
    """A block of code, fenced by more backticks than the code itself has in a row."""
    mark = fence(code)
    return f"{mark}{language}\n{code}\n{mark}"


def origin(page: Page, site: Site) -> str:
    """Where the page comes from: its file, and its place in the site."""
    whole = range(1, 2)
    source = site.source_url(page.source.path, whole).partition("#")[0]
    file = f"`{page.source.path}`"
    words = f"[{file}]({source})" if source else file
    if address := site.published(page.path):
        return site.labels("origin_published", file=words, address=address)
    return site.labels("origin", file=words)


def portable(
    note: str, path: str, site: Site, *, near: str = "", drawn: bool = False
) -> str:
    """A note whose links lead to the published site, from wherever it is read.

    `path` is the page that the note stands on, `near` the module whose names come
    first. If `drawn`, the note holds its pictures; else it leads to them.
    """

    def change(piece: Piece) -> str:
        # The words of a link stay as they are: no link stands within another.
        if piece.kind == "citation" and piece.target in site.registry.equations:
            return _link(piece.body, site.published(site.equations, piece.target))
        if piece.kind == "include" and piece.body in site.registry.equations:
            return _equation(piece.body, site)
        named = piece.target.startswith(SCHEME)
        if piece.kind == "image" and (named or not urlsplit(piece.target).scheme):
            return _figure(piece, path, site, drawn)
        if piece.kind == "link" and not urlsplit(piece.target).scheme:
            return _link(piece.body, _address(piece.target, path, site))
        if piece.kind == "code" and (place := site.index.find(piece.body, near)):
            module, qualified = place
            if module != near:
                row = site.row(module, qualified)
                return _link(piece.raw, site.published(site.pages[module], row))
        # Other programs know dollars only.
        brackets = piece.kind != "text" and piece.raw[:2] in _BRACKETS
        return formula(note, piece) if brackets else piece.raw

    return rewrite(note, change)


_BRACKETS = (r"\(", r"\[")


def _link(words: str, address: str) -> str:
    return f"[{words}]({address})" if address else words


def _equation(key: str, site: Site) -> str:
    equation = site.registry.equations[key]
    caption = _link(site.caption(equation), site.published(site.equations, key))
    return f"$$\n{equation.latex}\n$$\n\n{caption}"


def _figure(piece: Piece, path: str, site: Site, drawn: bool) -> str:
    """A figure as a picture, where it has one here; else what it shows, in words."""
    words, page = " ".join(piece.body.split()), site.published(path)
    name = piece.target.removeprefix(SCHEME) if piece.target.startswith(SCHEME) else ""
    picture = ""
    if drawn:
        picture = embedded(piece, path, site)
    elif name in site.drawings and site.url:
        picture = urljoin(site.url, picture_path(name))
    # What one can touch can be touched only there.
    see = f" ([{site.labels('see_figure')}]({page}).)" if page else ""
    if picture:
        return f"![{words}]({picture})" + (f"\n{see}" if name else "")
    return f"*{site.labels('figure', words=words)}*{see}"


def picture_path(name: str) -> str:
    """Where the picture of a figure that one can touch stands in the site."""
    return f"assets/figures/{name}.svg"


def _address(target: str, path: str, site: Site) -> str:
    """The whole address of what a link within the site leads to, or nothing."""
    goal, _, anchor = target.partition("#")
    if not goal:
        return site.published(path, anchor)
    file = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(goal)))
    if file.endswith(".md"):
        return site.published(file, anchor)
    return urljoin(site.url, quote(file)) if site.url else ""
