"""# The variables of the templates

Provides the labels, the list of languages and the state of the translation to the
templates, as plain strings, lists and mappings, because the templates of a host need
not run in Python. Also decides which templates escape HTML, and completes the pages
that they make.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin

from labml_txl.literate import colours
from labml_txl.literate.i18n.labels import LABELS
from labml_txl.literate.i18n.languages import ENGLISH
from labml_txl.literate.project.files import sentence_files
from labml_txl.literate.project.inventory import SITE
from labml_txl.literate.project.localized import LocalizedProject
from labml_txl.literate.recording.records import COMMAND
from labml_txl.literate.render.html import finish_html
from labml_txl.literate.security.policy import add_policy

# The folder of our templates, style sheets and scripts.
THEME = Path(__file__).parent / "overrides"

# The style sheet of pages, which the build completes.
SHEET = "assets/literate.css"


def style_sheet(letters: str = "") -> str:
    """The style sheet of pages with its colours, and those of the terms of a sum."""
    own = (THEME / SHEET).read_text(encoding="utf-8")
    return colours.write_style_sheet(letters) + own


# The labels that the script of a page shows.
SCRIPT_LABELS = frozenset(
    {
        *("copy", "copy_link", "copied", "enlarge", "close", "formula", "uses"),
        *("defined", "definition", "documentation", "choose_symbol"),
        *("names_of_symbol", "unnamed", "equations_of_symbol", "language"),
        "route_on",
    }
)
# The labels that the cards of observed values show.
CARD_LABELS = frozenset(
    {
        *("observed_at", "range", "mean", "deviation", "unreal", "heat_map", "run"),
        *("hatched", "all_tokens", "row_sum", "record_again", "on_disk", "unread"),
        "close",
    }
)


@dataclass(frozen=True)
class Route:
    """The pages of a site in an order of reading, with the minutes of each.

    `home` is the page whose front matter lists them as `route`, or None.
    """

    home: str = ""
    stops: tuple[Mapping[str, Any], ...] = ()

    def at(self, url: str) -> Mapping[str, Any] | None:
        """The route as a page of it shows it; None on every other page."""
        places = [stop["url"] for stop in self.stops]
        if not places or url not in {self.home, *places}:
            return None
        here = places.index(url) if url in places else -1
        return {"home": self.home, "stops": self.stops, "here": here}

    def order(self, menu: Sequence[Any]) -> list[Any]:
        """The pages of a menu in the order in which each page leads to the next.

        That is the order of the menu, except that the stops follow each other, after
        the page that lists them.
        """
        by_url = {page.url: page for page in menu}
        stops = [by_url.pop(s["url"]) for s in self.stops if s["url"] in by_url]
        rest = list(by_url.values())
        start = [*by_url].index(self.home) + 1 if self.home in by_url else 0
        return [*rest[:start], *stops, *rest[start:]]


def route_of(pages: Mapping[str, Any]) -> Route:
    """The route through some pages, which are named by their sources."""
    for page in pages.values():
        listed = page.meta.get("route")
        if isinstance(listed, list):
            found = [
                {
                    "url": pages[stop["page"]].url,
                    "title": pages[stop["page"]].title,
                    "minutes": stop["minutes"],
                }
                for stop in listed
                if stop["page"] in pages
            ]
            return Route(page.url, tuple(found))
    return Route()


class Words:
    """The variables of the templates in one language.

    `site` has those of a page that does not belong to the language, such as the error
    page, and `page` those of any other page.
    """

    def __init__(self, localized: LocalizedProject) -> None:
        self._localized = localized
        labels, address = localized.translation.labels, localized.site.address
        translated = localized.translation.translate_words
        # The translations of the texts in records, where they differ.
        recorded = {
            words: found
            for words in localized.content.recorded_words
            if (found := translated(words, SITE)) != words
        }
        known = localized.site_pages
        help_page, equations = (
            address("index.md", page) if page in known else ""
            for page in (localized.project.translators, localized.site.equations)
        )
        self._places = [
            (one, one.home, _offer(one))
            for one in map(localized.select_language, localized.languages)
        ]
        # The URL of the sentences of each page whose sentences can be edited.
        self._sentences = {
            path: quote(file) for path, file in sentence_files(localized).items()
        }
        self.site: Mapping[str, Any] = {
            "label": {name: labels.pattern(name) for name in LABELS},
            "script": {
                name: labels.pattern(name) for name in LABELS if name in SCRIPT_LABELS
            },
            "cards": {
                **{
                    name: labels.pattern(name) for name in LABELS if name in CARD_LABELS
                },
                "words": recorded,
                "command": COMMAND,
            },
            "language": asdict(localized.language),
            "languages": self._languages(None),
            "help": help_page,
            "equations": equations,
        }

    def page(self, path: str, url: str, edit: str) -> Mapping[str, Any]:
        """The variables of a page: those of the site, and its own.

        `path` is that of its Markdown, `url` its URL relative to the site, and `edit`
        the edit URL that the host suggests.
        """
        localized = self._localized
        done = localized.entry(path).share if path in localized.site_pages else 100
        banner = self._localized.translation.labels("share_banner", share=done)
        return {
            **self.site,
            "languages": self._languages(url.removeprefix("./")),
            "share": "" if done == 100 else banner,
            "edit": self._localized.edit_url(path, edit),
            "ask": self._ask(url.removeprefix("./")),
            "sentences": self._sentences.get(path, ""),
            "is_home": url.removeprefix("./") in {"", ".", "index.html"},
        }

    def _ask(self, url: str) -> str:
        """The URL for asking a question about a page; empty without a repository."""
        localized, labels = self._localized, self._localized.translation.labels
        address = f"{localized.language.folder}{url}"
        text = labels(
            "ask_text",
            address=_absolute_url(localized, url) or address,
            language=localized.language.name,
        )
        title = labels("ask_title", page=address or "index")
        return localized.project.repository.issue(title, text)

    def _languages(self, path: str | None) -> list[Mapping[str, Any]]:
        """The page in each language: its relative and its absolute URL, and labels.

        `path` is the URL of the page relative to its language, or None for the error
        page, which links to the front page of each language.
        """
        return [
            {
                "language": asdict(localized.language),
                "current": localized.language == self._localized.language,
                "link": home if path is None else self._way(localized, path),
                "whole": "" if path is None else _absolute_url(localized, path),
                "offer": offer,
            }
            for localized, home, offer in self._places
        ]

    def _way(self, localized: LocalizedProject, path: str) -> str:
        """The relative URL from a page to the same page of another language."""
        here, there = (
            f"/{language.folder}{path}"
            for language in (self._localized.language, localized.language)
        )
        folder = here.rpartition("/")[0] or "/"
        way = posixpath.relpath(there, folder)
        return f"{way}/" if there.endswith("/") else way


def _offer(localized: LocalizedProject) -> str:
    """The offer of a page in a language, in that language or all of it in English."""
    language, labels = localized.language, localized.translation.labels
    own = labels.pattern("offer") != LABELS["offer"]
    name = language.name if own or language == ENGLISH else language.english
    return labels("offer", language=name)


def finish_page(
    html: str,
    frame: str,
    localized: LocalizedProject,
    path: str,
    *,
    preview: bool = False,
) -> str:
    """Post-process the HTML of a page, and insert its policy.

    `frame` is the output of the templates without the content of the page, and `path`
    the path of its Markdown. Of the contents of pages, only English prose may have
    inline scripts.
    """
    project, page = localized.project, localized.site_pages.get(path)
    if page and localized.url and not localized.entry(path).share:
        # A page of which nothing is translated is the English page once more.
        own, english = (
            f'<link rel="canonical" href="{escape(one.url)}'
            for one in (localized, localized.select_language(ENGLISH))
        )
        html = html.replace(own, english, 1)
    return add_policy(
        finish_html(html, localized.translation),
        frame,
        page.scripts if page else "",
        project.trusted,
        dict(project.connect).get(path, ()),
        preview=preview,
    )


def _absolute_url(localized: LocalizedProject, path: str) -> str:
    return urljoin(localized.url, path) if localized.url else ""


def theme_of(code: str, folders: Iterable[str]) -> str:
    """The theme's name of a language; `en` if the theme is not translated into it.

    `code` is the name to look for in `folders`, which contain the theme's templates.
    """
    words = Path("partials", "languages", f"{code}.html")
    return code if any(Path(one, words).is_file() for one in folders) else "en"


# Templates of the theme that insert HTML of the site's owner or of the theme itself.
_OWN = re.compile(
    r"blog|fragments/|redirect|\.icons/|partials/"
    r"(?:languages?[/.]|icons|post|tags|consent|copyright|feedback|integrations/)"
)


def escapes(template: str | None) -> bool:
    """Whether a template escapes its variables, so that they are text, not HTML."""
    return not (template and _OWN.match(template))
