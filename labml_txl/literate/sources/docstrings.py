r"""# Docstrings as Markdown

What people write into docstrings, and Python or Markdown would read in another way:
formulas without an `r`, formulas and names in the way of Sphinx, examples, and sections
of arguments, results and errors. Such sections are parsed by `griffe`; what it does not
know is shown as it is written.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Any, NamedTuple

from labml_txl.literate.markdown.headings import without_empty
from labml_txl.literate.markdown.inline import fence, in_item, outside_code, scan
from labml_txl.literate.markdown.tokens import WORDED
from labml_txl.literate.sources.syntax import every_statement


def docstring(node: ast.Constant, source: str) -> tuple[str, int]:
    """The Markdown of a docstring, and the line of its first words in the file."""
    text = "".join(text for text, _, _ in _parts(node, source))
    # Half of a character, which no file of text can hold, stays as it is written.
    text = text.encode(errors="backslashreplace").decode()
    empty = text[: len(text) - len(text.lstrip())].count("\n")
    text = with_formulas(with_names(inspect.cleandoc(text)))
    return without_empty(with_examples(with_sections(text))), node.lineno + empty


# Without an `r` in front, Python reads `\theta` as a tab and "heta". So within formulas
# a docstring is read as it stands in the file. There, a backslash is often written
# twice, as `\\theta`, and means one; two before a space or at the end of a line are
# TeX's own sign for a new line. Outside of formulas, Python's reading counts.


class _Sign(NamedTuple):
    """One sign of a string: as the file has it, as Python reads it, and as one
    character for the search for formulas."""

    raw: str
    value: str
    seen: str


_LITERAL = re.compile(r"[uU]?(\"\"\"|'''|\"|')(?P<text>.*)\1", re.DOTALL)
_SIGN = re.compile(
    r"""\\(?:\n|[\\'"abfnrtv]|[0-7]{1,3}|x[0-9a-fA-F]{2}|N\{[^{}]+\}
        |u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})|.""",
    re.DOTALL | re.VERBOSE,
)
_DOUBLED = re.compile(r"\\{4}|\\\\(?!\s|\Z)")


def without_r(tree: ast.Module, source: str) -> Iterator[tuple[int, str]]:
    r"""What Python reads in another way, for want of an `r`: its line, and what it is.

    That is a formula, or a sign that nobody can see: in `\alpha`, the one for a bell.
    """
    for node in every_statement(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str()) as string):
                line = string.lineno
                for text, raw, value in _parts(string, source):
                    if text != value:
                        yield line, "this formula"
                    elif (sign := _UNSEEN.search(text)) and "\\" in raw:
                        below = text.count("\n", 0, sign.start())
                        yield line + below, _UNSEEN_NAMES[sign[0]]
                    line += raw.count("\n")


# No note has them on purpose, but Click wants two of them at the end of a line.
_UNSEEN_NAMES = {"\a": r"\a", "\b": r"\b", "\f": r"\f", "\v": r"\v"}
_UNSEEN = re.compile("[\a\v]|[\b\f](?![ ]*(?:\n|$))")


def _parts(node: ast.Constant, source: str) -> Iterator[tuple[str, str, str]]:
    """The parts of a docstring, formulas apart: the text of each, how the file has it,
    and how Python reads it."""
    signs = _signs(_written(node, source))
    value = "".join(sign.value for sign in signs)
    if value != node.value:  # It has no backslash, an `r`, or is several strings.
        yield str(node.value), "", str(node.value)
        return
    for piece in scan("".join(sign.seen for sign in signs), moved=True):
        here = signs[piece.start : piece.start + len(piece.raw)]
        raw, value = ("".join(s.raw for s in here), "".join(s.value for s in here))
        if piece.kind in {"math", "display"} and "\\" in raw:
            text = _DOUBLED.sub(lambda match: match[0][len(match[0]) // 2 :], raw)
            yield text, raw, value
        else:
            yield value, raw, value


def _signs(written: str) -> list[_Sign]:
    literal = _LITERAL.fullmatch(written)
    if literal is None or "\\" not in written:
        return []
    found = []
    for match in _SIGN.finditer(literal["text"]):
        raw = match[0]
        if len(raw) == 1:
            found.append(_Sign(raw, raw, raw))
        elif raw == "\\\n":
            found.append(_Sign(raw, "", " "))
        else:
            value: str = ast.literal_eval(f'"{raw}"')
            # What is no sign of its own may begin a command, such as `\begin`.
            found.append(_Sign(raw, value, value if value in "\\\"'" else "\b"))
    return found


def _written(node: ast.Constant, source: str) -> str:
    """How the file has a string, with its quotes. The columns count bytes."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    lines = [line.encode() for line in _lines(source)[first : last + 1]]
    lines[-1] = lines[-1][: node.end_col_offset]
    lines[0] = lines[0][node.col_offset :]
    return b"".join(lines).decode()


