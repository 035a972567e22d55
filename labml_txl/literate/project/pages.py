"""# Excerpts in prose

A page that is written by hand may include a definition from the page of a module:
`{{ Memory.update }}` on a separate line. Each build takes the excerpt from the current
source, so the code and its notes are never out of date. `{{ notebooks.first_steps }}`
includes the link that opens a tutorial in Colab.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from labml_txl.literate.markdown.front_matter import split_front_matter
from labml_txl.literate.markdown.inline import Piece
from labml_txl.literate.markdown.note import Note
from labml_txl.literate.render.page import Page
from labml_txl.literate.render.render import observed_url, render_page
from labml_txl.literate.render.resolve import Site, relative_path
from labml_txl.literate.security.trusted import mark_class
from labml_txl.literate.sources.source import Tell, stop


def insert_excerpts(
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


def excerpt(part: Page, site: Site, shown_on: str, tell: Tell = stop) -> str:
    """Render the rows of a part of a page as Markdown for the page `shown_on`.

    The permalink of each row leads to the row on the page of the module. If names have
    observed values, an attribute says which page they belong to. `tell` is called with
    each fault.
    """
    # Only the page of the module lists shapes, so names need no `id` to link to here.
    seen = replace(part.observed, shapes={})
    shown = replace(part, path=shown_on, observed=seen)
    rows = split_front_matter(render_page(shown, site, tell=tell))[1]
    way = (relative_path if site.files_in_html else site.address)(shown_on, part.path)
    for section in part.sections:
        here = f'<a class="lit-link" href="#{section.anchor}"'
        rows = rows.replace(here, here.replace('"#', f'"{way}#'))
    asked = f' data-observed="{observed_url(part)}"' if " data-o=" in rows else ""
    return (
        f'<div class="{mark_class("lit-excerpt")}"{asked} markdown="1">\n{rows}</div>'
    )
