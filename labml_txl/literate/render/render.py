"""# Rendering a page as Markdown

The engine renders pages as Markdown, not as HTML: each block becomes a row, with the
note as Markdown on the left and the code as HTML on the right. The host then provides
the table of contents, the search and the check of links, and hosts can be exchanged.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from html import escape
from urllib.parse import quote

from labml_txl.literate.i18n.labels import Labels, numbers
from labml_txl.literate.markdown.front_matter import add_fields
from labml_txl.literate.markdown.host import TICKS
from labml_txl.literate.markdown.inline import Piece
from labml_txl.literate.markdown.message import read_message
from labml_txl.literate.markdown.note import Note, Part
from labml_txl.literate.markdown.tags import find_stray
from labml_txl.literate.render.highlight import (
    Code,
    Link,
    code_html,
    code_of,
    letters,
    mark_code,
)
from labml_txl.literate.render.page import Page, Section
from labml_txl.literate.render.resolve import Site, remove_marks, resolve, write_formula
from labml_txl.literate.security.trusted import SANITISED, mark_class, mark_html
from labml_txl.literate.sources.blocks import Block, Line
from labml_txl.literate.sources.source import LiterateError, Tell, stop

# Blocks that start below this line get the class `lit-far`, so that a browser lays them
# out only when the reader scrolls near them. On a page of 20,000 lines, this takes half
# the time that a limit of 2,000 takes.
FAR = 500

# The class of a note that begins with these words; `literate.css` has its style.
_STYLES = {"Warning:": "lit-warning"}


def render_page(page: Page, site: Site, tell: Tell = stop) -> str:
    """Render an annotated module as Markdown with front matter.

    `tell` is called with a `LiterateError` for each reference that cannot be resolved.
    """
    column = partial(
        _code_column,
        page=page,
        site=site,
        code=code_of(page.module, page.source),
        link=site.code_link(page.path),
        observed=page.observed.attributes(),
    )
    rows = (_row(page, section, site, column, tell) for section in page.sections)
    fields = {
        "title": page.title,
        "description": page.description,
        "template": "annotated.html",
        "source_url": site.source.partition("#")[0].format(path=page.source.path),
    }
    if page.observed.marks:
        fields["observed"] = observed_url(page)
    return add_fields(f"\n{SANITISED}\n{''.join(rows)}", fields)


def observed_url(page: Page) -> str:
    """The URL of a page's observed values, relative to the folder of all of them."""
    return quote(page.path.removesuffix(".md"))


def _row(
    page: Page, section: Section, site: Site, column: Callable[..., str], tell: Tell
) -> str:
    block = section.block
    read = partial(
        resolve,
        page=page.path,
        site=site,
        near=page.module,
        scope=block.scope,
        path=block.file or page.source.path,
        line=block.note_line,
        tell=lambda fault: tell(_correct_line(fault, page, block)),
    )
    note = read(escape_stray_tags(block.note)).host
    heading = _heading(page, section, read)
    shapes = ""
    if section.heading:
        shapes = page.observed.shapes_html(block.scope, site.labels)
    lead, given = split_names(note) if section.heading else (note, "")
    note, below, uneven = place_parts(
        lead, given, shapes, len(block.visible_code), bool(heading)
    )
    folded = _fold(*below, site.labels)
    # Beside much longer code, half of the row would be empty: the note is above it.
    stacked = " lit-stacked" * (uneven > UNEVEN and block.opens != "exercises")
    # The introduction and the exercises have the whole width of the page: the former
    # comes before the two columns, and the code of the latter is in their text.
    wide = {"module": " lit-intro", "exercises": " lit-intro lit-exercises"}
    classes = wide.get(block.opens, stacked) + " lit-far" * (block.lines.start > FAR)
    # The source of a translated note is the English one.
    opening = block.note.source.lstrip()
    for words, style in _STYLES.items():
        classes += f" {style}" * opening.startswith(words)
    outer, inner, right = map(
        mark_class, (f"lit-block{classes}", "lit-note", "lit-side")
    )
    anchor = escape(section.anchor)
    row = (
        f'<div class="{outer}" id="{anchor}" markdown="1">\n'
        f'<div class="{inner}" markdown="1">\n\n{heading}{note}\n\n</div>\n'
    )
    if block.opens != "module":
        lines = () if block.opens == "exercises" else block.visible_code
        side = column(section=section, lines=lines)
        return f'{row}<div class="{right}">{side}</div>\n{folded}</div>\n\n'
    imports, rest = page.folded
    if imports:
        words = escape(site.labels.of_lines("imports", _numbers(imports)))
        row += (
            f'<details class="{right} {mark_class("lit-imports")}">'
            f"<summary>{words}</summary>"
            f"{column(section=section, lines=imports)}</details>\n"
        )
    row += "</div>\n\n"
    if rest:
        row += (
            f'<div class="{mark_class("lit-block")}" id="{anchor}.code" markdown="1">\n'
            f'<div class="{inner}"></div>\n<div class="{right}">'
            f"{column(section=section, lines=rest)}</div>\n</div>\n\n"
        )
    return row


