r"""# What the templates ask for

Labels, languages, and how much is translated; and which templates write what they are
given as words. What a host calls a file and a page is read only as far as MkDocs and
its successors agree: a page has an address and a file.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from labml_txl.literate.edition.edition import Edition
from labml_txl.literate.sources.source import LiterateError
from labml_txl.literate.translation.labels import LABELS
from labml_txl.literate.translation.languages import SETTINGS
from labml_txl.literate.translation.pages import share, tally

# The labels that the script of a page says.
_SCRIPT = frozenset(
    {
        *("copy", "copied", "enlarge", "close", "formula", "one_use", "uses"),
        *("defined", "definition", "documentation", "choose_symbol"),
        *("names_of_symbol", "unnamed", "equations_of_symbol", "language"),
    }
)


class Words:
    """What the templates ask for: labels, languages, and how much is translated."""

    def __init__(self, edition: Edition, files: Any) -> None:
        self._edition = edition
        help_page = files.get_file_from_path("translate.md")
        self.help = help_page.url if help_page else ""
        equations = files.get_file_from_path(edition.site.equations)
        self.equations = equations.url if equations else ""
        self.label = edition.translation.labels
        self.language = edition.language
        self.script = {
            name: self.label.pattern(name) for name in LABELS if name in _SCRIPT
        }
        self._places = [
            (one, one.home, one.translation.labels("offer", language=one.language.name))
            for one in map(edition.into, edition.languages)
        ]

    def share(self, page: Any) -> int:
        """How many of a hundred messages of a page are translated."""
        path = page.file.src_uri
        said = self._edition.inventory.get(path.removesuffix(".md"), ())
        catalog = self._edition.translation.of(path)
        return share(tally((one.message for one in said), catalog))

    def languages(self, page: Any) -> list[dict[str, Any]]:
        """The page in each language: seen from itself, and as a whole address."""
        return [
            {
                "language": edition.language,
                "current": edition.language == self.language,
                "link": home if page is None else self._way(edition, page),
                "whole": self._whole(edition, page),
                "offer": offer,
            }
            for edition, home, offer in self._places
        ]

    def _way(self, edition: Edition, page: Any) -> str:
        """The way from a page to the same page of another edition."""
        path = page.url.removeprefix("./")
        here, there = (
            f"/{language.folder}{path}"
            for language in (self.language, edition.language)
        )
        folder = here.rpartition("/")[0] or "/"
        way = posixpath.relpath(there, folder)
        return f"{way}/" if there.endswith("/") else way

    def _whole(self, edition: Edition, page: Any) -> str:
        known = edition.url if page is not None else ""
        return urljoin(known, page.url.removeprefix("./")) if known else ""


def check_themes(edition: Edition, folders: Iterable[str]) -> None:
    """Refuse a language for which the theme has no words of its own.

    `folders` hold the templates. Raises `LiterateError` for the first such language.
    """
    places = tuple(map(Path, folders))
    for language in edition.languages[1:]:
        words = f"partials/languages/{language.theme}.html"
        if not any(folder.joinpath(words).is_file() for folder in places):
            path = f"{edition.project.locale}/{language.code}/{SETTINGS}"
            given = f"theme = {language.theme!r} is no language of Material's"
            way = 'write the code of one that is, or theme = "en"'
            raise LiterateError(path, 1, f"{given}: {way}")


# Templates of the theme for what the owner of a site has written as HTML, or the theme.
_OWN = re.compile(
    r"blog|fragments/|redirect|\.icons/|partials/"
    r"(?:languages?[/.]|icons|post|tags|consent|copyright|feedback|integrations/)"
)


def escapes(template: str | None) -> bool:
    """Whether a template writes what it is given as words, not as HTML."""
    return not (template and _OWN.match(template))
