r"""# A picture that stands alone

On a page a drawing takes on the colours of the theme. In a notebook there is no theme:
the drawing becomes a picture with colours of its own, those of the light theme, on a
white ground that can be read in the dark too. The picture is a part of the notebook, so
that it is there without a network.

Words that the drawing only keeps for its figure are left out.
"""

from __future__ import annotations

import posixpath
from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import cache
from xml.etree.ElementTree import Element

from labml_txl.literate.markdown.inline import Piece
from labml_txl.literate.markdown.svg import DrawingError, document, markup, parse
from labml_txl.literate.render.figures import SCHEME, roles
from labml_txl.literate.render.resolve import Site
from labml_txl.literate.sources.source import read


@cache
def colours() -> Mapping[str, str]:
    """The colours of the light scheme, by the class of what is drawn."""
    light = roles()[0]
    soft = light["--md-default-fg-color--light"]
    return {
        **{"fig-ink": "#1f2430", "fig-soft": soft, "fig-line": soft},
        **{"fig-accent": "#4151b0", "fig-accent2": light["--lit-accent2"]},
        **{f"fig-term-{term}": light[f"--lit-{term}"] for term in "abcd"},
        **{f"fig-{fill}": light[f"--lit-{fill}"] for fill in ("fill", "fill2")},
    }


EDGE = 8
_LINES = {"path", "line", "polyline", "rect", "circle"}
_FILLED = {"fig-ink", "fig-soft", "fig-fill", "fig-fill2", "fig-cell"}


def embedded(piece: Piece, path: str, site: Site) -> str:
    """The address of a picture that holds all of it, as `data:`.

    `piece` places a drawing on the page `path`. The result is empty where none can be
    read.
    """
    try:
        drawing = picture(_drawing(piece.target, path, site), site.tag)
    except (OSError, KeyError):
        return ""
    if not drawing:
        return ""
    return f"data:image/svg+xml;base64,{b64encode(drawing.encode()).decode()}"


def _drawing(target: str, path: str, site: Site) -> str:
    """A drawing, its labels in the language of the site."""
    if target.startswith(SCHEME):
        name = target.removeprefix(SCHEME)
        return site.drawing(site.drawings[name].text, f"figures/{name}")
    file = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if not file.endswith(".svg"):
        raise KeyError(file)
    return site.drawing(read(site.figures / file, site.figures).text, path)


def picture(drawing: str, tag: str = "en") -> str:
    """A drawing as a file of its own, in the colours of the light theme.

    `tag` is the language of its words, which decides on their font. The result is empty
    for what is no drawing: the page that shows it tells why.
    """
    try:
        root = parse(drawing)
    except DrawingError:
        return ""
    if root.tag != "svg":
        return ""
    for defs in root.findall("defs"):
        for word in defs.findall("*[@data-word]"):
            defs.remove(word)
        if not len(defs):
            root.remove(defs)
    for element in root.iter():
        _coloured(element)
    root.attrib.pop("style", None)
    for name, value in _frame(root, tag):
        root.attrib.setdefault(name, value)
    return markup(root)


def cleaned(drawing: str) -> str:
    """A drawing of a site as a file of its own, with nothing but what draws.

    What cannot be read as a drawing becomes an empty one.
    """
    try:
        root = parse(drawing)
    except DrawingError:
        root = Element("svg")
    return document(root)


def _coloured(element: Element) -> None:
    """Say outright what the theme would make of the classes of an element."""
    classes = element.attrib.pop("class", "").split()
    colour = next((colours()[name] for name in classes if name in colours()), "")
    if not colour:
        return
    drawn = element.tag in _LINES and not _FILLED.intersection(classes)
    element.set("fill", "none" if drawn else colour)
    if drawn:
        element.set("stroke", colour)


def _frame(root: Element, tag: str) -> Iterator[tuple[str, str]]:
    """What a file needs that a part of a page does not; and its ground."""
    yield "xmlns", "http://www.w3.org/2000/svg"
    yield "xml:lang", tag
    yield "font-family", "sans-serif"
    yield "color", colours()["fig-ink"]
    yield "fill", colours()["fig-ink"]
    try:
        x, y, width, height = map(float, root.get("viewBox", "").split())
    except ValueError:
        return
    x, y, width, height = x - EDGE, y - EDGE, width + 2 * EDGE, height + 2 * EDGE
    sizes = {"width": f"{width:g}", "height": f"{height:g}"}
    root.insert(
        0, Element("rect", {"x": f"{x:g}", "y": f"{y:g}", **sizes, "fill": "#fff"})
    )
    root.set("viewBox", f"{x:g} {y:g} {width:g} {height:g}")
    yield from sizes.items()
