"""# Pictures

A note may show a picture that is stored beside its module. Such pictures are published
with the page; those of a page that is written by hand are in `docs`. If a picture is
missing, or on a host that the policy of the pages blocks, the build says so, because
the reader would only see an empty frame.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from labml_txl.literate.markdown.note import Note
from labml_txl.literate.sources.source import is_within

_HTML = re.compile(r"""<img\b[^<>]*?\bsrc=["']?([^\s"'<>]+)""", re.IGNORECASE)
_TEXTS = {"text", "html"}


def addresses_of(note: Note) -> Iterator[tuple[str, int, bool]]:
    """Each picture in a note: its address, its line from 0, and whether it is HTML."""
    for piece in note.pieces:
        if piece.kind == "image" and piece.target:
            yield piece.target, note.line_of(piece.start), False
        for match in _HTML.finditer(piece.raw if piece.kind in _TEXTS else ""):
            yield match[1], note.line_of(piece.start + match.start()), True


def find_picture(
    address: str, source: str, folder: str, root: Path
) -> tuple[str, Path] | None:
    """The path in the site of a picture beside a module, and its file.

    `source` is the path of the module, and `folder` the one in the site that the
    address is relative to. The result is None if there is no such file in the project,
    or if its place is outside of the site.
    """
    path = unquote(urlsplit(address).path)
    if any(urlsplit(address)[:2]) or not path or path.startswith("/"):
        return None
    place = posixpath.normpath(posixpath.join(folder, path))
    file = (root / source).parent / path
    if place.startswith("..") or not file.is_file() or not is_within(file, root):
        return None
    return place, file


def fault_of(
    address: str,
    source: str,
    folder: str,
    root: Path,
    docs: str,
    trusted: Iterable[str],
) -> str:
    """Why readers do not see a picture; empty if they do.

    `source` is the path of the module, or empty if only files in `docs` are published.
    """
    parts = urlsplit(address)
    if parts.netloc:
        hosts = {urlsplit(each).netloc or each for each in trusted}
        if parts.netloc in hosts:
            return ""
        blocked = f"the policy of the page blocks pictures of {parts.netloc}"
        return f"{blocked}: add the host to `trusted`, or copy the picture"
    path = unquote(parts.path)
    if parts.scheme or not path:
        return ""
    if source and find_picture(address, source, folder, root):
        return ""
    folder = "" if path.startswith("/") else folder
    place = posixpath.normpath(posixpath.join(docs, folder, path.lstrip("/")))
    if (root / place).is_file():
        return ""
    other = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    looked = f"{other} and {place}" if source else place
    return f"there is no picture {address}: looked for {looked}"
