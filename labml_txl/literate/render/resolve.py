"""# Resolving links

A note refers to an equation by its key and to a class by its name. The address is
looked up here, so that notes and translations need no change when a page moves.

- `[words][txl.scores]` becomes a link to the page of equations.
- `` `RelativePositions` `` becomes a link to the class, if the name is unambiguous.
- `{{ txl.scores }}` on a separate line becomes the equation itself.
- `![words](figure.svg)` becomes the drawing as inline SVG, in the colours of the theme,
  and `![words](figure:shift)` the interactive figure of that name.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from html import escape
from pathlib import Path
from urllib.parse import quote, unquote, urljoin, urlsplit
from xml.etree.ElementTree import Element

from labml_txl.literate.equations.registry import Equation, Registry
from labml_txl.literate.i18n.labels import Labels
from labml_txl.literate.markdown.inline import Piece, find_stray_tex
from labml_txl.literate.markdown.note import Note, Part
from labml_txl.literate.render.figures import SCHEME, describe_unknown, split_name
from labml_txl.literate.security.svg import (
    DrawingError,
    measure_letters,
    parse,
    prefix_ids,
    write_markup,
)
from labml_txl.literate.security.trusted import mark_class, mark_html, strip_marks
from labml_txl.literate.sources.names import Index, Name
from labml_txl.literate.sources.source import LiterateError, Source, Tell, read, stop


@dataclass(frozen=True)
class Site:
    """What rendering a page needs to know about the rest of the site.

    - `index`: the names of all annotated modules;
    - `pages`: the path of the page of each module;
    - `rows`: for each module, the anchor of each of its definitions;
    - `registry`: the equations, and `equations`: the path of their page;
    - `computed`: the page and the anchor of the code of each equation that only a
      single block computes;
    - `figures`: the folder that the paths of pages and figures are relative to, and
      `root`: the one that the paths of modules are relative to;
    - `drawings`: the pictures of the interactive figures, by their names;
    - `source`: the URL of source lines, with `{path}`, `{first}` and `{last}`;
    - `address`: a function from two pages to the address of the second, relative to the
      first. The default gives the path of the Markdown file; a host replaces it;
    - `url`: the URL that the site is published at, or empty;
    - `references`: the URL of the documentation of names of other packages;
    - `tag`: the language tag (BCP 47) of the page;
    - `labels`: the texts of the engine, in the language of the page;
    - `drawing`: a function from a drawing and a page to the drawing with its labels
      translated;
    - `files_in_html`: whether links in HTML name Markdown files, as in Markdown;
    - `macros`: the commands for formulas, and the TeX that they stand for.
    """

    index: Index = field(default_factory=Index)
    pages: Mapping[str, str] = field(default_factory=dict)
    rows: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    registry: Registry = field(default_factory=Registry)
    equations: str = "equations.md"
    computed: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    figures: Path = Path()
    root: Path = Path()
    drawings: Mapping[str, Source] = field(default_factory=dict)
    source: str = ""
    address: Callable[[str, str], str] = field(default_factory=lambda: relative_path)
    url: str = ""
    references: Mapping[str, str] = field(default_factory=dict)
    tag: str = "en"
    labels: Labels = field(default_factory=Labels)
    drawing: Callable[[str, str], str] = field(default_factory=lambda: keep_drawing)
    files_in_html: bool = False
    macros: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def paths(self) -> frozenset[str]:
        """The paths of the pages of all modules."""
        return frozenset(self.pages.values())

    def source_url(self, path: str, lines: range) -> str:
        """The URL of these lines in the repository; empty if there is none."""
        last = max(lines.start, lines.stop - 1)
        return self.source.format(path=quote(path), first=lines.start, last=last)

    def absolute_url(self, page: str, anchor: str = "") -> str:
        """The absolute URL of a page; empty if the site is not published."""
        if not self.url:
            return ""
        address = urljoin(self.url, self.address("index.md", page))
        return f"{address}#{anchor}" if anchor else address

    def place(self, equation: Equation) -> str:
        """The place of an equation in its paper: `§ 3.1 (2)`, `Algorithm 1, line 6`."""
        name, _, letter = equation.section.partition(" ")
        if name == "Appendix":
            place = self.labels("appendix", letter=letter)
        elif match := _ALGORITHM.fullmatch(equation.section):
            groups = {name: found for name, found in match.groupdict().items() if found}
            between = f"_{groups.pop('between', 'line')}" if len(groups) > 1 else ""
            place = self.labels(f"algorithm{between}", **groups)
        elif name[:1].isalpha():
            place = equation.section
        else:
            place = self.labels("section", number=equation.section)
        return f"{place} ({equation.number})" if equation.number else place

    def caption(self, equation: Equation) -> str:
        """The place and the title of an equation, for output without pop-up cards."""
        place = self.place(equation)
        return self.labels("equation_caption", place=place, title=equation.title)

    def key(self, equation: Equation) -> str:
        """The place and the key of an equation, for the list below it."""
        place, key = self.place(equation), f"`{equation.key}`"
        return self.labels("equation_key", place=place, key=key)

    def row(self, module: str, qualified: str) -> str:
        """The anchor of a definition on the page of its module.

        If the definition has none, it is the anchor of the innermost class or function
        around it that has one. It is empty for the module, and if nothing is found.
        """
        known = self.rows.get(module, {})
        while qualified and known and qualified not in known:
            qualified = qualified.rpartition(".")[0]
        return known.get(qualified, "" if module in self.rows else qualified)

    def code_link(self, page: str) -> Callable[[Name], str]:
        """A function from a name in the code of this page to the address of its link.

        The address is empty if the name gets no link.
        """
        way = relative_path if self.files_in_html else self.address

        def link(name: Name) -> str:
            if place := self.index.place(name.target):
                module, qualified = place
                goal, row = self.pages.get(module, ""), self.row(module, qualified)
                address = "" if goal == page else way(page, goal)
                return f"{address}#{row}" if row else address
            return self.references.get(name.target, "")

        return link


_ALGORITHM = re.compile(
    r"Algorithm (?P<number>\w+)(?:, (?:line (?P<line>\d+)|"
    r"lines (?P<first>\d+) (?P<between>and|to) (?P<last>\d+)))?"
)


def _line_of(equation: Equation) -> str:
    """The number of its line in an algorithm, or the first and the last of several."""
    match = _ALGORITHM.fullmatch(equation.section)
    found = match.groupdict() if match else {}
    ends = [found.get(name) for name in ("line", "first", "last")]
    return "–".join(filter(None, ends))


def relative_path(start: str, goal: str) -> str:
    """The path of the page `goal` relative to the page `start`."""
    return posixpath.relpath(goal, posixpath.dirname(start) or ".")


def relative_url(start: str, goal: str, directory_urls: bool = True) -> str:
    """The URL of the page `goal` relative to the page `start`, as published.

    `directory_urls` is MkDocs' setting `use_directory_urls`.
    """
    here, there = (_url_of(path, directory_urls) for path in (start, goal))
    way = posixpath.relpath(there or ".", posixpath.dirname(here) or ".")
    return f"{way}/" if there.endswith("/") or not there else way


def _url_of(path: str, directory_urls: bool) -> str:
    folder, name = posixpath.split(path.removesuffix(".md"))
    name = "index" if name == "README" else name
    if not directory_urls:
        return quote(posixpath.join(folder, f"{name}.html"))
    place = folder if name == "index" else posixpath.join(folder, name)
    return quote(f"{place}/" if place else "")


def keep_drawing(drawing: str, page: str) -> str:
    """The default of `Site.drawing`: the drawing unchanged, with English labels."""
    return drawing


def resolve(
    note: Note,
    page: str,
    site: Site,
    *,
    near: str,
    scope: str = "",
    path: str,
    line: int,
    tell: Tell = stop,
) -> Note:
    """Resolve the links of a note.

    `page` is the path of the page that the note is on, `near` the module in which names
    are looked up first, `scope` the class or function that the note belongs to, `path`
    and `line` the start of the note, for error messages. A reference that cannot be
    resolved stays unchanged, and `tell` is called with a `LiterateError`.
    """
    note = remove_marks(note)

    def change(part: Part) -> Part:
        for place, sign in find_stray_tex(part.pieces):
            message = f"{sign} is outside of a formula: put it between $ and $"
            tell(LiterateError(path, line + note.line_of(place), message))
        pieces = (change_piece(piece, part.kind == "cell") for piece in part.pieces)
        return replace(part, pieces=tuple(pieces))

    def change_piece(piece: Piece, cell: bool) -> Piece:
        if piece.kind in {"display", "math"}:
            return write_formula(piece, cell)
        at = line + note.line_of(piece.start)
        try:
            words = change_address(piece, at)
        except LiterateError as fault:
            tell(fault)
            return piece
        if words is None:
            return piece
        return replace(piece, kind="own", raw=words, host=None)

    def change_address(piece: Piece, at: int) -> str | None:
        if piece.kind == "citation" and site.registry.owns(piece.target):
            equation = site.registry.find(piece.target, path, at)
            goal = relative_path(page, site.equations)
            # A link that consists of a formula needs a title for screen readers.
            bare = all(p.kind == "math" or not p.raw.strip() for p in piece.inside)
            label = f' title="{escape(equation.title)}"' if bare else ""
            # Names in the link text are not resolved: HTML forbids nested links.
            cite = mark_class("lit-cite")
            return f"[{piece.body}]({goal}#{equation.key}){{.{cite}{label}}}"
        if piece.kind == "citation":
            # As in the documentation of Python packages by MkDocs' plugins.
            name = piece.target
            address = find_place(name) or site.references.get(name, "")
            return f"[{piece.body}]({address})" if address else None
        if piece.kind == "include" and site.registry.owns(piece.body):
            equation = site.registry.find(piece.body, path, at)
            goal = f"{relative_path(page, site.equations)}#{equation.key}"
            cite, small = mark_class("lit-cite"), mark_class("lit-caption")
            line = f' data-line="{number}"' if (number := _line_of(equation)) else ""
            caption = f"[{site.place(equation)}]({goal}){{.{cite} .{small}{line}}}"
            if number and (place := site.computed.get(equation.key)):
                # A line of an algorithm is read beside the code that does the same.
                goal = f"{relative_path(page, place[0])}#{place[1]}"
                words, code = site.labels("line_code"), mark_class("lit-computes")
                caption += f"\n\n[{words}]({goal}){{.{code} .{small}}}"
            opening = f'<div class="{mark_class("lit-formula")}" markdown="1">'
            return f"{opening}\n\n$$\n{equation.latex}\n$$\n\n{caption}\n\n</div>"
        if piece.kind == "text" and piece.raw == "$":
            return r"\$"
        if piece.kind == "link" and (goal := _own_page(piece.target, page, site)):
            words, _, end = piece.raw.rpartition(piece.target)
            return f"{words}{goal}{end}"
        # A drawing on another host stays an ordinary image.
        here = urlsplit(piece.target)[:2] == ("", "")
        if piece.kind == "image" and here and piece.target.endswith(".svg"):
            return embed_figure(piece, page, site, path, at)
        if piece.kind == "image" and piece.target.startswith(SCHEME):
            return embed_interactive_figure(piece, page, site, path, at)
        if piece.kind == "code" and (address := find_place(piece.body)):
            return f"[{piece.raw}]({address})"
        return None

    def find_place(name: str) -> str:
        place = site.index.find(name, near, scope)
        if place is None:
            return ""
        row, goal = site.row(*place), site.pages[place[0]]
        # Without an anchor, a link to this same page would lead nowhere.
        way = "" if goal == page else relative_path(page, goal)
        return f"{way}{'#' * bool(row)}{row}"

    return note.map_parts(change)


def remove_marks(note: Note) -> Note:
    """A note without the marks of the engine's HTML, which its author may not use."""
    if strip_marks(note.text) == note.text:
        return note

    def change(piece: Piece) -> Piece:
        if piece.kind == "own":
            return piece
        host = None if piece.host is None else strip_marks(piece.host)
        raw, body = strip_marks(piece.raw), strip_marks(piece.body)
        return replace(
            piece, raw=raw, body=body, target=strip_marks(piece.target), host=host
        )

    return note.map(change)


