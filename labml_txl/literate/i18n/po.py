r"""# Translations in files

The translations of a page into a language stand in a PO file, the format of gettext,
which translators' programs read and write: `docs/locale/ja/models/memory.po`. A file
has no date and no line numbers of the source. So it changes only where a text changes,
and two people can work on two paragraphs of one page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import polib

from labml_txl.literate.i18n.catalog import Catalog, Entry, State
from labml_txl.literate.i18n.languages import refuse_links
from labml_txl.literate.i18n.lint import Finding, lint_message
from labml_txl.literate.i18n.wrapping import rewrapped
from labml_txl.literate.sources.repository import relative_to
from labml_txl.literate.sources.source import LiterateError, read


class _File(polib.POFile):  # type: ignore[misc]
    """A PO file whose head keeps its order."""

    def ordered_metadata(self) -> list[tuple[str, str]]:
        """The fields of the head as they are, not as the library sorts them."""
        return [*self.metadata.items()]


def file_of(locale: Path, language: str, page: str) -> Path:
    """Where the translations of a page stand; the page as `models/memory.md`."""
    return locale / language / f"{page.removesuffix('.md')}.po"


_STRING = r'"(?:[^"\\]|\\.)*"'
_LINE = re.compile(
    r"\s*(?:#(?!~).*|#~\||(?:#~\s*)?(?:(?:msgctxt|msgid|msgid_plural|msgstr"
    rf"(?:\[\d+\])?)\s+)?{_STRING})?\s*"
)
# A backslash that begins no escape of a PO file but a command of TeX, as in `\mathrm`.
# Of `\alpha` an escape makes a sign that is in no translation: see `foreign`.
_SINGLE = re.compile(r'\\(?:[\\"abfnrtv]|(.[A-Za-z]*))')
_CONFLICT = re.compile(r"<{7}|={7}|>{7}|\|{7}")


def read_po(path: Path, root: Path) -> polib.POFile:
    """Read a PO file; raise `LiterateError` where it cannot be read.

    The line of an entry is that of its message: comments stand above it.
    """
    refuse_links(path, root)
    source = read(path, root)
    # The reader of the library overlooks a quote that is not closed.
    for number, line in enumerate(source.lines, start=1):
        if _CONFLICT.match(line):
            message = "a conflict of two changes: keep one of them, without the marks"
            raise LiterateError(source.path, number, message)
        if not _LINE.fullmatch(line):
            message = f"not a line of a PO file: {line.strip()[:40]!r}"
            raise LiterateError(source.path, number, f"{message}: correct it")
        for escape in _SINGLE.findall(line) if not line.startswith("#") else ():
            if escape:
                message = f"\\{escape} has one backslash: write \\\\{escape}"
                raise LiterateError(source.path, number, message)
    try:
        file = polib.pofile(str(path), encoding="utf-8")
    except (OSError, ValueError, LookupError) as error:
        found = re.search(r"line (\d+)\)", str(error))
        number = int(found[1]) if found else 1
        message = "a line of a PO file stands where it cannot: correct the order"
        raise LiterateError(source.path, number, message) from None
    places: dict[str, int] = {}
    for entry in file:
        ahead = source.lines[entry.linenum - 1 :]
        comments = (n for n, line in enumerate(ahead) if line.startswith("msgid"))
        entry.linenum += next(comments, 0)
        if entry.obsolete:
            continue
        if (first := places.setdefault(entry.msgid, entry.linenum)) != entry.linenum:
            message = f"this message is in line {first} too: keep one of the two"
            raise LiterateError(source.path, entry.linenum, message)
    return file


def write_po(
    language: str, page: str, entries: list[polib.POEntry], old: polib.POFile | None
) -> str:
    """The text of a PO file, with what translators and their programs wrote into the
    head of the old one."""
    file = _File()
    file.header = (old.header if old else "") or f"The page {page} in {language}."
    file.metadata = {
        **(old.metadata if old else {}),
        "Project-Id-Version": page,
        "Language": language,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
    }
    file.extend(entries)
    before = Path(old.fpath).read_text(encoding="utf-8") if old else ""
    return rewrapped(str(file), before)


def load_catalog(locale: Path, language: str, page: str, root: Path) -> Catalog:
    """The catalog of a page in a language; without a file, an empty one.

    A file is read again only if it has changed. Raises `LiterateError` for one that
    cannot be read.
    """
    path = file_of(locale, language, page)
    state = path.stat() if path.is_file() else None
    changed, size = (state.st_mtime_ns, state.st_size) if state else (0, 0)
    return _catalog(path, root, language, page, changed, size)


@lru_cache(maxsize=1_000)
def _catalog(
    path: Path, root: Path, language: str, page: str, changed: int, size: int
) -> Catalog:
    entries = {
        entry.msgid: _entry(entry, language)
        for entry in (read_po(path, root) if changed else ())
        if not entry.obsolete
    }
    return Catalog(language, page.removesuffix(".md"), entries, relative_to(path, root))


def _entry(entry: polib.POEntry, language: str) -> Entry:
    text, line = entry.msgstr, entry.linenum
    if not text.strip():
        return Entry(text, State.MISSING, line)
    if entry.fuzzy:
        return Entry(text, State.FUZZY, line)
    error = _first_error(entry.msgid, text, language)
    if error is None:
        return Entry(text, State.TRANSLATED, line)
    fault = error.message if error.code == "foreign" else ""
    return Entry(text, State.FAULTY, line, error.code, fault)


@lru_cache(maxsize=50_000)
def _first_error(message: str, translation: str, language: str) -> Finding | None:
    # Terms give warnings only, which hide no translation.
    findings = lint_message(message, translation, language)
    return next((one for one in findings if one.severity == "error"), None)


def outdated(texts: Mapping[Path, str | None]) -> list[Path]:
    """The files that are not as they should be; `None` stands for one too many."""
    return [path for path, text in texts.items() if _text(path) != text]


def _text(path: Path) -> str | None:
    return path.read_bytes().decode("utf-8", "replace") if path.is_file() else None
