"""Makes a command of click whose parameters are the fields of a dataclass."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from labml_txl.options import (
    Field,
    fields_of,
    flag,
    format_value,
    is_required,
    option_of,
    parse_value,
    takes_several,
    type_of,
)

PLACEHOLDERS = {int: "NUMBER", float: "NUMBER", bool: "[yes|no]", Path: "PATH"}


class FieldValue(click.ParamType[Any]):
    """The type of a parameter: its field converts, checks and completes the values."""

    name = "value"

    def __init__(self, field: Field) -> None:
        self.field = field

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Convert and check a word. Raises `click.UsageError` if it is not allowed."""
        try:
            return parse_value(self.field, value)
        except ValueError as error:
            raise click.UsageError(str(error), ctx) from None

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The choices that begin with what was typed, or what the shell completes."""
        choices = option_of(self.field).choices
        if choices:
            return [CompletionItem(w) for w in choices if w.startswith(incomplete)]
        return [CompletionItem(incomplete, type="file")]


class DataclassCommand(click.Command):
    """A command that calls `run` with a dataclass `kind` of its options."""

    def __init__(
        self,
        name: str,
        kind: Any,
        run: Callable[[Any], object],
        help: str = "",
        examples: Iterable[str] = (),
    ) -> None:
        # In click, \b keeps the line breaks of a paragraph.
        lines = "\n".join(["\b", "Examples:", *(f"  {line}" for line in examples)])
        super().__init__(
            name,
            context_settings={"help_option_names": ["-h", "--help"]},
            params=[make_parameter(field) for field in fields_of(kind).values()],
            callback=lambda **values: run(self.options_from(values)),
            help=help,
            epilog=lines,
        )
        self.kind = kind

    def options_from(self, values: dict[str, Any]) -> Any:
        """The dataclass with the values that were given, and its own defaults."""
        given = {name: value for name, value in values.items() if value is not None}
        return self.kind(**given)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words; errors have the context, which knows the command's name."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the options in their groups; `--help` is the first."""
        fields, title = fields_of(self.kind), "Options"
        sections: dict[str, list[tuple[str, str]]] = {title: []}
        *own, shows_help = self.get_params(ctx)
        for param in (shows_help, *own):
            if param.name in fields:
                title = option_of(fields[param.name]).group.capitalize() or title
            record = param.get_help_record(ctx)
            if record and isinstance(param, click.Option):
                sections.setdefault(title, []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


def make_parameter(field: Field) -> click.Parameter:
    """Make the option or the argument that a field describes."""
    known, kind = option_of(field), type_of(field)
    is_switch = kind is bool and known.alone is None
    default = "" if is_switch else known.shown or format_value(field.default)
    meaning = f"{known.meaning} (default: {default})" if default else known.meaning
    more: dict[str, Any] = {"help": meaning}
    placeholder = known.metavar or "|".join(known.choices)
    if known.positional:
        place = (placeholder or field.name.upper()) + "..." * takes_several(field)
        more["metavar"] = place if is_required(field) else f"[{place}]"
        more["nargs"] = -1 if takes_several(field) else 1
        more |= {"required": is_required(field), "type": FieldValue(field)}
        return click.Argument([field.name], **more)
    names = [field.name, flag(field.name), *filter(None, [known.short])]
    more["hidden"] = known.hidden
    if is_switch:
        return click.Option(names, is_flag=True, **more)
    if known.alone is not None:
        more |= {"is_flag": False, "flag_value": format_value(known.alone)}
    more["metavar"] = placeholder or PLACEHOLDERS.get(kind, "TEXT")
    more |= {"required": is_required(field), "type": FieldValue(field)}
    return click.Option(names, **more)
