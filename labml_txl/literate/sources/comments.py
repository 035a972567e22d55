"""# Comments as notes

Comments on lines of their own are notes, and those on adjacent lines are one note. Some
comments are not written for readers of the code: settings of tools, the encoding and
the licence of the file, and the marks of cells. They stay with the code.
"""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from labml_txl.literate.markdown.note import pieces_of, read_once
from labml_txl.literate.sources.docstrings import fence_examples
from labml_txl.literate.sources.header import header
from labml_txl.literate.sources.prose import (
    DEFINED,
    ENTITY,
    block_of_code,
    code_at,
    divide,
    indent_of,
    inline,
    is_tree,
    keep_lines,
)
from labml_txl.literate.sources.source import Source
from labml_txl.literate.sources.syntax import tokens


class WrittenNote(NamedTuple):
    """A note: its lines in the file, its text, the line where the text begins.

    A banner is above what follows it, and not its text.
    """

    lines: range
    text: str
    begins: int
    banner: bool = False


# A comment that is meant for a program.
_DIRECTIVE = re.compile(
    r"# (?:-\*-|vim:|type:|noqa|fmt:|isort:|ruff:|mypy:|pyright:|pylint:|pragma:|nosec"
    r"|noinspection |sphinx_gallery_|%%|In\[[\d ]*\]:|-[ ]*\Z"
    r"|\+(?: (?:\[\w+\]|\{.*))?[ ]*\Z)"
)
# A remark to the authors is no code, although it has no space after the `#`.
_TAG = re.compile(r"#(?=(?:FIXME|TODO|XXX|HACK|NOTE)\b)")
# What is meant for a program at the end of a comment.
_ENDING = re.compile(
    r"(?<!\s)\s+# (?:noqa(?:: ?[A-Z\d, ]+)?|type: ignore(?:\[[^]]*\])?)$"
)
# The lines below titles of reStructuredText that Markdown takes for other things.
_UNDERLINE = re.compile(r"(?P<sign>[=~^\"'])(?P=sign){2,}")
_NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENCODING),
    tokenize.STRING,
}
# The encoding of a file, in one of its first two lines, as Python reads it.
_ENCODING = re.compile(r"#.*?coding[:=][ \t]*[-\w.]+")
_LICENCE = re.compile(
    r"copyright|SPDX-|\(c\) ?\d{4}|©|all rights reserved"
    r"|\blicen[cs]ed? (?:under|agreement|notice)"
    r"|\b(?:apache|mit|bsd|gpl)\b[^\n]{0,30}licen[cs]e",
    re.IGNORECASE,
)


def comments_of(source: Source) -> Iterator[WrittenNote]:
    """The comments that are notes.

    A comment without a space after the `#` is code that is not used at the moment. A
    comment inside brackets is part of the expression and stays code, unless it contains
    a formula, which the code column cannot show.
    """
    # Above the first code, where the docstring may be, a comment may be the licence.
    code = next((t.start[0] for t in tokens(source) if t.type not in _NO_CODE), 0)
    comments = enumerate(_lines(source))
    for _, adjacent in groupby(comments, lambda pair: pair[1][0] - pair[0]):
        group = [comment for _, comment in adjacent]
        texts = [_escape_definition(text[2:], source) for _, text, _ in group]
        if group[0][0] < code and _LICENCE.search("\n".join(texts)):
            continue
        shown, banner = _remove_banners(texts)
        for part in (slice(banner), slice(banner, None)):
            words = "\n".join(shown[part])
            note = _fence_code(_convert_titles(_convert_roles(words.strip("\n"))))
            note = _escape_entities(note)
            if texts[part] and (not group[0][2] or _has_formula(note)):
                lines = range(group[part][0][0], group[part][-1][0] + 1)
                empty = len(words) - len(words.lstrip("\n"))
                begins = lines.start + empty
                yield WrittenNote(lines, note, begins, banner=part.start is None)


def _convert_roles(text: str) -> str:
    """A comment with Sphinx's roles, such as `:math:`, in Markdown."""
    if ":`" not in text:
        return text
    lines = text.split("\n")
    return "\n".join(inline(line) if ":`" in line else line for line in lines)


def _escape_definition(line: str, source: Source) -> str:
    """A line that defines a link which the file does not use is shown."""
    match = DEFINED.fullmatch(line) if line.lstrip()[:1] == "[" else None
    unused = match and source.text.count(match["name"]) == 1
    return f"\\{line.lstrip()}" if unused else line


def _escape_entities(text: str) -> str:
    if not ENTITY.search(text):
        return text
    return "".join(
        ENTITY.sub("&amp;", piece.raw) if piece.kind == "text" else piece.raw
        for piece in pieces_of(text)
    )


