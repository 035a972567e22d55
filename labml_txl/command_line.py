"""Parses the words after a command into its dataclass of options."""

import argparse
from collections.abc import Sequence
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
    """A parser that raises `UsageError` instead of exiting."""

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError` with the reason and a hint at the help."""
        why = message.removeprefix("argument ")
        raise UsageError(f"{why} ({self.prog} --help shows all)")


def read(
    kind: Any, words: Sequence[str], command: str, help: str = "", end: str = ""
) -> Any:
    """Parse the words after a command into its options, an object of class `kind`.

    Raises `UsageError` for words that are not valid. With `--help`, prints the help,
    which ends with `end`, and raises `SystemExit`.
    """
    known = options(kind)
    places = list[str]()
    for field in (field for field in known.values() if about(field).positional):
        place = shown(field) + " ..." * several(field)
        places.append(place if required(field) else f"[{place}]")
    parser = Parser(
        prog=f"txl {command}",
        usage=" ".join([f"txl {command}", "[OPTIONS]", *places]),
        description=help,
        epilog=end,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    group: Any = parser
    for field in known.values():
        if about(field).group:
            group = parser.add_argument_group(about(field).group)
        names = (flag(field.name), about(field).short)
        names = (field.name, "") if about(field).positional else names
        group.add_argument(*filter(None, names), **described(field))
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
        return kind(**{n: read_value(known[n], given) for n, given in values.items()})
    except ValueError as error:
        parser.error(str(error))


def shown(field: Field) -> str:
    """The name of an option in the help: its flag, or its placeholder."""
    if about(field).positional:
        return about(field).metavar or field.name.upper()
    return flag(field.name)


def described(field: Field) -> dict[str, Any]:
    """The arguments of `argparse` for an option, besides its names.

    The values remain text, which `read_value` converts and checks.
    """
    known, kind = about(field), kind_of(field)
    is_switch = kind is bool and known.alone is None
    default = "" if is_switch else known.shown or typed(field.default)
    meaning = f"{known.meaning} (default: {default})" if default else known.meaning
    more: dict[str, Any] = {"default": argparse.SUPPRESS}
    more["help"] = argparse.SUPPRESS if known.hidden else meaning.replace("%", "%%")
    if not known.positional:
        more["dest"] = field.name
    if is_switch:
        return more | {"action": "store_true"}
    if known.positional:
        more["nargs"] = "*" if several(field) else "?"
    if known.alone is not None:
        more |= {"nargs": "?", "const": typed(known.alone)}
    words = "|".join(known.choices)
    return more | {"metavar": known.metavar or words or METAVARS.get(kind, "TEXT")}
