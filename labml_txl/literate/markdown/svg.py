r"""# Drawings

An SVG file becomes a part of the page that shows it, so that it takes on the colours of
the theme and its words can be translated. It is read by Python's own XML parser, which
knows what is a label and what is a comment.

A drawing on a page shares its names with all else there. So each name in it, `id`, gets
a beginning of its own, and what refers to the name follows: `href="#arrow"`,
`url(#arrow)`, `aria-describedby="arrow"`.

Whoever drew it, a drawing is a picture and no more: of its elements, attributes and
styles only those pass that draw. A style sheet would reach the page, and foreign HTML,
scripts and forms have no place in a picture. Nothing in it moves on its own: not every
reader wants that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.parsers import expat

from labml_txl.literate.markdown.messages import has_words


class DrawingError(Exception):
    """What is wrong with a drawing, and the line of it."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


# The names of namespaces. Drawing programs have more.
_SVG = ("", "http://www.w3.org/2000/svg")
_XLINK = "http://www.w3.org/1999/xlink"
_XML = "http://www.w3.org/XML/1998/namespace"


def _split(name: str) -> tuple[str, str]:
    """The namespace of a name, and the name alone."""
    space, _, local = name.rpartition("}")
    return space.removeprefix("{"), local


# Labels

_LABELS = {"title", "desc", "text", "tspan", "textPath", "a"}
# Signs that XML cannot hold, however they are written.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def relabel(drawing: Element, change: Callable[[str], str]) -> None:
    """Put each label of a drawing, in its order, into other words.

    One that is set in a font like `monospace` is code and stays, and so does what
    stands in it.
    """

    def changed(text: str | None) -> str | None:
        words = " ".join((text or "").split())
        if not text or not has_words(words):
            return text
        return text.replace(text.strip(), _NO_XML.sub("", change(words)), 1)

    def walk(element: Element, code: bool) -> None:
        style = re.findall(r"font(?:-family)?\s*:([^;]*)", element.get("style", ""))
        font = " ".join([element.get("font-family", ""), *style])
        code = "monospace" in font if font.strip() else code
        labelled = element.tag in _LABELS and not code
        if labelled:
            element.text = changed(element.text)
        for child in element:
            walk(child, code)
            if labelled:
                child.tail = changed(child.tail)

    walk(drawing, False)


# The drawing as a part of a page

_DEPTH = 200


def parse(drawing: str) -> Element:
    """The elements of a drawing that draw, by their names alone.

    Comments are left out, what drawing programs keep for themselves, and all that does
    more than draw.
    """
    try:
        root = ElementTree.fromstring(drawing.encode())
    except ElementTree.ParseError as error:
        line, why = error.position[0], expat.ErrorString(error.code)
        raise DrawingError(line, f"not valid XML: {why}") from None
    except UnicodeEncodeError:
        raise DrawingError(1, "not valid XML: half of a character") from None
    # There is none if the outermost element is of another kind.
    return next(_drawn(root), Element(""))


def _drawn(element: Element, depth: int = 1) -> Iterator[Element]:
    """The element with what draws in it, or nothing."""
    if depth > _DEPTH:
        message = f"its elements stand {_DEPTH} deep in each other: flatten it"
        raise DrawingError(1, message)
    space, local = _split(element.tag)
    if space not in _SVG or local not in _DRAWN:
        return
    found = Element(local, dict(_attributes(local, element.attrib)))
    found.text = element.text
    for child in element:
        found.extend([*_drawn(child, depth + 1)])
        # What stands behind an element stays, whether that is left out or not.
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
# What a style may set beside its own names, which begin with `--`.
_STYLES = re.compile(
    r"fill|stroke|font|text-|opacity|color|stop-|clip-|mask|marker|paint-order"
    r"|image-rendering|shape-rendering|letter-spacing|word-spacing|white-space"
    r"|dominant-baseline|alignment-baseline|baseline-shift|display|visibility"
    r"|(?:max-|min-)?(?:width|height)|transform|--"
)
# A backslash would write a sign in another way.
_ELSEWHERE = re.compile(
    r"url\((?!\s*[\"']?\s*#)|@import|expression\(|image-set\(|src\(|\\", re.I
)
# What sends something, reaches beyond the picture, or means something to a theme.
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
    """Whether a drawing may link there: to a page, or to what it holds itself."""
    if tag == "a":
        return bool(re.match(r"https?:|mailto:|[^:]*\Z|[^:]*[/?#]", address, re.I))
    return bool(re.match(r"#|data:image/(?!svg)", address, re.I))


_URL = re.compile(r"""url\(\s*(["']?)#([^"')]+)\1\s*\)""")


def referred(drawing: Element) -> set[str]:
    """The names that something in a drawing draws with."""
    values = [value for element in drawing.iter() for value in element.attrib.values()]
    links = {value[1:] for value in values if value.startswith("#")}
    return links | {match[2] for value in values for match in _URL.finditer(value)}


def own_names(drawing: Element, prefix: str) -> None:
    """Put a beginning before each name in a drawing, and where it is referred to."""
    names = {e.get("id", ""): f"{prefix}{e.get('id')}" for e in drawing.iter()}

    def named(name: str) -> str:
        return names.get(name, name) if name else ""

    for element in drawing.iter():
        for key, value in element.items():
            if key == "id":
                changed = named(value)
            elif key in ("aria-labelledby", "aria-describedby"):
                changed = " ".join(map(named, value.split()))
            elif key == "href" and value.startswith("#"):
                changed = f"#{named(value[1:])}"
            else:
                changed = _URL.sub(lambda match: f"url(#{named(match[2])})", value)
            element.set(key, changed)


def markup(element: Element, *, words: bool = False) -> str:
    """An element as HTML takes it within `<svg>`, on one line.

    `words` says that spaces count.
    """
    # In a label, a space between two elements is a space between two words.
    words = words or element.tag in _LABELS

    def shown(text: str | None) -> str:
        squeezed = re.sub(r"\s+", " ", escape(text or "", quote=False))
        return squeezed if words or squeezed.strip() else ""

    inside = shown(element.text) + "".join(
        markup(child, words=words) + shown(child.tail) for child in element
    )
    escaped = ((k, escape(v, quote=False)) for k, v in element.items())
    quoted = ((k, value.replace('"', "&quot;")) for k, value in escaped)
    attributes = "".join(f' {key}="{value}"' for key, value in quoted)
    if inside:
        return f"<{element.tag}{attributes}>{inside}</{element.tag}>"
    return f"<{element.tag}{attributes}/>"


def document(drawing: Element) -> str:
    """A drawing as a file of its own."""
    drawing.set("xmlns", _SVG[1])
    return markup(drawing)
