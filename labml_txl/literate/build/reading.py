r"""# Pages that did not change

A host makes HTML of a page, lets an index of the search read it, and fills in a
template. Where the text of the page and the site around it are those of an earlier
build, all of that gives what it gave then, and none of it is done again.

The site around a page is the navigation with its titles, and the settings. What another
page says is no part of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

import nh3

from labml_txl.literate.build.cache import digest
from labml_txl.literate.build.edition import Edition
from labml_txl.literate.render.finished.html import searched
from labml_txl.literate.render.finished.links import Document, ends
from labml_txl.literate.sources.source import Source


def content_of(page: Any) -> str:
    """The content of a page, which may be packed."""
    return (page.unpack() if hasattr(page, "unpack") else page.content) or ""


def document(page: Any, edition: Edition, made_of: str) -> Document:
    """What links of a page lead to; `made_of` names its content."""
    file = page.file
    if not getattr(page, "same", False):
        key = digest("ends", made_of)
        page.ends = edition.kept.made(key, lambda: ends(content_of(page)))
        page.asked.add(key)
    prose = file.src_uri in edition.project.prose
    name = f"{edition.project.docs}/{file.src_uri}" if prose else file.src_uri
    source = edition.made.get(file.src_uri) or Source(name, file.content_string)
    # The address of the start page is empty.
    return Document(source, unquote(file.url.removeprefix("./")), page.ends)


class Reading:
    """A page while the index reads it; `whole` is all of it, if it did not change."""

    def __init__(
        self,
        page: Any,
        edition: Edition,
        index: list[dict[str, Any]] | None,
        frame: str,
        made_of: str,
        settings: object,
    ) -> None:
        """Put the page before the index, unless it has read it before.

        `frame` names all that templates are told of the site around the page; it is
        empty where somebody else may change the page. `made_of` names its content. The
        `settings` of the search say whether Chinese is divided into words.
        """
        kept = edition.kept
        self._page, self._kept, self._index = page, kept, index
        self._meta = page.meta.get("search")
        self._rank = _rank(page.file.src_uri, edition.project.modules)
        self._ways = _ways(page, edition)
        meta = (self._meta, page.meta.get("tags"), settings, self._rank, self._ways)
        self._key = digest("search", page.url, str(page.title), made_of, meta)
        self._found = kept.get(self._key) if index is not None else None
        self._before = len(index or ())
        # Scripts of a page are compared with those of the English page, so a page that
        # has any is not kept as a whole.
        known = frame and not page.scripts
        name = digest("whole", made_of, str(page.title), page.meta, frame)
        self._name = name if known else ""
        self.whole: str = kept.get(name) or "" if known else ""
        if hasattr(page, "asked"):
            page.asked |= {self._key, *filter(None, [self._name])}
        self._toc = page.toc
        self._content = page.content if self.whole else content_of(page)
        if self._found is not None and index is not None:
            index.extend(self._found)
            page.meta["search"] = {"exclude": True}
        else:
            page.content = content_of(page)
            if page.file.src_uri in edition.annotated.markdown:
                page.content = searched(page.content)
                # For each section, all of its entries are gone through in vain.
                page.toc = []

    def end(self) -> list[dict[str, Any]]:
        """Put the page back, and keep what the index has read."""
        self._page.content = self._content
        self._page.toc = self._toc
        if self._found is not None:
            self._page.meta["search"] = self._meta
            if self._meta is None:
                del self._page.meta["search"]
        elif self._index is not None:
            for entry in (read := self._index[self._before :]):
                # A search shows it as HTML, and it may have come as words.
                entry["title"] = nh3.clean(entry["title"], tags=_SHOWN, attributes={})
                if self._rank:
                    entry["boost"] = entry.get("boost", 1) / 3**self._rank
                if "#" not in entry["location"]:
                    entry["text"] += self._ways
            self._kept.keep(self._key, read)
        return (self._index or [])[self._before :]

    def keep(self, whole: str) -> str:
        """Keep the whole page, and make room."""
        if self._name:
            self._kept.keep(self._name, whole)
            self._page.content = ""
        return whole


def _rank(path: str, modules: Iterable[str]) -> int:
    """How many folders of modules come before that of a page, in the settings.

    What a project names first is what its readers look for first. Other pages have
    rank 0.
    """
    folder = PurePosixPath(path).parts[0].removesuffix(".md")
    folders = [PurePosixPath(module).stem for module in modules]
    return folders.index(folder) if folder in folders else 0


def _ways(page: Any, edition: Edition) -> str:
    """The ways to run a tutorial, which stand beside its text and are looked for."""
    if page.meta.get("template") != "notebook.html" or "colab_url" not in page.meta:
        return ""
    return f"<p>{escape(edition.translation.labels('colab'))}</p>"


# What a search shows of the elements of a title.
_SHOWN = {"code", "sub", "sup"}
