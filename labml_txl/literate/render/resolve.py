r"""# Resolving links

A note says *what* it points to: an equation by its key, a class by its name. Where that
stands is found here, so a page that moves touches no note and no translation.

- `[words][txl.scores]` becomes a link to the page of equations.
- `` `RelativePositions` `` becomes a link to the class, if the name means one thing.
- `{{ txl.scores }}` on a line of its own becomes the equation itself.
- `![words](figure.svg)` becomes the figure, drawn in the colours of the page, and
  `![words](figure:shift)` the one of that name, which a reader can touch.
"""

from __future__ import annotations

import posixpath
import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from html import escape
from pathlib import Path
from urllib.parse import quote, unquote, urljoin, urlsplit
from xml.etree.ElementTree import Element

from labml_txl.literate.equations.registry import Equation, Registry
from labml_txl.literate.i18n.labels import Labels
from labml_txl.literate.markdown.inline import Piece, in_item, line_of, outside, scan
from labml_txl.literate.markdown.svg import DrawingError, markup, own_names, parse
from labml_txl.literate.markdown.trusted import foreign, own
from labml_txl.literate.render.figures import SCHEME, unknown
from labml_txl.literate.sources.names import Index, Name
from labml_txl.literate.sources.source import LiterateError, Source, Tell, read, stop


@dataclass(frozen=True)
class Site:
    """What a page must know of the site around it.

    - `index`: the names of all annotated modules;
    - `pages`: the path of the page of each module;
    - `rows`: the address on its page of each definition of a module;
    - `registry`: the equations, shown on the page `equations`;
    - `figures`: the folder that the paths of pages and figures start from;
    - `drawings`: the pictures of the figures that one can touch, by their names;
    - `source`: where the source can be read, with `{path}`, `{first}` and `{last}`;
    - `address`: the address of one page seen from another. The default links Markdown
      files; a host puts its own in place;
    - `url`: the address that the site is published at, or empty;
    - `references`: where names of other packages are documented;
    - `tag`: the name of the language for browsers;
    - `labels`: the engine's own words, in the language of the page;
    - `drawing`: a figure of a page, its labels in that language;
    - `files_in_html`: whether a link in HTML names a file, as one in Markdown does.
    """

    index: Index = field(default_factory=Index)
    pages: Mapping[str, str] = field(default_factory=dict)
    rows: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    registry: Registry = field(default_factory=Registry)
    equations: str = "equations.md"
    figures: Path = Path()
    drawings: Mapping[str, Source] = field(default_factory=dict)
    source: str = ""
    address: Callable[[str, str], str] = field(default_factory=lambda: relative)
    url: str = ""
    references: Mapping[str, str] = field(default_factory=dict)
    tag: str = "en"
    labels: Labels = field(default_factory=Labels)
    drawing: Callable[[str, str], str] = field(default_factory=lambda: as_drawn)
    files_in_html: bool = False

    @cached_property
    def paths(self) -> frozenset[str]:
        """The paths of the pages of all modules."""
        return frozenset(self.pages.values())

    def source_url(self, path: str, lines: range) -> str:
        """Where these lines can be read in the repository, or nothing."""
        last = max(lines.start, lines.stop - 1)
        return self.source.format(path=quote(path), first=lines.start, last=last)

    def published(self, page: str, anchor: str = "") -> str:
        """The whole address of a page; empty if the site is not published."""
        if not self.url:
            return ""
        address = urljoin(self.url, self.address("index.md", page))
        return f"{address}#{anchor}" if anchor else address

    def place(self, equation: Equation) -> str:
        """Where an equation stands, such as `§ 3.1 (2)` or `Algorithm 1, line 6`."""
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
        """The place and the title of an equation, for a text that shows no card."""
        place = self.place(equation)
        return self.labels("equation_caption", place=place, title=equation.title)

    def key(self, equation: Equation) -> str:
        """The place and the key of an equation, for what stands beside it."""
        place, key = self.place(equation), f"`{equation.key}`"
        return self.labels("equation_key", place=place, key=key)

    def row(self, module: str, qualified: str) -> str:
        """The address on its page of what a module defines.

        It is empty for the module, and for what has no row on its page.
        """
        known = self.rows.get(module, {})
        while qualified and known and qualified not in known:
            qualified = qualified.rpartition(".")[0]
        return known.get(qualified, "" if module in self.rows else qualified)

    def code_link(self, page: str) -> Callable[[Name], str]:
        """Where a name in the code of a page leads."""
        way = relative if self.files_in_html else self.address

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


