r"""From the words of a command line to the options of a command.

`tyro` does the work: reading, help, and completion. Here is what it is told of a
dataclass of options, and how its refusals become one line.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from typing import Annotated, Any, NoReturn, Union

import tyro
from tyro import _errors
from tyro.constructors import PrimitiveConstructorSpec

from labml_txl.errors import UsageError, meant
from labml_txl.options import (
    Field,
    about,
    flag,
    grouped,
    kind_of,
    options,
    read_value,
    required,
    several,
    typed,
)

METAVARS = {int: "NUMBER", float: "NUMBER", bool: "yes|no", Path: "PATH"}


def read(
    kind: Any, words: Sequence[str], command: str, help: str = "", end: str = ""
) -> Any:
    r"""The options of a command, as the dataclass `kind`, from the words behind it.

    Raises `UsageError` for words that do not fit. With `--help` the help is printed,
    `end` behind it, and the process ends.
    """

    def refuse(event: _errors.ParseErrorEvent) -> NoReturn:
        why = refusal(event, options(kind))
        raise UsageError(f"{why} (txl {command} --help shows all)")

    asked = asks_for_help(words)
    with _errors.on_parse_error(refuse):
        try:
            given = tyro.cli(
                form(kind, for_help=asked),
                # Before all else: a word that is understood is left out of the help.
                args=["--help"] if asked else with_values(kind, words),
                prog=f"txl {command}",
                description=help,
                config=(tyro.conf.OmitArgPrefixes,),
            )
        except SystemExit:
            # Nothing else ends so but help.
            print(end)
            raise
    return kind(**values_of(given))


def asks_for_help(words: Sequence[str]) -> bool:
    r"""Whether help is among the options."""
    named = words[: words.index("--")] if "--" in words else words
    return "--help" in named or "-h" in named


def with_values(kind: Any, words: Sequence[str]) -> list[str]:
    r"""The same words, where every option that may stand alone has its value.

    `--speed RUN` becomes `--speed=200,400,800 RUN`, and `--speed 20 RUN` becomes
    `--speed=20 RUN`: the next word is a value if it can be read as one.
    """
    found = {flag(name): field for name, field in options(kind).items()}
    waiting, result = list(words), list[str]()
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            return [*result, word, *waiting]
        name, equals, _ = word.partition("=")
        field = found.get(name)
        if field is not None and is_switch(field) and equals:
            raise UsageError(f"{name} takes no value: given {word}")
        if field is not None and about(field).alone is not None and not equals:
            fits = bool(waiting) and readable(field, waiting[0])
            value = waiting.pop(0) if fits else typed(about(field).alone)
            word = f"{word}={value}"
        result.append(word)
    return result


def readable(field: Field, word: str) -> bool:
    r"""Whether a word can be read as a value of an option."""
    try:
        read_value(field, [word])
    except ValueError:
        return False
    return True


def is_switch(field: Field) -> bool:
    r"""Whether an option says yes by being there, and takes no value."""
    return kind_of(field) is bool and about(field).alone is None


def form(kind: Any, for_help: bool = False) -> Any:
    r"""The same dataclass, with what `tyro` wants to know of each field.

    Each group of options is a dataclass of its own within it: a part of the help, which
    leaves out what is hidden.
    """
    known = options(kind).items()
    groups = grouped(
        {name: field for name, field in known if not (for_help and about(field).hidden)}
    )
    fields = entries(groups.pop("", {}))
    for name, members in groups.items():
        group: Any = dataclasses.make_dataclass(
            f"{name.title()}Group", entries(members)
        )
        group.__doc__ = ""
        part = dataclasses.field(default_factory=group)
        fields.append((f"{name}_group", titled(name, group), part))
    return dataclasses.make_dataclass(kind.__name__, fields)


def titled(name: str, group: Any) -> Any:
    r"""The type of a group of options, with the name of its part of the help."""
    return Annotated[group, tyro.conf.arg(name=name)]


def entries(known: Mapping[str, Field]) -> list[tuple[str, Any, Any]]:
    r"""The fields of a dataclass with these options, as `make_dataclass` wants them."""
    return [
        (
            name,
            described(field),
            dataclasses.field(
                default=tyro.MISSING if required(field) else field.default
            ),
        )
        for name, field in known.items()
    ]


def values_of(given: Any) -> dict[str, Any]:
    r"""What was given, by the names of the options, whatever group they are in."""
    values: dict[str, Any] = {}
    for name, value in vars(given).items():
        inner = dataclasses.is_dataclass(value)
        values |= values_of(value) if inner else {name: value}
    return values


def described(field: Field) -> Any:
    r"""What `tyro` wants to know of an option."""
    known, kind = about(field), kind_of(field)
    shown = "" if is_switch(field) else known.shown or typed(field.default)
    marks: list[Any] = [
        tyro.conf.arg(
            name=field.name.rstrip("_"),
            help=known.meaning,
            help_behavior_hint=f"(default: {shown})" if shown else "",
            aliases=[known.short] if known.short else None,
        )
    ]
    if known.positional:
        marks.append(tyro.conf.Positional)
    if is_switch(field):
        return Annotated[bool, *marks, tyro.conf.FlagCreatePairsOff]
    spec: PrimitiveConstructorSpec[Any] = PrimitiveConstructorSpec(
        nargs="*" if several(field) else 1,
        metavar=known.metavar or "|".join(known.choices) or METAVARS.get(kind, "TEXT"),
        instance_from_str=lambda words: read_value(field, words),
        is_instance=lambda value: True,
        str_from_instance=lambda value: [typed(value)],
        choices=known.choices or None,
    )
    return Annotated[Any, spec, *marks]


def refusal(event: _errors.ParseErrorEvent, known: Mapping[str, Field]) -> str:
    r"""What is wrong with the words, in one line."""

    def name_of(argument: Any) -> str:
        # What has a place only is called as help calls it.
        name: str = argument.display_name()
        field = known.get(name.replace("-", "_"))
        return (about(field).metavar or name.upper()) if field else name

    match event:
        case _errors.MissingArgs(missing_arguments=missing):
            names = ", ".join(name_of(one.arg) for one in missing)
            return f"{names} must be given"
        case _errors.UnrecognizedArgs(tokens=[str(first), *_]):
            question = meant(first.partition("=")[0], map(flag, known))
            kind = "option" if first.startswith("-") else "place for the word"
            return ": ".join(filter(None, (f"there is no {kind} {first}", question)))
        case _errors.InvalidChoice(argument=argument, value=value, choices=choices):
            return f"{name_of(argument)} {value} is not one of {', '.join(choices)}"
        case _errors.BadValue(argument=argument):
            return f"{name_of(argument)} wants a value"
        case _errors.InstantiationFailure(message=message):
            return message
    return "the words do not fit"


def completion(kinds: Mapping[str, Any], shell: str) -> str:
    r"""The script that completes `txl` in a shell.

    `kinds` has the options of each command; `"i18n new"` is the command `new` of the
    group `i18n`.
    """
    groups: dict[str, list[Any]] = {}
    for name, kind in kinds.items():
        group, _, verb = name.rpartition(" ")
        groups.setdefault(group, []).append(named(verb, form(kind)))
    plain = groups.pop("")
    for group, verbs in groups.items():
        choice = dataclasses.make_dataclass("Choice", [("verb", one_of(verbs))])
        plain.append(named(group, choice))
    script = StringIO()
    with redirect_stdout(script), suppress(SystemExit):
        tyro.cli(
            one_of(plain),
            prog="txl",
            args=["--tyro-print-completion", shell],
            config=(tyro.conf.OmitSubcommandPrefixes, tyro.conf.OmitArgPrefixes),
        )
    return script.getvalue()


def named(name: str, kind: Any) -> Any:
    r"""The type of a command's options, with the command's name."""
    return Annotated[kind, tyro.conf.subcommand(name)]


def one_of(kinds: Sequence[Any]) -> Any:
    r"""The type of a value that has one of these types."""
    return Union[tuple(kinds)]  # noqa: UP007, there are as many as there are
