"""# A page that is written by hand

It may include a definition from the page of a module: `{{ Memory.update }}` on a
separate line. Each build takes the excerpt from the current source, so the code and its
notes are never out of date. `{{ notebooks.first_steps }}` includes the link that opens
a tutorial in Colab.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from labml_txl.literate.equations.extension import add_symbols
from labml_txl.literate.export.text import make_portable, render_excerpt
from labml_txl.literate.i18n.pages import add_anchors
from labml_txl.literate.i18n.update import Message
from labml_txl.literate.markdown.front_matter import add_fields, split_front_matter
from labml_txl.literate.markdown.inline import Piece
from labml_txl.literate.markdown.message import read_message
from labml_txl.literate.markdown.note import Note, Part, is_data, read
from labml_txl.literate.project.content import Content
from labml_txl.literate.project.inventory import collect_messages
from labml_txl.literate.project.localized import LocalizedProject, PageEntry, SitePage
from labml_txl.literate.project.settings import Project
from labml_txl.literate.render.page import Page
from labml_txl.literate.render.render import observed_url, render_page
from labml_txl.literate.render.resolve import Site, relative_path, resolve
from labml_txl.literate.security.trusted import mark_class
from labml_txl.literate.sources.blocks import Block
from labml_txl.literate.sources.repository import Repository
from labml_txl.literate.sources.source import LiterateError, Source

# The link to a tutorial in Colab: in plain Markdown, and on a page of the site.
_AS_LINK = "[{words}]({address})"
_AS_PARAGRAPH = (
    f'<p class="{mark_class("lit-launch")}"><a href="{{address}}">{{words}}</a></p>'
)

# The classes of an element in HTML.
_CLASSES = re.compile(r'(?<=\bclass=")[^"]*')


@dataclass(frozen=True)
class ProsePage(SitePage):
    """A Markdown file in `docs`, which may include excerpts of modules."""

    file: Source

    by_hand = True

    @classmethod
    def find(cls, content: Content) -> Iterator[ProsePage]:
        """All pages in `docs`."""
        return (cls(path, content.prose(path)) for path in content.project.prose)

    @property
    def source(self) -> Source:
        """The Markdown file."""
        return self.file

    @cached_property
    def note(self) -> Note:
        """The text, parsed."""
        return read(self.file.text)

    def inputs(self, localized: LocalizedProject) -> Sequence[object]:
        """The file; a page with excerpts may depend on any module."""
        return (self, localized.everything if "{{" in self.file.text else "")

    @property
    def scripts(self) -> str:
        """The whole text, since it belongs to the project."""
        return self.file.text

    def edit_url(self, repository: Repository, given: str) -> str:
        """The host's, because it knows the file."""
        return given

    def group(self, localized: LocalizedProject) -> str:
        """The label of pages."""
        return localized.site.labels("pages")

    def messages(self, project: Project) -> Iterator[Message]:
        """The messages of the text."""
        return collect_messages(self.note.parts, self.path, self.file.path, project)

    def render(self, localized: LocalizedProject) -> PageEntry:
        """Render the text with its excerpts."""
        source, path, faults = self.file, self.path, list[LiterateError]()
        translation, site = localized.translation, localized.site
        head, body = self.note.head, self.note.body
        resolved = resolve(
            translation.note(add_anchors(body, set()), path, marked=True),
            path,
            site,
            near="",
            path=source.path,
            line=1,
            tell=faults.append,
        )
        blocks = [Block(body, (), range(1, 2))]
        observed_pages: list[Page] = []

        def show(part: Page) -> str:
            blocks.extend(section.block for section in part.sections)
            marked = _mark(part, localized)
            shown = _excerpt(marked, site, path)
            if "data-observed=" in shown:
                observed_pages.append(part)
            return shown

        markdown = translation.note(head, path).text
        links = _colab_links(localized, _AS_PARAGRAPH)
        trusted = resolved.map_parts(_mark_classes).map(_without_language)
        markdown += _insert_excerpts(trusted, localized.page, site, show, links).text
        symbols = localized.symbols(source.path, blocks)
        markdown = add_symbols(markdown, symbols)
        if observed_pages:
            markdown = add_fields(
                markdown, {"observed": observed_url(observed_pages[0])}
            )
        words = make_portable(translation.note(body, path), path, site)
        as_text = partial(render_excerpt, site=site)
        links = _colab_links(localized, _AS_LINK)
        fields = {
            part.kind: translation.translate_words(part.message, path)
            for part in head.parts
            if part.message
        }
        heading = self.note.title
        title = (
            read_message(translation.translate_words(heading.raw, path)).plain
            if heading
            else path
        )
        text = _insert_excerpts(words, localized.page, site, as_text, links).text
        return PageEntry(
            markdown,
            fields.get("title", title),
            fields.get("description", ""),
            f"{text.strip()}\n",
            faults=[fault.fields for fault in faults],
        )


