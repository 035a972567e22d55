r"""# The fields of a registry

A registry is written by hand, and a slip in it must not pass: a text where a list was
meant would become a list of its letters, and a misspelt field would be as if it were
not there. Here the tables of a registry are held to the fields that they may have. An
error names the file, the line, the field, what was given and what was wanted.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from labml_txl.literate.sources.source import LiterateError, Source


@dataclass(frozen=True)
class Field:
    """What a field of a table must be: in words, and as a test of its value."""

    wanted: str
    fits: Callable[[object], bool]
    needed: bool = True


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_number(value: object) -> bool:
    # In Python, `true` is a number too.
    return isinstance(value, int) and not isinstance(value, bool)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


_TEXT = Field("a text", _is_text)
_NUMBER = Field("a whole number", _is_number)
_PLACE = Field(
    "a text or a whole number", lambda value: _is_text(value) or _is_number(value)
)
_TEXTS = Field("a list of texts", _is_texts)
_TABLE = Field("a table", lambda value: isinstance(value, dict))


def _maybe(field: Field) -> Field:
    return Field(field.wanted, field.fits, needed=False)


REGISTRY = {
    "paper": _TABLE,
    "symbols": _maybe(_TABLE),
    "terms": _maybe(_TABLE),
    "equations": _TABLE,
}
PAPER = {
    "key": _TEXT,
    "title": _TEXT,
    "authors": _TEXT,
    "year": _NUMBER,
    "arxiv": _TEXT,
}
SYMBOL = {
    "latex": Field(
        "a list of one text or more", lambda value: _is_texts(value) and bool(value)
    ),
    "meaning": _TEXT,
    "names": _maybe(_TEXTS),
}
TERM = {"latex": SYMBOL["latex"]}
EQUATION = {
    "title": _TEXT,
    "section": _PLACE,
    "number": _maybe(_PLACE),
    "latex": _TEXT,
    "text": _TEXT,
    "symbols": _maybe(_TEXTS),
}


def check_fields(source: Source, data: Mapping[str, Any]) -> None:
    """Raise `LiterateError` for the first field of a registry that is not in order."""
    _check(source, "", data, REGISTRY)
    _check(source, "paper", data["paper"], PAPER)
    _check_key(source, "paper.key", data["paper"]["key"], "paper", "key")
    tables = {"symbols": SYMBOL, "terms": TERM, "equations": EQUATION}
    for part, fields in tables.items():
        for name, table in data.get(part, {}).items():
            where = f"{part}.{name}"
            _check_key(source, where, name, where)
            if not isinstance(table, dict):
                raise _error(
                    source, f"{where} must be a table, not {_shown(table)}", part, name
                )
            _check(source, where, table, fields)


def _check(
    source: Source, table: str, data: Mapping[str, Any], fields: Mapping[str, Field]
) -> None:
    before = f"{table}." if table else ""
    for name in data:
        if name not in fields:
            message = f"{before}{name} is no field of a registry{_near(name, fields)}"
            raise _error(source, message, table, name)
    for name, field in fields.items():
        if name in data and not field.fits(data[name]):
            given = _shown(data[name])
            message = f"{before}{name} must be {field.wanted}, not {given}"
            raise _error(source, message, table, name)
        if field.needed and name not in data:
            where = f" in [{table}]" if table else ""
            message = f"the field {name!r} is missing{where}: it is {field.wanted}"
            raise _error(source, message, table)


def _check_key(
    source: Source, where: str, key: str, table: str, field: str = ""
) -> None:
    # A key becomes a class of the page, and a dot divides the paper from the rest.
    if not re.fullmatch(r"[\w-]+", key):
        message = f"{where} has the key {key!r}: letters, digits, _ and - are allowed"
        raise _error(source, message, table, field)


def _near(name: str, fields: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, fields, n=1)
    return f": did you mean {near[0]}?" if near else f": it has {', '.join(fields)}"


def _shown(value: object) -> str:
    """A value as the file has it, if it is short."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 40 else f"{text[:39]}…"


def _error(source: Source, message: str, table: str, field: str = "") -> LiterateError:
    return LiterateError(source.path, field_line(source, table, field), message)


_HEADER = re.compile(r"\s*\[+(?P<name>[^\[\]]+)\]+\s*(?:#.*)?")


def field_line(source: Source, table: str, field: str = "") -> int:
    """The line of a field in its table; that of the table, if it is not found."""
    here, start, whole = not table, 1, f"{table}.{field}".strip(".")
    for number, line in enumerate(source.lines, start=1):
        if header := _HEADER.fullmatch(line.rstrip("\n")):
            parts = [part.strip(" \t\"'") for part in header["name"].split(".")]
            name = ".".join(parts)
            here = name == table
            if here:
                start = number
            if field and f"{name}.".startswith(f"{whole}."):
                return number
        elif (
            here and field and re.match(rf"\s*[\"']?{re.escape(field)}[\"']?\s*=", line)
        ):
            return number
    return start
