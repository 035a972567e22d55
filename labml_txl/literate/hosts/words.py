r"""# What the templates ask for

Labels, languages, and how much is translated. What a host calls a file and a page is
read only as far as MkDocs and its successors agree: a page has an address and a file.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urljoin

from labml_txl.literate.edition.edition import Edition
from labml_txl.literate.translation.languages import ENGLISH, Language

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
        self._found: dict[str, list[dict[str, Any]]] = {}
        self.label = edition.translation.labels
        self.language = edition.language
        self.script = {name: self.label.pattern(name) for name in _SCRIPT}

    def share(self, page: Any) -> int:
        """How many of a hundred messages of a page are translated."""
        return self._edition.share(page.file.src_uri)

    def languages(self, page: Any, base: str) -> list[dict[str, Any]]:
        """The page in each language: seen from itself, and as a whole address.

        `base` is the way from the page to the first page of its own language.
        """
        path = "" if page is None else page.url.removeprefix("./").removeprefix(".")
        if path not in self._found or page is None:
            root = f"{base.rstrip('/')}/{'' if self.language is ENGLISH else '../'}"
            self._found[path] = [
                self._place(language, root, path)
                for language in self._edition.languages
            ]
        return self._found[path]

    def _place(self, language: Language, root: str, path: str) -> dict[str, Any]:
        site = self._edition.into(ENGLISH).url
        offer = self._edition.into(language).translation.labels
        folder = "" if language is ENGLISH else f"{language.code}/"
        return {
            "language": language,
            "current": language == self.language,
            "link": f"{root}{folder}{path}",
            "whole": urljoin(site, f"{folder}{path}") if site else "",
            "offer": offer("offer", language=language.name),
        }
