r"""The command `txl`.

Exit status: 0 for success, 1 for failure, 2 for bad usage. What is wrong with the input
is told in one line; a traceback is a bug.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from labml_txl import __version__
from labml_txl.literate.build import Project, annotate
from labml_txl.literate.check import check
from labml_txl.literate.node import NodeError
from labml_txl.literate.source import LiterateError


class UsageError(Exception):
    """The command line, or the place it was called in, does not fit."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the result is the exit status."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
        return status
    except UsageError as error:
        print(f"txl: {error}", file=sys.stderr)
        return 2
    except (LiterateError, NodeError, OSError) as error:
        print(f"txl: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="txl", description=__doc__.split("\n")[0])
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    checking = commands.add_parser(
        "check", help="look for equations without code or test, and for faulty notes"
    )
    checking.set_defaults(run=_check)

    exporting = commands.add_parser(
        "export", help="write the pages that the engine makes as Markdown"
    )
    exporting.add_argument("folder", type=Path, help="where to write them")
    exporting.set_defaults(run=_export)

    for command in (checking, exporting):
        command.add_argument(
            "-f",
            "--config",
            type=Path,
            default=Path("mkdocs.yml"),
            help="the settings of the site (default: mkdocs.yml)",
        )
    return parser


def _check(options: argparse.Namespace) -> int:
    project = _project(options.config)
    problems = check(project)
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print("Every equation has its code and its proof.")
    return 1 if problems else 0


def _export(options: argparse.Namespace) -> int:
    pages = annotate(_project(options.config)).markdown
    for path, text in pages.items():
        goal = options.folder / path
        goal.parent.mkdir(parents=True, exist_ok=True)
        goal.write_text(text, encoding="utf-8")
    print(f"{len(pages)} pages written to {options.folder}")
    return 0


def _project(config: Path) -> Project:
    """What the settings of the site tell the engine."""
    if not config.is_file():
        raise UsageError(f"there is no {config} here: name it with --config")
    # The models run without MkDocs: it is asked for only here.
    try:
        from labml_txl.literate.plugin import project_of
    except ImportError as error:
        missing = f"{error.name} is missing: pip install labml_txl[site]"
        raise UsageError(missing) from None
    return project_of(config)
