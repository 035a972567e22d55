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
from contextlib import contextmanager
from io import TextIOWrapper

import click

from labml_txl import __version__
from labml_txl.errors import UsageError, UserError, escape_controls, suggest

# The maximal length of an error message.
LONGEST = 1000


class LazyCommand(click.Command):
    """The name and the help of a command whose module is imported when it is called."""

    def __init__(self, name: str, module: str, help: str, extra: str) -> None:
        super().__init__(name, help=help, short_help=help)
        self.module = module
        self.extra = extra

    def load(self, words: Sequence[str]) -> click.Command:
        """The command with its options, which may depend on the words after it.

        Raises `UsageError` if a package that the command needs is not installed.
        """
        with _explain_missing(self.extra):
            from labml_txl.command_line import DataclassCommand

            module = importlib.import_module(self.module)

        def run(options: object) -> int:
            with _explain_missing(self.extra):
                status: int = module.run(options)
                return status

        has_own = hasattr(module, "make_options")
        kind = module.make_options(words) if has_own else module.Options
        lines = find_examples(module.__doc__ or "")
        return DataclassCommand(self.name or "", kind, run, self.help or "", lines)


class LazyGroup(click.Group):
    """A group of commands that are loaded when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in the order of the help."""
        return [*self.commands]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the words name, and load it."""
        name, command, rest = super().resolve_command(ctx, args)
        if name == "export" and _names_web(rest):
            command = WEB
        if isinstance(command, LazyCommand):
            command = command.load(rest)
        return name, command, rest


def _training(name: str, help: str, module: str = "") -> LazyCommand:
    place = f"labml_txl.training.commands.{module or name}"
    return LazyCommand(name, place, help, "training")


def _engine(name: str, help: str, folder: str = "") -> LazyCommand:
    return LazyCommand(name, f"labml_txl.literate.cli.{folder}{name}", help, "site")


def _make_group(name: str, help: str, commands: Sequence[click.Command]) -> LazyGroup:
    return LazyGroup(
        name,
        commands={command.name or "": command for command in commands},
        help=help,
        short_help=help,
        epilog="Run a command with --help for its options.",
        no_args_is_help=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


# A page that runs a model has options of its own.
WEB = LazyCommand(
    "export", "labml_txl.web", "Make a page that runs a trained model.", "training"
)

I18N = _make_group(
    "i18n",
    "Manage the translations of the site.",
    [
        _engine("update", "Update all catalogs to the current English.", "i18n."),
        _engine("stats", "Print how much of each page is translated.", "i18n."),
        _engine("new", "Add a language.", "i18n."),
        _engine("lint", "Report faulty translations.", "i18n."),
        _engine("changed", "List translations changed since a commit.", "i18n."),
    ],
)

TXL = _make_group(
    "txl",
    "Train and run the models; check and export the annotated pages.",
    [
        _training("data", "Download a corpus and print its statistics."),
        _training("train", "Train a model, or continue a run."),
        _training("evaluate", "Measure how well a model predicts a text."),
        _training("generate", "Generate text with a model."),
        _training("import", "Convert published weights to a run.", "published"),
        _training("recall", "Compare how far back two memories reach."),
        _engine("init", "Set up a site for the Python code in a folder."),
        _engine("check", "Check equations, notes and records."),
        _engine("export", "Write notebooks, Markdown, the site, or a model's page."),
        _engine("notebooks", "Run the tutorial notebooks and save their outputs."),
        _engine("observe", "Run annotated code and record its variables."),
        I18N,
    ],
)
click.version_option(__version__, message="%(version)s")(TXL)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if isinstance(sys.stdout, TextIOWrapper):
        # Characters that the terminal cannot show become question marks.
        sys.stdout.reconfigure(errors="replace")
    try:
        if "_TXL_COMPLETE" in os.environ:  # a shell asks for completions
            TXL.main(words, prog_name="txl")
        with TXL.make_context("txl", words) as context:
            status: int = TXL.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        return _fail(_describe(error), error.exit_code)
    except UserError as error:
        return _fail(error, error.status)
    except KeyboardInterrupt:
        return _fail("stopped", 130)
    except BrokenPipeError:
        # The reader has ended, as `head` does. Discard the rest of the output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        named = f"{error.filename}: {error.strerror}" if error.filename else error
        return _fail(named, 1)
    except (MemoryError, RuntimeError) as error:
        if not _is_about_memory(error):
            raise
        return _fail("out of memory: choose a smaller batch or model", 1)
    return status


def _fail(why: object, status: int) -> int:
    """Print a reason in one line, and return the exit status."""
    # A quoted name may be long and contain control characters.
    line = escape_controls(f"txl: {why}").replace("\n", "\\n")
    print(line if len(line) <= LONGEST else f"{line[:LONGEST]}…", file=sys.stderr)
    return status


def _describe(error: click.ClickException) -> str:
    """The message of click as we write ours, and how to see the help."""
    match error:
        case (
            click.NoSuchOption(option_name=word)
            | click.NoSuchCommand(command_name=word)
        ):
            # Names that are hardly similar are left out.
            near = suggest(word, error.possibilities or ())
            parts = [error.message.removesuffix("."), near]
        case _:
            parts = [" ".join(error.format_message().split()).removesuffix(".")]
    text = ": ".join(filter(None, parts))
    context = error.ctx if isinstance(error, click.UsageError) else None
    prog = context.command_path if context else "txl"
    return f"{text[:1].lower()}{text[1:]} (see {prog} --help)"


def _is_about_memory(error: Exception) -> bool:
    """Whether memory is full; an error of PyTorch is known only by its message."""
    why = str(error)
    full = ("memory" in why and "allocate" in why) or "overflow" in why.lower()
    return full or isinstance(error, MemoryError)


@contextmanager
def _explain_missing(extra: str) -> Iterator[None]:
    """Raise `UsageError` with what installs a package that cannot be imported."""
    try:
        yield
    except ImportError as error:
        from labml_txl.extras import how_to_install

        line = how_to_install(extra)
        raise UsageError(f"{error.name} is missing: {line}") from None


def _names_web(words: Sequence[str]) -> bool:
    """Whether an export is to be a page that runs a model."""
    return ("--to", "web") in itertools.pairwise(words) or "--to=web" in words


def find_examples(text: str) -> list[str]:
    """The commands in the blocks of shell code of a docstring."""
    boxes = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [line for box in boxes for line in box.splitlines()]


if __name__ == "__main__":
    sys.exit(main())
