"""# The navigation

The navigation in `mkdocs.yml` lists pages, and folders of annotated modules and of
notebooks. A folder is replaced by its pages, in reading order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from copy import deepcopy
from typing import Any

from labml_txl.literate.project.localized import LocalizedProject
from labml_txl.literate.sources.source import LiterateError
from labml_txl.literate.theme.templates import theme_of


def expand_folders(nav: Any, pages: Collection[str]) -> Any:
    """Replace each folder in the navigation by its pages.

    `pages` are all generated pages in their order. The pages of a subfolder that the
    navigation lists separately are left out of the folder above.
    """
    folders = [*_folders(nav)]

    def expand(item: Any) -> Any:
        if isinstance(item, dict):
            return {title: expand(below) for title, below in item.items()}
        if isinstance(item, list):
            return [
                page
                for one in item
                for page in (expand(one) if _is_folder(one) else [expand(one)])
            ]
        if not _is_folder(item):
            return item
        inner = tuple(f for f in folders if f != item and f.startswith(item))
        return [p for p in pages if p.startswith(item) and not p.startswith(inner)]

    return expand(nav)


def _folders(nav: Any) -> Iterator[str]:
    if _is_folder(nav):
        yield nav
    if isinstance(nav, dict | list):
        for item in nav.values() if isinstance(nav, dict) else nav:
            yield from _folders(item)


def _is_folder(item: Any) -> bool:
    return isinstance(item, str) and item.endswith("/")


def translate_nav(nav: Any, words: Callable[[str], str]) -> Any:
    """A copy of the navigation with `words` applied to each title."""
    if isinstance(nav, dict):
        return {words(title): translate_nav(item, words) for title, item in nav.items()}
    return (
        [translate_nav(item, words) for item in nav] if isinstance(nav, list) else nav
    )


def names(config: Any) -> Iterator[str]:
    """Yield the texts in the settings that readers see, which have to be translated."""
    yield from (config.site_name, config.site_description or "")
    yield from (title for title, _ in entries(config.nav))
    given = config.theme.get("palette") or []
    for palette in given if isinstance(given, list) else [given]:
        yield (palette.get("toggle") or {}).get("name", "")


def translate(config: Any, localized: LocalizedProject) -> None:
    """Translate the name of the site, its navigation and its theme in place."""

    def words(given: str) -> str:
        return localized.translation.translate_words(given, "site")

    theme = config.theme
    config.site_name = words(config.site_name)
    config.site_description = words(config.site_description or "")
    config.nav = translate_nav(config.nav, words)
    theme["language"] = theme_of(localized.language.theme, theme.dirs)
    theme["direction"] = localized.language.direction
    theme["palette"] = deepcopy(theme.get("palette"))
    for palette in theme["palette"] if isinstance(theme["palette"], list) else ():
        if "toggle" in palette:
            palette["toggle"]["name"] = words(palette["toggle"]["name"])


def entries(nav: Any, settings: str = "mkdocs.yml") -> Iterator[tuple[str, Any]]:
    """Yield each title in a navigation with its page or the entries below it.

    Raises `LiterateError` for a title that YAML does not parse as a string, such as
    `No` or `1`.
    """
    for item in nav if isinstance(nav, list) else ():
        for title, below in item.items() if isinstance(item, dict) else ():
            if not isinstance(title, str):
                message = (
                    f"nav: the title {title} is not a string: put it in quotation marks"
                )
                raise LiterateError(settings, 1, message)
            yield title, below
            yield from entries(below, settings)
