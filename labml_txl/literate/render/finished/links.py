r"""# Checking links

A link within the site must lead somewhere, and a picture must be there. MkDocs only
warns of some that are not, and names no line. Here every address and every anchor of
the finished pages is looked up before one of them is written.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from labml_txl.literate.sources.source import LiterateError, Source


@dataclass(frozen=True)
class Ends:
    """Where links may lead to in a page, where its own links lead, and its pictures."""

    anchors: frozenset[str] = frozenset()
    links: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()


@dataclass(frozen=True)
class Document:
    """A page: its links, its address in the site, and the text that it was made of."""

    source: Source
    url: str
    ends: Ends


class _Reader(HTMLParser):
    """Collects the anchors of a page and the addresses that it points to."""

    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.pictures: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            elif name == "href" and tag == "a" and value:
                self.links.append(value)
            elif name == "src" and tag == "img" and value:
                self.pictures.append(value)


def dead_links(
    documents: Iterable[Document], files: Collection[str]
) -> Iterator[LiterateError]:
    """The links that lead nowhere, and the pictures that are not there.

    `files` holds the addresses of what is in the site beside the pages.
    """
    documents = tuple(documents)
    readers = {document.url: document.ends for document in documents}
    for document in documents:
        for link in document.ends.links:
            if problem := _problem(document.url, link, readers, files):
                line = _line(document.source, link)
                yield LiterateError(document.source.path, line, problem)
        for picture in document.ends.pictures:
            # What a note asks for as a drawing was looked for when it was drawn.
            drawn = f"/{picture}".rpartition("/")[2] + ")" in document.source.text
            if picture.endswith(".svg") and drawn:
                continue
            if _is_missing(document.url, picture, files):
                line = _line(document.source, picture)
                message = f"there is no picture {picture}: correct it or remove it"
                yield LiterateError(document.source.path, line, message)


def ends(html: str) -> Ends:
    """The anchors, the links and the pictures of a page."""
    tags = dict.fromkeys(_TAG.findall(_UNREAD.sub("", html)))
    reader = _Reader()
    reader.feed("".join(tag for tag in tags if _NAMED.search(tag)))
    links, pictures = (tuple(dict.fromkeys(r)) for r in (reader.links, reader.pictures))
    return Ends(frozenset(reader.anchors), links, pictures)


# Most of a page is the colours of its code: only tags that name something are read.
_TAG = re.compile(r"""<[A-Za-z](?:[^<>"']|"[^"]*"|'[^']*')*>""")
_NAMED = re.compile(r"\b(?:id|href|src)\s*=", re.IGNORECASE)
# In these, a browser finds no elements.
_UNREAD = re.compile(
    r"<!--.*?-->|<(script|style)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE
)


def _problem(
    url: str, link: str, readers: dict[str, Ends], files: Collection[str]
) -> str:
    """What is wrong with a link, or nothing."""
    if link.startswith("#"):  # Most of them.
        goal, anchor = url, unquote(link[1:])
    elif urlsplit(link).scheme or link.startswith("/"):
        return ""
    else:
        goal, anchor = urldefrag(urljoin(f"/{url}", link))
        goal, anchor = unquote(goal.removeprefix("/")), unquote(anchor)
    if goal not in readers:
        if goal in files:
            return ""
        return f"the link {link} leads to no page: correct it or remove it"
    if anchor and anchor not in readers[goal].anchors:
        near = _nearest(anchor, readers[goal].anchors)
        return f"the link {link} leads to no anchor of its page{near}"
    return ""


def _is_missing(url: str, picture: str, files: Collection[str]) -> bool:
    """Whether a picture of this site is not there."""
    given = urlsplit(picture)
    if given.scheme or given.netloc or picture.startswith("/"):
        return False
    file = unquote(urlsplit(urljoin(f"/{url}", picture)).path)
    return file.removeprefix("/") not in files


def _nearest(anchor: str, anchors: Collection[str]) -> str:
    near = difflib.get_close_matches(anchor, sorted(anchors), n=1)
    return f": did you mean #{near[0]}?" if near else ""


def _line(source: Source, link: str) -> int:
    """The line that holds a link: it may be written in another way in the source."""
    anchor = link.partition("#")[2]
    for words in (
        link,
        f"#{anchor}" if anchor else "",
        link.strip("./").split("/")[-1],
    ):
        if words and (position := source.text.find(words)) >= 0:
            return source.text.count("\n", 0, position) + 1
    return 1
