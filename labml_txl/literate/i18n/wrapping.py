"""# Long lines in a PO file

Programs for translators wrap long lines as GNU gettext does whenever they save a file.
If we wrapped them in another way, each of their changes would touch many entries. So we
wrap new strings by the rules that gettext applies to text, formulas, URLs, Chinese and
Japanese. A string that did not change keeps its lines.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping

import polib

# The width of a line, including its quotes.
WIDTH = 79

# The keyword of a string, its text, and the prefix of each of its lines.
Key = tuple[str, str, str]

_ESCAPES = str.maketrans(
    {"\\": r"\\", '"': r"\"", "\n": r"\n", "\t": r"\t", "\r": r"\r"}
    | {"\v": r"\v", "\b": r"\b", "\f": r"\f", "\a": r"\a"}
)
_START = re.compile(r'(?P<prefix>#~ |#\| |#~\| |)(?P<name>msg[a-z_]+(?:\[\d+\])?) "')

# Where a line may break: a part of the rules of Unicode (UAX 14), as in gettext.
_EAST_ASIAN = r"\u2e80-\u9fff\uac00-\ud7af\uf900-\uffef"
_OPENING = "（「『【《〈［｛"
_CLOSING = (
    "、。，．：；！？）」』】》〉］｝ー・ァィゥェォッャュョヮヵヶぁぃぅぇぉっゃゅょゎ々"
)
_PLACES = re.compile(
    r"(?<= )(?=[^ })\]/])"
    r"|(?<=-)(?=[A-Za-z]|\\\\)|(?<=[A-Za-z ]-)(?=-[A-Za-z])"
    r"|(?<=[,.:;])(?=[A-Za-z<=>#&*@^_`~]|\\\\[A-Za-z])|(?<=,)(?=[\\(\[{])"
    r"|(?<=[\])}])(?=[\[({_])|(?<=/)(?=[A-Za-z<_`*$]|\\\\)|(?<=\$)(?=\\\\)"
    # A closing sign stays with a dollar sign after it, as with an amount of money.
    rf"|(?<=[{_EAST_ASIAN}])(?<![{_OPENING}])(?!(?<=[、。，．])\$)"
    rf"(?=[^ ,.:;!?%)\]}}\\'\"”’…{_CLOSING}]|\\\\)"
    rf"|(?<=[^ $(\[{{\"“‘'{_OPENING}])(?=[{_EAST_ASIAN}])(?![{_CLOSING}])"
)


def rewrap(text: str, before: str) -> str:
    """Wrap the strings of a PO file as gettext does.

    Strings that also occur in `before`, the previous text of the file, keep its lines.
    """
    there = read_strings(before)
    return "\n".join(
        line
        for key, lines in _parts(text)
        for line in (lines if key is None else there.get(key) or wrap(*key))
    )


def read_strings(text: str) -> Mapping[Key, list[str]]:
    """The lines of each string of a PO file."""
    return {key: lines for key, lines in _parts(text) if key is not None}


def _parts(text: str) -> Iterator[tuple[Key | None, list[str]]]:
    """Yield the strings of a file with their lines, and `None` with each other line."""
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


def wrap(name: str, text: str, prefix: str = "") -> list[str]:
    """The lines of a string and its keyword `name`, as `msgcat` writes them.

    Each line starts with `prefix`: `#~ ` in an obsolete entry, `#| ` for the previous
    English.
    """
    portions = [p.translate(_ESCAPES) for p in re.findall(r"[^\n]*\n|[^\n]+", text)]
    # The quotes are not part of the text.
    width = WIDTH - 2 - len(prefix)
    first = _wrap_portion("".join(portions[:1]), width, len(name) + 1)
    if len(portions) < 2 and len(first) < 2:
        return [f'{prefix}{name} "{first[0]}"']
    lines = (line for portion in portions for line in _wrap_portion(portion, width, 0))
    return [f'{prefix}{name} ""', *(f'{prefix}"{line}"' for line in lines)]


def _wrap_portion(portion: str, width: int, column: int) -> list[str]:
    """Wrap a text without line feeds; its first line starts at `column`."""
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
    """The width of a character in a terminal."""
    if unicodedata.category(letter) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
