r"""# The head of a page

A page of Markdown may begin with a few fields between two lines of dashes: its title,
its description, the template that shows it. Here they are written and cut off, and
nowhere else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

_FRONT_MATTER = re.compile(r"\A---[ ]*\n.*?^(?:---|\.\.\.)[ ]*(?:\n|\Z)", re.S | re.M)


def with_fields(markdown: str, fields: Mapping[str, str]) -> str:
    """A page with these fields in its head, behind those that it has.

    A field without a value is left out.
    """
    # A JSON string is a YAML string, whatever quotes and colons a title has.
    lines = (
        f"{name}: {json.dumps(value, ensure_ascii=False)}\n"
        for name, value in fields.items()
        if value
    )
    head, body = divided(markdown)
    before = head.rstrip().removesuffix("---") if head else "---\n"
    return f"{before}{''.join(lines)}---\n{body}"


def divided(markdown: str) -> tuple[str, str]:
    """The head of a page, dashes included, and what stands below it."""
    match = _FRONT_MATTER.match(markdown)
    end = match.end() if match else 0
    return markdown[:end], markdown[end:]
