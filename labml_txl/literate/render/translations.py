"""# The page of translation progress

Renders for each language what share of it is translated, by whom, and a table of the
pages on which something is left, with the numbers of missing, fuzzy and faulty
messages. The page is rendered again whenever a catalog changes, so it is always up to
date.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

from labml_txl.literate.i18n.catalog import State
from labml_txl.literate.i18n.labels import Labels
from labml_txl.literate.i18n.languages import Language, is_name
from labml_txl.literate.i18n.pages import Tally, compute_share
from labml_txl.literate.markdown.front_matter import add_fields

PATH = "translations.md"


@dataclass(frozen=True)
class Progress:
    """The progress of a language.

    - `pages`: how many messages of a page are in which state, by the path of the page
      without extension;
    - `files`: the URL at which the catalog of a page can be edited, or an empty string;
    - `people`: the names of the translators.
    """

    language: Language
    pages: Mapping[str, Tally]
    files: Mapping[str, str]
    people: tuple[str, ...] = ()


def find_translators(files: Iterable[str]) -> tuple[str, ...]:
    """The names of the translators in the headers of PO files, without duplicates.

    `files` are the contents of the files. E-mail addresses are left out.
    """
    found: dict[str, None] = {}
    for text in files:
        head = text.partition("\n\n")[0]
        for match in _PERSON.finditer(head):
            name = (match["last"] or match["comment"]).strip()
            if is_name(name) and name not in _NOBODY:
                found[name] = None
    return tuple(found)


_PERSON = re.compile(
    r'^(?:"Last-Translator: (?P<last>[^<"\\]+)|# (?P<comment>[^<"\n]+)<[^>\n]*>)', re.M
)
_NOBODY = {"FULL NAME", "FIRST AUTHOR", "Automatically generated"}


def render_progress(
    found: Iterable[Progress], titles: Mapping[str, str], labels: Labels, help_page: str
) -> str:
    """Render the page as Markdown.

    `titles` has the titles of the pages that exist in the site, by their paths without
    extension. `help_page` explains how to translate; it may be empty.
    """
    title = labels("progress_title")
    about = labels("progress_about")
    more = f" [{labels('translate')}]({help_page})" if help_page else ""
    fields = {"title": title, "description": labels("progress_description")}
    parts = [f"\n# {title} {{#translations}}", f"{about}{more}"]
    for progress in found:
        parts += _render_language(progress, titles, labels)
    return add_fields("\n\n".join(parts) + "\n", fields)


def _render_language(
    progress: Progress, titles: Mapping[str, str], labels: Labels
) -> Iterator[str]:
    language = progress.language
    whole: Tally = sum(progress.pages.values(), Counter())
    name = f'<span lang="{language.tag}">{escape(language.name)}</span>'
    yield f"## {name}, {language.english} {{#{language.code}}}"
    yield f"<p>{_render_bar(whole)}</p>"
    if left := whole.total() - whole[State.TRANSLATED]:
        yield labels.count("progress_left", left)
    if progress.people:
        names = ", ".join(map(escape, progress.people))
        yield labels("progress_people", names=names)
    rows = [
        _render_row(page, tally, progress, titles, labels)
        for page, tally in progress.pages.items()
        if tally.total() > tally[State.TRANSLATED]
    ]
    if not rows:
        return
    head = " | ".join(labels(f"progress_{name}") for name in ("page", *_COLUMNS))
    rule = "|".join(("---", *(alignment for alignment, _ in _COLUMNS.values())))
    # Somebody who searches for a title wants the page, not a row of this table.
    yield '<div data-search-exclude markdown="1">'
    yield "\n".join((f"| {head} |", f"|{rule}|", *rows))
    yield "</div>"


def _render_row(
    page: str,
    tally: Tally,
    progress: Progress,
    titles: Mapping[str, str],
    labels: Labels,
) -> str:
    named = labels("progress_site") if page == "site" else page
    words = titles.get(page, named).replace("|", r"\|")
    words = f"[{words}]({quote(page)}.md)" if page in titles else words
    edit = progress.files.get(page, "")
    label = escape(labels("progress_edit", page=titles.get(page, page)))
    link = f' <a href="{escape(edit)}" aria-label="PO: {label}">PO</a>' if edit else ""
    cells = " | ".join(cell(tally) for _, cell in _COLUMNS.values())
    return f"| {words}{link} | {cells} |"


def _render_bar(tally: Tally) -> str:
    """A progress bar with its percentage as text and as the label of the bar."""
    found = compute_share(tally)
    bar = f'<progress value="{found}" max="100" aria-label="{found} %"></progress>'
    return f"{bar}&nbsp;{found}&nbsp;%"


# The columns after that of the page: the name in the label of the heading, the
# alignment, and what makes a cell from the counts of a page.
_COLUMNS: Mapping[str, tuple[str, Callable[[Tally], str]]] = {
    "translated": ("---", _render_bar),
    "missing": ("--:", lambda tally: str(tally[State.MISSING] or "")),
    "fuzzy": ("--:", lambda tally: str(tally[State.FUZZY] or "")),
    "faulty": ("--:", lambda tally: str(tally[State.FAULTY] or "")),
}
