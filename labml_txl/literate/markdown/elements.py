r"""# What a browser finds in HTML

A browser reads broken HTML in its own way: it takes `<!--><b>` for an empty comment and
an element. So what stands in a text of a stranger is not found by patterns. Here it is
read by `nh3`, which reads as browsers do. What comes back is HTML in one plain form,
and in that form the elements can be counted.

What counts of an element is its name, its attributes and their values. The words that
an attribute says to a reader (`title`, `alt`, `aria-label`) may be any.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from html import unescape
from html.parser import HTMLParser

# An element as it is counted: `<a href="x" title>`.
Elements = Counter[str]

# Attributes that hold words, on any element.
_WORDS = frozenset({"alt", "aria-label", "placeholder", "title"})

_NAME = re.compile(r"<([A-Za-z][^\s/>]*)")
# The name before a colon, read from behind: most words of a page have none.
_SCHEME = re.compile(r":([\w.+-]*[A-Za-z])(?![\w.+-])", re.ASCII)


@lru_cache(maxsize=200)
def elements(html: str) -> Elements:
    """The elements and comments that a browser finds, each as often as it is there."""
    found = (one for one in _pieces(_plain(html)) if isinstance(one, tuple))
    return Counter(map(_as_counted, found))


def is_plain(html: str) -> bool:
    """Whether HTML says to a browser just what it says to everybody else.

    Nothing is left out, moved or closed by the browser on its own.
    """
    return _pieces(html) == _pieces(_plain(html))


def named(element: str) -> str:
    """The element as a message names it: short, and on one line."""
    line = " ".join(element.split())
    return line if len(line) < 61 else f"{line[:59]}…>"


# The last text is kept: its elements are asked for, and then whether it is plain.
@lru_cache(maxsize=1)
def _plain(html: str) -> str:
    """The HTML as a browser reads it, written in one form; nothing is taken out."""
    import nh3  # not everybody who reads a source has it

    names = set(_NAME.findall(html))
    names |= {name.lower() for name in names}
    solid = "".join(unescape(html).split())
    return nh3.clean(
        html,
        tags=names,
        clean_content_tags=set(),
        attributes={},
        # Every name begins with nothing.
        generic_attribute_prefixes={""},
        strip_comments=False,
        link_rel=None,
        url_schemes={s[::-1].lower() for s in _SCHEME.findall(solid[::-1])} | {"https"},
    )


def _as_counted(element: tuple[str, dict[str, str]]) -> str:
    """An element with its attributes in order, those of words without their value."""
    name, given = element
    values = (
        (key, value.replace('"', "&quot;")) for key, value in sorted(given.items())
    )
    shown = (k if k in _WORDS else f'{k}="{value}"' for k, value in values)
    return f"<{' '.join([name, *shown])}>"


def _pieces(html: str) -> list[object]:
    """The tags and the text between them, however they are written."""
    reader = _Pieces()
    reader.feed(html)
    reader.close()
    return reader.pieces


class _Pieces(HTMLParser):
    """Reads elements and comments as tuples, the ends of elements, and texts."""

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


# Elements that a browser reads to their end, or that are no part of a text.
_NAMES = """
    base body embed form frame frameset head html iframe link meta noembed noframes
    noscript object param plaintext script select style template textarea title xmp
"""
_SWALLOWING = frozenset(_NAMES.split())
_VOID = frozenset({"area", "br", "col", "hr", "img", "input", "source", "track", "wbr"})
_MARK = re.compile(
    r"<!--(?:.*?-->)?|<[?!]|</(?![A-Za-z])|<(/?)([A-Za-z][\w-]*)(?=[\s/>])[^<>]*>",
    re.DOTALL,
)


def stray(text: str) -> tuple[range, ...]:
    """Where tags stand that a browser would not read as their writer meant them.

    Those are tags without their partner, such as `List<int>`, the beginning of a
    comment without its end, what a browser takes for a comment, and elements that
    swallow what follows.
    """
    found, opened = list[range](), list[tuple[str, range]]()
    for match in _MARK.finditer(text):
        place, name = range(*match.span()), (match[2] or "").lower()
        if match[0].startswith("<!--"):
            found += [place] * (match[0] == "<!--")
        elif not name or name in _SWALLOWING:
            found.append(place)
        elif match[1]:
            partner = next((o for o in reversed(opened) if o[0] == name), None)
            if partner is None:
                found.append(place)
                continue
            while opened[-1] is not partner:
                found.append(opened.pop()[1])
            opened.pop()
        elif name not in _VOID and not match[0].endswith("/>"):
            opened.append((name, place))
    return tuple(sorted([*found, *(place for _, place in opened)], key=min))
