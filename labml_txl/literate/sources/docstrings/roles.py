r"""# Words in the way of Sphinx

Docstrings for Sphinx name things as `` :class:`Lock` `` and begin a block of code
below two colons, or below a line with `.. code-block::`. Here a name becomes code, and
code gets its fence.
"""

from __future__ import annotations

import re
import textwrap

from labml_txl.literate.markdown.inline import outside_code
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


def with_names(note: str) -> str:
    """A note in which names and blocks of code are marked as Markdown wants them."""
    if ":`" in note:
        note = outside_code(_ROLE, _named, note, moved=True)
    return outside_code(_CODE, _fenced, note, moved=True) if "::" in note else note


def _named(match: re.Match[str]) -> str:
    return match["title"] or f"`{match['last'] or match['name']}`"


def _fenced(match: re.Match[str]) -> str:
    code = textwrap.dedent(match["below"]).strip("\n")
    words = match["words"] or ""
    # `Note::`, with one colon too many, begins a section and no code.
    if re.fullmatch(OF_WORDS, words):
        return match[0].replace("::", ":", 1)
    if not code:
        return match[0]
    language = match["language"] or ("pycon" if code.startswith(">>>") else "python")
    block = f"```{language}\n{code}\n```\n"
    indent = match["indent"]
    if not words:
        return textwrap.indent(block, indent)
    # What belongs to an item stands further to the right than the item.
    below = textwrap.indent(block, indent and f"{indent}    ")
    return f"{indent}{words}:\n\n{below}"