def write_formula(piece: Piece, cell: bool = False) -> Piece:
    r"""A formula in the only form that the Markdown extension reads.

    An inline formula gets one dollar sign on each side, also if it is written as
    `\(…\)`. In a `cell` of a table, a `|` would end the cell, so we write `\vert`.
    Other pieces stay unchanged.
    """
    if piece.kind == "display":
        return replace(piece, raw=piece.host or piece.raw)
    if piece.kind != "math":
        return piece
    tex = "\\displaystyle " * piece.raw.startswith(("$$", "\\[")) + piece.tex
    if cell and not re.search(r"\\(?:begin|text)", tex):
        tex = re.sub(r"(?<!\\)\|", r"\\vert ", tex)
    return replace(piece, raw=f"${tex}$", host=None)


def _own_page(target: str, page: str, site: Site) -> str:
    """The link to the Markdown page of a module whose published address `target` is.

    Authors may link to `memory.html` or to a folder, as in Markdown for GitHub. The
    result is empty if `target` is no page of a module.
    """
    address, sharp, anchor = target.partition("#")
    if urlsplit(target)[:2] != ("", "") or not address or address.endswith(".md"):
        return ""
    file = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(address)))
    known = site.paths
    for goal in (f"{file.removesuffix('.html')}.md", posixpath.join(file, "index.md")):
        if goal in known:
            return f"{quote(relative_path(page, goal))}{sharp}{anchor}"
    return ""


