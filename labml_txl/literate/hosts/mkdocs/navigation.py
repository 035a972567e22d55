r"""# The navigation

The navigation of `mkdocs.yml` names pages, and folders of annotated modules and of
notebooks. A folder stands for its pages, in the order of reading.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any


def with_pages(nav: Any, pages: Collection[str]) -> Any:
    """The navigation with the pages of each folder; `pages` are all in their order."""
    if isinstance(nav, dict):
        return {title: with_pages(item, pages) for title, item in nav.items()}
    if isinstance(nav, list):
        return [page for item in nav for page in _pages_of(item, pages)]
    return _pages_of(nav, pages) if _is_folder(nav) else nav


def _pages_of(item: Any, pages: Collection[str]) -> list[Any]:
    if _is_folder(item):
        return [path for path in pages if path.startswith(item)]
    return [with_pages(item, pages)]


def _is_folder(item: Any) -> bool:
    return isinstance(item, str) and item.endswith("/")


def named(nav: Any) -> Iterator[tuple[str, str]]:
    """The pages of a navigation that have a title there, and the title."""
    for item in nav if isinstance(nav, list) else ():
        for title, below in item.items() if isinstance(item, dict) else ():
            if isinstance(below, str):
                yield below, title
            yield from named(below)


def titles(nav: Any) -> Iterator[str]:
    """The titles in a navigation, in their order."""
    for item in nav or ():
        if isinstance(item, dict):
            for title, below in item.items():
                yield title
                yield from titles(below if isinstance(below, list) else ())
