"""# Drawings

An SVG file is inserted into its page, so that it has the colours of the theme and its
labels can be translated. It is parsed as XML.

The `id`s of a drawing could collide with others on the page. Each gets a prefix, also
where it is referred to: in `href="#arrow"`, `url(#arrow)`, `aria-describedby="arrow"`.

We keep only elements, attributes and styles that draw, whoever made the drawing: a
style sheet would affect the whole page, and HTML, scripts and forms do not belong in a
picture. Animations are removed as well, because not all readers want them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.parsers import expat

from labml_txl.literate.markdown.message import read_message
from labml_txl.literate.markdown.note import has_words


class DrawingError(Exception):
    """An error in a drawing, and its line."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


# Namespaces. Drawing programs use others as well.
_SVG = ("", "http://www.w3.org/2000/svg")
_XLINK = "http://www.w3.org/1999/xlink"
_XML = "http://www.w3.org/XML/1998/namespace"


def _split(name: str) -> tuple[str, str]:
    """The namespace and the local part of a name."""
    space, _, local = name.rpartition("}")
    return space.removeprefix("{"), local


# Labels

_LABELS = {"title", "desc", "text", "tspan", "textPath", "a"}
# Characters that XML does not allow.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def relabel(drawing: Element, change: Callable[[str], str]) -> None:
    """Replace the text of each label of a drawing, in order.

    Labels in a `monospace` font are code and stay unchanged.
    """

    def take_label(text: str | None) -> str | None:
        words = " ".join((text or "").split())
        if not text or not has_words(read_message(words).pieces):
            return text
        return text.replace(text.strip(), _NO_XML.sub("", change(words)), 1)

    def walk(element: Element, code: bool) -> None:
        style = re.findall(r"font(?:-family)?\s*:([^;]*)", element.get("style", ""))
        font = " ".join([element.get("font-family", ""), *style])
        code = "monospace" in font if font.strip() else code
        labelled = element.tag in _LABELS and not code
        if labelled:
            element.text = take_label(element.text)
        for child in element:
            walk(child, code)
            if labelled:
                child.tail = take_label(child.tail)

    walk(drawing, False)


# The drawing as a part of a page


def parse(drawing: str) -> Element:
    """The elements of a drawing that draw, with their names without namespace.

    Comments, the data of drawing programs, and everything that does more than draw are
    left out. Raises `DrawingError` for invalid XML, and for too deep nesting.
    """
    try:
        return next(_select(ElementTree.fromstring(drawing)), Element(""))
    except ElementTree.ParseError as error:
        line, why = error.position[0], expat.ErrorString(error.code)
        raise DrawingError(line, f"not valid XML: {why}") from None


def _select(element: Element, depth: int = 1) -> Iterator[Element]:
    """The element with the elements in it that draw, or nothing."""
    if (
        depth > 200
    ):  # Other functions recurse too, and take more than one frame a level.
        raise DrawingError(1, "its elements are nested more than 200 deep: flatten it")
    space, local = _split(element.tag)
    if space not in _SVG or local not in _DRAWN:
        return
    found = Element(local, dict(_attributes(local, element.attrib)))
    found.text = element.text
    for child in element:
        found.extend([*_select(child, depth + 1)])
        # The text after an element is kept, even if the element is left out.
        if len(found):
            found[-1].tail = (found[-1].tail or "") + (child.tail or "")
        else:
            found.text = (found.text or "") + (child.tail or "")
    yield found


_NAMES = """
    svg g defs symbol use switch view a title desc text tspan textPath path rect circle
    ellipse line polyline polygon image marker pattern clipPath mask linearGradient
    radialGradient stop filter feBlend feColorMatrix feComponentTransfer feComposite
    feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow
    feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode
    feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile
    feTurbulence
"""
_DRAWN = frozenset(_NAMES.split())
# The properties that a style may set, besides custom properties, which start with `--`.
_STYLES = re.compile(
    r"fill|stroke|font|text-|opacity|color|stop-|clip-|mask|marker|paint-order"
    r"|image-rendering|shape-rendering|letter-spacing|word-spacing|white-space"
    r"|dominant-baseline|alignment-baseline|baseline-shift|display|visibility"
    r"|(?:max-|min-)?(?:width|height)|transform|--"
)
# A backslash would hide a character in an escape.
_ELSEWHERE = re.compile(
    r"url\((?!\s*[\"']?\s*#)|@import|expression\(|image-set\(|src\(|\\", re.I
)
# Attributes that send data, affect the page, or have a meaning for the theme.
_REACHING = re.compile(r"on|ping|target|data-md-|overflow", re.I)


