"""# The page of a tutorial"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from labml_txl.literate.equations.extension import add_symbols
from labml_txl.literate.export.notebooks.tutorial import Tutorial, document
from labml_txl.literate.export.notebooks.tutorial_page import (
    render_page,
    render_plain,
)
from labml_txl.literate.i18n.pages import add_anchors
from labml_txl.literate.i18n.update import Message
from labml_txl.literate.markdown.front_matter import add_fields
from labml_txl.literate.markdown.message import read_message
from labml_txl.literate.markdown.note import Note, Part, has_words
from labml_txl.literate.project.content import Content
from labml_txl.literate.project.inventory import collect_messages, drawing_parts
from labml_txl.literate.project.localized import LocalizedProject, PageEntry, SitePage
from labml_txl.literate.project.settings import Project
from labml_txl.literate.sources.blocks import Block
from labml_txl.literate.sources.cells import pictures
from labml_txl.literate.sources.header import keywords
from labml_txl.literate.sources.source import Source


@dataclass(frozen=True)
class TutorialPage(SitePage):
    """A tutorial with the outputs of its cells."""

    tutorial: Tutorial

    has_notebook = True

    @classmethod
    def find(cls, content: Content) -> Iterator[TutorialPage]:
        """The pages of all tutorials."""
        return (cls(path, tutorial) for path, tutorial in content.tutorials.items())

    @property
    def source(self) -> Source:
        """The Python file of the tutorial."""
        return self.tutorial.source

    def group(self, localized: LocalizedProject) -> str:
        """The label of notebooks."""
        return localized.site.labels("notebooks")

    def messages(self, project: Project) -> Iterator[Message]:
        """The messages of its Markdown cells and of the pictures in outputs."""
        return collect_messages(self._parts(), self.path, self.source.path, project)

    def _parts(self) -> Iterator[Part]:
        for cell in self.tutorial.cells:
            yield from cell.note.parts
            for output in cell.outputs:
                for _, words, drawing in pictures(output):
                    if has_words(read_message(words).pieces):
                        yield Part((), "alternative", words)
                    yield from drawing_parts(drawing)

    def render(self, localized: LocalizedProject) -> PageEntry:
        """Render the tutorial in all formats."""
        written, translation = self.tutorial, localized.translation
        path, site = self.path, localized.site
        output, taken = partial(translation.translate_output, path=path), set[str]()

        def mark(note: Note) -> Note:
            return translation.note(add_anchors(note, taken), path, marked=True)

        plain_tutorial = written.translate(partial(translation.note, path=path), output)
        page = render_page(written.translate(mark, output), site, plain_tutorial)
        words = (
            Block(cell.note, (), range(cell.line, cell.line + 1))
            for cell in written.cells
            if cell.kind == "markdown"
        )
        symbols = localized.symbols(written.source.path, words)
        fields = {**localized.links(path), "keywords": keywords(written.source)}
        return PageEntry(
            add_symbols(add_fields(page, fields), symbols),
            plain_tutorial.title,
            plain_tutorial.description,
            render_plain(plain_tutorial, site),
            document(plain_tutorial, site, localized.content.install),
        )
