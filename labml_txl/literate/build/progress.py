r"""# How far each language is

Counts, for each language and page, the messages that are translated, and finds out who
did it. The page that shows it is written elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from labml_txl.literate.build.cache import digest
from labml_txl.literate.build.modules.digests import contents
from labml_txl.literate.i18n.inventory import Inventory, Said, in_order_of_use
from labml_txl.literate.i18n.labels import LABELS
from labml_txl.literate.i18n.pages import Tally, tally
from labml_txl.literate.render.progress import Progress, progress_page, translators
from labml_txl.literate.sources.repository import relative_to

if TYPE_CHECKING:
    from labml_txl.literate.build.edition import Edition


def progress(edition: Edition, known: Collection[str]) -> str:
    """The Markdown of the page; `known` are the pages that a reader can open."""
    locale = contents([edition.root / edition.project.locale], {".po", ".toml"})
    key = digest("progress", edition.state, sorted(known), *locale)
    return edition.kept.made(key, lambda: _progress(edition, known))


def _progress(edition: Edition, known: Collection[str]) -> str:
    titles = {
        page: edition.translation.words(_title(edition, page), _catalog_of(page))
        for page in edition.inventory
        if f"{page}.md" in known
    }
    others = (edition.into(language) for language in edition.languages[1:])
    found = [_counted(other, edition.inventory) for other in others]
    help_page = "translate.md" if "translate.md" in known else ""
    return progress_page(found, titles, edition.translation.labels, help_page)


def _counted(edition: Edition, messages: Inventory) -> Progress:
    files = {page: edition.catalog_file(page) for page in messages}
    heads = [file.read_bytes()[:2_000] for file in files.values() if file.is_file()]

    def counted(page: str, said: Iterable[Said]) -> Tally:
        file, words = files[page], [one.message for one in said]
        data = file.read_bytes() if file.is_file() else b""
        key = digest("tally", edition.language.code, page, data, *words)
        return edition.kept.made(
            key, lambda: tally(words, edition.translation.of(page))
        )

    return Progress(
        edition.language,
        {page: counted(page, said) for page, said in in_order_of_use(messages).items()},
        {
            page: edition.edit(relative_to(file, edition.root))
            for page, file in files.items()
        },
        translators(head.decode("utf-8", "replace") for head in heads),
    )


def _title(edition: Edition, page: str) -> str:
    """The English title of a page: its first message that is one."""
    if f"{page}.md" == edition.site.equations:
        return LABELS["equations_title"]
    said = edition.inventory[page]
    return next((s.message for s in said if s.kind in ("title", "heading")), page)


def _catalog_of(page: str) -> str:
    """The catalog that has the title of a page."""
    return "site" if page == "equations" else page
