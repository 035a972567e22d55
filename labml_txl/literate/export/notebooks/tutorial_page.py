r"""# The page of a tutorial

Turns a tutorial and its outputs into Markdown: for the site, where figures take on the
colours of the theme, and for readers of plain text, who get their words instead.

The walk over cells and outputs is that of mkdocs-jupyter and nbconvert. What they would
put around it stays outside: JupyterLab's style sheet, which is five times the weight of
a page, scripts from other hosts, and a Markdown of their own. So the words of a
tutorial have the links, the formulas and the search of every other page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from functools import cache, partial
from html import escape
from itertools import count
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from labml_txl.literate.export.notebooks.tutorial import (
    FORMS,
    Tutorial,
    fold_of,
    stored,
)
from labml_txl.literate.export.text import fenced, portable
from labml_txl.literate.markdown.front_matter import with_fields
from labml_txl.literate.markdown.svg import markup, own_names, parse, referred
from labml_txl.literate.markdown.trusted import SANITISED, own
from labml_txl.literate.render.resolve import Site, resolve
from labml_txl.literate.sources.cells import Cell

_TEMPLATES = Path(__file__).parent

Filters = dict[str, Callable[..., str]]


def page_markdown(tutorial: Tutorial, site: Site, told: Tutorial | None = None) -> str:
    """The Markdown that the site makes a page of, its links resolved.

    `told` is the same tutorial without marks, where it has some: its title and its
    description stand in lists.
    """
    told = told or tutorial

    def resolved(cell: Cell) -> str:
        return resolve(
            cell.text,
            tutorial.path,
            site,
            near="",
            path=tutorial.source.path,
            line=cell.line + 1,
        )

    numbers = count(1)
    filters: Filters = {
        "code": partial(_code, site=site),
        "opening": partial(_opening, site=site),
        "printed": _printed,
        "drawing": lambda svg, words, language: drawing(
            svg, words, f"plot-{next(numbers)}-", language or ""
        ),
        "picture": _picture,
    }
    body = _converted(tutorial.with_texts(resolved), filters)
    fields = {
        "title": told.title,
        "description": told.description,
        "template": "notebook.html",
    }
    return with_fields(f"\n{SANITISED}\n{body}", fields)


def plain_markdown(tutorial: Tutorial, site: Site) -> str:
    """The tutorial for readers outside the site: text only, whole addresses."""

    def whole(cell: Cell) -> str:
        return portable(cell.text, tutorial.path, site)

    def words(data: str, words: str, language: str | None) -> str:
        return f"*Figure: {words}*"

    filters: Filters = {
        "code": partial(_code, site=site),
        "opening": partial(_opening, site=site),
        "printed": lambda text: fenced(text.rstrip("\n"), "text"),
        "drawing": words,
        "picture": words,
    }
    return _converted(tutorial.with_texts(whole), filters)


def _converted(tutorial: Tutorial, filters: Filters) -> str:
    import nbformat

    notebook = nbformat.reads(stored(tutorial), as_version=4)
    body: str = _exporter(filters).from_notebook_node(notebook)[0]
    return re.sub(r"\n{3,}", "\n\n", body).strip() + "\n"


def _exporter(filters: Filters) -> Any:
    exporter = _walker()
    for name, change in filters.items():
        exporter.register_filter(name, change)
    return exporter


@cache
def _walker() -> Any:
    """What walks over cells: to make it takes longer than the walk."""
    from mkdocs_jupyter.nbconvert2 import get_nbconvert_app
    from nbconvert import TemplateExporter

    config = get_nbconvert_app(no_prompt=True).config
    config.NbConvertBase.display_data_priority = [*FORMS]
    return TemplateExporter(
        config=config,
        template_file="page.md.j2",
        extra_template_basedirs=[],
        extra_template_paths=[str(_TEMPLATES)],
    )


def _opening(cell: Any, site: Site) -> str:
    """What opens the fold of a whole cell: of a solution, its code and its result."""
    fold = fold_of(cell.metadata.get("tags", ()))
    return _fold(fold, site) if fold == "code_solution" else ""


def _code(cell: Any, site: Site) -> str:
    """The code of a cell; what only draws or checks folds away."""
    code = fenced(cell.source, "python")
    fold = fold_of(cell.metadata.get("tags", ()))
    if not fold or fold == "code_solution":
        return code
    return f"{_fold(fold, site)}\n\n{code}\n\n</details>"


def _fold(label: str, site: Site) -> str:
    opening = '<details class="lit-fold" markdown="1">'
    return f"{opening}\n<summary>{escape(site.labels(label))}</summary>"


def _printed(text: str) -> str:
    """What a cell printed."""
    words = escape(text.rstrip("\n"), quote=False)
    # Three of one of these in a row would open a box of code, wherever they stand.
    words = words.replace("`", "&#96;").replace("~", "&#126;")
    return own(f'<pre class="lit-output"><code>{words}</code></pre>')


def _picture(data: str, words: str, language: str | None = None) -> str:
    address = f"data:image/png;base64,{escape(''.join(data.split()))}"
    image = f'<img src="{address}" alt="{escape(words)}">'
    return own(f'<figure class="lit-plot">{_framed(image, language)}</figure>')


def _framed(picture: str, language: str | None) -> str:
    """A picture in its frame, which names the language of its words if need be."""
    said = f' lang="{escape(language)}"' if language else ""
    return f"<div{said}>{picture}</div>"


# In one word, as matplotlib wrote it before 3.11, or as now.
_FONT = re.compile(r"font: (?:(\d+) )?([\d.]+px) ([^;]*)")
_FAMILY = re.compile(r"(?:; |^)font-family: ([^;]*)")
_POINTS = {"d", "x", "y", "points", "transform"}
_LEFT_OUT = {"title", "metadata", "style"}


def drawing(svg: str, words: str, prefix: str = "", language: str = "") -> str:
    """An SVG of matplotlib as a part of the page, in the colours of the theme.

    Black becomes ink and white becomes paper. The text stays text, in the font of the
    page. The words are its name for those who do not see it. `prefix` tells the names
    within the drawing from those of other drawings of the page. `language` is that of
    the words, where the page is in another one.
    """
    root = parse(svg)
    view = root.get("viewBox")
    if root.tag != "svg" or not view:
        raise ValueError("the drawing has no viewBox: draw it with matplotlib")
    _lighten(root, referred(root))
    own_names(root, prefix)
    root.attrib = {"role": "img", "aria-label": words, "viewBox": view}
    drawn = _framed(markup(root), language)
    return own(f'<figure class="lit-plot" data-search-exclude>{drawn}</figure>')


def _lighten(element: Element, used: Container[str]) -> None:
    """Take out of an element what the page has no use for."""
    kept = []
    for child in element:
        if child.tag in _LEFT_OUT:
            continue
        _lighten(child, used)
        if child.tag == "defs" and not len(child):
            continue
        # A group that says nothing of what it holds.
        plain = child.tag == "g" and not child.attrib
        kept += [*child] if plain else [child]
    element[:] = kept
    if element.get("id") not in used:
        element.attrib.pop("id", None)
    for name, value in element.items():
        if name in _POINTS:
            value = _rounded(name, value)
        value = _FAMILY.sub(_family, _FONT.sub(_font, value))
        # Text may stand on a colour, and keeps its own.
        element.set(name, value if element.tag == "text" else _inked(value))


def _font(match: re.Match[str]) -> str:
    weight = f"font-weight: {match[1]}; " if match[1] else ""
    return f"{weight}font-size: {match[2]}; font-family: {match[3]}"


def _family(match: re.Match[str]) -> str:
    """The page has a font for words and one for code; the first kind named is meant."""
    kind = re.search(r"\b(?:sans-serif|serif|monospace)\b", match[1])
    return "; font-family: monospace" if kind and kind[0] == "monospace" else ""


def _rounded(name: str, numbers: str) -> str:
    """A hundredth of a point is finer than any screen."""
    numbers = " ".join(numbers.split())
    return numbers if name == "transform" else re.sub(r"(\.\d\d)\d+", r"\1", numbers)


def _inked(value: str) -> str:
    """Black and white in an attribute."""
    value = value.replace("#000000", "currentcolor")
    return value.replace("#ffffff", "var(--md-default-bg-color)")
