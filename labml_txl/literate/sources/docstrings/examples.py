r"""# Examples

An example shows what somebody types, behind `>>>`, and what Python answers. For
Markdown that is a quotation in a quotation. Here it becomes a block of code.
"""

from __future__ import annotations

import re

from labml_txl.literate.markdown.inline import fence, in_item, outside_code

# As far as the next empty line, and no line is moved less to the right.
_EXAMPLE = re.compile(
    r"(?<![^\n])(?P<indent>[ ]*)>>>(?: [^\n]*)?(?:\n(?P=indent)[ ]*\S[^\n]*)*",
    re.ASCII,
)


def with_examples(text: str) -> str:
    """A note whose examples, with `>>>` and what Python answers, are blocks of code."""
    return outside_code(_EXAMPLE, _fenced, text) if ">>>" in text else text


def _fenced(match: re.Match[str]) -> str:
    text, indent = match.string, match["indent"]
    # What is moved further to the right is code already, unless an item holds it.
    if len(indent) > 3 and not (len(indent) < 8 and in_item(text, match.start())):
        return match[0]
    above = text[: match.start()]
    empty = "\n" if above and not above.endswith("\n\n") else ""
    mark = fence(match[0])
    return f"{empty}{indent}{mark}pycon\n{match[0]}\n{indent}{mark}"
