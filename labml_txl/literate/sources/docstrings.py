"""# Docstrings as Markdown

Docstrings contain text that Python or Markdown would interpret in another way: formulas
without an `r`, and the notations of Google, NumPy, Sphinx and epytext. `sections` and
`prose` convert them to Markdown. **No word is lost**: the words of the Markdown are
compared with those of the docstring, and if one is missing, the docstring is shown as
it is written.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from labml_txl.literate.markdown.inline import fence
from labml_txl.literate.markdown.note import find_items, pieces_of, replace_outside_code
from labml_txl.literate.sources.prose import block_of_code, indent_of
from labml_txl.literate.sources.sections import convert_sections, format_parameters
from labml_txl.literate.sources.source import Source
from labml_txl.literate.sources.syntax import docstrings


def docstring(
    node: ast.Constant, source: Source, *, module: bool = False
) -> tuple[str, int]:
    """The Markdown of a docstring, and the line of its first word in the file.

    If its Markdown lacked a word, it would be shown as it is written.
    """
    written = text_of(node, source)
    empty = written[: len(written) - len(written.lstrip())].count("\n")
    shown, _ = _convert(_dedent(written, node.col_offset), module)
    return shown, node.lineno + empty


def describe_parameters(node: ast.AST) -> str:
    """The parameters that the signature of a function describes itself; else `""`.

    It does so in annotations such as `Annotated[int, Doc("The number.")]`.
    """
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return ""
    given, found = node.args, list[tuple[str, str, str]]()
    several = (*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs)
    for one in filter(None, (*several, given.kwarg)):
        match one.annotation:
            case ast.Subscript(value=kind, slice=ast.Tuple(elts=[hint, *marks])):
                if _ends_in(kind, "Annotated"):
                    texts = [text for mark in marks if (text := _text_of_doc(mark))]
                    found += [(one.arg, ast.unparse(hint), text) for text in texts]
    return format_parameters(found) if found else ""


def _text_of_doc(mark: ast.expr) -> str:
    match mark:
        case ast.Call(func=func, args=[ast.Constant(value=str() as text)]):
            return inspect.cleandoc(text) if _ends_in(func, "Doc") else ""
    return ""


def _ends_in(node: ast.expr, name: str) -> bool:
    return name in {getattr(node, "id", ""), getattr(node, "attr", "")}


# The page, and the two checks below, ask for the docstrings of one module.
@lru_cache(maxsize=500)
def _convert(text: str, module: bool) -> tuple[str, str]:
    """The Markdown of a docstring, and the word that kept it as it is written."""
    shown = convert_sections(text, "headings" if module else "bold")
    if word := find_missing_word(text, shown):
        shown = "\n".join(block_of_code(text.split("\n"), "text"))
    return shown, word


def find_unconverted(tree: ast.Module, source: Source) -> Iterator[tuple[int, str]]:
    """The docstrings that are shown as they are written: the line and the word.

    Converted to Markdown, they would lack this word.
    """
    for node, _, string in docstrings(tree):
        text = _dedent(text_of(string, source), string.col_offset)
        if word := _convert(text, node is tree)[1]:
            lines = [
                string.lineno + n
                for n, line in enumerate(
                    source.lines[string.lineno - 1 : string.end_lineno]
                )
                if word in line
            ]
            yield [*lines, string.lineno][0], word


def text_of(node: ast.Constant, source: Source) -> str:
    """The text of a docstring, with its formulas as they are written in the file."""
    text = "".join(text for text, _, _ in _parts(node, source))
    # A surrogate cannot be encoded, so it stays as it is written.
    return text.encode(errors="backslashreplace").decode()


def _dedent(text: str, column: int) -> str:
    """The text of a docstring without its indentation.

    If the first line begins a block, the lines below it stay deeper.
    """
    lines = inspect.cleandoc(text).split("\n")
    if not text[:1].strip() or len(lines) == 1 or not _BEGINS.match(lines[0]):
        return "\n".join(lines)
    whole = text.expandtabs().split("\n")[1:]
    depth = min((indent_of(line) for line in whole if line.strip()), default=column)
    deeper = " " * max(0, depth - column)
    return "\n".join([lines[0], *(line and deeper + line for line in lines[1:])])


_BEGINS = re.compile(r"\.\. |[:@][a-z]+[^:]*:|.*::\s*$|[A-Z][a-z]+(?: [A-Za-z]+)?:\s*$")


# What a word of a docstring may be that is a mark of its style.
_MARKS = re.compile(
    r"""(?<![\w:`]):[a-zA-Z][\w.+-]*(?::[a-zA-Z][\w.+-]*)*:(?=`)
    | (?<=:`)(?P<title>[^`<>]+)<[^`<>]+>(?=`)
    | <[^<>`]+_>(?=`_)
    | (?<=`)~[\w.\s]*\.\s*(?=\w+(?:\(\))?`) | \b[BCILMUX](?=\{)
    | ^[ ]*[:@](?:param|parameter|arg|argument|key|keyword|kwarg|kwparam|returns?
        |rtype|yields?|ytype|raises?|except|exception|i?var|cvar)\b
    | (?<=\])\[[^\[\]\n]+\] | ^[ ]*\[[^\[\]\n]+\]:(?=[ ]|\n[ ]*https?:)
    | ^[ ]*[:@](?:var)?type\b[^:\n]*: | ^[ ]*:meta\b[^:\n]*:[ ]*$
    | ^[ ]*\.\.[ ]?test(?:code|setup|output)::.*$
    | ^[ ]*\.\.[ ]?[a-zA-Z][\w:.+-]*?[ ]?:: | ^[ ]*\.\.[ ]_(?:`[^`\n]+`|[^:`\n]*):
    | ^[ ]*:(?:linenos|lineno-start|emphasize-lines|name|caption|label|nowrap|alt|width
        |height|scale|align|target|class|figclass|include-source|context|options
        |nofigs|format|language|dedent|force|noindex|no-index|okwarning|okexcept):.*$
    | ^(?:[Aa]rgs|[Aa]rguments|[Pp]arams|[Oo]ther|[Kk]eyword|[Rr]eturns?|[Yy]ields?
        |[Rr]aises?|[Ee]xcept|[Ee]xceptions)
        (?:[ ][Aa]rgs|[ ][Aa]rguments|[ ][Pp]arameters)?:{0,2}[ ]*$
    """,
    re.VERBOSE | re.MULTILINE,
)
WORD = re.compile(r"[^\W_](?:\w*[^\W_])?")


def _title(mark: re.Match[str]) -> str:
    return f"{mark['title'] or ''} "


def words_of(written: str) -> list[str]:
    """The words that a page must show: all but the marks of the style."""
    return WORD.findall(_MARKS.sub(_title, written))


def find_missing_word(written: str, shown: str) -> str:
    """The first word of a docstring that its Markdown lacks; empty if none is."""
    kept = Counter(WORD.findall(shown))
    for word in words_of(written):
        if not kept[word]:
            return word
        kept[word] -= 1
    return ""


_LITERAL = re.compile(
    r"[uU]?(\"\"\"|'''|\"|')(?P<text>(?:\\.|(?!\1)[^\\])*)\1", re.DOTALL
)
_ESCAPE = re.compile(
    r"""\\(?:\n|[\\'"abfnrtv]|[0-7]{1,3}|x[0-9a-fA-F]{2}|N\{[^{}]+\}
        |u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})""",
    re.VERBOSE,
)
_DOUBLED = re.compile(r"\\{4}|\\\\(?!\s|\Z)")


def _parts(node: ast.Constant, source: Source) -> Sequence[tuple[str, str, str]]:
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
        return [(str(node.value), str(node.value), "")]
    return _parts_of_literal(literal["text"])


@lru_cache(maxsize=500)
def _parts_of_literal(literal: str) -> Sequence[tuple[str, str, str]]:
    parts = []
    for piece in pieces_of(literal, moved=True):
        text = value = _ESCAPE.sub(_escape, piece.raw)
        if piece.kind in {"math", "display"}:
            text = _DOUBLED.sub(lambda match: match[0][len(match[0]) // 2 :], piece.raw)
        parts.append((text, value, piece.raw))
    return parts


def _escape(match: re.Match[str]) -> str:
    return str(ast.literal_eval(f'"""{match[0]}"""'))


def find_missing_r(tree: ast.Module, source: Source) -> Iterator[int]:
    """The lines of formulas that Python reads in another way, as an `r` is missing."""
    for _, _, string in docstrings(tree):
        line = string.lineno
        for text, value, raw in _parts(string, source):
            if text != value:
                yield line
            line += raw.count("\n")


# Examples

# It ends before a blank line or a line with less indentation.
_EXAMPLE = re.compile(
    r"(?<![^\n])(?P<indent>[ ]*)>>>(?: [^\n]*)?(?:\n(?P=indent)[ ]*\S[^\n]*)*",
    re.ASCII,
)


def fence_examples(text: str) -> str:
    """A note in which examples, that is `>>>` and the result, are blocks of code."""
    if ">>>" not in text:
        return text
    in_item = find_items(text)

    def fence_example(match: re.Match[str]) -> str:
        indent = match["indent"]
        # Text with more indentation is code already, unless it belongs to a list item.
        if len(indent) > 3 and not (len(indent) < 8 and in_item(match.start())):
            return match[0]
        above = text[max(0, match.start() - 2) : match.start()]
        empty = "\n" if above and not above.endswith("\n\n") else ""
        mark = fence(match[0])
        return f"{empty}{indent}{mark}pycon\n{match[0]}\n{indent}{mark}"

    return replace_outside_code(_EXAMPLE, fence_example, text)
