"""# Docstrings as Markdown

Docstrings contain text that Python or Markdown would interpret in another way: formulas
without an `r`, formulas and names in the notation of Sphinx, examples, and sections of
arguments, results and errors. This module converts it to Markdown. `griffe` parses the
sections; those that it does not know are shown as they are written.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import Any

from labml_txl.literate.markdown.inline import WORDED, fence
from labml_txl.literate.markdown.note import in_item, outside_code, pieces_of
from labml_txl.literate.sources.source import Source
from labml_txl.literate.sources.syntax import definitions


def docstring(node: ast.Constant, source: Source) -> tuple[str, int]:
    """The Markdown of a docstring, and the line of its first word in the file."""
    text = "".join(text for text, _, _ in _parts(node, source))
    # A surrogate cannot be encoded, so it stays as it is written.
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
    r"""The formulas of a docstring and the parts between them.

    Of each, this gives the text that we show, its value in Python, and how it is
    written in the file. Without an `r` before the string, Python reads `\theta` as a
    tab and "heta", so we show formulas as they are written. In a formula, a double
    backslash, as in `\\theta`, means a single one, but not before a space or at the end
    of a line, where it is TeX's command for a new line.
    """
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    lines = [line.encode() for line in source.lines[first : last + 1]]
    lines[-1] = lines[-1][: node.end_col_offset]
    lines[0] = lines[0][node.col_offset :]
    literal = _LITERAL.fullmatch(b"".join(lines).decode())
    if literal is None or "\\" not in literal["text"]:  # raw or concatenated
        yield str(node.value), str(node.value), ""
        return
    for piece in pieces_of(literal["text"], moved=True):
        text = value = _ESCAPE.sub(_escaped, piece.raw)
        if piece.kind in {"math", "display"}:
            text = _DOUBLED.sub(lambda match: match[0][len(match[0]) // 2 :], piece.raw)
        yield text, value, piece.raw


def _escaped(match: re.Match[str]) -> str:
    return str(ast.literal_eval(f'"""{match[0]}"""'))


def without_r(tree: ast.Module, source: Source) -> Iterator[int]:
    """The lines of formulas that Python reads in another way, as an `r` is missing."""
    for node in (tree, *(node for node, _ in definitions(tree))):
        match node.body[:1]:
            case [ast.Expr(value=ast.Constant(value=str()) as string)]:
                line = string.lineno
                for text, value, raw in _parts(string, source):
                    if text != value:
                        yield line
                    line += raw.count("\n")


# Formulas and names in the notation of Sphinx

_FORMULA = re.compile(
    rf"""
    :math:`(?P<inline>(?:{WORDED}|[^`$])+)`
    | ^(?P<indent>[ ]*)\.\.[ ]math[ ]?::[ ]*(?P<first>[^\n]*)
      (?P<below>(?:\n(?P=indent)[ ]+\S[^\n]*|\n[ ]*(?=\n|\Z))*)
    """,
    re.MULTILINE | re.VERBOSE,
)
# An option of Sphinx, such as `:label: name`.
_OPTION = re.compile(r"^:\w+:.*$", re.MULTILINE)


def with_formulas(note: str) -> str:
    """A note with dollar signs instead of `:math:` and `.. math::`."""

    def dollars(match: re.Match[str]) -> str:
        if match["inline"]:
            return f"${' '.join(match['inline'].split())}$"
        text = f"{match['first']}\n\n{textwrap.dedent(match['below'])}"
        formulas = re.split(r"\n\s*\n", _OPTION.sub("", text).strip())
        shown = []
        for tex in filter(str.strip, formulas):
            # Sphinx aligns the lines of a formula, so we do it too.
            if "\\begin{" not in tex and re.search(r"\\\\|(?<!\\)&", tex):
                tex = f"\\begin{{aligned}}\n{tex}\n\\end{{aligned}}"
            shown.append(f"$$\n{tex}\n$$\n")
        return textwrap.indent("\n" + "\n".join(shown), match["indent"])

    if ":math:" not in note and ".. math" not in note:
        return note
    return outside_code(_FORMULA, dollars, note, moved=True)


# If a name starts with `~`, only its last part is shown.
_ROLE = re.compile(
    r"""(?<![\w`:]) :(?!math:)[a-z]+(?:[:+-][a-z]+)*:`
        (?: (?P<title>[^`<>\n]+?)[ ]*<[^`<>\n]+> | ~(?:[\w.]*\.)?(?P<last>\w+)
          | !?(?P<name>[^`\n]+) )`""",
    re.VERBOSE,
)


def with_names(note: str) -> str:
    """A note in which roles such as `` :class:`Lock` `` are replaced by code."""
    if ":`" not in note:
        return note
    return outside_code(
        _ROLE,
        lambda match: match["title"] or f"`{match['last'] or match['name']}`",
        note,
        moved=True,
    )


# Examples

# It ends before a blank line or a line with less indentation.
_EXAMPLE = re.compile(
    r"(?<![^\n])(?P<indent>[ ]*)>>>(?: [^\n]*)?(?:\n(?P=indent)[ ]*\S[^\n]*)*",
    re.ASCII,
)


def with_examples(text: str) -> str:
    """A note in which examples, that is `>>>` and the result, are blocks of code."""

    def fenced(match: re.Match[str]) -> str:
        indent = match["indent"]
        # Text with more indentation is code already, unless it belongs to a list item.
        if len(indent) > 3 and not (len(indent) < 8 and in_item(text, match.start())):
            return match[0]
        above = text[: match.start()]
        empty = "\n" if above and not above.endswith("\n\n") else ""
        mark = fence(match[0])
        return f"{empty}{indent}{mark}pycon\n{match[0]}\n{indent}{mark}"

    return outside_code(_EXAMPLE, fenced, text) if ">>>" in text else text


# Sections


def with_sections(note: str) -> str:
    """A note in which sections of arguments, results and errors are lists.

    `griffe` detects whether they have the style of Google, NumPy or Sphinx, and parses
    them. A section of text, such as `Note:`, gets a title in bold. If there are only
    sections of text in NumPy's style, the note stays as it is, because an underlined
    title is a heading in Markdown too.
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
            # The text begins on the line of the title: `Note: look out.`
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
