"""# Titles

A note or a page may begin with a title: a heading of the first level.
"""

from __future__ import annotations

import re

from labml_txl.literate.markdown.blocks import Span, spans

# The underline of a heading, and blank lines.
_BELOW = re.compile(r"[^\n]*(?:\n=+[ ]*$)?(?:\n[ \t]*$)*\n?", re.MULTILINE)


def opening(note: str) -> Span | None:
    """The heading at the beginning of a note, if there is one."""
    first = next(spans(note), None)
    heading = first is not None and first.kind == "heading"
    return first if first and heading and not note[: first.start].strip(" #") else None


def title_of(note: str) -> tuple[str, str]:
    """The title at the beginning of a note, or empty, and the rest of the note."""
    first = opening(note)
    if first is None or first.level != 1:
        return "", note
    below = _BELOW.match(note, first.end)
    return note[first.start : first.end], note[below.end() :] if below else ""