# One file is read to its end before the next.
@lru_cache(maxsize=4)
def _lines(source: str) -> list[str]:
    """The lines as Python counts them."""
    return re.findall(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+\Z", source)


# Formulas and names in the way of Sphinx

_FORMULA = re.compile(
    rf"""
    :math:`(?P<inline>(?:{WORDED}|[^`$])+)`
    | ^(?P<indent>[ ]*)\.\.[ ]math[ ]?::[ ]*(?P<first>[^\n]*)
      (?P<below>(?:\n(?P=indent)[ ]+\S[^\n]*|\n[ ]*(?=\n|\Z))*)
    """,
    re.MULTILINE | re.VERBOSE,
)
# What is told to Sphinx, such as `:label: name`.
_OPTION = re.compile(r"^:\w+:.*$", re.MULTILINE)


def with_formulas(note: str) -> str:
    """A note whose `:math:` and `.. math::` have dollars, as Markdown wants them."""

    def dollars(match: re.Match[str]) -> str:
        if match["inline"]:
            return f"${' '.join(match['inline'].split())}$"
        text = f"{match['first']}\n\n{textwrap.dedent(match['below'])}"
        formulas = re.split(r"\n\s*\n", _OPTION.sub("", text).strip())
        shown = []
        for tex in filter(str.strip, formulas):
            # Sphinx aligns the lines of a formula.
            if "\\begin{" not in tex and re.search(r"\\\\|(?<!\\)&", tex):
                tex = f"\\begin{{aligned}}\n{tex}\n\\end{{aligned}}"
            shown.append(f"$$\n{tex}\n$$\n")
        return textwrap.indent("\n" + "\n".join(shown), match["indent"])

    if ":math:" not in note and ".. math" not in note:
        return note
    return outside_code(_FORMULA, dollars, note, moved=True)


# A `~` in front leaves all but the last word out.
_ROLE = re.compile(
    r"""(?<![\w`:]) :(?!math:)[a-z]+(?:[:+-][a-z]+)*:`
        (?: (?P<title>[^`<>\n]+?)[ ]*<[^`<>\n]+> | ~(?:[\w.]*\.)?(?P<last>\w+)
          | !?(?P<name>[^`\n]+) )`""",
    re.VERBOSE,
)


def with_names(note: str) -> str:
    """A note in which names such as `` :class:`Lock` `` are code."""
    if ":`" not in note:
        return note
    return outside_code(
        _ROLE,
        lambda match: match["title"] or f"`{match['last'] or match['name']}`",
        note,
        moved=True,
    )


# Examples

# As far as the next empty line, and no line is moved less to the right.
_EXAMPLE = re.compile(
    r"(?<![^\n])(?P<indent>[ ]*)>>>(?: [^\n]*)?(?:\n(?P=indent)[ ]*\S[^\n]*)*",
    re.ASCII,
)


def with_examples(text: str) -> str:
    """A note whose examples, with `>>>` and what Python answers, are blocks of code."""

    def fenced(match: re.Match[str]) -> str:
        indent = match["indent"]
        # What is moved further to the right is code already, unless an item holds it.
        if len(indent) > 3 and not (len(indent) < 8 and in_item(text, match.start())):
            return match[0]
        above = text[: match.start()]
        empty = "\n" if above and not above.endswith("\n\n") else ""
        mark = fence(match[0])
        return f"{empty}{indent}{mark}pycon\n{match[0]}\n{indent}{mark}"

    return outside_code(_EXAMPLE, fenced, text) if ">>>" in text else text


# Sections

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
_TITLES = (
    r"Examples?|Notes?|Warnings?|References|Shape|See[ ]Also|Todo|Tip|Hint|Important"
)
_TITLED = re.compile(rf"^({_TITLES})::?[ ]*\n\n?(?=[ ]+\S)({_BELOW})", re.M | re.X)
_NOTED = re.compile(
    r"^\.\.[ ](Note|Warning|Tip|Hint|Important|Caution|See[ ]?also)[ ]?::[ ]*([^\n]*)\n"
    rf"((?:[ \t]*\n)*{_BELOW})?",
    re.M | re.X | re.I,
)
_RULED = re.compile(rf"^({_TITLES}){_RULE}", re.M | re.X)


def with_sections(note: str) -> str:
    """A note whose sections of arguments, results and errors are lists.

    `griffe` parses them, in the way of Google, NumPy and Sphinx. A section of words or
    examples, such as `Note:`, gets a title in bold. A title with a line below it is a
    heading for Markdown too: it is a section where such a list stands in the same note.
    """
    for style, pattern in _STYLES.items():
        changed = pattern.sub(partial(_listed, style=style), note)
        if style == "numpy" and changed != note:
            changed = _RULED.sub(r"**\1**\n\n", changed)
        note = changed
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
    if not parsed or not all(isinstance(one.value, list) for one in parsed):
        return match[0]
    lists = "\n\n".join("\n".join(_section(one)) for one in parsed)
    before = "" if match.string[: match.start()].endswith("\n\n") else "\n"
    return f"{before}{lists}\n\n"


def _section(section: Any) -> Iterator[str]:
    yield f"**{section.kind.value.capitalize()}**\n"
    for one in section.value:
        codes = (getattr(one, "name", ""), getattr(one, "annotation", None))
        words = " ".join(f"`{code}`" for code in codes if code)
        text = textwrap.indent(one.description.strip(), "    ").lstrip()
        yield f"- {words}{': ' * bool(words and text)}{text}"
