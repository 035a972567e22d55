r"""Options: what a run or a command can be told.

An option is a field of a frozen dataclass. Its type, its default, its meaning with the
unit, and the values that make sense are said there, once. Help, checks and errors take
them from the field.
"""

import dataclasses
import math
import types
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

Value = TypeVar("Value")
Field = dataclasses.Field[Any]


@dataclass(frozen=True)
class Option:
    r"""What is known of an option beside its type and its default.

    - `meaning`: what it is, with its unit;
    - `choices`: the words that it may be, where only some make sense;
    - `zero`: a number may be 0; all others must be more;
    - `below`: a number must be below this one;
    - `alone`: what the option says where it stands without a value;
    - `positional`: it has no name on the command line, only a place;
    - `hidden`: help leaves it out, since it would have no effect;
    - `group`: the group of help that begins with it, and goes on until the next one;
    - `short`, `metavar`, `shown`: another name, and what help says for the value and
      for the default.
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
    r"""A field of a dataclass that is an option; `more` are fields of `Option`."""
    known = {"option": Option(meaning, **more)}
    field: Value = dataclasses.field(default=default, metadata=known)
    return field


def argument(
    meaning: str,
    default: Any = dataclasses.MISSING,
    positional: bool = True,
    **more: Any,
) -> Any:
    r"""A field that has its place on the command line, and must be given.

    With a default it need not be given; one that is not `positional` is named like
    every other option.
    """
    known = {"option": Option(meaning, positional=positional, **more)}
    return dataclasses.field(default=default, metadata=known)


def about(field: Field) -> Option:
    r"""What is known of the option that a field is."""
    known: Option = field.metadata["option"]
    return known


def options(kind: Any) -> dict[str, Field]:
    r"""The options of a dataclass, by name."""
    return {field.name: field for field in dataclasses.fields(kind)}


def kind_of(field: Field) -> Any:
    r"""The type of an option's values, without the `None` that stands for "not given".

    `int` for `int | None`, and for `tuple[int, ...]` that itself.
    """
    if isinstance(field.type, types.UnionType):
        (kind,) = (one for one in field.type.__args__ if one is not types.NoneType)
        return kind
    return field.type


def check(field: Field, value: object) -> None:
    r"""Raise `ValueError`, in one line, if an option cannot have that value."""
    name, kind, known = field.name, kind_of(field), about(field)
    where = f": {known.meaning}"
    listed = isinstance(value, tuple) and typing.get_origin(kind) is tuple
    for one in value if isinstance(value, tuple) and listed else (value,):
        single = typing.get_args(kind)[0] if listed else kind
        if type(one) is not single and not isinstance(one, Path):
            raise ValueError(f"{name} = {one!r} is not of the type {single.__name__}")
        if known.choices and one not in known.choices:
            words = ", ".join(known.choices)
            raise ValueError(f"{name} = {one!r} is not one of {words}{where}")
        if isinstance(one, int | float) and not isinstance(one, bool):
            if not math.isfinite(one) or one < 0 or (one == 0 and not known.zero):
                least = "0 or more" if known.zero else "more than 0"
                raise ValueError(f"{name} = {one} must be {least}{where}")
            # What is computed with holds whole numbers of 64 bits.
            below = min(known.below, 2**63) if isinstance(one, int) else known.below
            if one >= below:
                raise ValueError(f"{name} = {one} must be below {below}{where}")


def several(field: Field) -> bool:
    r"""Whether an option takes all words that stand at its place."""
    return about(field).positional and typing.get_origin(kind_of(field)) is tuple


def required(field: Field) -> bool:
    r"""Whether an option must be given."""
    return field.default is dataclasses.MISSING


def read_value(field: Field, words: Sequence[str]) -> object:
    r"""The value that words of the command line give to an option.

    Raises `ValueError`, in one line, if they give none that makes sense.
    """
    value: object
    if several(field):
        if required(field) and not words:
            raise ValueError(f"{about(field).metavar} must be given")
        (kind, _) = kind_of(field).__args__
        value = tuple(_read(field, kind, word) for word in words)
    else:
        value = _read(field, kind_of(field), words[0])
    check(field, value)
    return value


def typed(value: object) -> str:
    r"""A value as it would be typed; nothing for `None` and what is not given."""
    if value is None or value is dataclasses.MISSING:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value)


TRUTHS = {"yes": True, "true": True, "no": False, "false": False}
WANTED = {int: "a whole number", float: "a number", bool: "yes or no"}


def _read(field: Field, kind: Any, word: str) -> object:
    if typing.get_origin(kind) is tuple:
        return tuple(_read(field, kind.__args__[0], one) for one in word.split(","))
    try:
        return TRUTHS[word.lower()] if kind is bool else kind(word)
    except (ValueError, KeyError):
        wanted = f"{WANTED[kind]}: {about(field).meaning}"
        raise ValueError(f"{field.name} = {word!r} is not {wanted}") from None


def flag(name: str) -> str:
    r"""How an option is named on the command line: `from_` is `--from`."""
    return f"--{name.rstrip('_').replace('_', '-')}"
