r"""# How far the translations are

Writes the page that shows, for each language and page, how much is translated, what is
missing, what has to be looked at again, and who did it. It is written anew with every
build, so it is never out of date.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

from labml_txl.literate.i18n.catalog import State
from labml_txl.literate.i18n.labels import Labels
from labml_txl.literate.i18n.languages import Language, is_name
from labml_txl.literate.i18n.pages import Tally, share
from labml_txl.literate.markdown.front_matter import with_fields

PATH = "translations.md"


@dataclass(frozen=True)
class Progress:
    """How far a language is: the states of the messages of each page, and the people.

    - `pages`: by the path of the page without ending;
    - `files`: where the translations of each page can be edited, or nothing.
    """

    language: Language
    pages: Mapping[str, Tally]
    files: Mapping[str, str]
    people: tuple[str, ...] = ()


def translators(files: Iterable[str]) -> tuple[str, ...]:
    """The people that the heads of PO files name, without their addresses."""
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


def progress_page(
    found: Iterable[Progress], titles: Mapping[str, str], labels: Labels, help_page: str
) -> str:
    """The Markdown of the page. `titles` names the pages that can be read."""
    title = labels("progress_title")
    about = labels("progress_about")
    more = f" [{labels('translate')}]({help_page})" if help_page else ""
    fields = {"title": title, "description": labels("progress_description")}
    parts = [f"\n# {title} {{#translations}}", f"{about}{more}"]
    for progress in found:
        parts += _language(progress, titles, labels)
    return with_fields("\n\n".join(parts) + "\n", fields)


def _language(
    progress: Progress, titles: Mapping[str, str], labels: Labels
) -> Iterator[str]:
    language = progress.language
    whole: Tally = sum(progress.pages.values(), Counter())
    name = f'<span lang="{language.tag}">{escape(language.name)}</span>'
    yield f"## {name} ({language.english}) {{#{language.code}}}"
    yield f"<p>{_bar(whole)}</p>"
    if progress.people:
        names = ", ".join(map(escape, progress.people))
        yield labels("progress_people", names=names)
    head = " | ".join(
        labels(f"progress_{name}")
        for name in ("page", "translated", "missing", "fuzzy", "faulty")
    )
    rows = "\n".join(
        _row(page, tally, progress, titles, labels)
        for page, tally in progress.pages.items()
    )
    # A search for a title means the page, and not a row of a table.
    yield '<div data-search-exclude markdown="1">'
    yield f"| {head} |\n|---|---|--:|--:|--:|\n{rows}"
    yield "</div>"


def _row(
    page: str,
    tally: Tally,
    progress: Progress,
    titles: Mapping[str, str],
    labels: Labels,
) -> str:
    named = labels("progress_site") if page == "site" else page
    words = titles.get(page, named).replace("|", r"\|")
    words = f"[{words}]({quote(page)}.md)" if page in titles else words
    counts = (tally[s] for s in (State.MISSING, State.FUZZY, State.FAULTY))
    numbers = " | ".join(str(count or "") for count in counts)
    edit = progress.files.get(page, "")
    label = escape(labels("progress_edit", page=titles.get(page, page)))
    link = f' <a href="{escape(edit)}" aria-label="PO: {label}">PO</a>' if edit else ""
    return f"| {words}{link} | {_bar(tally)} | {numbers} |"


def _bar(tally: Tally) -> str:
    """A part of a hundred, to be seen and to be heard."""
    found = share(tally)
    bar = f'<progress value="{found}" max="100" aria-label="{found} %"></progress>'
    return f"{bar}&nbsp;{found}&nbsp;%"
