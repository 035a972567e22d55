"""# Notes for Python-Markdown

The host renders pages with Python-Markdown and the extensions in `EXTENSIONS`, which
read some texts in another way than CommonMark does. For notes CommonMark counts,
because that is what their authors write, and what GitHub and notebooks show. So `write`
writes a note in such a way that Python-Markdown reads the same:

- blocks: `blocks.Layout` says which indentation and which blank lines they need;
- a star or an underscore that emphasises nothing gets a backslash, as in `2*x + 3*y`
  and `__init__`, which are text in a note about a program;
- so do a dollar sign outside of formulas, the `#` of `#12`, a brace that begins no
  attributes, the bracket in `blocks[index](x)`, a bracket that begins no link because
  it has no partner, for which Python-Markdown would search the rest of the text, and
  the mark of an item at the beginning of a line of text;
- an address without marks becomes a link;
- a `<` in code or in a formula begins no tag. Python-Markdown looks for HTML before it
  looks for code, and `<![` or `</div>` would end the note, or the page.

Pages that are written by hand are given to Python-Markdown as they are.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from labml_txl.literate.markdown.inline import Piece, find_emphasis, is_called

# The extensions of every page, and their settings.
EXTENSIONS: dict[str, dict[str, Any]] = {
    "attr_list": {},
    "md_in_html": {},
    "labml_txl.literate.security.trusted": {},
    "tables": {},
    "labml_txl.literate.render.tables": {},
    "pymdownx.superfences": {},
    "pymdownx.arithmatex": {
        "generic": True,
        "smart_dollar": True,
        "inline_syntax": ["dollar"],
        "block_syntax": ["dollar"],
    },
}

_TAG = re.compile(r"<[^<>\s][^<>]*>")
# The noncharacter of Unicode that keeps `<` and `&` from being read as HTML. It follows
# them until the page is converted, when `security.trusted` removes it.
NO_HTML = "\ufdd3"
# The code in the words of a link.
TICKS = re.compile(r"(`+)[^`]*\1")
# What Python-Markdown might take for a mark, in a text without code and formulas.
_MARKS = re.compile(
    r"\*+|_+|\$|^[ >]*#|\[|\{(?!:?[ ]*(?:[#.][A-Za-z_]|[\w-]+=))", re.MULTILINE
)
# The beginning of a line of text that would define a link, as in `[a]: None`.
_DEFINITIONS = re.compile(r"^[ >]*\[(?=[^\[\]^\n][^\[\]\n]*\]:)", re.MULTILINE)
# The beginning of a line of text that would begin an item, as in a sum.
_BULLETS = re.compile(r"(?:\A|\n)[ >]*(?:[-+*]|\d+\.)[ \t]")


def write(pieces: Sequence[Piece], words: bool, one_line: bool = False) -> str:
    """Write the pieces of a part of a note for Python-Markdown.

    Characters are escaped only in `words`, and a heading must be `one_line`.
    """
    if not words:
        return "".join(map(_host, pieces))
    # Code and links count as words, and tags of the engine as blanks.
    run = "".join(
        _host(p) if _is_plain(p) else " " if _is_tag(p) else "x" for p in pieces
    )
    special = _MARKS.search(run) or _BULLETS.search(run)
    escaped = _find_escaped(run) if special else set()
    shown, position = list[str](), 0
    for piece in pieces:
        host = _host(piece)
        if _is_plain(piece):
            signs = enumerate(host, position)
            shown += (f"\\{sign}" if n in escaped else sign for n, sign in signs)
            position += len(host)
        else:
            shown.append(host)
            position += 1
    return "".join(shown).replace("\n", " ") if one_line else "".join(shown)


def _is_plain(piece: Piece) -> bool:
    return piece.kind == "text"


def _is_tag(piece: Piece) -> bool:
    return piece.kind == "own" and not piece.raw.startswith(("[", "$", "!", "\\"))


def _host(piece: Piece) -> str:
    if piece.kind == "address":
        return f"<{piece.raw}>"
    host = piece.raw if piece.host is None else piece.host
    if piece.kind in {"code", "math", "display"}:
        return without_html(host)
    if piece.kind in {"link", "citation", "own"} and host[:1] == "[":
        return TICKS.sub(lambda code: without_html(code[0]), host)
    return host


def without_html(code: str) -> str:
    """Code in which Python-Markdown finds no tags."""
    return code.replace("<", f"<{NO_HTML}")


def _find_escaped(run: str) -> set[int]:
    """The positions of characters that are text, and that need a backslash."""
    marks = {start for pair in find_emphasis(run) for start, _ in pair}
    tags = [match.span() for match in _TAG.finditer(run)]
    found = {match.end() - 2 for match in _BULLETS.finditer(run)}
    found |= _find_unpaired(run)
    found |= {match.end() - 1 for match in _DEFINITIONS.finditer(run)}
    for match in _MARKS.finditer(run):
        start, end = match.span()
        n = bisect_right(tags, (start, len(run))) - 1
        if start in marks or (n >= 0 and start < tags[n][1]):
            continue
        before, after = run[start - 1 : start], run[end : end + 1]
        sign = run[end - 1]
        between = before.isalnum() and after.isalnum()
        alone = not before.strip() and not after.strip()
        if (sign == "_" and between) or (sign in "*_" and alone):
            continue
        if sign != "[" or is_called(run, start):
            found.update(range(end - 1 if sign == "#" else start, end))
    return found


def _find_unpaired(run: str) -> set[int]:
    """The positions of opening brackets that can begin no link."""
    waiting, found = list[int](), set[int]()
    last = run.rfind(")")
    for match in _BRACKETS.finditer(run):
        if match[0] == "[":
            waiting.append(match.start())
        elif waiting:
            start = waiting.pop()
            if match[0] == "](" and match.end() > last:
                found.add(start)
    return found.union(waiting)


_BRACKETS = re.compile(r"\[|\]\(?")
