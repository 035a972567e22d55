r"""# Long lines in a PO file

Programs for translators write a file anew when they save it, and wrap what is long as
GNU gettext does. If ours wrapped in another way, each change would touch every entry.
So the lines end here where they end there, in Chinese and Japanese too, where a line
may end between most letters and must not begin with a full stop.

Where a line may end is Unicode's algorithm for line breaks (UAX 14), by `uniseg`. In
formulas and addresses, gettext keeps to an older form of it: those rules stand here.

A string that did not change keeps the lines that it has, whoever wrapped them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise

import polib
from uniseg.linebreak import line_break_boundaries

# A line with its quotes.
WIDTH = 79

# A string by its keyword, its text, and what stands before each of its lines.
Key = tuple[str, str, str]

_ESCAPES = str.maketrans(
    {"\\": r"\\", '"': r"\"", "\n": r"\n", "\t": r"\t", "\r": r"\r"}
    | {"\v": r"\v", "\b": r"\b", "\f": r"\f", "\a": r"\a"}
)
_START = re.compile(r'(?P<prefix>#~ |#\| |#~\| |)(?P<name>msg[a-z_]+(?:\[\d+\])?) "')


def wrapped(name: str, text: str, prefix: str = "") -> list[str]:
    """The lines of a string with its keyword, as `msgcat` writes them.

    `prefix` stands before each line: `#~ ` where nothing needs the entry any more,
    `#| ` for what the English was.
    """
    portions = [p.translate(_ESCAPES) for p in re.findall(r"[^\n]*\n|[^\n]+", text)]
    # The quote at each end is not the text's.
    width = WIDTH - 2 - len(prefix)
    first = [*_lines("".join(portions[:1]), width, len(name) + 1)]
    if len(portions) < 2 and len(first) < 2:
        return [f'{prefix}{name} "{first[0]}"']
    lines = (line for portion in portions for line in _lines(portion, width, 0))
    return [f'{prefix}{name} ""', *(f'{prefix}"{line}"' for line in lines)]


def known(lines: Iterable[str]) -> Mapping[Key, list[str]]:
    """The strings of a file as it has them."""
    found: dict[Key, list[str]] = {}
    key, part = ("", ""), list[str]()

    def end() -> None:
        if part:
            text = "".join(line[line.index('"') + 1 : -1] for line in part)
            found[key[0], polib.unescape(text), key[1]] = [*part]

    for raw in lines:
        line = raw.rstrip("\n")
        if start := _START.match(line):
            end()
            key, part = (start["name"], start["prefix"]), [line]
        elif part and line.startswith(f'{key[1]}"'):
            part.append(line)
        else:
            end()
            part = []
    end()
    return found


def _lines(portion: str, width: int, start: int) -> Iterator[str]:
    """The lines of a text without line feeds; the first begins at column `start`."""
    places = _places(portion)
    begins = last = 0
    column, piece = start, 0
    for place, letter in enumerate(portion):
        if place in places:
            if last > begins and column + piece > width:
                yield portion[begins:last]
                begins, column = last, 0
            last, column, piece = place, column + piece, 0
        piece += _columns(letter)
    if last > begins and column + piece > width:
        yield portion[begins:last]
        begins = last
    yield portion[begins:]


def _columns(letter: str) -> int:
    """How wide a letter is in a terminal."""
    if unicodedata.category(letter) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def _places(portion: str) -> set[int]:
    """The letters before which a line may end."""
    places: set[int] = set()
    start = 0
    for part in _BETWEEN_WORDS.split(portion):
        places.update(start + end for end in _ends(part))
        start += len(part)
    places.discard(len(portion))
    for place, (before, after) in enumerate(pairwise(portion), start=1):
        # A line may end within `cmp.rate` and `$\\alpha$`, after a point or a dollar.
        word = (after.isalpha() and after < _IDEOGRAPHS) or after in _SIGNS
        # Newer rules of Unicode keep `-m` together; gettext's do not.
        flag = before == "-" and after.isalpha()
        if flag or (before in ",.:;" and word) or (before == "$" and after == "\\"):
            places.add(place)
        # Not before a dollar after a bracket, within a fraction, beside a quote.
        if (
            (before in _CLOSING and after in "$\\+")
            or (before == "/" and after.isdigit())
            or (after in _QUOTES and before != " ")
            or (before in _QUOTES and after != " ")
        ):
            places.discard(place)
    # An escape is one letter.
    places -= {match.end() - 1 for match in re.finditer(r"\\.", portion)}
    return places - {len(portion) - 2} if portion.endswith("\\n") else places


# Here a line may end, and what comes before means nothing for what follows.
_BETWEEN_WORDS = re.compile(r"(?<=[A-Za-z] )(?=[A-Za-z])")


@lru_cache(maxsize=20_000)
def _ends(part: str) -> tuple[int, ...]:
    """Where a line may end, by Unicode's rules; the same words come again and again."""
    return tuple(end for end in line_break_boundaries(part) if end)


_SIGNS = "<=>#&*@^_`~"
_IDEOGRAPHS = "\u2e80"
_CLOSING = ")}]」』、。，．）】》〉"
_QUOTES = "“”‘’«»\"'"
