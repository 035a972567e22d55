"""The options of runs and commands.

An option is a field of a frozen dataclass, which defines its type, its default, its
meaning with the unit, and its allowed values. The help, the checks and the error
messages take these from the field.
"""

import dataclasses
import math
import types
import typing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from labml_txl.errors import suggest

Value = TypeVar("Value")
Field = dataclasses.Field[Any]


@dataclass(frozen=True)
class Option:
    """The properties of an option besides its type and its default.

    - `meaning`: a description with the unit;
    - `choices`: the allowed values, if they are limited;
    - `zero`: whether a number may be 0; otherwise it must be greater;
    - `below`: a number must be less than this;
    - `alone`: the value if the option is given without one;
    - `positional`: whether it is an argument without a flag;
    - `hidden`: whether the help leaves it out, because it would have no effect;
    - `group`: the title of the group of options that starts with it in the help;
    - `short`: a short flag; `metavar`, `shown`: the placeholder of the value and the
      default in the help.
    """

    meaning: str
    choices: tuple[str, ...] = ()
    zero: bool = False
    below: float = math.inf
    alone: object = None
    positional: bool = False
    hidden: bool = False
    group: str = ""
    short: str = ""
    metavar: str = ""
    shown: str = ""


def option(default: Value, meaning: str, **more: Any) -> Value:
    """A field that is an option with a default; `more` are fields of `Option`."""
    known = {"option": Option(meaning, **more)}
    field: Value = dataclasses.field(default=default, metadata=known)
    return field


def argument(
    meaning: str,
    default: Any = dataclasses.MISSING,
    positional: bool = True,
    **more: Any,
) -> Any:
    """A field that is a positional argument, required unless it has a default.

    If it is not `positional`, it is a required option.
    """
    known = {"option": Option(meaning, positional=positional, **more)}
    return dataclasses.field(default=default, metadata=known)


def option_of(field: Field) -> Option:
    """The properties of the option that a field is."""
    known: Option = field.metadata["option"]
    return known


def fields_of(kind: Any) -> dict[str, Field]:
    """The fields of a dataclass by their names."""
    return {field.name: field for field in dataclasses.fields(kind)}


def type_of(field: Field) -> Any:
    """The type of an option without `None`, which means that it was not given.

    For `int | None` it is `int`, for `tuple[int, ...]` it is the same.
    """
    if isinstance(field.type, types.UnionType):
        (kind,) = (one for one in field.type.__args__ if one is not types.NoneType)
        return kind
    return field.type


def is_required(field: Field) -> bool:
    """Whether an option must be given."""
    return field.default is dataclasses.MISSING


def takes_several(field: Field) -> bool:
    """Whether an argument takes any number of words."""
    return option_of(field).positional and typing.get_origin(type_of(field)) is tuple


def check_value(field: Field, value: object) -> None:
    """Raise `ValueError` with a message of one line if a value is not allowed."""
    name, kind, known = field.name, type_of(field), option_of(field)
    where = f": {known.meaning}"
    single = typing.get_args(kind)[0] if typing.get_origin(kind) is tuple else kind
    for one in value if isinstance(value, tuple) else (value,):
        if type(one) is not single and not isinstance(one, Path):
            raise ValueError(f"{name} = {one!r} is not of the type {single.__name__}")
        if known.choices and one not in known.choices:
            words = ", ".join(known.choices)
            near = suggest(str(one), known.choices) or known.meaning
            raise ValueError(f"{name} = {one!r} is not one of {words}: {near}")
        if isinstance(one, int | float) and not isinstance(one, bool):
            if not math.isfinite(one) or one < 0 or (one == 0 and not known.zero):
                least = "0 or more" if known.zero else "more than 0"
                raise ValueError(f"{name} = {one} must be {least}{where}")
            # Tensors contain integers of 64 bits.
            below = min(known.below, 2**63) if isinstance(one, int) else known.below
            if one >= below:
                raise ValueError(f"{name} = {one} must be below {below}{where}")


TRUTHS = {"yes": True, "true": True, "no": False, "false": False}
WANTED = {int: "a whole number", float: "a number", bool: "yes or no"}


def parse_value(field: Field, word: str) -> object:
    """Convert and check a word of the command line.

    An option that is a tuple takes its values in one word, separated by commas; an
    argument takes each of its values in a word of its own. Raises `ValueError` with a
    message of one line if the value is not allowed.
    """
    kind = type_of(field)
    if typing.get_origin(kind) is not tuple:
        value = _convert(field, kind, word)
    elif takes_several(field):
        value = _convert(field, kind.__args__[0], word)
    else:
        value = tuple(_convert(field, kind.__args__[0], w) for w in word.split(","))
    check_value(field, value)
    return value


def _convert(field: Field, kind: Any, word: str) -> Any:
    try:
        return TRUTHS[word.lower()] if kind is bool else kind(word)
    except (ValueError, KeyError):
        wanted = f"{WANTED[kind]}: {option_of(field).meaning}"
        raise ValueError(f"{field.name} = {word!r} is not {wanted}") from None


def format_value(value: object) -> str:
    """A value as a user would type it; empty for `None` and if there is no value."""
    if value is None or value is dataclasses.MISSING:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value)


def flag(name: str) -> str:
    """The flag of an option: `--mem-len` for the field `mem_len`.

    A field whose name is a word of Python ends in `_`, as `from_` for `--from`.
    """
    return f"--{name.rstrip('_').replace('_', '-')}"
