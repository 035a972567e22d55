r"""# The page of equations

Written from the registry, the citations in the code and the marks of the tests: each
equation with its place in the paper, its symbols, the lines that implement it and its
tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from labml_txl.literate.equations.registry import (
    Citation,
    Equation,
    Paper,
    Proof,
    Registry,
    Symbol,
)
from labml_txl.literate.i18n.labels import Labels
from labml_txl.literate.markdown.front_matter import with_fields
from labml_txl.literate.markdown.trusted import SANITISED, foreign
from labml_txl.literate.render.page import Page, Section
from labml_txl.literate.render.resolve import Site, relative


def equations_page(
    registry: Registry,
    pages: Iterable[Page],
    cited: Iterable[Citation],
    proved: Iterable[Proof],
    site: Site,
) -> str:
    """The Markdown of the page of equations."""
    anchors = {
        (p.source.path, s.block.lines): (p, s) for p in pages for s in p.sections
    }
    cited, proved, labels = tuple(cited), tuple(proved), site.labels

    def places(key: str) -> Iterator[tuple[Page, Section, str]]:
        for citation in cited:
            place = anchors.get((citation.path, citation.block.lines))
            if citation.key == key and place:
                page, section = place
                goal = f"{relative(site.equations, page.path)}#{section.anchor}"
                yield page, section, goal

    def lines_of(key: str) -> Iterator[str]:
        for _, section, goal in places(key):
            shown = section.block.shown
            if shown and section.block.opens != "module":
                lines = range(shown[0].number, shown[-1].number + 1)
                name = f"`{section.block.scope or section.anchor}`"
                words = labels.of_lines("place", lines, name=name)
                yield f"[{words}]({goal})"

    # The introduction of a module tells of an equation; the imports beside it compute
    # nothing.
    def told_in(key: str) -> Iterator[str]:
        for page, section, goal in places(key):
            if section.block.opens == "module":
                yield f"[{page.title}]({goal})"

    def tests_of(key: str) -> Iterator[str]:
        for proof in proved:
            if proof.key == key:
                address = site.source_url(proof.path, range(proof.line, proof.line + 1))
                words = f"`{proof.test}`"
                yield f"[{words}]({address})" if address else words

    def section(equation: Equation) -> str:
        key = equation.key
        rows = (
            _list(labels, "computed_in", "places", lines_of(key)),
            _list(labels, "told_in", "places", told_in(key)),
            _list(labels, "proved_by", "tests", tests_of(key)),
        )
        return _section(equation, site.key(equation), "".join(rows))

    parts = (
        _heading(paper)
        + "".join(map(section, paper.equations))
        + _symbols(paper, labels)
        for paper in registry.papers
    )
    return foreign(_opening(labels) + "".join(parts)) + SANITISED


def _opening(labels: Labels) -> str:
    title = labels("equations_title")
    head = {"title": title, "description": labels("equations_description")}
    order = labels("equations_order")
    return with_fields(f"\n# {title} {{#equations}}\n\n{order}\n\n", head)


def _heading(paper: Paper) -> str:
    return (
        f"## {paper.title} {{#{paper.key}}}\n\n{paper.authors}, {paper.year}, "
        f"[arXiv {paper.arxiv}](https://arxiv.org/abs/{paper.arxiv})\n\n"
    )


def _section(equation: Equation, place: str, rows: str) -> str:
    return (
        f'<section class="lit-equation" id="{equation.key}" markdown="1">\n\n'
        f"### {equation.title} {{#h-{equation.key}}}\n\n"
        f"$$\n{equation.latex}\n$$\n\n{equation.text}\n\n"
        f"- {place}\n{rows}\n</section>\n\n"
    )


def _list(labels: Labels, name: str, what: str, links: Iterable[str]) -> str:
    """One item for all links, each once: several blocks may cite the same lines."""
    found = ", ".join(dict.fromkeys(links))
    return f"- {labels(name, **{what: found})}\n" if found else ""


def _symbols(paper: Paper, labels: Labels) -> str:
    if not paper.symbols:
        return ""
    rows = "".join(map(_symbol, paper.symbols))
    names = map(labels, ("symbol", "meaning", "in_the_code"))
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    return (
        f"### {labels('symbols')} {{#{paper.key}-symbols}}\n\n"
        '<div class="lit-far" markdown="1">\n'
        f'<table class="lit-symbols" markdown="1"><thead><tr>{head}</tr></thead>'
        f'<tbody markdown="1">\n{rows}</tbody></table>\n</div>\n\n'
    )


def _symbol(symbol: Symbol) -> str:
    names = " ".join(f"`{name}`" for name in symbol.names)
    return (
        f'<tr id="{symbol.css}" data-names="{escape(" ".join(symbol.names))}" '
        f'markdown="1"><td markdown="span">${symbol.latex[0]}$</td>'
        f'<td markdown="span">{symbol.meaning}</td>'
        f'<td markdown="span">{names}</td></tr>\n'
    )
