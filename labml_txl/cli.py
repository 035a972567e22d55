"""The command `txl`.

The exit status is 0 for success, 1 for failure, 2 for wrong usage, 130 for Control-C,
and 141 if the program that reads the output has ended. An error of the user is reported
in one line; a traceback is a bug.

The module of a command is imported only when it is called, so `txl --help` works
without the packages that the commands need.
"""

import importlib
import itertools
import os
import re
import sys
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from typing import Any, NamedTuple

from labml_txl import __version__
from labml_txl.errors import UsageError, UserError, meant, plain

# The maximal length of an error message.
LONGEST = 1000

ABOUT = "Train and run the models; check and export the annotated pages."


class Command(NamedTuple):
    """The module of a command, its description, and the extra that it needs."""

    module: str
    help: str
    extra: str


def _training(name: str, help: str) -> Command:
    return Command(f"labml_txl.training.commands.{name}", help, "training")


def _engine(name: str, help: str, extra: str = "site") -> Command:
    return Command(f"labml_txl.literate.cli.{name}", help, extra)


COMMANDS = {
    "data": _training("data", "fetch a text and say what it is"),
    "train": _training("train", "train a model, or go on training one"),
    "evaluate": _training("evaluate", "measure how well a model predicts"),
    "generate": _training("generate", "let a model continue a text"),
    "import": _training("published", "make a run of published weights"),
    "recall": _training(
        "recall", "show how far back both memories reach, on a synthetic task"
    ),
    "init": _engine("init", "make a site of the Python code in a folder"),
    "check": _engine(
        "check", "look for equations without code or test, and for faulty notes"
    ),
    "export": _engine(
        "export", "write annotated modules as notebooks or Markdown, or the site"
    ),
    "notebooks": _engine(
        "notebooks", "run the tutorial notebooks and store what they give"
    ),
    "observe": _engine(
        "observe", "record what the names in annotated code hold while it runs"
    ),
    "i18n update": _engine(
        "i18n.update", "bring the files of all languages up to date with the English"
    ),
    "i18n stats": _engine("i18n.stats", "tell how much of each page is translated"),
    "i18n new": _engine("i18n.new", "add a language, with nothing translated yet"),
    "i18n lint": _engine("i18n.lint", "look for translations that are broken"),
    "i18n changed": _engine(
        "i18n.changed", "list the translations that have changed since a commit"
    ),
}

# This form of an export has options of its own.
WEB = Command("labml_txl.web", "make a page that runs a model of yours", "training")

# Commands that have subcommands.
GROUPS = {"i18n": "keep the translations of the site"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if isinstance(sys.stdout, TextIOWrapper):
        # Characters that the terminal cannot show become question marks.
        sys.stdout.reconfigure(errors="replace")
    try:
        status = _run(words)
        sys.stdout.flush()
    except UserError as error:
        return _failed(error, error.status)
    except KeyboardInterrupt:
        return _failed("stopped", 130)
    except BrokenPipeError:
        # The reader has ended, as `head` does. Discard the rest of the output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        named = f"{error.filename}: {error.strerror}" if error.filename else error
        return _failed(named, 1)
    except (MemoryError, RuntimeError) as error:
        if not _is_about_memory(error):
            raise
        return _failed("there is not enough memory: take a smaller batch or model", 1)
    return status


def _failed(why: object, status: int) -> int:
    # A quoted name may be long and contain control characters.
    line = plain(f"txl: {why}").replace("\n", "\\n")
    print(line if len(line) <= LONGEST else f"{line[:LONGEST]}…", file=sys.stderr)
    return status


def _is_about_memory(error: Exception) -> bool:
    """Whether memory is full; an error of PyTorch is known only by its message."""
    why = str(error)
    full = ("memory" in why and "allocate" in why) or "overflow" in why.lower()
    return full or isinstance(error, MemoryError)


def _run(words: Sequence[str]) -> int:
    group = words[0] if words and words[0] in GROUPS else ""
    rest = words[1:] if group else words
    if rest and rest[0] in ("-h", "--help"):
        print(_help(group))
        return 0
    if rest and rest[0] == "--version":
        print(__version__)
        return 0
    name = f"{group} {rest[0]}".strip() if rest else ""
    if name not in COMMANDS:
        raise UsageError(_unknown(group, rest))
    command = command_of(name, rest[1:])
    try:
        from labml_txl.command_line import read

        about = f"{command.help[0].upper()}{command.help[1:]}."
        module = importlib.import_module(command.module)
        end = "\n  ".join(["Examples:", *examples(module.__doc__ or "")])
        options = read(options_of(name, rest[1:]), rest[1:], name, about, end)
        status: int = module.run(options)
        return status
    except ImportError as error:
        from labml_txl.extras import how_to_install

        line = how_to_install(command.extra)
        raise UsageError(f"{error.name} is missing: {line}") from None


def command_of(name: str, words: Sequence[str]) -> Command:
    """The command with this name; an export to the web is a command of its own."""
    web = ("--to", "web") in itertools.pairwise(words) or "--to=web" in words
    return WEB if name == "export" and web else COMMANDS[name]


def examples(text: str) -> list[str]:
    """The commands in the blocks of shell code of a docstring."""
    boxes = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [line for box in boxes for line in box.splitlines()]


def options_of(name: str, words: Sequence[str] = ()) -> Any:
    """The options of a command, a dataclass, which may depend on `words`."""
    module = importlib.import_module(command_of(name, words).module)
    return module.options_for(words) if name == "train" else module.Options


def _help(group: str) -> str:
    rows = [*_rows(group)]
    width = max(len(name) for name, _ in rows)
    prog = f"txl {group}".strip()
    lines = "\n".join(f"  {name:<{width}}  {help}" for name, help in rows)
    return (
        f"usage: {prog} COMMAND [OPTIONS]\n\n{GROUPS.get(group, ABOUT)}\n\n{lines}\n\n"
        f"{prog} COMMAND --help shows what a command can be told."
    )


def _rows(group: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of a group, or those without a group and the groups."""
    for name, command in COMMANDS.items():
        first, _, second = name.rpartition(" ")
        if first == group:
            yield second, command.help
    if not group:
        yield from GROUPS.items()


def _unknown(group: str, words: Sequence[str]) -> str:
    prog = f"txl {group}".strip()
    if not words:
        return f"{prog} wants a command ({prog} --help shows all)"
    question = meant(words[0], (name for name, _ in _rows(group)))
    line = ": ".join(filter(None, (f"there is no command {words[0]}", question)))
    return f"{line} ({prog} --help shows all)"


if __name__ == "__main__":
    sys.exit(main())
