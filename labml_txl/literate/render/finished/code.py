r"""# Code that is HTML already

The code column of a page is HTML before Markdown sees it, with an element for each
name. To read all of these again takes longer than the rest of the page. So an extension
of Python-Markdown puts the columns aside, and they come back as they were.
"""

from __future__ import annotations

import re
from typing import Any

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

# A column begins its line, and holds no other box.
_COLUMN = re.compile(
    r'^(<div class="lit-side">'
    r'|<details class="lit-side lit-imports"><summary>[^<]*</summary>)'
    r"([^<]*(?:<(?!/?(?:div|details)\b)[^<]*)*)(?=</(?:div|details)>)",
    re.MULTILINE,
)


class CodeExtension(Extension):  # type: ignore[misc]
    """Leaves the code columns of a page as they are."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Put the columns aside once fenced code is out of the way (25), and before
        anything reads HTML (21)."""
        md.preprocessors.register(_Columns(md), "lit-code", 22)


class _Columns(Preprocessor):  # type: ignore[misc]
    def run(self, lines: list[str]) -> list[str]:
        return _COLUMN.sub(self._aside, "\n".join(lines)).split("\n")

    def _aside(self, match: re.Match[str]) -> str:
        return f"{match[1]}{self.md.htmlStash.store(match[2])}"


def makeExtension(**settings: Any) -> CodeExtension:  # noqa: N802
    """What Python-Markdown calls where the extension is named in settings."""
    return CodeExtension(**settings)
