"""# Stand-alone pictures

On a page, CSS gives a drawing the colours of the theme. A notebook has no such style
sheet, so we write the colours of the light theme into the drawing, and a white
background that keeps it readable in a dark notebook. The picture is embedded as a
`data:` URL, so that it is shown offline too.

Texts in `<defs>` are removed, because only the script of an interactive figure shows
them.
"""

from __future__ import annotations

import posixpath
from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import lru_cache
from xml.etree.ElementTree import Element

from labml_txl.literate.colours import LIGHT, LIGHT_LOOK, style_terms
from labml_txl.literate.markdown.inline import Piece
from labml_txl.literate.render.figures import SCHEME, split_name
from labml_txl.literate.render.resolve import Site
from labml_txl.literate.security.svg import (
    DrawingError,
    parse,
    write_document,
    write_markup,
)
from labml_txl.literate.sources.source import read

_INK, _SOFT = LIGHT_LOOK["--md-default-fg-color"], LIGHT["--md-default-fg-color--light"]
# The colours of the light scheme, by the CSS class of an element.
COLOURS = {
    **{"fig-ink": _INK, "fig-pen": _INK},
    **{"fig-soft": _SOFT, "fig-line": _SOFT, "fig-rest": _SOFT},
    "fig-accent": LIGHT_LOOK["--md-typeset-a-color"],
    "fig-accent2": LIGHT["--lit-accent2"],
    "fig-accent3": LIGHT["--lit-shape"],
    **{f"fig-{fill}": LIGHT[f"--lit-{fill}"] for fill in ("fill", "fill2", "fill3")},
}


EDGE = 8
_LINES = {"path", "line", "polyline", "rect", "circle"}
_FILLED = {"fig-ink", "fig-soft", "fig-fill", "fig-fill2", "fig-fill3", "fig-cell"}


def embed(piece: Piece, path: str, site: Site) -> str:
    """The `data:` URL of a drawing.

    `piece` is the image in a note of the page `path`. The result is empty if there is
    no such SVG file, or if it is not valid.
    """
    try:
        drawing = _read_drawing(piece.target, path, site)
        drawing = make_standalone(drawing, site.tag, site.registry.letters)
    except (OSError, KeyError):
        return ""
    if not drawing:
        return ""
    return f"data:image/svg+xml;base64,{b64encode(drawing.encode()).decode()}"


def _read_drawing(target: str, path: str, site: Site) -> str:
    """Read a drawing and translate its labels.

    Raises `KeyError` for an unknown figure or a file that is no SVG, `OSError` for a
    file that cannot be read.
    """
    if target.startswith(SCHEME):
        name, _ = split_name(target)
        return site.drawing(site.drawings[name].text, f"figures/{name}")
    file = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if not file.endswith(".svg"):
        raise KeyError(file)
    return site.drawing(read(site.figures / file, site.figures).text, path)


def make_standalone(drawing: str, tag: str = "en", letters: str = "") -> str:
    """Turn a drawing into a stand-alone SVG in the colours of the light theme.

    `tag` is the language of its labels, by which a viewer chooses the font, and
    `letters` are those of the terms in the registry of equations. The result is empty
    for an invalid drawing: the fault is reported for the page that shows it.
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
    terms = {f"fig-term-{n}": term.light for n, term in style_terms(letters).items()}
    for element in root.iter():
        _set_colour(element, {**COLOURS, **terms})
    root.attrib.pop("style", None)
    for name, value in _add_frame(root, tag):
        root.attrib.setdefault(name, value)
    return write_markup(root)


# All languages publish the same files.
@lru_cache(maxsize=100)
def sanitise(drawing: str) -> str:
    """Sanitise an SVG file that the site publishes: only elements that draw are left.

    An invalid drawing becomes an empty one.
    """
    try:
        root = parse(drawing)
    except DrawingError:
        root = Element("svg")
    return write_document(root)


def _set_colour(element: Element, colours: Mapping[str, str]) -> None:
    """Replace the classes of an element by the colours that the theme gives them."""
    classes = element.attrib.pop("class", "").split()
    colour = next((colours[name] for name in classes if name in colours), "")
    if not colour:
        return
    drawn = element.tag in _LINES and not _FILLED.intersection(classes)
    element.set("fill", "none" if drawn else colour)
    if drawn:
        element.set("stroke", colour)


def _add_frame(root: Element, tag: str) -> Iterator[tuple[str, str]]:
    """Yield the attributes that a stand-alone SVG needs, and add its background."""
    yield "xmlns", "http://www.w3.org/2000/svg"
    yield "xml:lang", tag
    yield "font-family", "sans-serif"
    yield "color", _INK
    yield "fill", _INK
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
