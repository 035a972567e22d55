r"""# Titles

A note or a page may begin with a title: a heading of the first level.
"""

from __future__ import annotations

import re


def title_of(note: str) -> tuple[str, str]:
    """The heading that a note begins with, and the rest of the note."""
    match = re.match(r"# +(.+?)\s*(?:\n|\Z)\s*", note)
    return (match[1], note[match.end() :]) if match else ("", note)