def embed_figure(piece: Piece, page: str, site: Site, path: str, line: int) -> str:
    """An SVG file as inline SVG, so that CSS can give it the colours of the theme.

    The alternative text of the image becomes its `aria-label`. A link in the drawing
    names a page as in Markdown, from the folder of the drawing. Raises `LiterateError`
    if the file is missing or no valid drawing.
    """
    file = posixpath.normpath(posixpath.join(posixpath.dirname(page), piece.target))
    # A drawing is in the folder of the pages, or beside the module.
    near = posixpath.normpath(posixpath.join(posixpath.dirname(path), piece.target))
    places = [(site.figures, file), (site.root, near)]
    found = next((at for at in places if at[0].joinpath(at[1]).exists()), places[0])
    try:
        source = read(found[0] / found[1], found[0])
    except OSError:
        message = f"there is no figure {piece.target}: looked for {file} and {near}"
        raise LiterateError(path, line, message) from None
    root = _read_drawing(piece, source, page, site, path, line)
    way = relative_path if site.files_in_html else site.address
    for link in root.iter("a"):
        address, sharp, anchor = link.get("href", "").partition("#")
        if address.endswith(".md") and not urlsplit(address).netloc:
            goal = posixpath.normpath(
                posixpath.join(posixpath.dirname(found[1]), address)
            )
            link.set("href", f"{way(page, goal) * (goal != page)}{sharp}{anchor}")
    if wide := measure_letters(root):
        style = f"--letters: {wide:.1f}; {root.get('style', '')}"
        root.set("style", style.removesuffix("; "))
    return mark_html(f'<figure class="lit-figure">{write_markup(root)}</figure>')


