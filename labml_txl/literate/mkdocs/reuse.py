"""# Pages of the last build

The templates put the navigation and much else around the HTML of a page. On a large
site, they take more than half of a build in which little has changed. So a page for
which nothing has changed is taken from the site that the last build published.

Templates of the site's own, and most other plugins, may show anything on a page. With
them, all pages come from the templates.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure import StructureItem
from mkdocs.structure.nav import Navigation

from labml_txl.literate.mkdocs.search import search_plugin
from labml_txl.literate.mkdocs.settings import read_given
from labml_txl.literate.project.cache import Cache, hash_of

# The events at which a plugin can change what the templates make of a page.
_EVENTS = ("env", "page_context", "post_page")
# The metadata of a page that the navigation of other pages shows.
_IN_NAVIGATION = ("title", "icon", "status", "subtitle")


class LastBuild:
    """The pages that a build of one language has published in `folder`.

    `words` are the variables of the templates that all pages share, and `around` is
    everything else that they depend on. The hashes of the pages are in `cache`.
    """

    def __init__(
        self, folder: Path, cache: Cache, words: Mapping[str, Any], *around: object
    ) -> None:
        self._folder, self._cache, self._words = folder, cache, words
        self._around = hash_of(words, *around)

    def key(self, page: Any) -> str:
        """A hash of everything that the templates show on a page."""
        own, lit = dict(page.meta), page.meta["lit"]
        own["lit"] = {
            name: value
            for name, value in lit.items()
            if value is not self._words.get(name)
        }
        beside = [
            (one.title, one.url) if one else None
            for one in (page.previous_page, page.next_page)
        ]
        return hash_of(
            *("page", self._around, page.html_key, page.content, own, page.title),
            *(page.file.dest_uri, page.url, page.canonical_url, page.edit_url, beside),
        )

    def find(self, page: Any, key: str) -> Path | None:
        """The file of a page, if it is the output that was stored under this key."""
        file, known = self._folder / page.file.dest_uri, self._cache.get(key)
        try:
            return file if known and known == _digest(file.read_bytes()) else None
        except OSError:
            return None

    def store(self, key: str, output: str) -> None:
        """Store the hash of the output of a page."""
        self._cache.put(key, _digest(output.encode()))


def _digest(output: bytes) -> str:
    return blake2b(output, digest_size=16).hexdigest()


def is_possible(config: MkDocsConfig, plugin: object) -> bool:
    """Whether this plugin and the theme alone make the pages."""
    handlers = (one for event in _EVENTS for one in config.plugins.events[event])
    others = {id(getattr(handler, "__self__", None)) for handler in handlers}
    known = {id(plugin), id(search_plugin(config))}
    return not config.theme.custom_dir and others <= known


def around(config: MkDocsConfig, navigation: Navigation) -> tuple[object, ...]:
    """What any page may show of the settings and of the other pages."""
    given = json.dumps(read_given(config), sort_keys=True, default=_name)
    files = (config.extra_css, [*map(str, config.extra_javascript)])
    addresses = (config.site_url, config.use_directory_urls)
    return (given, *files, *addresses, _entries(navigation.items))


def _name(value: object) -> str:
    """A value of YAML that JSON does not know, such as a function."""
    return str(getattr(value, "__qualname__", value))


def _entries(items: Iterable[StructureItem] | None) -> list[object]:
    return [
        (
            *(item.title, getattr(item, "url", None)),
            *(getattr(item, "meta", {}).get(name) for name in _IN_NAVIGATION),
            _entries(getattr(item, "children", None)),
        )
        for item in items or ()
    ]
