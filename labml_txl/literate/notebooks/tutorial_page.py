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
from collections.abc import Callable
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from labml_txl.literate.exports.text import fenced, portable
from labml_txl.literate.markdown.front_matter import with_fields
from labml_txl.literate.notebooks.tutorial import FORMS, Cell, Tutorial, stored
from labml_txl.literate.pages.resolve import Site, resolve

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

    filters: Filters = {
        "code": lambda code: fenced(code, "python"),
        "printed": _printed,
        "drawing": drawing,
        "picture": _picture,
    }
    body = _converted(tutorial.with_texts(resolved), filters)
    fields = {
        "title": told.title,
        "description": told.description,
        "template": "notebook.html",
    }
    return with_fields(f"\n{body}", fields)


def plain_markdown(tutorial: Tutorial, site: Site) -> str:
    """The tutorial for readers outside the site: text only, whole addresses."""

    def whole(cell: Cell) -> str:
        return portable(cell.text, tutorial.path, site)

    def words(data: str, words: str) -> str:
        return f"*Figure: {words}*"

    filters: Filters = {
        "code": lambda code: fenced(code, "python"),
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
    from mkdocs_jupyter.nbconvert2 import get_nbconvert_app
    from nbconvert import TemplateExporter

    config = get_nbconvert_app(no_prompt=True).config
    config.NbConvertBase.display_data_priority = [*FORMS]
    return TemplateExporter(
        config=config,
        template_file="page.md.j2",
        extra_template_basedirs=[],
        extra_template_paths=[str(_TEMPLATES)],
        filters=filters,
    )


def _printed(text: str) -> str:
    """What a cell printed."""
    words = escape(text.rstrip("\n"), quote=False)
    # Three of one of these in a row would open a box of code, wherever they stand.
    words = words.replace("`", "&#96;").replace("~", "&#126;")
    return f'<pre class="lit-output"><code>{words}</code></pre>'


def _picture(data: str, words: str) -> str:
    address = f"data:image/png;base64,{''.join(data.split())}"
    image = f'<img src="{address}" alt="{escape(words)}">'
    return f'<figure class="lit-plot"><div>{image}</div></figure>'


_REFERENCE = re.compile(r'(?:url\(#|href="#)([^")]+)')
_FONT = re.compile(r"font: (?:(\d+) )?([\d.]+px) ([^;\"]*)")
_POINTS = re.compile(r'(?<=\s)(d|x|y|points|transform)="([^"]*)"')


def drawing(svg: str, words: str) -> str:
    """An SVG of matplotlib as a part of the page, in the colours of the theme.

    Black becomes ink and white becomes paper. The text stays text, in the font of the
    page. The words are its name for those who do not see it.
    """
    svg = svg[svg.index("<svg") :].strip()
    svg = re.sub(r"<(title|metadata|style)\b.*?</\1>", "", svg, flags=re.S)
    svg = svg.replace("xlink:href=", "href=")
    # Another figure of the page may use the same names for its parts.
    prefix = f"f{sha256(svg.encode()).hexdigest()[:6]}-"
    used = set(_REFERENCE.findall(svg))

    def named(match: re.Match[str]) -> str:
        return f' id="{prefix}{match[1]}"' if match[1] in used else ""

    svg = re.sub(r' id="([^"]+)"', named, svg)
    svg = re.sub(r'(url\(#|href="#)', rf"\g<1>{prefix}", svg)
    svg = _FONT.sub(_font, svg)
    svg = _POINTS.sub(_rounded, svg)
    svg = re.sub(r"<(?!text)[^>]*>", _inked, svg)
    opening = re.search(r'<svg\b[^>]*?viewBox="([^"]*)"[^>]*>', svg)
    if opening is None:
        raise ValueError("the drawing has no viewBox: draw it with matplotlib")
    body = re.sub(r">\s+<", "><", svg[opening.end() :])
    body = re.sub(r"<defs></defs>|<defs/>", "", body)
    body = re.sub(r"<g>((?:(?!</?g\b).)*)</g>", r"\1", body, flags=re.S)
    return (
        f'<figure class="lit-plot" data-search-exclude><div><svg role="img" '
        f'aria-label="{escape(words)}" viewBox="{opening[1]}">{body}</div></figure>'
    )


def _font(match: re.Match[str]) -> str:
    weight = f"font-weight: {match[1]}; " if match[1] else ""
    code = "; font-family: monospace" if match[3].endswith("monospace") else ""
    return f"{weight}font-size: {match[2]}{code}"


def _rounded(match: re.Match[str]) -> str:
    """A hundredth of a point is finer than any screen."""
    numbers = " ".join(match[2].split())
    if match[1] != "transform":
        numbers = re.sub(r"(\.\d\d)\d+", r"\1", numbers)
    return f'{match[1]}="{numbers}"'


def _inked(match: re.Match[str]) -> str:
    """Black and white of an element, but for text: that may stand on a colour."""
    element = match[0].replace("#000000", "currentcolor")
    return element.replace("#ffffff", "var(--md-default-bg-color)")
