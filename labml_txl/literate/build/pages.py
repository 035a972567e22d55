r"""# Parts of pages

A page that is written by hand may show a definition as the page of its module does:
`{{ Memory.update }}` on a line of its own. It is cut out at each build, by its name, so
that it is the code that runs, with its notes of today.
`{{ notebooks.first_steps }}` shows the link that opens a tutorial in Colab.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from labml_txl.literate.markdown.front_matter import divided
from labml_txl.literate.markdown.inline import Piece, rewrite
from labml_txl.literate.render.page import Page
from labml_txl.literate.render.render import observed_on, render_page
from labml_txl.literate.render.resolve import Site, relative
from labml_txl.literate.sources.source import Tell, stop


def with_excerpts(
    text: str,
    page_of: Callable[[str], Page],
    site: Site,
    show: Callable[[Page], str],
    tutorials: Mapping[str, str],
) -> str:
    """A text of Markdown in which each definition that it asks for is shown.

    `page_of` tells the page of a module by its path. `show` gets it with the rows of
    that definition only. `tutorials` are the links to tutorials, by their paths with
    dots.
    """

    def change(piece: Piece) -> str:
        if piece.kind != "include" or site.registry.owns(piece.body):
            return piece.raw
        if piece.body in tutorials:
            return tutorials[piece.body]
        if (place := site.index.find(piece.body, "")) is None:
            return piece.raw
        module, qualified = place
        row, page = site.row(module, qualified), page_of(site.pages[module])
        sections = tuple(
            replace(section, heading="")
            for section in page.sections
            if f"{section.block.scope}.".startswith(f"{row}.")
        )
        return show(replace(page, sections=sections)) if sections else piece.raw

    return rewrite(text, change)


def excerpt(part: Page, site: Site, shown_on: str, tell: Tell = stop) -> str:
    """The rows of a part of a page, as Markdown, for the page `shown_on`.

    The mark of each row leads to the row on the page of the module. Names that can be
    asked say on which page they are observed.
    """
    # The line of shapes stands on the page of the module, and what it leads to.
    seen = replace(part.observed, shapes={})
    shown = replace(part, path=shown_on, observed=seen)
    rows = divided(render_page(shown, site, tell=tell))[1]
    way = (relative if site.files_in_html else site.address)(shown_on, part.path)
    for section in part.sections:
        here = f'<a class="lit-link" href="#{section.anchor}"'
        rows = rows.replace(here, here.replace('"#', f'"{way}#'))
    asked = f' data-observed="{observed_on(part)}"' if " data-o=" in rows else ""
    return f'<div class="lit-excerpt"{asked} markdown="1">\n{rows}</div>'