def place_parts(
    lead: str, given: str, shapes: str, n_lines: int, headed: bool
) -> tuple[str, tuple[str, str], float]:
    """Which parts of a note are beside the code, and which below it.

    The list of names and their shapes are where the halves of the row become most
    even. Returns the note, both parts below the code, each empty if it is in the note,
    and by about how many lines the halves differ.
    """
    listed = f"{lead}\n\n{given}"
    left, ways = 2.0 * headed, []
    for part, note, below in (
        (lead, lead, (given, shapes)),
        (given, listed, ("", shapes)),
        (shapes, f"{listed}\n\n{shapes}", ("", "")),
    ):
        # The list of shapes has smaller letters.
        left += lines_in(part) * (0.6 if part is shapes else 1)
        ways.append((note, below, abs(left - n_lines - 1 - 1.5 * any(below))))
    return min(ways, key=lambda way: way[2])


def lines_in(note: str) -> float:
    """About how many lines a note takes in its half of a wide screen."""
    text = _TAG.sub("", _DRAWING.sub("![", note))
    text = _TEX.sub(lambda tex: "x" * (len(tex[0]) // 3), text)
    lines = 0.0
    for paragraph in re.split(r"\n\s*\n|\n(?=[-*] )", text):
        words = paragraph.strip()
        if words.startswith("|"):  # a table, with the line below its head
            lines += 1.5 * words.count("\n") + 1
        elif words.startswith("!["):
            lines += DRAWING
        elif words:
            wide = len(words) + len(_WIDE.findall(words))
            column = ITEM if words.startswith(("- ", "* ")) else COLUMN
            # Lines of Chinese and Japanese are taller.
            tall = 1.2 if _WIDE.search(words) else 1
            lines += math.ceil(wide / column) * tall + 0.3 + 2 * words.startswith("$$")
    return lines


_TAG = re.compile(r"<[^>]*>")
_WIDE = re.compile("[\u2e81-\U0010ffff]")
# A command of TeX, or braces: what does not show in a formula. A URL does not either.
_TEX = re.compile(r"\\[a-z]+|[{}$]|(?<=\])\([^)]*\)|(?<=\])\[[^\]]*\]")
# A drawing that is in the page, and the sign before it that keeps it from Markdown.
_DRAWING = re.compile(r"[^\S\n]*\W?<figure.*?</figure>", re.DOTALL)
# The letters of a line of a note, and of a list in it, the lines that a drawing takes,
# and by how many lines both halves may differ.
COLUMN = 50
ITEM = 43
DRAWING = 11
UNEVEN = 3.8


# The beginning of a list of names, with its title if it has one.
_NAMES = re.compile(
    r"^(?P<title>\*\*[^*\n]+\*\*\n\n)?[-*] \[?`+[A-Za-z_*][\w., *]*`", re.MULTILINE
)
_NAME = re.compile(r"^[-*] \[?`+([^`\n]+)`", re.MULTILINE)

# A line within a list, or one that announces it.
_WITHIN = re.compile(r"[-*] |    |.*(?:[:：…]|\.\.\.)$")


def split_names(note: str) -> tuple[str, str]:
    """What a definition is for, and what follows: the list of its names, and the rest.

    The former is beside the code, and the latter below it.
    """
    for match in _NAMES.finditer(note):
        before = note[: match.start()]
        above = before.rstrip().rpartition("\n")[2]
        # A list that begins otherwise is one of sentences, and one that a sentence
        # announces continues it.
        own = match["title"] or not _WITHIN.match(above)
        if before.count("```") % 2 == 0 and own:
            return before, note[match.start() :]
    return note, ""


def _fold(given: str, shapes: str, labels: Labels) -> str:
    """The part of a row below its code, folded: its names and their shapes in a run."""
    if not given and not shapes:
        return ""
    # Those of the first section, as results and errors are no parameters.
    names = ", ".join(_NAME.findall(given.partition("\n**")[0])[:6])
    words = labels("given", names=names) if names else labels("given_shapes")
    return (
        f'<details class="{mark_class("lit-given")}" markdown="1">\n'
        f"<summary>{escape(words)}</summary>\n"
        f'<div markdown="1">\n\n{given}\n\n{shapes}</div>\n</details>\n'
    )


def _correct_line(fault: LiterateError, page: Page, block: Block) -> LiterateError:
    """Correct the line of a fault in a note by searching the file for its text.

    Doctests and sections of a docstring have more lines in the note than in the file,
    so counting lines of the note may give a wrong line of the file.
    """
    text = block.note.source.split("\n")
    written = [*text[max(fault.line - block.note_line, 0) :], ""][0].strip()
    lines = [n for n in block.note_lines if written in page.source.lines[n - 1]]
    if not written or not lines:
        return fault
    near = min(lines, key=lambda line: abs(line - fault.line))
    return LiterateError(fault.path, near, fault.message)


def escape_stray_tags(note: Note) -> Note:
    """Escape tags in a note that are no HTML elements, such as `<name>`."""
    pieces = [*note.pieces]
    # Code contains no tags: we replace it by digits, which keeps all positions.
    text = "".join(
        "0" * len(p.raw)
        if p.kind in _CODE
        else TICKS.sub(lambda code: "0" * len(code[0]), p.raw)
        if p.kind in _LINKS
        else p.raw
        for p in pieces
    )
    if "<" not in text:
        return note
    places = [place.start for place in find_stray(text)]
    position = 0

    def change(piece: Piece) -> Piece:
        nonlocal position
        start, position = position, position + len(piece.raw)
        first, last = bisect_left(places, start), bisect_left(places, position)
        if first == last or piece.kind == "own":
            return piece
        inside = {place - start for place in places[first:last]}
        raw = "".join(
            "&lt;" if n in inside else sign for n, sign in enumerate(piece.raw)
        )
        host = None if piece.host is None else _escape_same(piece.raw, raw, piece.host)
        body = raw if piece.body == piece.raw else piece.body
        return replace(piece, raw=raw, body=body, host=host)

    return note.map(change)


def _escape_same(raw: str, changed: str, host: str) -> str:
    """Escape the tags in `host` that are escaped in `changed`; `raw` is without."""
    tags = iter(re.findall("&lt;|<", changed))
    return re.sub("<", lambda sign: next(tags, sign[0]), host)


_CODE = {"code", "fence", "drawing", "math", "display", "own"}
_LINKS = {"link", "citation"}


def _heading(page: Page, section: Section, read: Callable[[Note], Note]) -> str:
    heading = ""
    if section.block.opens == "module":
        address = f" {{#{page.anchor}}}" if page.anchor else ""
        part = page.heading or Part(read_message(page.title).pieces, "heading")
        title = escape_stray_tags(remove_marks(Note((replace(part, kind="heading"),))))
        # Only a heading with a link is resolved, so other names in it get no link.
        if {piece.kind for piece in title.pieces} & {"link", "citation"}:
            title = read(title)
        else:
            title = title.map_parts(
                lambda part: replace(
                    part, pieces=tuple(write_formula(piece) for piece in part.pieces)
                )
            )
        heading = f"# {title.host}{address}\n\n"
    if section.heading:
        # The row already has the section's anchor as its `id`.
        marks = "#" * section.level
        heading += f"{marks} `{section.heading}` {{#h-{section.anchor}}}\n\n"
    return heading


def _code_column(
    section: Section,
    lines: tuple[Line, ...],
    page: Page,
    site: Site,
    code: Code,
    link: Link,
    observed: Mapping[tuple[int, int], str],
) -> str:
    """Render the permalink of a row, the link to its source and its lines of code."""
    anchor = escape(section.anchor)
    label = escape(site.labels("permalink", anchor=section.anchor))
    permalink = f'<a class="lit-link" href="#{anchor}" aria-label="{label}">#</a>'
    if not lines:
        return mark_html(permalink)
    numbered = _numbers(lines)
    source = ""
    if address := escape(site.source_url(page.source.path, numbered)):
        words = escape(site.labels.of_lines("source", numbered))
        source = (
            f'<a class="lit-source" href="{address}" aria-label="{words}">'
            f"{numbers(numbered)}</a>"
        )
    html = code_html(lines, code, link, observed)
    block = section.block
    terms = "" if block.opens else letters(block.note, site.registry.papers)
    # `tabindex` lets users scroll the box with the keyboard.
    return mark_html(
        f'{permalink}{source}<pre class="lit-code" tabindex="0"><code>'
        f"{mark_code(html, terms)}</code></pre>"
    )


def _numbers(lines: tuple[Line, ...]) -> range:
    return range(lines[0].number, lines[-1].number + 1)
