r"""The command `txl`.

Exit status: 0 for success, 1 for failure, 2 for bad usage. What is wrong with the input
is told in one line; a traceback is a bug.
"""

from __future__ import annotations

import argparse
import posixpath
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from labml_txl import __version__
from labml_txl.literate.commands import add_commands as add_translating
from labml_txl.literate.edition.build import Annotated, Project
from labml_txl.literate.edition.check import check
from labml_txl.literate.equations.node import NodeError
from labml_txl.literate.exports.text import beside, text
from labml_txl.literate.notebooks.notebook import Distribution, notebook
from labml_txl.literate.pages.page import Page
from labml_txl.literate.sources.source import LiterateError
from labml_txl.training.commands import add_commands


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
    words = "Train and run the models; check and export the annotated pages."
    parser = argparse.ArgumentParser(prog="txl", description=words)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add_commands(commands)
    add_translating(commands)

    checking = commands.add_parser(
        "check", help="look for equations without code or test, and for faulty notes"
    )
    checking.set_defaults(run=_check)

    exporting = commands.add_parser(
        "export", help="write annotated modules as notebooks or as Markdown"
    )
    exporting.add_argument(
        "modules",
        nargs="*",
        metavar="MODULE",
        help="a file, a folder or a dotted name (default: all that are annotated)",
    )
    exporting.add_argument(
        "--to",
        choices=["ipynb", "md", "pages"],
        required=True,
        help="notebooks that run, Markdown with line numbers, or the Markdown that a "
        "site is made of",
    )
    exporting.add_argument(
        "--out",
        type=Path,
        default=Path(),
        metavar="FOLDER",
        help="where to write (default: here)",
    )
    exporting.set_defaults(run=_export)

    running = commands.add_parser(
        "notebooks", help="run the tutorial notebooks and store what they give"
    )
    running.add_argument(
        "notebooks",
        nargs="*",
        metavar="NOTEBOOK",
        help="the name or the file of one (default: all)",
    )
    running.add_argument(
        "--quick", action="store_true", help="run with small sizes, and store nothing"
    )
    running.add_argument(
        "--keep",
        action="store_true",
        help="do not run: store changed words with the outputs that are there",
    )
    running.set_defaults(run=_notebooks)

    for command in (checking, exporting, running):
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
    annotated, install = _pages(options.config)
    chosen = _chosen(options.modules, annotated.pages, options.config)
    site, texts = annotated.site, dict[str, str]()
    for page in chosen:
        if options.to == "ipynb":
            texts[beside(page.path, "ipynb")] = notebook(page, site, install)
        elif options.to == "md":
            texts[beside(page.path, "md")] = text(page, site)
        else:
            texts[page.path] = annotated.markdown[page.path]
    if options.to == "pages" and not options.modules:
        texts.update(annotated.markdown)
    for path in _write(_from_common_folder(texts), options.out):
        print(path)
    return 0


def _notebooks(options: argparse.Namespace) -> int:
    with _site_packages(options.config):
        from labml_txl.literate.hosts.project import notebooks_of
        from labml_txl.literate.notebooks.execution import execute
        from labml_txl.literate.notebooks.tutorial import (
            document,
            with_outputs,
            written,
        )

        root = options.config.resolve().parent
        project = notebooks_of(options.config)
        # A file may be named before the settings know it.
        new = {Path(words).resolve() for words in options.notebooks}
        files = [
            file.relative_to(root).as_posix()
            for file in new
            if file.is_file() and file.is_relative_to(root)
        ]
        known = {t.source.path: t for t in written(root, [*project.given, *files])}
        names = {Path(words).stem for words in options.notebooks}
        if unknown := names - {t.name for t in known.values()}:
            there = ", ".join(t.name for t in known.values()) or "none"
            raise UsageError(f"no notebook {min(unknown)}: there are {there}")
        texts = {}
        for tutorial in known.values():
            if names and tutorial.name not in names:
                continue
            if options.keep:
                ran = with_outputs(tutorial, root)
            else:
                print(f"Running {tutorial.source.path}", file=sys.stderr, flush=True)
                ran = execute(tutorial, project.folders, quick=options.quick)
            texts[tutorial.notebook] = document(ran, project.site, project.install)
    for path in [] if options.quick else _write(texts, root):
        print(path.relative_to(root))
    return 0


def _chosen(
    given: Sequence[str], pages: Sequence[Page], config: Path
) -> tuple[Page, ...]:
    """The pages that the words of a command line mean, in reading order."""
    if not pages:
        raise UsageError(f"no module is annotated: name some in {config}")
    root = config.resolve().parent
    chosen: set[str] = set()
    for words in given:
        place = Path(words).resolve()
        found = {
            page.path
            for page in pages
            if f"{page.module}.".startswith(f"{words}.")
            or (root / page.source.path).is_relative_to(place)
        }
        if not found:
            raise UsageError(f"{words} is no annotated module and holds none")
        chosen |= found
    return tuple(page for page in pages if page.path in chosen or not given)


def _from_common_folder(texts: Mapping[str, str]) -> dict[str, str]:
    """The same texts, their paths without the folders that all of them share."""
    shared = posixpath.commonpath([posixpath.dirname(path) for path in texts])
    return {posixpath.relpath(path, shared or "."): texts[path] for path in texts}


def _write(texts: Mapping[str, str], folder: Path) -> list[Path]:
    """Write all files or none: each is whole before one of them takes its place."""
    goals = {folder / path: content for path, content in texts.items()}
    for goal in goals:
        if goal.is_dir():
            raise UsageError(f"{goal} is a folder: choose another with --out")
    partial: dict[Path, Path] = {}
    try:
        for goal, content in goals.items():
            goal.parent.mkdir(parents=True, exist_ok=True)
            partial[goal] = goal.with_name(f".{goal.name}.partial")
            partial[goal].write_text(content, encoding="utf-8", newline="\n")
        for goal, whole in partial.items():
            whole.replace(goal)
    finally:
        for left in partial.values():
            left.unlink(missing_ok=True)
    return [*goals]


def _project(config: Path) -> Project:
    """What the settings of the site tell the engine."""
    with _site_packages(config):
        from labml_txl.literate.hosts.mkdocs.settings import project_of
    return project_of(config)


def _pages(config: Path) -> tuple[Annotated, Distribution | None]:
    """The pages of the site, and what their notebooks install."""
    with _site_packages(config):
        from labml_txl.literate.hosts.project import pages_of
    return pages_of(config)


@contextmanager
def _site_packages(config: Path) -> Iterator[None]:
    """Say what is missing: the settings, or what builds a site of them.

    The models run without MkDocs, so it is asked for only by these commands.
    """
    if not config.is_file():
        raise UsageError(f"there is no {config} here: name it with --config")
    try:
        yield
    except ImportError as error:
        missing = f"{error.name} is missing: pip install labml_txl[site]"
        raise UsageError(missing) from None


if __name__ == "__main__":
    sys.exit(main())
