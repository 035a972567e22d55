r"""# What a change of translations is

Whoever reads a proposed change wants to know two things: does it change translations
and nothing else, so that a few quick checks are enough; and which sentences are new.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import polib

from labml_txl.literate.i18n.files.po import (
    by_message,
    line_of,
    read_po,
    words_of,
)
from labml_txl.literate.i18n.languages import SETTINGS
from labml_txl.literate.sources.source import read

# Files beside the pages that hold words only.
_WORDS = ("CHANGELOG.md", ".github/CODEOWNERS")

# A change of translations, of them and of prose, and any other one.
KINDS = ("translations", "prose", "code")


@dataclass(frozen=True)
class Sentence:
    """A sentence whose translation has changed: where it stands, and what it says.

    Without a translation, `now` is empty; so is `was` if there was none before.
    """

    path: str
    line: int
    english: str
    was: str
    now: str


def kind_of(paths: Collection[str], locale: str, prose: Collection[str]) -> str:
    """What a change of these files is, one of `KINDS`.

    `locale` is the folder of the languages, of which PO files and settings are
    translations, and `prose` names the files of which no more than words have changed.
    If nothing has changed, or nobody knows what, anything may have.
    """
    folder = PurePosixPath(locale)
    words = {*prose, *_WORDS, f"{locale}/glossary.toml"}
    others = {
        path
        for path in map(PurePosixPath, paths)
        if folder not in path.parents
        or not (path.suffix == ".po" or path.name == SETTINGS)
    }
    if not paths or not {path.as_posix() for path in others} <= words:
        return "code"
    return "prose" if others else "translations"


def same_code(before: str, now: str) -> bool:
    """Whether two Python files differ in nothing but comments and docstrings."""
    try:
        return _code(before) == _code(now)
    except (SyntaxError, ValueError):
        return False


def _code(text: str) -> str:
    return ast.dump(_WithoutWords().visit(ast.parse(text)))


class _WithoutWords(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        match node.value:
            case ast.Constant(value=str()):
                return None
        return node


def same_messages(before: Path, now: Path) -> bool:
    """Whether two PO files hold the same English, whatever the translations say.

    Either of the two files may be missing. Raises `LiterateError` for one that cannot
    be read.
    """

    def english(path: Path) -> list[tuple[str, str, bool]]:
        entries = read_po(path, path.parent) if path.is_file() else ()
        return [(e.msgid, e.msgid_plural, bool(e.obsolete)) for e in entries]

    return english(before) == english(now)


def changed(name: str, language: str, before: Path, now: Path) -> Iterator[Sentence]:
    """The sentences of a PO file that are shown otherwise than before.

    `name` is what to call it. Either of the two files may be missing. Raises
    `LiterateError` for one that cannot be read.
    """
    was = {m: _shown(entry) for m, entry in _entries(before, language).items()}
    lines = read(now, now.parent).lines if now.is_file() else []
    for message, entry in _entries(now, language).items():
        if (words := _shown(entry)) != (old := was.get(message, "")):
            yield Sentence(name, line_of(entry, lines), message, old, words)


def _shown(entry: polib.POEntry) -> str:
    return "" if entry.fuzzy else " / ".join(filter(None, words_of(entry)))


def _entries(path: Path, language: str) -> dict[str, polib.POEntry]:
    entries = read_po(path, path.parent) if path.is_file() else ()
    return {found[0].msgid: found[0] for found in by_message(entries, language)}
