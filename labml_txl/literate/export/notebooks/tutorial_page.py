r"""# The page of a tutorial

Turns a tutorial and its outputs into Markdown: for the site, where figures take on the
colours of the theme, and for readers of plain text, who get their words instead. So the
words of a tutorial have the links, the formulas and the search of every other page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from itertools import count

from labml_txl.literate.export.notebooks.tutorial import FORMS, Tutorial, fold_of
from labml_txl.literate.export.text import fenced, portable
from labml_txl.literate.markdown.front_matter import with_fields
from labml_txl.literate.markdown.svg import markup, own_names, parse
from labml_txl.literate.markdown.trusted import SANITISED, own
from labml_txl.literate.render.resolve import Site, resolve
from labml_txl.literate.sources.cells import DRAWING, Cell

# Shows a picture: its form, its data, its words, and their language if it is another.
Picture = Callable[[str, str, str, str], str]


def page_markdown(tutorial: Tutorial, site: Site, told: Tutorial | None = None) -> str:
    """The Markdown that the site makes a page of, its links resolved.

    `told` is the same tutorial without marks, where it has some: its title and its
    description stand in lists.
    """
    told, numbers = told or tutorial, count(1)

    def resolved(cell: Cell) -> str:
        return resolve(
            cell.text,
            tutorial.path,
            site,
            near="",
            path=tutorial.source.path,
            line=cell.line + 1,
        )

    def printed(text: str) -> str:
        words = escape(text.rstrip("\n"), quote=False)
        # Three of one of these in a row would open a box of code, wherever they stand.
        words = words.replace("`", "&#96;").replace("~", "&#126;")
        return own(f'<pre class="lit-output"><code>{words}</code></pre>')

    def picture(form: str, data: str, words: str, language: str) -> str:
        if form == DRAWING:
            return drawing(data, words, f"plot-{next(numbers)}-", language)
        address = f"data:image/png;base64,{escape(''.join(data.split()))}"
        image = f'<img src="{address}" alt="{escape(words)}">'
        return own(f'<figure class="lit-plot">{_framed(image, language)}</figure>')

    body = "\n\n".join(_parts(tutorial, site, resolved, printed, picture))
    fields = {
        "title": told.title,
        "description": told.description,
        "template": "notebook.html",
    }
    return with_fields(f"\n{SANITISED}\n{body}\n", fields)


def plain_markdown(tutorial: Tutorial, site: Site) -> str:
    """The tutorial for readers outside the site: text only, whole addresses."""

    def whole(cell: Cell) -> str:
        return portable(cell.text, tutorial.path, site)

    def printed(text: str) -> str:
        return fenced(text.rstrip("\n"), "text")

    def picture(form: str, data: str, words: str, language: str) -> str:
        return f"*Figure: {words}*"

    return "\n\n".join(_parts(tutorial, site, whole, printed, picture)) + "\n"


def _parts(
    tutorial: Tutorial,
    site: Site,
    words: Callable[[Cell], str],
    printed: Callable[[str], str],
    picture: Picture,
) -> Iterator[str]:
    """Each cell and each of its outputs, in the best form that a page can show."""
    for cell in tutorial.cells:
        if cell.kind == "markdown":
            yield words(cell).strip("\n")
            continue
        # Code that only draws or checks folds away; of a solution, its result too.
        fold = fold_of(cell.tags)
        if fold:
            opening = '<details class="lit-fold" markdown="1">'
            yield f"{opening}\n<summary>{escape(site.labels(fold))}</summary>"
        yield fenced(cell.text, "python")
        if fold and fold != "code_solution":
            yield "</details>"
        for output in cell.outputs:
            data = output.get("data", {"text/plain": output.get("text", "")})
            form = next(form for form in FORMS if form in data)
            if form.startswith("image/"):
                about = output.get("metadata", {}).get(form, {})
                said = about.get("alt", ""), about.get("lang", "")
                yield picture(form, data[form], *said)
            else:
                yield data[form] if form == "text/markdown" else printed(data[form])
        if fold == "code_solution":
            yield "</details>"


def _framed(picture: str, language: str) -> str:
    """A picture in its frame, which names the language of its words if need be."""
    said = f' lang="{escape(language)}"' if language else ""
    return f"<div{said}>{picture}</div>"


# Matplotlib names a dozen fonts for words, and others for code.
_SANS = re.compile(r"'[^;]*sans-serif")


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
    own_names(root, prefix)
    for title in root.findall("title"):
        root.remove(title)
    for element in root.iter():
        for name, value in element.items():
            if name in {"d", "points", "x", "y"}:
                # A hundredth of a point is finer than any screen.
                value = re.sub(r"(\.\d\d)\d+", r"\1", " ".join(value.split()))
            value = _SANS.sub("var(--md-text-font-family)", value)
            if element.tag != "text":  # which may stand on a colour, and keeps its own
                value = value.replace("#000000", "currentcolor")
                value = value.replace("#ffffff", "var(--md-default-bg-color)")
            element.set(name, value)
    root.attrib = {"role": "img", "aria-label": words, "viewBox": view}
    drawn = _framed(markup(root), language)
    return own(f'<figure class="lit-plot" data-search-exclude>{drawn}</figure>')