def _attributes(tag: str, given: dict[str, str]) -> Iterator[tuple[str, str]]:
    for name, value in given.items():
        space, local = _split(name)
        linked = space == _XLINK and local == "href" and "href" not in given
        if space == _XML:
            yield f"xml:{local}", value
        elif space and not linked:
            continue
        elif local == "style":
            parts = (part.strip() for part in value.split(";"))
            kept = [
                part
                for part in parts
                if _STYLES.match(part) and not _ELSEWHERE.search(part)
            ]
            yield from [("style", "; ".join(kept))] if kept else []
        elif _REACHING.match(local) or _ELSEWHERE.search(value):
            continue
        elif local == "class":
            yield local, " ".join(c for c in value.split() if not c.startswith("md-"))
        elif local != "href" or _leads("".join(value.split()), tag):
            yield local, value


def _leads(address: str, tag: str) -> bool:
    """Whether an element may refer to an address.

    An `a` may link to a page; others, to a part of the drawing or a picture in a URL.
    """
    if tag == "a":
        return bool(re.match(r"https?:|mailto:|[^:]*\Z|[^:]*[/?#]", address, re.I))
    return bool(re.match(r"#|data:image/(?!svg)", address, re.I))


def measure_letters(drawing: Element) -> float:
    """How many of its smallest letters fit beside each other: its width in their size.

    0 for a drawing without letters, or without a `viewBox`.
    """
    size = re.compile(r"\s*(\d+(?:\.\d+)?)(?:px)?\s*\Z")

    def sizes(element: Element, inherited: float) -> Iterator[float]:
        style = re.search(r"(?<![\w-])font-size:([^;]*)", element.get("style", ""))
        written = style[1] if style else element.get("font-size", "")
        given = size.match(written)
        own = float(given[1]) if given else inherited
        if element.tag == "text":
            yield own
        for child in element:
            if child.tag != "defs":
                yield from sizes(child, own)

    smallest = min(sizes(drawing, 16), default=0)
    box = drawing.get("viewBox", "").split()
    wide = size.match(box[2]) if len(box) == 4 else None
    return float(wide[1]) / smallest if wide and smallest else 0


_URL = re.compile(r"""url\(\s*(["']?)#([^"')]+)\1\s*\)""")


def find_referred(drawing: Element) -> set[str]:
    """The `id`s that the elements of a drawing refer to."""
    values = [value for element in drawing.iter() for value in element.attrib.values()]
    links = {value[1:] for value in values if value.startswith("#")}
    return links | {match[2] for value in values for match in _URL.finditer(value)}


def prefix_ids(drawing: Element, prefix: str) -> None:
    """Add a prefix to each `id` in a drawing, and where it is referred to."""
    names = {e.get("id", ""): f"{prefix}{e.get('id')}" for e in drawing.iter()}

    def add_prefix(name: str) -> str:
        return names.get(name, name) if name else ""

    for element in drawing.iter():
        for key, value in element.items():
            if key == "id":
                changed = add_prefix(value)
            elif key in ("aria-labelledby", "aria-describedby"):
                changed = " ".join(map(add_prefix, value.split()))
            elif key == "href" and value.startswith("#"):
                changed = f"#{add_prefix(value[1:])}"
            else:
                changed = _URL.sub(lambda match: f"url(#{add_prefix(match[2])})", value)
            element.set(key, changed)


def write_markup(element: Element, *, words: bool = False) -> str:
    """An element as HTML on one line.

    `words` says whether blanks between elements are significant, as in labels.
    """
    words = words or element.tag in _LABELS

    def squeeze(text: str | None) -> str:
        squeezed = re.sub(r"\s+", " ", escape(text or "", quote=False))
        return squeezed if words or squeezed.strip() else ""

    inside = squeeze(element.text) + "".join(
        write_markup(child, words=words) + squeeze(child.tail) for child in element
    )
    escaped = ((k, escape(v, quote=False)) for k, v in element.items())
    quoted = ((k, value.replace('"', "&quot;")) for k, value in escaped)
    attributes = "".join(f' {key}="{value}"' for key, value in quoted)
    if inside:
        return f"<{element.tag}{attributes}>{inside}</{element.tag}>"
    return f"<{element.tag}{attributes}/>"


def write_document(drawing: Element) -> str:
    """A drawing as the text of an SVG file."""
    drawing.set("xmlns", _SVG[1])
    return write_markup(drawing)
