"""# The page of equations"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from labml_txl.literate.equations.extension import add_symbols
from labml_txl.literate.equations.registry import Paper
from labml_txl.literate.export.text import render_plain_equations
from labml_txl.literate.i18n.update import Message
from labml_txl.literate.markdown.note import read_once, words_in
from labml_txl.literate.project.content import Content
from labml_txl.literate.project.localized import LocalizedProject, PageEntry, SitePage
from labml_txl.literate.project.settings import Project
from labml_txl.literate.render.equations import PATH, render_equations
from labml_txl.literate.sources.source import Source


@dataclass(frozen=True)
class EquationsPage(SitePage):
    """The equations of all papers, with the code that cites them and their tests."""

    registries: tuple[Source, ...]
    papers: tuple[Paper, ...]

    has_rows = True

    @classmethod
    def find(cls, content: Content) -> Iterator[EquationsPage]:
        """The page of equations, if the project has any."""
        if papers := content.registry.papers:
            yield cls(PATH, content.registries, papers)

    @property
    def source(self) -> Source:
        """The first registry."""
        return self.registries[0]

    @property
    def sources(self) -> Sequence[Source]:
        """All registries."""
        return self.registries

    def inputs(self, localized: LocalizedProject) -> Sequence[object]:
        """The contents of all pages, since any module may cite an equation."""
        return (localized.everything,)

    def group(self, localized: LocalizedProject) -> str:
        """The label of pages."""
        return localized.site.labels("pages")

    def messages(self, project: Project) -> Iterator[Message]:
        """The titles, the texts and the symbols of the equations."""
        for source, paper in zip(self.registries, self.papers, strict=True):
            for equation in paper.equations:
                texts = (("heading", equation.title), ("paragraph", equation.text))
                for kind, text in texts:
                    for part in read_once(text).parts:
                        if part.message:
                            yield Message(part.message, kind, source.path, equation.key)
                for words in words_in(equation.latex):
                    yield Message(words, "formula", source.path, equation.key)
            for symbol in paper.symbols:
                for part in read_once(symbol.meaning).parts:
                    if part.message:
                        yield Message(part.message, "cell", source.path, symbol.key)

    def render(self, localized: LocalizedProject) -> PageEntry:
        """Render all equations."""
        content, site = localized.content, localized.site
        marked = localized.translation.translate_registry(
            content.registry, PATH, marked=True
        )
        pages = [localized.page(m.path) for m in content.modules if m.facts.cites]
        markdown = render_equations(marked, pages, content.cited, content.proved, site)
        symbols = site.registry.symbols_of(site.registry.equations)
        return PageEntry(
            add_symbols(markdown, symbols, previewed=True),
            site.labels("equations_title"),
            site.labels("equations_description"),
            render_plain_equations(site),
        )
