r"""From the words of a command line to the options of a command.

`argparse` does the work. Here is what it is told of a dataclass of options, and how its
refusals become one line.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from labml_txl.errors import UsageError, meant
from labml_txl.options import (
    Field,
    about,
    flag,
    kind_of,
    options,
    read_value,
    required,
    several,
    typed,
)

METAVARS = {int: "NUMBER", float: "NUMBER", bool: "yes|no", Path: "PATH"}


class Parser(argparse.ArgumentParser):
    r"""A parser that raises `UsageError` where others print and exit."""

    def error(self, message: str) -> NoReturn:
        r"""Refuse words; `message` says why."""
        why = message.removeprefix("argument ")
        raise UsageError(f"{why} ({self.prog} --help shows all)")


def read(
    kind: Any, words: Sequence[str], command: str, help: str = "", end: str = ""
) -> Any:
    r"""The options of a command, as the dataclass `kind`, from the words behind it.

    Raises `UsageError` for words that do not fit. With `--help` the help is printed,
    `end` behind it, and the process ends.
    """
    known = options(kind)
    parser = parser_of(known, f"txl {command}", help, end)
    # Before all else, so that help can be asked for behind words that do not fit.
    if asks_for_help(words):
        parser.print_help()
        raise SystemExit(0)
    given, rest = parser.parse_known_args(words)
    if rest:
        question = meant(rest[0].partition("=")[0], map(flag, known))
        place = "option" if rest[0].startswith("-") else "place for the word"
        why = f"there is no {place} {rest[0]}"
        parser.error(f"{why}: {question}" if question else why)
    values = vars(given)
    missing = [name for name, field in known.items() if required(field)]
    missing = [shown(known[name]) for name in missing if not values.get(name)]
    if missing:
        parser.error(f"{', '.join(missing)} must be given")
    try:
        return kind(**{n: value_of(known[n], given) for n, given in values.items()})
    except ValueError as error:
        parser.error(str(error))


def value_of(field: Field, given: Any) -> object:
    r"""The value of an option from what `argparse` has found for it."""
    if is_switch(field):
        return given
    return read_value(field, given if isinstance(given, list) else [given])


def shown(field: Field) -> str:
    r"""How an option is called in help: by its name, or by what stands in its place."""
    if about(field).positional:
        return about(field).metavar or field.name.upper()
    return flag(field.name)


def parser_of(known: Mapping[str, Field], command: str, help: str, end: str) -> Parser:
    r"""The parser of some options: an option is a text until it is checked."""
    places = [shown(field) for field in known.values() if about(field).positional]
    parser = Parser(
        prog=command,
        usage=" ".join([command, "[OPTIONS]", *places]),
        description=help,
        epilog=end,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    group: Any = parser
    for field in known.values():
        if about(field).group:
            group = parser.add_argument_group(about(field).group)
        group.add_argument(*names_of(field), **described(field))
    return parser


def names_of(field: Field) -> list[str]:
    r"""The names of an option; what has a place only is called as its field."""
    if about(field).positional:
        return [field.name]
    return [name for name in (flag(field.name), about(field).short) if name]


def described(field: Field) -> dict[str, Any]:
    r"""What `argparse` wants to know of an option beside its names."""
    known, kind = about(field), kind_of(field)
    default = "" if is_switch(field) else known.shown or typed(field.default)
    meaning = f"{known.meaning} (default: {default})" if default else known.meaning
    more: dict[str, Any] = {"default": argparse.SUPPRESS}
    more["help"] = argparse.SUPPRESS if known.hidden else meaning.replace("%", "%%")
    if not known.positional:
        more["dest"] = field.name
    if is_switch(field):
        return more | {"action": "store_true"}
    if known.positional:
        more["nargs"] = "*" if several(field) else "?"
    if known.alone is not None:
        more |= {"nargs": "?", "const": typed(known.alone)}
    words = "|".join(known.choices)
    return more | {"metavar": known.metavar or words or METAVARS.get(kind, "TEXT")}


def asks_for_help(words: Sequence[str]) -> bool:
    r"""Whether help is among the options."""
    named = words[: words.index("--")] if "--" in words else words
    return "--help" in named or "-h" in named


def is_switch(field: Field) -> bool:
    r"""Whether an option says yes by being there, and takes no value."""
    return kind_of(field) is bool and about(field).alone is None