def embed_interactive_figure(
    piece: Piece, page: str, site: Site, path: str, line: int
) -> str:
    """An interactive figure: its custom element with the picture, and its script.

    The texts of the picture are in the catalog `figures/NAME`. The `style` of the
    picture moves to the element, so that the browser reserves the height of the figure.
    Raises `LiterateError` if there is no such figure, or if the drawing is not valid.
    """
    name, start = split_name(piece.target)
    if name not in site.drawings:
        raise LiterateError(path, line, describe_unknown(name, site.drawings))
    source = site.drawings[name]
    root = _read_drawing(piece, source, f"figures/{name}", site, path, line)
    style = escape(root.attrib.pop("style", ""))
    if wide := measure_letters(root):
        root.set("style", f"--letters: {wide:.1f}")
    begins = f' data-start="{escape(start)}"' if start else ""
    # The first page is in the root of the site, which contains `assets`.
    way = relative_path if site.files_in_html else site.address
    script = posixpath.join(posixpath.dirname(way(page, "index.md")), script_path(name))
    return mark_html(
        f'<figure class="lit-figure lit-touched" data-search-exclude>'
        f'<figure-{name} style="{style}"{begins}>{write_markup(root)}</figure-{name}>'
        f'<script defer src="{script}"></script></figure>'
    )


def script_path(name: str) -> str:
    """The path of the script of an interactive figure in the site."""
    return f"assets/figures/{name}.js"


def _read_drawing(
    piece: Piece, source: Source, page: str, site: Site, path: str, line: int
) -> Element:
    """Parse a drawing, with translated labels and with ids that are unique on the page.

    Raises `LiterateError` if it is no SVG, or if the image has no alternative text.
    """
    try:
        root = parse(site.drawing(source.text, page))
    except DrawingError as error:
        message = f"the figure {piece.target}, line {error.line}: {error}"
        raise LiterateError(path, line, message) from None
    if root.tag != "svg" or not piece.body.strip():
        wanted = "a text in its [ ]" if root.tag == "svg" else "an <svg> element"
        raise LiterateError(path, line, f"the figure {piece.target} needs {wanted}")
    for name in ("role", "aria-label", "aria-labelledby"):
        root.attrib.pop(name, None)
    # What is in an image is no part of the page for a screen reader, so no link either.
    root.set("role", "img" if root.find(".//a") is None else "group")
    root.set("aria-label", " ".join(piece.body.split()))
    # A page may show a drawing twice, and two drawings may use the same ids.
    place = sha256(f"{path}:{line}:{piece.start}:{source.path}".encode())
    prefix_ids(root, f"{source.stem}-{place.hexdigest()[:6]}-")
    return root