def relative(start: str, goal: str) -> str:
    """The path of one page as seen from another."""
    return posixpath.relpath(goal, posixpath.dirname(start) or ".")


def published(start: str, goal: str, directory_urls: bool = True) -> str:
    """The address of one page as seen from another, where both are published."""
    here, there = (_published(path, directory_urls) for path in (start, goal))
    way = posixpath.relpath(there or ".", posixpath.dirname(here) or ".")
    return f"{way}/" if there.endswith("/") or not there else way


def _published(path: str, directory_urls: bool) -> str:
    folder, name = posixpath.split(path.removesuffix(".md"))
    name = "index" if name == "README" else name
    if not directory_urls:
        return quote(posixpath.join(folder, f"{name}.html"))
    place = folder if name == "index" else posixpath.join(folder, name)
    return quote(f"{place}/" if place else "")


def as_drawn(drawing: str, page: str) -> str:
    """A figure with the labels that it has in its file."""
    return drawing


def resolve(
    note: str,
    page: str,
    site: Site,
    *,
    near: str,
    path: str,
    line: int,
    tell: Tell = stop,
) -> str:
    """The Markdown of a note, its links resolved.

    `page` is the path of the page that it stands on, `near` the module whose names come
    first, `path` and `line` the place to name in a fault. What leads nowhere stays as
    it is written, and `tell` hears of it.
    """
    pieces = scan(note := foreign(note))
    for place, sign in outside(pieces):
        message = f"{sign} stands outside of a formula: put it between $ and $"
        tell(LiterateError(path, line + line_of(note, place), message))

    def change(piece: Piece) -> str:
        at = line + line_of(note, piece.start)
        try:
            return changed(piece, at)
        except LiterateError as fault:
            tell(fault)
            return piece.raw

    def changed(piece: Piece, at: int) -> str:
        if piece.kind == "citation" and site.registry.owns(piece.target):
            equation = site.registry.find(piece.target, path, at)
            goal = relative(page, site.equations)
            # A link that is nothing but a formula needs words for its name.
            bare = all(p.kind == "math" or not p.raw.strip() for p in scan(piece.body))
            label = f' title="{escape(equation.title)}"' if bare else ""
            # Names in its words stay as they are: no link stands within another.
            return f"[{piece.body}]({goal}#{equation.key}){{.lit-cite{label}}}"
        if piece.kind == "include" and site.registry.owns(piece.body):
            equation = site.registry.find(piece.body, path, at)
            goal = f"{relative(page, site.equations)}#{equation.key}"
            caption = f"[{site.place(equation)}]({goal}){{.lit-cite .lit-caption}}"
            return f"$$\n{equation.latex}\n$$\n\n{caption}"
        if piece.kind in {"display", "math"}:
            return formula(note, piece)
        if piece.kind == "text" and piece.raw == "$":
            return r"\$"
        if piece.kind == "link" and (goal := _own_page(piece.target, page, site)):
            words, _, end = piece.raw.rpartition(piece.target)
            return f"{words}{goal}{end}"
        # The address of a drawing that stands elsewhere is left alone.
        here = urlsplit(piece.target)[:2] == ("", "")
        if piece.kind == "image" and here and piece.target.endswith(".svg"):
            return figure(piece, page, site, path, at)
        if piece.kind == "image" and piece.target.startswith(SCHEME):
            return touched(piece, page, site, path, at)
        if piece.kind == "code" and (place := site.index.find(piece.body, near)):
            row, goal = site.row(*place), site.pages[place[0]]
            address = "" if goal == page else relative(page, goal)
            # What stands nowhere on its own page has no link.
            if address or row:
                return f"[{piece.raw}]({address}{'#' * bool(row)}{row})"
        return piece.raw

    return "".join(map(change, pieces))


