"""The commands of `txl` without running them: their options, and what is parsed."""

from collections.abc import Sequence
from typing import Any

import click

from labml_txl.cli import TXL
from labml_txl.command_line import DataclassCommand


def find_command(words: Sequence[str]) -> tuple[DataclassCommand, list[str]]:
    """The command that the first words name, and the words after them."""
    command: click.Command | None = TXL
    rest = [*words]
    while isinstance(command, click.Group):
        _, command, rest = command.resolve_command(click.Context(command), rest)
    assert isinstance(command, DataclassCommand)
    return command, rest


def parse_options(words: Sequence[str]) -> Any:
    """The options that a command gets from these words."""
    command, rest = find_command(words)
    return command.options_from(command.make_context(command.name, rest).params)
