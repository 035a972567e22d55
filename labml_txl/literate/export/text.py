"""# A page as plain Markdown

Renders a page for a terminal, an editor or a language model: the notes as plain
Markdown, and between them the code with its line numbers.

Relative links would be broken outside the site, so every link becomes absolute. If the
site has no published URL, only the text of a link remains.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from textwrap import dedent
from urllib.parse import quote, unquote, urljoin, urlsplit

from labml_txl.literate.export.macros import expand
from labml_txl.literate.export.picture import embed
from labml_txl.literate.markdown.inline import Piece, fence
from labml_txl.literate.markdown.note import Note, read
from labml_txl.literate.render.figures import SCHEME, split_name
from labml_txl.literate.render.page import Page
from labml_txl.literate.render.resolve import Site
from labml_txl.literate.sources.blocks import Line


def text(page: Page, site: Site) -> str:
    """Render an annotated module as Markdown, its code with line numbers.

    Every line of code that is not empty occurs exactly once.
    """
    head = f"# {page.title}\n\n{origin(page, site)}"
    return f"{head}\n\n{render_excerpt(page, site)}\n"


def render_excerpt(page: Page, site: Site) -> str:
    """Render the sections of a page without the title, to include them elsewhere."""
    parts, width = list[str](), len(str(len(page.source.lines)))
    for section in page.sections:
        if section.heading:
            parts.append(f"{'#' * section.level} `{section.heading}`")
            parts.append(page.observed.shapes_text(section.block.scope, site.labels))
        note = make_portable(section.block.note, page.path, site, near=page.module)
        parts.append(note.text.strip())
        if section.block.visible_code:
            parts.append(fence_code(number_lines(section.block.visible_code, width)))
    return "\n\n".join(filter(None, parts))


def render_plain_equations(site: Site) -> str:
    """Render all equations as Markdown: formula, text, place in the paper, symbols."""
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
    note = make_portable(read("\n\n".join(parts)), site.equations, site)
    return f"{note.text}\n"


@dataclass(frozen=True)
class Entry:
    """A page in `llms.txt`; `address` is the URL of its Markdown."""

    title: str
    description: str
    address: str


def render_contents(
    name: str, description: str, parts: Mapping[str, list[Entry]]
) -> str:
    """Render `llms.txt`, which lists the Markdown pages for language models.

    The format is that of llmstxt.org: the name and the description of the site, and
    for each of the `parts` a heading with a list of links.
    """
    text = [
        f"# {_flatten(name)}",
        *([f"> {_flatten(description)}"] if description else []),
    ]
    for heading, entries in parts.items():
        lines = (
            f"- [{_flatten(e.title)}]({e.address})"
            + (f": {_flatten(e.description)}" if e.description else "")
            for e in entries
        )
        text += [f"## {_flatten(heading)}", "\n".join(lines)]
    return "\n\n".join(text) + "\n"


def _flatten(words: str) -> str:
    """Put a text on one line, and escape what would start a link or an element."""
    return re.sub(r"[\[\]<]", r"\\\g<0>", " ".join(words.split()))


def change_extension(page: str, ending: str) -> str:
    """The path of another format of a page: the path of the page with this extension.

    For example, the notebook of `models/memory.md`, which is published at
    `models/memory/`, is `models/memory.ipynb`; that of `models/index.md` is
    `models.ipynb`.
    """
    path = PurePosixPath(page)
    if path.stem == "index" and path.parent.name:
        path = path.parent
    return f"{path.with_suffix('') if path.suffix == '.md' else path}.{ending}"


def number_lines(lines: Iterable[Line], width: int) -> str:
    """Join lines of code, each after its line number, right-aligned to `width`."""
    return "\n".join(f"{n.number:>{width}}  {n.text}".rstrip() for n in lines)


def fence_code(code: str, language: str = "") -> str:
    """Fence a block of code with more backticks than the code has in a row."""
    mark = fence(code)
    return f"{mark}{language}\n{code}\n{mark}"


def origin(page: Page, site: Site) -> str:
    """A sentence that names the source file of the page, and its URL if published."""
    whole = range(1, 2)
    source = site.source_url(page.source.path, whole).partition("#")[0]
    file = f"`{page.source.path}`"
    words = f"[{file}]({source})" if source else file
    if address := site.absolute_url(page.path):
        return site.labels("origin_published", file=words, address=address)
    return site.labels("origin", file=words)


def make_portable(
    note: Note, path: str, site: Site, *, near: str = "", drawn: bool = False
) -> Note:
    """Make the links of a note absolute, so that they work outside the site.

    `path` is the page that the note is on, `near` the module in which names are looked
    up first. If `drawn`, pictures are embedded in the note; otherwise it links to them.
    Tabs, which few programs know, become a title and what it contains.
    """

    def change(piece: Piece) -> Piece:
        words = change_address(piece)
        return piece if words is None else replace(piece, raw=words, host=None)

    def change_address(piece: Piece) -> str | None:
        # The text of a link stays unchanged: Markdown forbids nested links.
        if piece.kind == "citation" and piece.target in site.registry.equations:
            return _write_link(
                piece.body, site.absolute_url(site.equations, piece.target)
            )
        if piece.kind == "include" and piece.body in site.registry.equations:
            return _write_equation(piece.body, site)
        own = piece.target.startswith(SCHEME)
        if piece.kind == "image" and (own or not urlsplit(piece.target).scheme):
            return _write_figure(piece, path, site, drawn)
        if piece.kind == "link" and not urlsplit(piece.target).scheme:
            return _write_link(piece.body, _address(piece.target, path, site))
        if piece.kind == "code" and (place := site.index.find(piece.body, near)):
            module, qualified = place
            if module != near:
                row = site.row(module, qualified)
                return _write_link(
                    piece.raw, site.absolute_url(site.pages[module], row)
                )
        if piece.kind == "drawing":
            return piece.host
        if piece.kind in {"math", "display"}:
            return expand(_write_formula(piece), site.macros)
        return None

    moved = note.map(change)
    if not any(part.kind == "title" for part in moved.parts):
        return moved
    return read(_TAB.sub(lambda tab: f"**{tab[1]}**\n{dedent(tab[2])}", moved.text))


_TAB = re.compile(r'^=== +"([^"\n]*)" *\n((?:(?:    .*)?\n)*)', re.MULTILINE)


def _write_formula(piece: Piece) -> str:
    """A formula; most other programs only know those between dollar signs."""
    if piece.kind == "math" and piece.raw[:2] in {r"\(", r"\["}:
        return f"${piece.tex}$"
    if piece.kind == "display" and piece.raw.startswith(r"\["):
        return f"$${piece.raw[2:-2]}$$"
    return piece.raw


def _write_link(words: str, address: str) -> str:
    return f"[{words}]({address})" if address else words


def _write_equation(key: str, site: Site) -> str:
    equation = site.registry.equations[key]
    caption = _write_link(
        site.caption(equation), site.absolute_url(site.equations, key)
    )
    return f"$$\n{expand(equation.latex, site.macros)}\n$$\n\n{caption}"


def _write_figure(piece: Piece, path: str, site: Site, drawn: bool) -> str:
    """A figure as a picture, or if that is not possible, as its alternative text.

    If `drawn`, the picture is embedded. Otherwise only that of an interactive figure is
    shown, by its URL.
    """
    words, page = " ".join(piece.body.split()), site.absolute_url(path)
    name, _ = split_name(piece.target)
    picture = ""
    if drawn:
        picture = embed(piece, path, site)
    elif name in site.drawings and site.url:
        picture = urljoin(site.url, picture_path(name))
    # The figure is interactive only on the page itself.
    see = f" ([{site.labels('see_figure')}]({page}).)" if page else ""
    if picture:
        return f"![{words}]({picture})" + (f"\n{see}" if name else "")
    return f"*{site.labels('figure', words=words)}*{see}"


def picture_path(name: str) -> str:
    """The path of the picture of an interactive figure in the site."""
    return f"assets/figures/{name}.svg"


def _address(target: str, path: str, site: Site) -> str:
    """The absolute URL of the target of a relative link; empty if not published."""
    goal, _, anchor = target.partition("#")
    if not goal:
        return site.absolute_url(path, anchor)
    file = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(goal)))
    if file.endswith(".md"):
        return site.absolute_url(file, anchor)
    return urljoin(site.url, quote(file)) if site.url else ""