def formula(note: str, piece: Piece) -> str:
    """A formula as Markdown reads it, however it is written.

    One on lines of its own needs empty lines around it, and none in it. One within
    words has one dollar on each side.
    """
    before = note[: piece.start].rpartition("\n")[2]
    if piece.kind == "math":
        tex = "\\displaystyle " * piece.raw.startswith(("$$", "\\[")) + piece.tex
        # In the row of a table, a `|` would end the cell.
        if "|" in before and not re.search(r"\\(?:begin|text)", tex):
            tex = re.sub(r"(?<!\\)\|", r"\\vert ", tex)
        return f"${tex}$"
    raw = f"$${piece.raw[2:-2]}$$" if piece.raw.startswith("\\[") else piece.raw
    lines = [line for line in raw.split("\n") if line.strip()]
    if not raw.startswith("$$"):
        lines = ["$$", f"{before}{lines[0]}", *lines[1:], f"{before}$$"]
    if before and not before.strip():
        # Markdown counts indentation by fours, and only an item of a list has some.
        fours = 0
        if in_item(note, piece.start - len(before)):
            fours = 4 * max(1, len(before) // 4)
        lines = [lines[0], *(line[len(before) :] for line in lines[1:])]
        return "\n\n" + textwrap.indent("\n".join(lines), " " * fours) + "\n"
    return f"\n{before}" + "\n".join(lines) + "\n"


def _own_page(target: str, page: str, site: Site) -> str:
    """The page of a module that a link means by its address as HTML, or its folder."""
    address, sharp, anchor = target.partition("#")
    if urlsplit(target)[:2] != ("", "") or not address or address.endswith(".md"):
        return ""
    file = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(address)))
    known = site.paths
    for goal in (f"{file.removesuffix('.html')}.md", posixpath.join(file, "index.md")):
        if goal in known:
            return f"{quote(relative(page, goal))}{sharp}{anchor}"
    return ""


def figure(piece: Piece, page: str, site: Site, path: str, line: int) -> str:
    """An SVG file as part of the page, so that it takes on the colours of the theme.

    The alternative text of the image becomes its name for those who do not see it.
    """
    file = posixpath.normpath(posixpath.join(posixpath.dirname(page), piece.target))
    try:
        source = read(site.figures / file, site.figures)
    except OSError:
        message = f"there is no figure {piece.target}: looked for {file}"
        raise LiterateError(path, line, message) from None
    root = _drawn(piece, source, page, site, path, line)
    return own(f'<figure class="lit-figure">{markup(root)}</figure>')


def touched(piece: Piece, page: str, site: Site, path: str, line: int) -> str:
    """A figure that one can touch: its element, its picture in it, and its script.

    The words of the picture have a catalog of their own. Its `style` becomes that of
    the element, which keeps its height free.
    """
    name = piece.target.removeprefix(SCHEME)
    if name not in site.drawings:
        raise LiterateError(path, line, unknown(name, site.drawings))
    source = site.drawings[name]
    root = _drawn(piece, source, f"figures/{name}", site, path, line)
    style = escape(root.attrib.pop("style", ""))
    # The address of the first page, seen from this one, leads to the root.
    way = relative if site.files_in_html else site.address
    script = posixpath.join(posixpath.dirname(way(page, "index.md")), script_path(name))
    return own(
        f'<figure class="lit-figure lit-touched" data-search-exclude>'
        f'<figure-{name} style="{style}">{markup(root)}</figure-{name}>'
        f'<script defer src="{script}"></script></figure>'
    )


def script_path(name: str) -> str:
    """Where the script of a figure stands in the site."""
    return f"assets/figures/{name}.js"


def _drawn(
    piece: Piece, source: Source, page: str, site: Site, path: str, line: int
) -> Element:
    """The picture of a figure, its names its own, its words in the language."""
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
    root.set("role", "img")
    root.set("aria-label", " ".join(piece.body.split()))
    # One drawing may stand twice on a page, and another may use the same names.
    place = sha256(f"{path}:{line}:{piece.start}:{source.path}".encode())
    own_names(root, f"{source.stem}-{place.hexdigest()[:6]}-")
    return root
