r"""# Sections of docstrings

Many projects list arguments, results and errors at the end of a docstring, in the way
of Google, of NumPy or of Sphinx. `griffe` knows all three. Here such a section becomes
a list of Markdown. One of words or examples, such as `Note:`, gets a title in bold. All
around stays as it is written.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from functools import partial
from typing import Any

_LISTS = r"""
    Args|Arguments|Params|Parameters|Keyword\ Args|Keyword\ Arguments|Other\ Args|
    Other\ Arguments|Other\ Params|Other\ Parameters|Attributes|Returns|Yields|Receives|
    Raises|Exceptions|Warns
"""
_FIELDS = r"""
    param|parameter|arg|argument|key|keyword|type|var|ivar|cvar|vartype|returns?|rtype|
    raises?|except|exception
"""
# What follows a title: lines that are moved to the right, and empty ones.
_BELOW = r"(?:[ ]+\S[^\n]*(?:\n|\Z)|[ \t]*\n(?=(?:[ \t]*\n)*[ ]+\S))+"
# The line below a title, in the way of NumPy.
_RULE = r"[ ]*\n-{3,}[ ]*$\n?"
_STYLES = {
    "google": re.compile(rf"^(?:{_LISTS}):[ ]*\n{_BELOW}", re.M | re.X),
    "numpy": re.compile(
        rf"^(?:{_LISTS}){_RULE} (?:(?!^[^\n]+{_RULE}) [^\n]*(?:\n|\Z))+?"
        rf"(?=\Z | ^[^\n]+{_RULE})",
        re.M | re.X,
    ),
    "sphinx": re.compile(
        rf"(?:^:(?:{_FIELDS})(?:[ ][^:\n]+)?:[^\n]*(?:\n|\Z)(?:{_BELOW})?)+",
        re.M | re.X,
    ),
}
# Sections of words, and what else has a title only.
OF_WORDS = r"Notes?|Warnings?|References|Shape|See[ ]Also|Todo|Tip|Hint|Important"
_TITLES = rf"Examples?|{OF_WORDS}"
_TITLED = re.compile(rf"^({_TITLES}):[ ]*\n(?=[ ]+\S)({_BELOW})", re.M | re.X)
_NOTED = re.compile(
    r"^\.\.[ ](Note|Warning|Tip|Hint|Important|Caution|See[ ]?also)[ ]?::[ ]*([^\n]*)\n"
    rf"((?:[ \t]*\n)*{_BELOW})?",
    re.M | re.X | re.I,
)
_RULED = re.compile(rf"^({_TITLES}){_RULE}", re.M | re.X)


def with_sections(note: str) -> str:
    """A note whose sections of arguments, results and errors are lists.

    A title with a line below it is a heading for Markdown too. It is a section where
    such a list stands in the same note.
    """
    for style, pattern in _STYLES.items():
        told = pattern.sub(partial(_listed, style=style), note)
        if style == "numpy" and told != note:
            told = _RULED.sub(r"**\1**\n\n", told)
        note = told
    note = _NOTED.sub(
        lambda m: _titled(m, f"{m[2]}\n{textwrap.dedent(m[3] or '')}"), note
    )
    return _TITLED.sub(lambda m: _titled(m, textwrap.dedent(m[2])), note)


def _titled(match: re.Match[str], words: str) -> str:
    end = "\n" if match.string.startswith("\n", match.end()) else "\n\n"
    title = {"seealso": "See also"}.get(match[1], match[1][0].upper() + match[1][1:])
    return f"**{title}**\n\n{words.strip()}{end}"


def _listed(match: re.Match[str], *, style: str) -> str:
    import griffe

    # The first line of a docstring is moved less than the others.
    text = f"-\n\n{match[0]}"
    parsed = griffe.Docstring(text).parse(griffe.Parser(style), warnings=False)[1:]
    lists = [one for one in parsed if isinstance(one.value, list)]
    if not lists or len(lists) != len(parsed):
        return match[0]
    parts = "\n\n".join("\n".join(_part(one)) for one in lists)
    before = "" if match.string[: match.start()].endswith("\n\n") else "\n"
    return f"{before}{parts}\n\n"


def _part(section: Any) -> Iterator[str]:
    kind = section.kind.value
    yield f"**{kind.capitalize()}**\n"
    for one in section.value:
        name, given = getattr(one, "name", ""), getattr(one, "annotation", None)
        words = " ".join(f"`{code}`" for code in _codes(name, given))
        text = textwrap.indent(one.description.strip(), "    ").lstrip()
        yield f"- {words}{': ' * bool(words and text)}{text}"


def _codes(name: str, annotation: object) -> Iterator[str]:
    """The name of a part and its type, if they are given."""
    yield from (str(code) for code in (name, annotation) if code)
