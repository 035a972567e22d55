"""# The page of an annotated module"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from labml_txl.literate.equations.extension import add_symbols
from labml_txl.literate.export.notebooks.notebook import notebook, shows_something
from labml_txl.literate.export.text import text
from labml_txl.literate.i18n.pages import add_anchors, address
from labml_txl.literate.i18n.update import Message
from labml_txl.literate.markdown.front_matter import add_fields
from labml_txl.literate.project.content import Content
from labml_txl.literate.project.inventory import collect_messages
from labml_txl.literate.project.localized import LocalizedProject, PageEntry, SitePage
from labml_txl.literate.project.modules import ModuleSource
from labml_txl.literate.project.settings import Project
from labml_txl.literate.render.observed import card_data
from labml_txl.literate.render.render import render_page
from labml_txl.literate.sources.blocks import heading_of
from labml_txl.literate.sources.header import keywords
from labml_txl.literate.sources.source import LiterateError, Source


@dataclass(frozen=True)
class ModulePage(SitePage):
    """A module, its notes beside its code, with its exercises at the end."""

    module: ModuleSource

    has_rows = True

    @classmethod
    def find(cls, content: Content) -> Iterator[ModulePage]:
        """The pages of all annotated modules, in reading order."""
        return (cls(module.path, module) for module in content.modules)

    @property
    def source(self) -> Source:
        """The file of the module."""
        return self.module.source

    @property
    def sources(self) -> Sequence[Source]:
        """The file of the module, and that of its exercises, if any."""
        return [*filter(None, (self.module.source, self.module.exercises))]

    def inputs(self, localized: LocalizedProject) -> Sequence[object]:
        """The module, and those of its recorded values that the page itself shows."""
        record = localized.content.records.get(self.source.path)
        return (self, (record.digest, card_data(record)) if record else ())

    def find_missing_rows(self, anchors: Collection[str]) -> Iterator[LiterateError]:
        """A fault at the first of the rows that are not on the page."""
        lost = [s for s in self.module.page.sections if s.anchor not in anchors]
        if lost:
            line, names = lost[0].block.lines.start, ", ".join(s.anchor for s in lost)
            message = (
                f"the page lacks rows that it must have ({names}): look for HTML in the"
                " note above the first of them, and put it between backticks"
            )
            yield LiterateError(self.source.path, line, message)

    @property
    def has_notebook(self) -> bool:
        """Whether the module is valid Python and its exercises show a result."""
        return self.module.facts.readable and shows_something(self.module.exercises)

    def group(self, localized: LocalizedProject) -> str:
        """The title of the package at the top of its folder, or the folder's name."""
        folder = self.path.partition("/")[0]
        first = f"{folder}/index.md"
        known = first in localized.content.by_path
        return localized.entry(first).title if known else folder

    def messages(self, project: Project) -> Iterator[Message]:
        """The messages of its notes, and of its exercises."""
        title = ""
        for block in self.module.blocks:
            if block.opens == "exercises":
                file = block.file
                yield from collect_messages(block.note.parts, self.path, file, project)
                continue
            opens = block.opens == "module"
            if opens:
                title = block.note.title.raw if block.note.title else ""
            above = heading_of(block)[0] or block.scope or ("" if opens else title)
            given = (self.path, self.source.path, project)
            yield from collect_messages(block.note.parts, *given, above)

    def render(self, localized: LocalizedProject) -> PageEntry:
        """Render the module in all formats."""
        module, path, faults = self.module, self.path, list[LiterateError]()
        page, english = localized.page(path), module.page
        # Untranslated text is marked as English, and each heading gets its anchor from
        # the English text, so that anchors are the same in all languages. The anchors
        # of the rows are reserved first.
        taken = {section.anchor for section in english.sections}
        heading = english.heading.raw if english.heading else english.title
        anchor = address(heading, taken)
        anchors = [
            block.with_note(
                add_anchors(block.note, taken, first=block.opens != "module")
            )
            for block in module.blocks
        ]
        marked = english.with_blocks(
            localized.translation.translate_blocks(tuple(anchors), path, marked=True)
        )
        shown = replace(
            page, sections=marked.sections, heading=marked.heading, anchor=anchor
        )
        site = localized.site
        markdown = render_page(shown, site, tell=faults.append)
        fields = {**localized.links(path), "keywords": keywords(module.source)}
        markdown = add_fields(markdown, fields)
        cited = module.find_citations(localized.content.registry)
        symbols = site.registry.symbols_of(citation.key for citation in cited)
        install = localized.content.install
        return PageEntry(
            add_symbols(markdown, symbols),
            page.title,
            page.description,
            text(page, site),
            notebook(page, site, install) if self.has_notebook else "",
            faults=[fault.fields for fault in faults],
        )
