"""# The elements in HTML as browsers parse it

Browsers parse broken HTML by rules of their own: for them, `<!--><b>` is an empty
comment and an element. Patterns would therefore miss elements in the text of a
stranger. `nh3` parses as browsers do, and writes the HTML in a normal form, in which we
can count the elements.

Two elements are equal if their names, attributes and values are. The values of
attributes that are shown to readers (`title`, `alt`, `aria-label`) may differ.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from html import unescape
from html.parser import HTMLParser

# The number of elements of each kind, written as `<a href="x" title>`.
Elements = Counter[str]

# Attributes with text for readers, on any element.
_WORDS = frozenset({"alt", "aria-label", "placeholder", "title"})

_NAME = re.compile(r"<([A-Za-z][^\s/>]*)")
# The name before a colon, in reversed text: most words are not followed by a colon.
_SCHEME = re.compile(r":([\w.+-]*[A-Za-z])(?![\w.+-])", re.ASCII)


@lru_cache(maxsize=200)
def elements(html: str) -> Elements:
    """Count the elements and comments that a browser finds."""
    found = (one for one in _normal_pieces(html) if isinstance(one, tuple))
    return Counter(map(_normalise_element, found))


def is_plain(html: str) -> bool:
    """Whether a browser parses HTML as written, and drops, moves or closes nothing."""
    return _pieces(html) == _normal_pieces(html)


def describe(element: str) -> str:
    """An element for a message: short, and on one line."""
    line = " ".join(element.split())
    return line if len(line) < 61 else f"{line[:59]}…>"


# `is_plain` is called after `elements` for the same text.
@lru_cache(maxsize=1)
def _normal_pieces(html: str) -> list[object]:
    return _pieces(_normalise(html))


def _normalise(html: str) -> str:
    """The HTML as a browser parses it, in normal form; nothing is removed."""
    import nh3  # reading sources does not need it

    names = set(_NAME.findall(html))
    names |= {name.lower() for name in names}
    solid = "".join(unescape(html).split())
    return nh3.clean(
        html,
        tags=names,
        clean_content_tags=set(),
        attributes={},
        # Every name starts with the empty prefix.
        generic_attribute_prefixes={""},
        strip_comments=False,
        link_rel=None,
        url_schemes={s[::-1].lower() for s in _SCHEME.findall(solid[::-1])} | {"https"},
    )


def _normalise_element(element: tuple[str, dict[str, str]]) -> str:
    """An element with sorted attributes, those for readers without their value."""
    name, given = element
    values = (
        (key, value.replace('"', "&quot;")) for key, value in sorted(given.items())
    )
    shown = (k if k in _WORDS else f'{k}="{value}"' for k, value in values)
    return f"<{' '.join([name, *shown])}>"


def _pieces(html: str) -> list[object]:
    """The tags and the text between them, independent of how they are written."""
    reader = _Pieces()
    reader.feed(html)
    rest = reader.rawdata
    reader.close()
    # A tag that does not end is dropped by a browser, and by newer versions of Python.
    if re.match("</?[A-Za-z]", rest):
        reader.pieces.append(rest)
    return reader.pieces


class _Pieces(HTMLParser):
    """Collects elements and comments as tuples, and end tags and texts as strings."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[object] = [""]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.pieces += [(tag, {name: value or "" for name, value in attrs}), ""]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        self.pieces += [f"</{tag}>", ""]

    def handle_data(self, data: str) -> None:
        self.pieces[-1] = f"{self.pieces[-1]}{''.join(data.split())}"

    def handle_comment(self, data: str) -> None:
        self.pieces += [(f"!--{data}--", {}), ""]
