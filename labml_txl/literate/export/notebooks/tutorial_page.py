"""# The page of a tutorial

Renders a tutorial and its outputs as Markdown: for the site, where figures get the
colours of the theme, and as plain text, where alternative texts replace the figures.

We use mkdocs-jupyter and nbconvert only to iterate over cells and outputs. We also
tried to let the plugin of mkdocs-jupyter 0.26 render the tutorials, which would replace
this module and its template, 260 lines. The page of the tutorial `memory` then has
1,069 kB, or 164 kB compressed, most of them style sheets of JupyterLab. Ours has 250
kB, or 35 kB compressed. The plugin renders the file with a template of its own, and no
option or hook gives it another template or translated cells. Its formulas need a script
in the browser, and its links are those of the notebook. With our template, tutorials
have the same links, formulas and search as all other pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
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
    write_tutorial,
)
from labml_txl.literate.export.text import fence_code, make_portable
from labml_txl.literate.markdown.front_matter import add_fields
from labml_txl.literate.render.resolve import Site, resolve
from labml_txl.literate.security.svg import (
    find_referred,
    parse,
    prefix_ids,
    write_markup,
)
from labml_txl.literate.security.trusted import SANITISED, mark_class, mark_html
from labml_txl.literate.sources.cells import Cell

_TEMPLATES = Path(__file__).parent

Filters = dict[str, Callable[..., str]]


def render_page(
    tutorial: Tutorial, site: Site, unmarked: Tutorial | None = None
) -> str:
    """Render a tutorial as a Markdown page of the site, with links resolved.

    If untranslated text in the tutorial is marked as English, `unmarked` is the same
    tutorial without marks; the title and the description in the metadata are taken from
    it. Raises `LiterateError` for a link that cannot be resolved.
    """
    unmarked = unmarked or tutorial

    def resolve_links(cell: Cell) -> str:
        return resolve(
            cell.note,
            tutorial.path,
            site,
            near="",
            path=tutorial.source.path,
            line=cell.line + 1,
        ).host

    numbers = count(1)
    filters: Filters = {
        "code": partial(_render_code, site=site),
        "opening": partial(_render_opening, site=site),
        "printed": _render_text,
        "drawing": lambda svg, words, language: embed_plot(
            svg, words, f"plot-{next(numbers)}-", language or ""
        ),
        "picture": _render_picture,
    }
    body = _convert(tutorial, resolve_links, filters)
    fields = {
        "title": unmarked.title,
        "description": unmarked.description,
        "template": "notebook.html",
    }
    return add_fields(f"\n{SANITISED}\n{body}", fields)


def render_plain(tutorial: Tutorial, site: Site) -> str:
    """Render a tutorial as plain Markdown: text only, with absolute links."""

    def write_note(cell: Cell) -> str:
        return make_portable(cell.note, tutorial.path, site).text

    def words(data: str, words: str, language: str | None) -> str:
        return f"*Figure: {words}*"

    filters: Filters = {
        "code": partial(_render_code, site=site),
        "opening": partial(_render_opening, site=site),
        "printed": lambda text: fence_code(text.rstrip("\n"), "text"),
        "drawing": words,
        "picture": words,
    }
    return _convert(tutorial, write_note, filters)


def _convert(tutorial: Tutorial, words: Callable[[Cell], str], filters: Filters) -> str:
    import nbformat

    cells = (
        replace(cell, text=words(cell)) if cell.kind == "markdown" else cell
        for cell in tutorial.cells
    )
    document = write_tutorial(replace(tutorial, cells=tuple(cells)))
    exporter = _walker()
    for name, change in filters.items():
        exporter.register_filter(name, change)
    notebook = nbformat.reads(document, as_version=4)
    body: str = exporter.from_notebook_node(notebook)[0]
    return re.sub(r"\n{3,}", "\n\n", body).strip() + "\n"


@cache
def _walker() -> Any:
    """The exporter of nbconvert; cached, because creating it takes long."""
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


def _render_opening(cell: Any, site: Site) -> str:
    """The opening tag of `<details>` around a solution, its code and its result."""
    fold = fold_of(cell.metadata.get("tags", ()))
    return _render_fold(fold, site) if fold == "code_solution" else ""


def _render_code(cell: Any, site: Site) -> str:
    """The code of a cell, within `<details>` if the cell only draws or checks."""
    code = fence_code(cell.source, "python")
    fold = fold_of(cell.metadata.get("tags", ()))
    if not fold or fold == "code_solution":
        return code
    return f"{_render_fold(fold, site)}\n\n{code}\n\n</details>"


def _render_fold(label: str, site: Site) -> str:
    opening = f'<details class="{mark_class("lit-fold")}" markdown="1">'
    return f"{opening}\n<summary>{escape(site.labels(label))}</summary>"


def _render_text(text: str) -> str:
    """The text that a cell printed, as HTML."""
    words = escape(text.rstrip("\n"), quote=False)
    # Three of these characters in a row would open a fenced block, even within HTML.
    words = words.replace("`", "&#96;").replace("~", "&#126;")
    return mark_html(f'<pre class="lit-output"><code>{words}</code></pre>')


def _render_picture(data: str, words: str, language: str | None = None) -> str:
    address = f"data:image/png;base64,{escape(''.join(data.split()))}"
    image = f'<img src="{address}" alt="{escape(words)}">'
    return mark_html(f'<figure class="lit-plot">{_wrap(image, language)}</figure>')


def _wrap(picture: str, language: str | None) -> str:
    """Wrap a picture in an element with the language of its text, if that is given."""
    attribute = f' lang="{escape(language)}"' if language else ""
    return f"<div{attribute}>{picture}</div>"


# Matplotlib lists a dozen sans-serif fonts for text. Fonts for code stay unchanged.
_SANS = re.compile(r"'[^;]*sans-serif")


_LONG = re.compile(r"-?\d+\.\d\d+")
_UNTURNED = re.compile(r"rotate\(-?0[ ,][^()]*\)")


def _shorten(number: re.Match[str]) -> str:
    """A number with one decimal, or with none."""
    return f"{float(number[0]):.1f}".removesuffix(".0")


def _is_bare(element: Element) -> bool:
    named = element.find("title") is not None or element.find("desc") is not None
    return element.tag == "g" and not element.attrib and not named


def _unwrap(parent: Element) -> None:
    """Replace each group that has no attribute by what it contains."""
    for child in [*parent]:
        _unwrap(child)
    parts = [
        part for child in parent for part in (child if _is_bare(child) else [child])
    ]
    parent[:] = parts


def embed_plot(svg: str, words: str, prefix: str = "", language: str = "") -> str:
    """Turn an SVG of matplotlib into inline SVG in the colours of the theme.

    Black becomes the text colour, white the background colour, and text gets the font
    of the page. `words` is the alternative text, `language` its language, if it differs
    from that of the page. `prefix` makes ids unique on the page. An SVG without
    `viewBox` shows what is within its width and height, as in a browser. The style
    sheet takes the width, `--points`, so that the letters have one size in all plots.
    """
    root = parse(svg)
    sizes = ((root.get("width", ""), "300"), (root.get("height", ""), "150"))
    width, height = (re.sub(r"[^\d.].*", "", size) or usual for size, usual in sizes)
    view = root.get("viewBox", f"0 0 {width} {height}")
    for title in root.findall("title"):
        root.remove(title)
    used = find_referred(root)
    for element in root.iter():
        if element.get("id") not in used:
            element.attrib.pop("id", None)
        for name, value in element.items():
            if name in {"d", "points", "x", "y"}:
                # One decimal suffices: a tenth of a point is smaller than a pixel.
                value = _LONG.sub(_shorten, " ".join(value.split()))
            elif name == "transform" and _UNTURNED.fullmatch(value):
                del element.attrib[name]
                continue
            value = _SANS.sub("var(--md-text-font-family)", value)
            if element.tag != "text":  # text may be on a coloured area: keep its colour
                value = value.replace("#000000", "currentcolor")
                value = value.replace("#ffffff", "var(--md-default-bg-color)")
            element.set(name, value)
    _unwrap(root)
    prefix_ids(root, prefix)
    root.attrib = {"role": "img", "aria-label": words, "viewBox": view}
    if sides := re.search(r"\b(\d+(?:\.\d+)?)[\s,]+[\d.]+\s*$", view):
        root.set("style", f"--points:{sides[1]}")
    drawn = _wrap(write_markup(root), language)
    return mark_html(f'<figure class="lit-plot" data-search-exclude>{drawn}</figure>')