# What a paragraph begins with that Markdown reads in another way than as a text.
_NO_TEXT = re.compile(r"[ ]{4}|[ ]*(?:[-+*>|<]|\d+[.)])")


def _fence_code(text: str) -> str:
    """A comment in which examples, and code without a fence, are blocks of code."""
    shown = fence_examples(text)
    if any(sign in shown for sign in ("```", "~~~", "$$", "\\[")):
        return shown
    lines = shown.split("\n")
    made: list[str] = []
    position = 0
    while position < len(lines):
        if not lines[position].strip():
            made.append(lines[position])
            position += 1
            continue
        end = position
        while end < len(lines) and lines[end].strip():
            end += 1
        if is_tree(lines[position:end]):
            made += block_of_code(lines[position:end], "text")
            position = end
            continue
        listed = _NO_TEXT.match(lines[position])
        code = position if listed else code_at(lines, position)
        paragraph = lines[position : max(code, end)]
        blanks = lines[position][: indent_of(lines[position])]
        parts = divide(paragraph)
        if listed or code > position:
            parts = iter([(code > position, paragraph)])
        for number, (is_code, part) in enumerate(parts):
            block = block_of_code(part, "python") if is_code else []
            made += [""] * bool(number)
            made += [blanks + one for one in block] or (
                [*part] if listed else keep_lines(part)
            )
        position = max(code, end)
    return "\n".join(made)


def _convert_titles(text: str) -> str:
    """A comment with its titles of reStructuredText in Markdown.

    Such a title has a line of signs below it that is not shorter, and then a blank
    line, unless the signs are those of Markdown.
    """
    lines = ["", *text.split("\n"), ""]
    for number in range(1, len(lines) - 1):
        title, under = lines[number], lines[number + 1].rstrip()
        after = lines[number + 2 : number + 3]
        full = _UNDERLINE.fullmatch(under) and len(under) >= len(title.rstrip()) > 0
        level = 1 if under[:1] == "=" else 3
        if full and not lines[number - 1] and (level == 1 or not any(after)):
            lines[number : number + 2] = f"{'#' * level} {title}", ""
    return "\n".join(lines[1:-1]).rstrip("\n")


def _remove_banners(lines: Sequence[str]) -> tuple[list[str], int]:
    """The lines of a comment without the signs of banners, and the end of the first.

    A banner is a line of words between signs, or has lines of signs above and below.
    The end is 0 unless the comment begins with a banner.
    """
    made: list[str] = []
    inside, opened, first = False, -1, 0
    for number, line in enumerate(lines):
        signs = line.rstrip()
        bare = signs if signs[:1] == "#" else signs.rstrip("#").rstrip()
        words = bare.strip(bare[:1])
        shown = line
        if len(signs) > 2 and bare[:1] in _SIGNS and not words:
            # A line of equal signs below a title is its underline.
            begins = bare[0] == "=" and not "".join(made[-1:]).strip()
            if bare != signs or bare[0] == "#" or begins or inside:
                inside, shown = not inside, ""
        elif bare[:1] in _SIGNS and _is_between(bare, words):
            shown = words.strip(" {}")
        if shown != line:
            opened = opened if shown == "" and not inside else number
            first = first or (number + 1) * (opened == 0 and not inside)
        made.append(shown)
    return made, first


# The signs of banners, and how many of them begin and end one. Up to six hashes are a
# heading, and some dots an omission.
_SIGNS = {"-": 3, "=": 3, "*": 3, "~": 3, "#": 7, ".": 7}
_BETWEEN = re.compile(r"[ {].*\w.*[ }]")


def _is_between(line: str, words: str) -> bool:
    """Whether words are between two runs of a sign."""
    run = line[0] * _SIGNS[line[0]]
    ends = line.startswith(run) and line.endswith(run)
    return ends and _BETWEEN.fullmatch(words) is not None


def _has_formula(text: str) -> bool:
    signs = "$" in text or "\\" in text
    kinds = {"math", "display"}
    return signs and any(p.kind in kinds for p in read_once(text).pieces)


def _lines(source: Source) -> Iterator[tuple[int, str, bool]]:
    """The number of each line, its comment, and whether it is inside brackets."""
    depth, above = 0, header(source)
    for token in tokens(source):
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
        elif token.type == tokenize.COMMENT:
            line, text = token.start[0], token.string
            alone = not token.line[: token.start[1]].strip()
            text = _TAG.sub("# ", text)
            readable = text == "#" or text.startswith("# ")
            coded = line < 3 and _ENCODING.match(text)
            told = _DIRECTIVE.match(text) or coded or line in above
            if alone and readable and not told:
                yield line, _ENDING.sub("", text), depth > 0
