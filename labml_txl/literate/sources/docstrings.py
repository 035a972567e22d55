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
from typing import Any

from labml_txl.literate.markdown.inline import (
    WORDED,
    fence,
    in_item,
    outside_code,
    scan,
)
from labml_txl.literate.sources.source import Source
from labml_txl.literate.sources.syntax import definitions


def docstring(node: ast.Constant, source: Source) -> tuple[str, int]:
    """The Markdown of a docstring, and the line of its first words in the file."""
    text = "".join(text for text, _, _ in _parts(node, source))
    # Half of a character, which no file of text can hold, stays as it is written.
    text = text.encode(errors="backslashreplace").decode()
    empty = text[: len(text) - len(text.lstrip())].count("\n")
    text = with_formulas(with_names(inspect.cleandoc(text)))
    return with_examples(with_sections(text)), node.lineno + empty


_LITERAL = re.compile(
    r"[uU]?(\"\"\"|'''|\"|')(?P<text>(?:\\.|(?!\1)[^\\])*)\1", re.DOTALL
)
_ESCAPE = re.compile(
    r"""\\(?:\n|[\\'"abfnrtv]|[0-7]{1,3}|x[0-9a-fA-F]{2}|N\{[^{}]+\}
        |u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})""",
    re.VERBOSE,
)
_DOUBLED = re.compile(r"\\{4}|\\\\(?!\s|\Z)")


def _parts(node: ast.Constant, source: Source) -> Iterator[tuple[str, str, str]]:
    r"""The parts of a docstring, formulas apart: the text of each, how Python reads it,
    and how the file has it.

    Without an `r` in front, Python reads `\theta` as a tab and "heta". So the text of a
    formula is what stands in the file. There, a backslash is often written twice, as in
    `\\theta`, and means one; two before a space or at the end of a line are TeX's own
    sign for a new line.
    """
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    lines = [line.encode() for line in source.lines[first : last + 1]]
    lines[-1] = lines[-1][: node.end_col_offset]
    lines[0] = lines[0][node.col_offset :]
    literal = _LITERAL.fullmatch(b"".join(lines).decode())
    if literal is None or "\\" not in literal["text"]:  # It has an `r`, or is several.
        yield str(node.value), str(node.value), ""
        return
    for piece in scan(literal["text"], moved=True):
        text = value = _ESCAPE.sub(_escaped, piece.raw)
        if piece.kind in {"math", "display"}:
            text = _DOUBLED.sub(lambda match: match[0][len(match[0]) // 2 :], piece.raw)
        yield text, value, piece.raw


def _escaped(match: re.Match[str]) -> str:
    return str(ast.literal_eval(f'"""{match[0]}"""'))


def without_r(tree: ast.Module, source: Source) -> Iterator[int]:
    """The lines of formulas that Python reads in another way, for want of an `r`."""
    for node in (tree, *(node for node, _ in definitions(tree))):
        match node.body[:1]:
            case [ast.Expr(value=ast.Constant(value=str()) as string)]:
                line = string.lineno
                for text, value, raw in _parts(string, source):
                    if text != value:
                        yield line
                    line += raw.count("\n")


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


def with_sections(note: str) -> str:
    """A note whose sections of arguments, results and errors are lists.

    `griffe` finds out whether they are written in the way of Google, NumPy or Sphinx,
    and parses them. A section of words, such as `Note:`, gets a title in bold. A note
    without such a list, and without a section in the way of Google, stays as it is: a
    title with a line below it is a heading for Markdown too.
    """
    import griffe

    text = griffe.Docstring(note)
    style, _ = griffe.infer_docstring_style(text)
    if style is None:
        return note
    sections = text.parse(style, warnings=False)
    kinds = {section.kind.value for section in sections} - {"text"}
    if not kinds or (kinds == {"admonition"} and style is griffe.Parser.numpy):
        return note
    return "\n\n".join(_section(section) for section in sections)


def _section(section: Any) -> str:
    match section.kind.value, section.value:
        case "text", words:
            return str(words)
        case "admonition", admonition:
            kind = admonition.kind.replace("-", " ").capitalize()
            if section.title.rstrip("s").lower() == kind.rstrip("s").lower():
                return f"**{section.title}**\n\n{admonition.contents}"
            # It begins in the line of its title: `Note: look out.`
            return f"**{kind}**\n\n{section.title}\n{admonition.contents}"
        case "examples", parts:
            words = "\n\n".join(part for _, part in parts)
            return f"**Examples**\n\n{words}"
        case name, list(parts):
            items = "\n".join(map(_item, parts))
            return f"**{name.capitalize()}**\n\n{items}"
    return str(section.value)


def _item(one: Any) -> str:
    codes = (getattr(one, "name", ""), getattr(one, "annotation", None))
    words = " ".join(f"`{code}`" for code in codes if code)
    text = textwrap.indent(one.description.strip(), "    ").lstrip()
    return f"- {words}{': ' * bool(words and text)}{text}"
