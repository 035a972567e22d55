r"""# Examples

An example shows what somebody types, behind `>>>`, and what Python answers. For
Markdown that is a quotation in a quotation. Here it becomes a block of code.
"""

from __future__ import annotations

import re

from labml_txl.literate.markdown.inline import scan


def with_examples(text: str) -> str:
    """A note whose examples, with `>>>` and what Python answers, are blocks of code."""
    if ">>>" not in text:
        return text
    code = [range(p.start, p.start + len(p.raw)) for p in scan(text) if p.kind in _CODE]

    def fenced(match: re.Match[str]) -> str:
        if any(match.start() in lines for lines in code):
            return match[0]
        above = text[: match.start()]
        empty = "\n" if above and not above.endswith("\n\n") else ""
        return f"{empty}{match[1]}```pycon\n{match[0]}\n{match[1]}```"

    return _EXAMPLE.sub(fenced, text)


_CODE = {"fence", "code"}


# As far as the next empty line. What is moved further to the right is code already.
_EXAMPLE = re.compile(
    r"(?<![^\n])(?P<indent>[ ]{0,3})>>>(?: [^\n]*)?(?:\n[ ]*\S[^\n]*)*", re.ASCII
)
