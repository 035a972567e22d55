r"""# The page of equations

Written from the registry, the citations in the code and the marks of the tests: each
equation with its place in the paper, its symbols, the lines that implement it and the
tests that prove it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from labml_txl.literate.equations import (
    Citation,
    Equation,
    Paper,
    Proof,
    Registry,
    Symbol,
)
from labml_txl.literate.page import Page, Section
from labml_txl.literate.render import lines_label
from labml_txl.literate.resolve import Site, relative

_FRONT_MATTER = """---
title: Equations
description: >-
  Every equation of the papers that the code implements: its symbols, the lines that
  compute it and the tests that prove it.
---

# Equations

Each equation stands here once, as in its paper. Below it are the lines of code that
compute it and the tests that prove it against a definition in plain loops. The symbols
of a paper stand behind its equations.

"""


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
    cited, proved = tuple(cited), tuple(proved)

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
                label = f"{'lines' if len(lines) > 1 else 'line'} {lines_label(lines)}"
                where = section.block.scope or section.anchor
                yield f"[`{where}`, {label}]({goal})"

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
        return _section(equation, lines_of(key), told_in(key), tests_of(key))

    return _FRONT_MATTER + "".join(
        _heading(paper) + "".join(map(section, paper.equations)) + _symbols(paper)
        for paper in registry.papers
    )


def _heading(paper: Paper) -> str:
    return (
        f"## {paper.title} {{#{paper.key}}}\n\n{paper.authors}, {paper.year}, "
        f"[arXiv {paper.arxiv}](https://arxiv.org/abs/{paper.arxiv})\n\n"
    )


def _section(
    equation: Equation,
    lines: Iterable[str],
    told: Iterable[str],
    tests: Iterable[str],
) -> str:
    rows = (
        _list("Computed in", lines),
        _list("Told in", told),
        _list("Proved by", tests),
    )
    return (
        f'<section class="lit-equation" id="{equation.key}" markdown="1">\n\n'
        f"### {equation.title} {{#h-{equation.key}}}\n\n"
        f"$$\n{equation.latex}\n$$\n\n{equation.text}\n\n"
        f"- {equation.place}: `{equation.key}`\n{''.join(rows)}\n</section>\n\n"
    )


def _list(words: str, links: Iterable[str]) -> str:
    """One item for all links, each once: several blocks may cite the same lines."""
    found = ", ".join(dict.fromkeys(links))
    return f"- {words} {found}\n" if found else ""


def _symbols(paper: Paper) -> str:
    if not paper.symbols:
        return ""
    rows = "".join(map(_symbol, paper.symbols))
    return (
        f"### Symbols {{#{paper.key}-symbols}}\n\n"
        '<table class="lit-symbols" markdown="1"><thead><tr><th>Symbol</th>'
        "<th>Meaning</th><th>In the code</th></tr></thead>"
        f'<tbody markdown="1">\n{rows}</tbody></table>\n\n'
    )


def _symbol(symbol: Symbol) -> str:
    names = " ".join(f"`{name}`" for name in symbol.names)
    return (
        f'<tr id="{symbol.css}" data-names="{escape(" ".join(symbol.names))}" '
        f'markdown="1"><td markdown="span">${symbol.latex[0]}$</td>'
        f'<td markdown="span">{symbol.meaning}</td>'
        f'<td markdown="span">{names}</td></tr>\n'
    )
