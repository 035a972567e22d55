r"""# Long lines in a PO file

Programs for translators write a file anew when they save it, and wrap what is long as
GNU gettext does. If ours wrapped in another way, each change would touch every entry.
So new strings are wrapped by the rules that gettext applies to ordinary text, formulas,
addresses, Chinese and Japanese. A string that did not change keeps the lines that it
has, whoever wrapped them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping

import polib

# A line with its quotes.
WIDTH = 79

# A string by its keyword, its text, and what stands before each of its lines.
Key = tuple[str, str, str]

_ESCAPES = str.maketrans(
    {"\\": r"\\", '"': r"\"", "\n": r"\n", "\t": r"\t", "\r": r"\r"}
    | {"\v": r"\v", "\b": r"\b", "\f": r"\f", "\a": r"\a"}
)
_START = re.compile(r'(?P<prefix>#~ |#\| |#~\| |)(?P<name>msg[a-z_]+(?:\[\d+\])?) "')

# Where a line may end: a part of the rules of Unicode (UAX 14), as gettext has them.
_EAST_ASIAN = r"\u2e80-\u9fff\uac00-\ud7af\uf900-\uffef"
_OPENING = "（「『【《〈［｛"
_CLOSING = (
    "、。，．：；！？）」』】》〉］｝ー・ァィゥェォッャュョヮヵヶぁぃぅぇぉっゃゅょゎ々"
)
_PLACES = re.compile(
    r"(?<= )(?=[^ })\]])"
    r"|(?<=-)(?=[A-Za-z]|\\\\)|(?<=[A-Za-z ]-)(?=-[A-Za-z])"
    r"|(?<=[,.:;])(?=[A-Za-z<=>#&*@^_`~]|\\\\[A-Za-z])|(?<=,)(?=[\\(\[{])"
    r"|(?<=[\])}])(?=[\[({_])|(?<=/)(?=[A-Za-z<_`*$]|\\\\)|(?<=\$)(?=\\\\)"
    rf"|(?<=[{_EAST_ASIAN}])(?<![{_OPENING}])"
    rf"(?=[^ ,.:;!?%)\]}}\\'\"”’…{_CLOSING}]|\\\\)"
    rf"|(?<=[^ $(\[{{\"“‘'{_OPENING}])(?=[{_EAST_ASIAN}])(?![{_CLOSING}])"
)


def rewrapped(text: str, before: str) -> str:
    """A PO file whose strings have the lines that gettext, or the file before, gives.

    `before` is the text of the file as it was, or empty.
    """
    there = strings(before)
    return "\n".join(
        line
        for key, lines in _parts(text)
        for line in (lines if key is None else there.get(key) or wrapped(*key))
    )


def strings(text: str) -> Mapping[Key, list[str]]:
    """The lines of each string of a PO file."""
    return {key: lines for key, lines in _parts(text) if key is not None}


def _parts(text: str) -> Iterator[tuple[Key | None, list[str]]]:
    """The strings of a file with their lines, and between them each other line."""
    lines = text.split("\n")
    while lines:
        part = [lines.pop(0)]
        if not (start := _START.match(part[0])):
            yield None, part
            continue
        while lines and lines[0].startswith(f'{start["prefix"]}"'):
            part.append(lines.pop(0))
        escaped = "".join(line[line.index('"') + 1 : -1] for line in part)
        yield (start["name"], polib.unescape(escaped), start["prefix"]), part


def wrapped(name: str, text: str, prefix: str = "") -> list[str]:
    """The lines of a string with its keyword, as `msgcat` writes them.

    `prefix` stands before each line: `#~ ` where nothing needs the entry any more,
    `#| ` for what the English was.
    """
    portions = [p.translate(_ESCAPES) for p in re.findall(r"[^\n]*\n|[^\n]+", text)]
    # The quote at each end is not the text's.
    width = WIDTH - 2 - len(prefix)
    first = _lines("".join(portions[:1]), width, len(name) + 1)
    if len(portions) < 2 and len(first) < 2:
        return [f'{prefix}{name} "{first[0]}"']
    lines = (line for portion in portions for line in _lines(portion, width, 0))
    return [f'{prefix}{name} ""', *(f'{prefix}"{line}"' for line in lines)]


def _lines(portion: str, width: int, column: int) -> list[str]:
    """The lines of a text without line feeds; the first begins at `column`."""
    lines = [""]
    for piece in _PLACES.split(portion):
        columns = sum(map(_columns, piece))
        if lines[-1] and column + columns > width:
            lines.append("")
            column = 0
        lines[-1] += piece
        column += columns
    return lines


def _columns(letter: str) -> int:
    """How wide a letter is in a terminal."""
    if unicodedata.category(letter) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
