"""# Reading and writing catalogs

Each page has a PO file for each language, the format of gettext, which programs for
translators read and write: `docs/locale/ja/models/memory.po`. A file contains no date
and no line numbers of the source, so it changes only if a text changes, and two people
can translate two paragraphs of a page at the same time.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import polib

from labml_txl.literate.i18n.catalog import Catalog, Entry, State
from labml_txl.literate.i18n.languages import refuse_links
from labml_txl.literate.i18n.lint import find_errors
from labml_txl.literate.i18n.plurals import plural_rule
from labml_txl.literate.i18n.wrapping import rewrap
from labml_txl.literate.sources.repository import relative_to
from labml_txl.literate.sources.source import LiterateError, read


class _File(polib.POFile):  # type: ignore[misc]
    """A PO file whose header keeps its order."""

    def ordered_metadata(self) -> list[tuple[str, str]]:
        """The fields of the header in their order; the library would sort them."""
        return [*self.metadata.items()]


def file_of(locale: Path, language: str, page: str) -> Path:
    """The path of the catalog of a page such as `models/memory.md`."""
    return locale / language / f"{page.removesuffix('.md')}.po"


# A comment, a keyword and its string, a string alone, or nothing.
_LINE = re.compile(r'\s*(?:#(?!~).*|[^"]*"(?:[^"\\]|\\.)*")?\s*')
# A keyword and its string, whatever is between the first and the last quotation mark.
_QUOTED = re.compile(r'\s*(?:msg[a-z]+(?:\[\d+\])?\s+)?"(?:[^"\\]|\\.)*".*"\s*')
# A backslash that starts no escape of a PO file but a command of TeX, as in `\mathrm`.
# In `\alpha` it does start one, whose control character `foreign` reports.
_SINGLE = re.compile(r'\\(?:[\\"abfnrtv]|(.[A-Za-z]*))')
_CONFLICT = re.compile(r"<{7}|={7}|>{7}|\|{7}")


def read_po(path: Path, root: Path) -> polib.POFile:
    """Read a PO file. Raises `LiterateError` if it is not valid.

    The line number of an entry is that of its message, not that of its comments.
    """
    refuse_links(path, root)
    source = read(path, root)
    # The parser of the library ignores a quote that is not closed.
    for number, line in enumerate(source.lines, start=1):
        if _CONFLICT.match(line):
            message = "a merge conflict: keep one version and remove the markers"
            raise LiterateError(source.path, number, message)
        if _QUOTED.fullmatch(line) and not _LINE.fullmatch(line):
            message = 'a quotation mark inside the text: write \\" instead of "'
            raise LiterateError(source.path, number, message)
        if not _LINE.fullmatch(line):
            message = f"not a line of a PO file: {line.strip()[:40]!r}"
            raise LiterateError(source.path, number, f"{message}: correct it")
        escapes = _SINGLE.findall("" if line.startswith("#") else line)
        if escape := next(filter(None, escapes), ""):
            message = f"\\{escape} has one backslash: write \\\\{escape}"
            raise LiterateError(source.path, number, message)
    try:
        file = polib.pofile(str(path), encoding="utf-8")
    except (OSError, ValueError, LookupError) as error:
        found = re.search(r"line (\d+)\)", str(error))
        number = int(found[1]) if found else 1
        message = "unexpected line: correct the order of the lines"
        raise LiterateError(source.path, number, message) from None
    places: dict[str, int] = {}
    for entry in file:
        ahead = source.lines[entry.linenum - 1 :]
        comments = (n for n, line in enumerate(ahead) if line.startswith("msgid"))
        entry.linenum += next(comments, 0)
        if entry.obsolete:
            continue
        if (first := places.setdefault(entry.msgid, entry.linenum)) != entry.linenum:
            message = f"duplicate of the message in line {first}: remove one of the two"
            raise LiterateError(source.path, entry.linenum, message)
    return file


def write_po(
    language: str, page: str, entries: list[polib.POEntry], old: polib.POFile
) -> str:
    """The text of a PO file, with the header of the old file.

    Translators and their programs write names and settings into this header.
    """
    file = _File()
    file.header = old.header or f"The page {page} in {language}."
    file.metadata = {
        **old.metadata,
        "Project-Id-Version": page,
        "Language": language,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
    }
    file.extend(entries)
    if any(entry.msgid_plural for entry in entries):
        number, expression = plural_rule(language)
        rule = f"nplurals={number}; plural={expression};"
        file.metadata = {**file.metadata, "Plural-Forms": rule}
    before = Path(old.fpath).read_text(encoding="utf-8") if old.fpath else ""
    return rewrap(str(file), before)


def load_catalog(locale: Path, language: str, page: str, root: Path) -> Catalog:
    """The catalog of a page in a language; without a file, an empty one.

    A file is parsed again only if it has changed. Raises `LiterateError` if it is not
    valid.
    """
    path = file_of(locale, language, page)
    # A folder or a link of this name is not read, but reported.
    state = path.lstat() if os.path.lexists(path) else None
    changed, size = (state.st_mtime_ns, state.st_size) if state else (0, 0)
    return _catalog(path, root, language, changed, size)


@lru_cache(maxsize=1_000)
def _catalog(path: Path, root: Path, language: str, changed: int, size: int) -> Catalog:
    entries = {
        entry.msgid: _entry(entry, language)
        for entry in (read_po(path, root) if changed else ())
        if not entry.obsolete
    }
    return Catalog(language, entries, relative_to(path, root))


# The translations of the engine's labels that any project uses, one file a language,
# and its name, which the project of the engine gives to no page.
SHIPPED = Path(__file__).parent / "shipped"
LABELS = "labels"


def load_shipped(language: str) -> Catalog:
    """The labels of the engine in a language; empty if they are not translated."""
    return load_catalog(SHIPPED, language, LABELS, SHIPPED)


def file_of_shipped(language: str) -> Path:
    """The path of the file of these labels, which need not exist."""
    return file_of(SHIPPED, language, LABELS)


def texts_of(entry: polib.POEntry) -> list[tuple[str, str]]:
    """Each text of a translation with its English: one, or all plural forms.

    A form may leave out the number, as in "one message", so it is compared with the
    English form whose fields it has.
    """
    if not entry.msgid_plural:
        return [(entry.msgid, entry.msgstr)]
    forms = [text for _, text in sorted(entry.msgstr_plural.items())]
    bare = re.sub(r"\{[^{}]*\}", "", entry.msgid_plural)
    return [(entry.msgid_plural if "{" in text else bare, text) for text in forms]


def _entry(entry: polib.POEntry, language: str) -> Entry:
    texts, line = texts_of(entry), entry.linenum
    forms = tuple(text for _, text in texts) if entry.msgid_plural else ()
    found = Entry(texts[0][1] if texts else "", line=line, forms=forms)
    complete = len(forms) == plural_rule(language)[0] or not entry.msgid_plural
    if not complete or not all(text.strip() for _, text in texts):
        return replace(found, state=State.MISSING)
    if entry.fuzzy:
        return replace(found, state=State.FUZZY)
    for english, text in texts:
        if errors := find_errors(english, text, language):
            return replace(found, state=State.FAULTY, why=errors[0].code)
    return found
