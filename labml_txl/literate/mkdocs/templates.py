r"""# What the templates ask for

Labels, languages, and how much is translated; and which templates write what they are
given as words. A host may write its templates in Python or not: what it passes on to
them is text, lists and tables.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin

from jinja2 import Template
from markupsafe import Markup

from labml_txl.literate.build.cache import digest
from labml_txl.literate.build.edition import Edition
from labml_txl.literate.build.forms import sentences_of
from labml_txl.literate.build.modules.observed import run_words
from labml_txl.literate.equations.extension import as_title
from labml_txl.literate.equations.math import Typesetter
from labml_txl.literate.i18n.inventory import SITE
from labml_txl.literate.i18n.labels import LABELS, PLURALS
from labml_txl.literate.i18n.languages import ENGLISH, SETTINGS
from labml_txl.literate.i18n.pages import share, tally
from labml_txl.literate.sources.source import LiterateError

# The templates and the style of the pages.
THEME = Path(__file__).parent / "theme"

# The labels that the script of a page says.
_SCRIPT = frozenset(
    {
        *("copy", "copy_link", "copied", "enlarge", "close", "formula", "uses"),
        *("defined", "definition", "documentation", "choose_symbol"),
        *("names_of_symbol", "unnamed", "equations_of_symbol", "language"),
    }
)
# Those that the cards of observed values say.
_CARDS = frozenset(
    {
        *("observed_at", "range", "mean", "deviation", "unreal", "heat_map", "run"),
        *("hatched", "all_tokens", "row_sum", "record_again", "on_disk", "unread"),
        "close",
    }
)


def _run_words(edition: Edition) -> Iterator[tuple[str, str]]:
    """What is said of recorded runs, and the same in the language if it differs."""
    for words in run_words(edition.annotated.records):
        said = edition.translation.words(words, SITE)
        if said != words:
            yield words, said


class Words:
    """What the templates ask for, as plain values: any host can pass them on."""

    def __init__(self, edition: Edition) -> None:
        self._edition = edition
        labels, address = edition.translation.labels, edition.site.address
        known = {*edition.pages(), *edition.project.prose}
        help_page, equations = (
            address("index.md", page) if page in known else ""
            for page in ("translate.md", edition.site.equations)
        )
        self._places = [
            (one, one.home, one.translation.labels("offer", language=one.language.name))
            for one in map(edition.into, edition.languages)
        ]
        # What is told of the sentences of a page, if they can be edited.
        self._sentences = {path: quote(file) for path, file in sentences_of(edition)}
        # Of a page that is no page of the language, such as that for lost readers.
        self.site: Mapping[str, Any] = {
            "label": {name: labels.pattern(name) for name in LABELS},
            "script": {
                name: labels.plural(name) if name in PLURALS else labels.pattern(name)
                for name in LABELS
                if name in _SCRIPT
            },
            "cards": {
                **{name: labels.pattern(name) for name in LABELS if name in _CARDS},
                "words": dict(_run_words(edition)),
            },
            "language": asdict(edition.language),
            "languages": self._languages(None),
            "help": help_page,
            "equations": equations,
        }

    def page(self, path: str, url: str, edit: str) -> Mapping[str, Any]:
        """What the templates ask for on a page: how much of it is translated, and more.

        `url` is its address in the site, and `edit` what the host knows of the place
        where it can be edited.
        """
        done = self._share(path) if self._edition.language != ENGLISH else 100
        banner = self._edition.translation.labels("share_banner", share=done)
        return {
            **self.site,
            "languages": self._languages(url.removeprefix("./")),
            "share": "" if done == 100 else banner,
            "edit": self._edition.edit_url(path, edit),
            "sentences": self._sentences.get(path, ""),
            "is_home": url.removeprefix("./") in {"", ".", "index.html"},
        }

    def _share(self, path: str) -> int:
        said = self._edition.inventory.get(path.removesuffix(".md"), ())
        catalog = self._edition.translation.of(path)
        return share(tally((one.message for one in said), catalog))

    def _languages(self, path: str | None) -> list[Mapping[str, Any]]:
        """The page in each language: seen from itself, and as a whole address."""
        return [
            {
                "language": asdict(edition.language),
                "current": edition.language == self._edition.language,
                "link": home if path is None else self._way(edition, path),
                "whole": "" if path is None else _whole(edition, path),
                "offer": offer,
            }
            for edition, home, offer in self._places
        ]

    def _way(self, edition: Edition, path: str) -> str:
        """The way from a page to the same page of another edition."""
        here, there = (
            f"/{language.folder}{path}"
            for language in (self._edition.language, edition.language)
        )
        folder = here.rpartition("/")[0] or "/"
        way = posixpath.relpath(there, folder)
        return f"{way}/" if there.endswith("/") else way


def _whole(edition: Edition, path: str) -> str:
    return urljoin(edition.url, path) if edition.url else ""


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


def frame(config: Any, nav: Any) -> str:
    """A name for all that a template is told of the site around a page.

    `config` are the settings of MkDocs, and `nav` are entries with titles.
    """
    untold = {"plugins", "hooks", "theme", "site_dir", "watch", "strict"}
    told = {name: value for name, value in config.items() if name not in untold}
    plugins = {name: dict(plugin.config) for name, plugin in config.plugins.items()}
    return digest(_outline(nav), told, plugins, dict(config.theme))


def alone(config: Any) -> bool:
    """Whether nobody else changes pages: no other plugin, and no other templates."""
    others = set(config.plugins) - {"literate", "search", "material/search"}
    return not (others or config.hooks or config.theme.custom_dir)


def made_of(page: Any, config: Any) -> str:
    """A name for the content of a page."""
    return page.key if alone(config) else digest(page.content)


def _outline(entries: Any) -> Any:
    return [
        (str(one.title), getattr(one, "url", ""), _outline(one.children or ()))
        for one in entries
    ]


class Filled(Template):
    """A template that is filled in unless the page is known as a whole."""

    def render(self, *given: Any, **more: Any) -> str:
        """The page: what is given under `whole`, if there is anything."""
        known: str = dict(*given, **more).get("whole", "")
        return known or super().render(*given, **more)


def escapes(template: str | None) -> bool:
    """Whether a template writes what it is given as words, not as HTML."""
    return not (template and _OWN.match(template))


def say_plainly(contents: Iterable[Any], typesetter: Typesetter) -> None:
    """Let the contents of a page say their titles as words, with formulas as they are.

    `contents` holds entries with `title` and `children`, and the theme looks for
    `typeset`.
    """
    for entry in contents:
        words = unescape(entry.title)
        entry.title = words.replace("\\(", "").replace("\\)", "")
        if html := as_title(words, typesetter):
            entry.typeset = {"title": Markup(html)}
        say_plainly(entry.children, typesetter)
