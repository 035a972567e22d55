r"""# Making the pages of an edition

Modules, equations and tutorials become Markdown, and pages that are written by hand get
their links. Each page names the symbols that are marked in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from labml_txl.literate.build.cache import Lazy
from labml_txl.literate.build.forms import in_colab, leads, tutorial
from labml_txl.literate.build.modules import front
from labml_txl.literate.build.modules.excerpts import excerpt, with_excerpts
from labml_txl.literate.build.progress import progress
from labml_txl.literate.equations.extension import with_symbols
from labml_txl.literate.equations.registry import Symbol, citations
from labml_txl.literate.export.notebooks.tutorial import Tutorial
from labml_txl.literate.i18n.pages import anchored
from labml_txl.literate.markdown.front_matter import divided, with_fields
from labml_txl.literate.render.page import Page
from labml_txl.literate.render.progress import PATH as PROGRESS
from labml_txl.literate.render.render import observed_on
from labml_txl.literate.render.resolve import resolve
from labml_txl.literate.sources.blocks import Block
from labml_txl.literate.sources.source import LiterateError

if TYPE_CHECKING:
    from labml_txl.literate.build.edition import Edition


def made(edition: Edition) -> Mapping[str, str]:
    """The Markdown of every page that is not written by hand, by path."""
    annotated, registry = edition.annotated, edition.site.registry
    keys: dict[str, list[str]] = {}
    for citation in annotated.cited:
        keys.setdefault(citation.path, []).append(citation.key)

    def module(page: Page) -> str:
        markdown = annotated.markdown[page.path]
        markdown = with_fields(markdown, leads(edition, page.path))
        return with_symbols(
            markdown, registry.symbols_of(keys.get(page.source.path, ()))
        )

    def equations() -> str:
        markdown = annotated.markdown[edition.site.equations]
        return with_symbols(markdown, registry.symbols_of(registry.equations))

    def notebook(path: str) -> str:
        markdown = with_fields(tutorial(edition, path).page, leads(edition, path))
        return with_symbols(markdown, _cited_in(edition, edition.written[path]))

    makers = {page.path: partial(module, page) for page in annotated.pages}
    if edition.site.equations in annotated.markdown:
        makers[edition.site.equations] = partial(equations)
    # What these read may be wrong, and whoever writes it must hear of that at once.
    makers |= {path: partial(str, notebook(path)) for path in edition.written}
    if annotated.pages and not front.is_written(makers, edition.project):
        makers[front.PATH] = partial(front.front_page, *edition.names, annotated.pages)
    if len(edition.languages) > 1:
        known = {*makers, *edition.project.prose}
        makers[PROGRESS] = partial(str, progress(edition, known))
    return Lazy(makers)


def by_hand(edition: Edition, path: str) -> tuple[str, tuple[LiterateError, ...]]:
    """The Markdown of a page that is written by hand, and what is wrong with it."""
    source, translation = edition.source(path), edition.translation
    faults: list[LiterateError] = []
    head, body = divided(source.text)
    line = head.count("\n") + 1
    resolved = resolve(
        translation.markdown(anchored(body, set()), path, marked=True),
        path,
        edition.site,
        near="",
        path=source.path,
        line=line,
        tell=faults.append,
    )
    blocks = [Block(body, (), range(line, line + 1))]
    asked: list[Page] = []

    def show(part: Page) -> str:
        blocks.extend(section.block for section in part.sections)
        # The page of the module tells what is wrong with it.
        shown = excerpt(_marked(part, edition), edition.site, path, lambda fault: None)
        if "data-observed=" in shown:
            asked.append(part)
        return shown

    link = '<p class="lit-launch"><a href="{address}">{words}</a></p>'
    given = (edition.annotated.pages, edition.site, show, in_colab(edition, link))
    resolved = with_excerpts(resolved, *given)
    cited = _cited(edition, source.path, blocks)
    page = with_symbols(translation.markdown(head, path) + resolved, cited)
    if asked:
        page = with_fields(page, {"observed": observed_on(asked[0])})
    return page, tuple(faults)


def _marked(part: Page, edition: Edition) -> Page:
    """A part of a page, what is not translated in it marked as English."""
    written = {b.lines.start: b for b in edition.annotated.blocks[part.path]}
    blocks = tuple(written[section.block.lines.start] for section in part.sections)
    told = edition.translation.blocks(blocks, part.path, marked=True)
    sections = zip(part.sections, told, strict=True)
    return replace(part, sections=tuple(replace(s, block=b) for s, b in sections))


def _cited(edition: Edition, path: str, blocks: Iterable[Block]) -> tuple[Symbol, ...]:
    """The symbols of the equations that a text cites."""
    registry = edition.site.registry
    found = citations(path, blocks, registry, lambda fault: None)
    return registry.symbols_of(citation.key for citation in found)


def _cited_in(edition: Edition, tutorial: Tutorial) -> tuple[Symbol, ...]:
    words = (
        Block(cell.text, (), range(cell.line, cell.line + 1))
        for cell in tutorial.cells
        if cell.kind == "markdown"
    )
    return _cited(edition, tutorial.source.path, words)
