"""# The front matter of a page

A page of Markdown may begin with fields between two lines of dashes: its title, its
description, its template. This module adds fields to the front matter and separates it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

_FRONT_MATTER = re.compile(r"\A---[ ]*\n.*?^(?:---|\.\.\.)[ ]*(?:\n|\Z)", re.S | re.M)


def add_fields(markdown: str, fields: Mapping[str, object]) -> str:
    """A page with these fields appended to its front matter, except for empty ones."""
    # JSON is valid YAML, whatever quotes and colons it contains.
    lines = (
        f"{name}: {json.dumps(value, ensure_ascii=False)}\n"
        for name, value in fields.items()
        if value
    )
    head, body = split_front_matter(markdown)
    before = head.rstrip().removesuffix("---") if head else "---\n"
    return f"{before}{''.join(lines)}---\n{body}"


def split_front_matter(markdown: str) -> tuple[str, str]:
    """The front matter of a page, including the dashes, and the rest of the page."""
    match = _FRONT_MATTER.match(markdown)
    end = match.end() if match else 0
    return markdown[:end], markdown[end:]
