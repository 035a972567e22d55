"""# The page of translation progress"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from labml_txl.literate.project.content import Content
from labml_txl.literate.project.localized import LocalizedProject, PageEntry, SitePage
from labml_txl.literate.render.translations import (
    PATH,
    Progress,
    find_translators,
    render_progress,
)
from labml_txl.literate.sources.repository import relative_to
from labml_txl.literate.sources.source import files_below


@dataclass(frozen=True)
class TranslationsPage(SitePage):
    """How much of each page is translated into each language."""

    @classmethod
    def find(cls, content: Content) -> Iterator[TranslationsPage]:
        """The page of translations, if there is more than one language."""
        if len(content.languages) > 1:
            yield cls(PATH)

    def inputs(self, localized: LocalizedProject) -> Sequence[object]:
        """The contents of all pages, and the catalogs of all languages."""
        files = files_below(localized.locale, {".po", ".toml"})
        return (localized.everything, *(file.read_bytes() for file in files))

    def render(self, localized: LocalizedProject) -> PageEntry:
        """Render a table for each language."""
        labels, messages = localized.translation.labels, localized.inventory
        known = localized.site_pages
        titles = {
            page: localized.entry(f"{page}.md").title
            for page in messages
            if f"{page}.md" in known
        }
        found = []
        for language in localized.languages[1:]:
            other = localized.select_language(language)
            files = {page: other.catalog_file(page) for page in messages}
            heads = [f.read_bytes()[:2_000] for f in files.values() if f.is_file()]
            found.append(
                Progress(
                    language,
                    {page: other.tally(page) for page in messages},
                    {
                        page: localized.edit(relative_to(file, localized.root))
                        for page, file in files.items()
                    },
                    find_translators(head.decode("utf-8", "replace") for head in heads),
                )
            )
        given = localized.project.translators
        help_page = given if given in known else ""
        title, about = labels("progress_title"), labels("progress_description")
        return PageEntry(
            render_progress(found, titles, labels, help_page), title, about
        )
