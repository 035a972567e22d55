r"""# Words in the way of Sphinx

Docstrings for Sphinx name things as `` :class:`Lock` `` and begin a block of code
below two colons, or below a line with `.. code-block::`. Here a name becomes code, and
code gets its fence.
"""

from __future__ import annotations

import re
import textwrap
from itertools import takewhile

from labml_txl.literate.markdown.inline import fence, outside_code
from labml_txl.literate.sources.docstrings.sections import OF_WORDS

# `:math:` is a formula. A `~` in front leaves all but the last word out.
_ROLE = re.compile(
    r"""(?<![\w`:]) :(?!math:)[a-z]+(?:[:+-][a-z]+)*:`
        (?: (?P<title>[^`<>\n]+?)[ ]*<[^`<>\n]+> | ~(?:[\w.]*\.)?(?P<last>\w+)
          | !?(?P<name>[^`\n]+) )`""",
    re.VERBOSE,
)
_CODE = re.compile(
    r"""
    ^(?P<indent>[ ]*)(?![ ])
    (?: \.\.[ ](?:code-block|code|sourcecode)[ ]?::[ ]*(?P<language>[\w+-]*)
      | (?!\.\.[ ])(?P<words>[^\n]*?)(?<!:)[ ]?:: )[ ]*
    (?P<options>(?:\n(?P=indent)[ ]+:[\w-]+:[^\n]*)*)
    (?P<below>(?:\n[ ]*(?=\n)|\n(?P=indent)[ ]+\S[^\n]*)+)
    """,
    re.MULTILINE | re.VERBOSE,
)


_ITEM = re.compile(r"(?:[-*+]|\d+[.)])[ ]+")


def with_names(note: str) -> str:
    """A note in which names and blocks of code are marked as Markdown wants them."""
    if ":`" in note:
        note = outside_code(_ROLE, _named, note, moved=True)
    return outside_code(_CODE, _fenced, note, moved=True) if "::" in note else note


def _named(match: re.Match[str]) -> str:
    return match["title"] or f"`{match['last'] or match['name']}`"


def _fenced(match: re.Match[str]) -> str:
    indent, words = match["indent"], match["words"] or ""
    # `Note::`, with one colon too many, begins a section and no code.
    if re.fullmatch(OF_WORDS, words):
        below = match["below"].lstrip(" \n")
        margin = match["below"][: -len(below)].rpartition("\n")[2]
        return f"{indent}{words}:\n{margin}{below}"
    # What stands below the words of an item belongs to it, and is no code yet.
    item = _ITEM.match(words)
    above = " " * (len(indent) + (item.end() if item else 0))
    lines = match["below"].split("\n")[1:]
    code = [
        *takewhile(lambda line: not line.strip() or line.startswith(f"{above} "), lines)
    ]
    after = "".join(f"\n{line}" for line in lines[len(code) :])
    text = textwrap.dedent("\n".join(code)).strip("\n")
    if not text:
        return match[0]
    language = match["language"] or ("pycon" if text.startswith(">>>") else "python")
    block = f"{fence(text)}{language}\n{text}\n{fence(text)}\n"
    if not words:
        return textwrap.indent(block, indent) + after
    below = textwrap.indent(block, f"{indent}    " if indent or item else "")
    return f"{indent}{words}:\n\n{below}{after}"
