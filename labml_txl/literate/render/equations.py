"""# The page of equations

Rendered from the registry of equations, the citations in the notes and the pytest marks
of the tests: each equation with its place in the paper, links to the lines that
implement it and to its tests, and after the equations of a paper its symbols.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from html import escape

from labml_txl.literate.equations.registry import (
    Citation,
    Equation,
    Paper,
    Proof,
    Registry,
)
from labml_txl.literate.i18n.labels import Labels
from labml_txl.literate.markdown.front_matter import add_fields
from labml_txl.literate.render.page import Page
from labml_txl.literate.render.resolve import Site, relative_path
from labml_txl.literate.security.trusted import SANITISED, mark_class, strip_marks

PATH = "equations.md"


def render_equations(
    registry: Registry,
    pages: Iterable[Page],
    cited: Iterable[Citation],
    proved: Iterable[Proof],
    site: Site,
) -> str:
    """Render the page of equations as Markdown.

    `pages` are those that may contain the citations `cited`; `proved` are the tests of
    equations.
    """
    labels = site.labels
    sections = {
        (p.source.path, s.block.lines): (p, s) for p in pages for s in p.sections
    }
    computed, told, tested = (defaultdict[str, list[str]](list) for _ in range(3))
    for citation in cited:
        if found := sections.get((citation.path, citation.block.lines)):
            page, section = found
            goal = f"{relative_path(site.equations, page.path)}#{section.anchor}"
            shown = section.block.visible_code
            if section.block.opens == "module":
                told[citation.key].append(f"[{page.title}]({goal})")
            elif section.computes:
                lines = range(shown[0].number, shown[-1].number + 1)
                name = f"`{section.block.scope or section.anchor}`"
                words = labels.of_lines("place", lines, name=name)
                computed[citation.key].append(f"[{words}]({goal})")
    for proof in proved:
        address = site.source_url(proof.path, range(proof.line, proof.line + 1))
        words = f"`{proof.test}`"
        tested[proof.key].append(f"[{words}]({address})" if address else words)

    def fold(name: str) -> str:
        """The opening of a part that a small screen shows only if it is asked for."""
        words = escape(strip_marks(labels(name)))
        opening = f'<details class="{mark_class("lit-uses")}" markdown="1">'
        return f"{opening}\n<summary>{words}</summary>\n\n"

    def section_of(equation: Equation) -> str:
        items = [site.key(equation)]
        for name, what, links in (
            ("computed_in", "places", computed[equation.key]),
            ("explained_in", "places", told[equation.key]),
            ("proved_by", "tests", tested[equation.key]),
        ):
            if links:  # without duplicates: a block may cite an equation twice
                items.append(labels(name, **{what: ", ".join(dict.fromkeys(links))}))
        listed = "".join(f"- {item}\n" for item in items)
        return (
            f'<section class="{mark_class("lit-equation")}" id="{equation.key}" '
            'markdown="1">\n\n'
            f"### {equation.title} {{#h-{equation.key}}}\n\n"
            f"$$\n{equation.latex}\n$$\n\n{equation.text}\n\n"
            f"{fold('equation_uses')}{strip_marks(listed)}\n</details>\n</section>\n\n"
        )

    title, order = labels("equations_title"), labels("equations_order")
    head = {"title": title, "description": labels("equations_description")}
    text = add_fields(f"\n# {title} {{#equations}}\n\n{order}\n\n", head)
    text = strip_marks(text)
    for paper in registry.papers:
        text += strip_marks(
            f"## {paper.title} {{#{paper.key}}}\n\n{paper.authors}, {paper.year}, "
            f"{_link_paper(paper)}\n\n"
        )
        text += "".join(map(section_of, paper.equations)) + _symbols(paper, labels)
    return text + SANITISED


def _link_paper(paper: Paper) -> str:
    if paper.arxiv:
        return f"[arXiv {paper.arxiv}](https://arxiv.org/abs/{paper.arxiv})"
    return f"<{paper.url}>"


def _symbols(paper: Paper, labels: Labels) -> str:
    if not paper.symbols:
        return ""
    rows = "".join(
        f'<tr id="{symbol.css}" data-names="{escape(" ".join(symbol.names))}" '
        f'markdown="1"><td markdown="span">${symbol.latex[0]}$</td>'
        f'<td markdown="span">{symbol.meaning}</td>'
        f'<td markdown="span">{" ".join(f"`{name}`" for name in symbol.names)}</td>'
        "</tr>\n"
        for symbol in paper.symbols
    )
    names = map(labels, ("symbol", "meaning", "in_the_code"))
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    return (
        f"### {strip_marks(labels('symbols'))} {{#{paper.key}-symbols}}\n\n"
        f'<details class="{mark_class("lit-uses")}" markdown="1">\n'
        f"<summary>{escape(strip_marks(labels('symbols')))}</summary>\n\n"
        f'<div class="{mark_class("lit-far")}" markdown="1">\n'
        f'<table class="{mark_class("lit-symbols")}" markdown="1">'
        f"<thead><tr>{strip_marks(head)}</tr></thead>"
        f'<tbody markdown="1">\n{rows}</tbody></table>\n</div>\n</details>\n\n'
    )