def _insert_excerpts(
    note: Note,
    page_of: Callable[[str], Page],
    site: Site,
    show: Callable[[Page], str],
    tutorials: Mapping[str, str],
) -> Note:
    """Replace each `{{ … }}` in a note by the definition or link it names.

    `page_of` returns the page of a module by its path, and `show` renders it, reduced
    to the rows of the definition. `tutorials` has the links to tutorials by their
    dotted paths. Unknown names, and equations, which `resolve` replaces, stay
    unchanged.
    """

    def change(piece: Piece) -> Piece:
        words = include(piece)
        return replace(piece, kind="own", raw=words) if words is not None else piece

    def include(piece: Piece) -> str | None:
        if piece.kind != "include" or site.registry.owns(piece.body):
            return None
        if piece.body in tutorials:
            return tutorials[piece.body]
        if (place := site.index.find(piece.body, "")) is None:
            return None
        module, qualified = place
        row, page = site.row(module, qualified), page_of(site.pages[module])
        sections = tuple(
            replace(section, heading="")
            for section in page.sections
            if f"{section.block.scope}.".startswith(f"{row}.")
        )
        return show(replace(page, sections=sections)) if sections else None

    return note.map(change)


def _excerpt(part: Page, site: Site, shown_on: str) -> str:
    """Render the rows of a part of a page as Markdown for the page `shown_on`.

    The permalink of each row leads to the row on the page of the module. If names have
    observed values, an attribute says which page they belong to.
    """
    # Only the page of the module lists shapes, so names need no `id` to link to here.
    seen = replace(part.observed, shapes={})
    shown = replace(part, path=shown_on, observed=seen)
    # Faults in an excerpt are reported for the page of its module.
    rows = split_front_matter(render_page(shown, site, tell=lambda fault: None))[1]
    way = (relative_path if site.files_in_html else site.address)(shown_on, part.path)
    for section in part.sections:
        here = f'<a class="lit-link" href="#{section.anchor}"'
        rows = rows.replace(here, here.replace('"#', f'"{way}#'))
    asked = f' data-observed="{observed_url(part)}"' if " data-o=" in rows else ""
    return (
        f'<div class="{mark_class("lit-excerpt")}"{asked} markdown="1">\n{rows}</div>'
    )


def _mark(part: Page, localized: LocalizedProject) -> Page:
    """Mark untranslated text in a part of the page of a module as English."""
    module = localized.content.by_path[part.path]
    written = {block.lines.start: block for block in module.blocks}
    blocks = tuple(written[section.block.lines.start] for section in part.sections)
    marked = localized.translation.translate_blocks(blocks, part.path, marked=True)
    sections = zip(part.sections, marked, strict=True)
    return replace(part, sections=tuple(replace(s, block=b) for s, b in sections))


def _colab_links(localized: LocalizedProject, form: str) -> dict[str, str]:
    """The link that opens each tutorial in Colab, by the tutorial's dotted path.

    `form` is a template with the fields `words` and `address`. The link is empty if the
    tutorial cannot be opened in Colab.
    """
    words, found = localized.site.labels("colab"), dict[str, str]()
    for path in localized.content.tutorials:
        address = localized.links(path).get("colab_url", "")
        name = path.removesuffix(".md").replace("/", ".")
        found[name] = form.format(words=words, address=address) if address else ""
    return found


def _mark_classes(part: Part) -> Part:
    """Mark the classes in HTML that the project wrote between its paragraphs.

    The notes of an excerpt have the page sanitised, and prose is no note.
    """
    if part.kind != "html":
        return part
    raw = _CLASSES.sub(lambda match: mark_class(match[0]), part.raw)
    return part.with_text(raw, kind="html")


def _without_language(piece: Piece) -> Piece:
    """A block of code; one that is data loses its language, so that nobody waits."""
    opening, *rest = piece.raw.split("\n")
    mark = re.match(r"[ ]*(?:`{3,}|~{3,})", opening)
    if piece.kind != "fence" or not mark or not is_data(rest):
        return piece
    return replace(piece, raw="\n".join([mark[0], *rest]))
