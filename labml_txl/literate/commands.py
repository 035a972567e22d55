r"""# The commands of translators

`txl i18n` and what follows it: what it accepts, and what it does. What is wrong with a
file is told in one line, with the file and the line, and the exit status is 1; a wrong
use of the command line gives 2.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from labml_txl.literate.sources.source import LiterateError

Options = argparse.Namespace
Commands = Any


class MisuseError(Exception):
    """The command line does not fit the project that it was called in."""


def add_commands(commands: Commands) -> None:
    """Add `i18n` to the command `txl`."""
    parser = commands.add_parser("i18n", help="keep the translations of the site")
    verbs = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_extract(verbs)
    _add_update(verbs)
    _add_stats(verbs)
    _add_new(verbs)
    _add_lint(verbs)
    _add_import(verbs)


def _added(
    verbs: Commands, name: str, run: Callable[[Options], int], help: str
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = verbs.add_parser(
        name, help=help, description=f"{help[0].upper()}{help[1:]}."
    )
    parser.add_argument(
        "-f",
        "--config",
        type=Path,
        default=Path("mkdocs.yml"),
        help="the settings of the site (default: mkdocs.yml)",
    )
    parser.set_defaults(run=told(run))
    return parser


def told(command: Callable[[Options], int]) -> Callable[[Options], int]:
    """The command, with its errors in one line instead of a traceback."""

    def run(options: Options) -> int:
        try:
            if not options.config.is_file():
                wanted = f"there is no {options.config} here: name it with --config"
                raise MisuseError(wanted)
            return command(options)
        except MisuseError as error:
            print(f"txl: {error}", file=sys.stderr)
            return 2
        except ImportError as error:
            missing = f"{error.name} is missing: pip install labml_txl[site]"
            print(f"txl: {missing}", file=sys.stderr)
            return 2
        except (LiterateError, OSError) as error:
            print(f"txl: {error}", file=sys.stderr)
            return 1

    return run


# Extract


def _add_extract(verbs: Commands) -> None:
    parser = _added(verbs, "extract", extract, "list all messages of the site")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="every message, as JSON")
    form.add_argument(
        "--out", type=Path, metavar="FOLDER", help="write a .pot file a page there"
    )


def extract(options: Options) -> int:
    """List the messages: how many a page has, all of them, or templates of files."""
    from labml_txl.literate.hosts.project import texts_of
    from labml_txl.literate.translation.inventory import inventory
    from labml_txl.literate.translation.po import write_whole
    from labml_txl.literate.translation.update import update

    texts = texts_of(options.config)
    found = inventory(texts)
    if options.json:
        said = {p: [dataclasses.asdict(one) for one in s] for p, s in found.items()}
        print(json.dumps(said, ensure_ascii=False, indent=1))
    elif options.out:
        empty = update(found, options.out, "", options.out / "")
        pots = {path.with_suffix(".pot"): text for path, text in empty.items()}
        for path in write_whole(pots):
            print(path)
    else:
        rows = [(page, f"{len(said):,}") for page, said in found.items()]
        total = sum(len(said) for said in found.values())
        print(table([("page", "messages"), *rows, ("all", f"{total:,}")]))
    return 0


# Update


def _add_update(verbs: Commands) -> None:
    help = "bring the files of all languages up to date with the English"
    parser = _added(verbs, "update", update_files, help)
    parser.add_argument("--lang", metavar="LANG", help="only this language")
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; the exit status is 1 if a file is not up to date",
    )


def update_files(options: Options) -> int:
    """Write the files that have to change, all or none, and name them."""
    from labml_txl.literate.hosts.project import texts_of
    from labml_txl.literate.translation.inventory import inventory
    from labml_txl.literate.translation.po import behind, write_whole
    from labml_txl.literate.translation.update import update

    texts = texts_of(options.config)
    found = inventory(texts)
    files: dict[Path, str | None] = {}
    for code in chosen(texts.locale, texts.root, options.lang):
        files |= update(found, texts.locale, code, texts.root)
    changed = behind(files, texts.root) if options.check else write_whole(files)
    for path in changed:
        print(path.relative_to(texts.root) if path.is_relative_to(texts.root) else path)
    if options.check and changed:
        print("txl: not up to date: run txl i18n update", file=sys.stderr)
    return int(bool(options.check and changed))


def chosen(locale: Path, root: Path, given: str | None) -> list[str]:
    """The codes of the languages that a command is meant for."""
    from labml_txl.literate.translation.languages import languages

    codes = [language.code for language in languages(locale, root)]
    if given is None:
        return codes
    if given not in codes:
        known = f"there are {', '.join(codes)}" if codes else "there is none yet"
        message = f"no language {given}: {known}; txl i18n new {given} makes it"
        raise MisuseError(message)
    return [given]


# Stats


def _add_stats(verbs: Commands) -> None:
    help = "tell how much of each page is translated"
    parser = _added(verbs, "stats", stats, help)
    parser.add_argument("--lang", metavar="LANG", help="only this language")
    parser.add_argument("--json", action="store_true", help="the same as JSON")
    parser.add_argument(
        "--check",
        action="store_true",
        help="the exit status is 1 if anything is not translated",
    )


def stats(options: Options) -> int:
    """Print a table a language: how many messages of a page are in which state."""
    from labml_txl.literate.hosts.project import texts_of
    from labml_txl.literate.translation.inventory import inventory
    from labml_txl.literate.translation.update import Share, shares

    texts = texts_of(options.config)
    found = inventory(texts)
    codes = chosen(texts.locale, texts.root, options.lang)
    tables: dict[str, dict[str, Share]] = {
        code: {
            **(pages := shares(found, texts.locale, code, texts.root)),
            "all": sum(pages.values(), Share()),
        }
        for code in codes
    }
    whole = all(pages["all"].percent == 100 for pages in tables.values())
    status = int(options.check and not whole)
    if options.json:
        print(json.dumps(tables, default=_share_json, ensure_ascii=False, indent=1))
        return status
    head = ("translated", "fuzzy", "missing", "faulty", "share")
    for code, pages in tables.items():
        rows = [
            (
                page,
                f"{s.translated:,}",
                f"{s.fuzzy:,}",
                f"{s.missing:,}",
                f"{s.faulty:,}",
                f"{s.percent} %",
            )
            for page, s in pages.items()
        ]
        print(f"{table([(code, *head), *rows])}\n")
    if not tables:
        print("There is no language but English yet: txl i18n new LANG makes one.")
    return status


def _share_json(share: Any) -> dict[str, int]:
    return {**dataclasses.asdict(share), "percent": share.percent}


def table(rows: Iterable[tuple[str, ...]]) -> str:
    """Rows as text: the first column to the left, numbers to the right."""
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


# New


def _add_new(verbs: Commands) -> None:
    parser = _added(verbs, "new", new, "add a language, with nothing translated yet")
    parser.add_argument("language", metavar="LANG", help="its code: de, pt-BR, zh-TW")
    parser.add_argument("--name", default="", help="its name, in the language itself")


def new(options: Options) -> int:
    """Make the folder of a language: its settings and the files to translate."""
    from labml_txl.literate.hosts.project import texts_of
    from labml_txl.literate.translation.inventory import inventory
    from labml_txl.literate.translation.languages import SETTINGS
    from labml_txl.literate.translation.po import write_whole
    from labml_txl.literate.translation.update import COMMON, is_code, settings, update

    code = options.language
    if code == "en" or not is_code(code):
        why = "the pages are written in it" if code == "en" else "codes look like pt-BR"
        raise MisuseError(f"{code} can be no new language: {why}")
    if code not in COMMON and not options.name:
        raise MisuseError(f"the name of {code} is not known: say it with --name")
    texts = texts_of(options.config)
    file = texts.locale / code / SETTINGS
    if file.exists():
        raise MisuseError(
            f"{file} is there already: txl i18n update keeps it up to date"
        )
    files = update(inventory(texts), texts.locale, code, texts.root)
    for path in write_whole({file: settings(code, options.name), **files}):
        print(path.relative_to(texts.root) if path.is_relative_to(texts.root) else path)
    return 0


# Lint


def _add_lint(verbs: Commands) -> None:
    help = "look for translations that are broken"
    parser = _added(verbs, "lint", lint, help)
    parser.add_argument(
        "languages", nargs="*", metavar="LANG", help="only these languages"
    )
    parser.add_argument("--json", action="store_true", help="the same as JSON")
    parser.add_argument("--quiet", action="store_true", help="only errors and warnings")


def lint(options: Options) -> int:
    """Print every finding with its place; the result is 1 if one is an error."""
    from labml_txl.literate.hosts.project import texts_of
    from labml_txl.literate.lint.findings import lint_message
    from labml_txl.literate.lint.glossary import project_glossary
    from labml_txl.literate.sources.source import read
    from labml_txl.literate.translation.po import line_of, read_po

    texts = texts_of(options.config)
    glossary = project_glossary(texts.locale)
    given = options.languages or [None]
    codes = [c for one in given for c in chosen(texts.locale, texts.root, one)]
    rows: list[dict[str, Any]] = []
    for code in dict.fromkeys(codes):
        for path in sorted((texts.locale / code).rglob("*.po")):
            name = path.relative_to(texts.root).as_posix()
            lines = read(path, texts.root).lines
            for entry in read_po(path, texts.root):
                if entry.obsolete or entry.fuzzy or not entry.msgstr:
                    continue
                rows += [
                    {"path": name, "line": line_of(entry, lines)}
                    | dataclasses.asdict(one)
                    for one in lint_message(entry.msgid, entry.msgstr, code, glossary)
                ]
    if options.quiet:
        rows = [row for row in rows if row["severity"] != "info"]
    if options.json:
        print(json.dumps(rows, ensure_ascii=False, indent=1))
    else:
        for row in rows:
            place = f"{row['path']}:{row['line']}"
            print(f"{place}: {row['severity']} {row['code']} {row['message']}")
    return int(any(row["severity"] == "error" for row in rows))


# Import


def _add_import(verbs: Commands) -> None:
    help = "take over the translations of a JSON catalog, all of them fuzzy"
    parser = _added(verbs, "import", import_catalog, help)
    parser.add_argument("catalog", type=Path, metavar="CATALOG.json")
    parser.add_argument("--lang", required=True, metavar="LANG", help="its language")
    parser.add_argument("--page", metavar="PAGE", help="only into this page")
    parser.add_argument("--json", action="store_true", help="the report as JSON")


def import_catalog(options: Options) -> int:
    """Write what fits into the files, and tell what became of every entry."""
    from labml_txl.literate.hosts.project import texts_of
    from labml_txl.literate.lint.glossary import project_glossary
    from labml_txl.literate.translation.importing import align, load_json, put
    from labml_txl.literate.translation.inventory import inventory
    from labml_txl.literate.translation.po import file_of, write_whole
    from labml_txl.literate.translation.update import update

    catalog = load_json(options.catalog)
    texts = texts_of(options.config)
    (code,) = chosen(texts.locale, texts.root, options.lang)
    found = inventory(texts)
    page = options.page.removesuffix(".md") if options.page else None
    if page is not None and page not in found:
        raise MisuseError(f"no page {page}: txl i18n extract lists the pages")
    messages = [
        (name, one.message)
        for name, said in found.items()
        for one in said
        if page in (None, name)
    ]
    glossary = project_glossary(texts.locale)
    entries = align(catalog, messages, code, glossary)
    files = update(found, texts.locale, code, texts.root)
    taken: set[int] = set()
    changed: dict[Path, str] = {}
    for name in found:
        new = [
            block
            for entry in entries
            for block in entry.blocks
            if block.state == "imported" and block.page == name
        ]
        path = file_of(texts.locale, code, name)
        text = files.get(path)
        if new and text is not None:
            changed[path], left = put(text, new)
            taken |= {id(block) for block in left}
    full = "our message has a translation already"
    entries = [
        dataclasses.replace(
            entry,
            blocks=tuple(
                dataclasses.replace(block, state="kept", reason=full)
                if id(block) in taken
                else block
                for block in entry.blocks
            ),
        )
        for entry in entries
    ]
    write_whole(changed)
    if options.json:
        report = [entry.json() for entry in entries]
        print(json.dumps(report, ensure_ascii=False, indent=1))
        return 0
    for entry in entries:
        print(f"{_first(entry.source)}")
        for one in entry.findings:
            print(f"  {one.severity} {one.code} {one.message}")
        for block in entry.blocks:
            said = f": {block.reason}" if block.reason else f" into {block.page}"
            print(f"  {block.state}{said}: {_first(block.source)}")
    return 0


def _first(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) < 61 else f"{line[:60]}…"
