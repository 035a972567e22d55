r"""# Translations in files

The translations of a page into a language stand in a PO file, the format of gettext,
which translators' programs read and write: `docs/locale/ja/models/memory.po`. A file
has no date and no line numbers of the source. So it changes only where a text changes,
and two people can work on two paragraphs of one page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import polib

from labml_txl.literate.i18n.catalog import Catalog, Entry, State
from labml_txl.literate.i18n.languages import refuse_links
from labml_txl.literate.i18n.lint import Finding, lint_message
from labml_txl.literate.i18n.wrapping import Key, known, wrapped
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


# A character behind a backslash, and the letters behind it.
_ESCAPE = re.compile(r"\\(.)([A-Za-z]*)")
# Commands of TeX that begin as an escape of a PO file does: `\tau` has a tabulator in
# front of "au". Before other letters an escape is what it seems.
_COMMAND = re.compile(
    r"a(?:lpha|mp|ngle|pprox|rccos|rcsin|rctan|rg|rgmax|rgmin|st)"
    r"|b(?:ar|ecause|egin|eta|ig\w*|inom|m|mod|oldsymbol|ot|oxed|reve|ullet)"
    r"|f(?:box|lat|orall|rac)"
    r"|r(?:angle|brace|brack|ceil|floor|ho|ight\w*|m|[vV]ert)"
    r"|t(?:an|anh|au|ext\w*|frac|heta|herefore|hinspace|ilde|imes|o|op|riangle\w*|t)"
    r"|v(?:ar\w*|dots|ec|ee|ert)"
)
_CONFLICT = re.compile(r"<{7}|={7}|>{7}|\|{7}")


def read_po(path: Path, root: Path) -> polib.POFile:
    """Read a PO file; raise `LiterateError` where it cannot be read."""
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
        for escape in _ESCAPE.finditer(line) if not line.startswith("#") else ():
            if escape[1] not in '\\"nabfrtv01234567x' or (
                escape[1] in "abfrtv" and _COMMAND.fullmatch(escape[1] + escape[2])
            ):
                given = f"\\{escape[1]}{escape[2]}"
                message = f"{given} has one backslash: write \\{given}"
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
        if not entry.obsolete:
            place = line_of(entry, source.lines)
            if (first := places.setdefault(entry.msgid, place)) != place:
                message = f"this message is in line {first} too: keep one of the two"
                raise LiterateError(source.path, place, message)
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
    return written(file, known(before.split("\n")))


def written(file: polib.POFile, kept: Mapping[Key, list[str]]) -> str:
    """The text of a PO file, with the lines of the strings that are `kept`."""

    def field(name: str, prefix: str, form: str, text: str, width: int) -> list[str]:
        key = (name.removeprefix("previous_") + form, text, prefix)
        return [*(kept.get(key) or wrapped(*key))]

    for entry in file:
        # Here the library would wrap the lines of the entry in a way of its own.
        entry._str_field = field
    return f"{file}"


def load_catalog(locale: Path, language: str, page: str, root: Path) -> Catalog:
    """The catalog of a page in a language; without a file, an empty one.

    A file is read again only if it has changed. Raises `LiterateError` for one that
    cannot be read.
    """
    path = file_of(locale, language, page)
    try:
        state = path.stat()
    except FileNotFoundError:
        return _catalog(path, root, language, page, 0, 0)
    return _catalog(path, root, language, page, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=1_000)
def _catalog(
    path: Path, root: Path, language: str, page: str, changed: int, size: int
) -> Catalog:
    name = path.relative_to(root) if path.is_relative_to(root) else path
    lines = read(path, root).lines if changed else []
    entries = {
        entry.msgid: _entry(entry, language, line_of(entry, lines))
        for entry in (read_po(path, root) if changed else ())
        if not entry.obsolete
    }
    return Catalog(language, page.removesuffix(".md"), entries, name.as_posix())


def line_of(entry: polib.POEntry, lines: Sequence[str]) -> int:
    """The line of the message itself: its comments stand above it."""
    line: int = entry.linenum
    while line < len(lines) and not lines[line - 1].startswith("msgid"):
        line += 1
    return line


def _entry(entry: polib.POEntry, language: str, line: int) -> Entry:
    text = entry.msgstr
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


def behind(texts: Mapping[Path, str | None], root: Path) -> list[Path]:
    """Those of them that do not say what they should.

    How an editor breaks lines, and what it writes into the head, does not count, nor
    that a message waits which is translated in another file: whoever translated it
    there has not to answer for it. Other line breaks than ours and a mark of the order
    of bytes do.
    """

    def same(path: Path, text: str) -> bool:
        there, wanted = read_po(path, root), polib.pofile(text)
        return len(there) == len(wanted) and all(
            (a.msgid, a.obsolete) == (b.msgid, b.obsolete)
            and ((a.msgstr, a.fuzzy) == (b.msgstr, b.fuzzy) or not a.msgstr)
            for a, b in zip(there, wanted, strict=True)
        )

    return [
        path
        for path in outdated(texts)
        if (text := texts[path]) is None
        or not path.is_file()
        or set(_text(path) or "") & {"\r", "\ufeff"}
        or not same(path, text)
    ]


def write_whole(texts: Mapping[Path, str | None]) -> list[Path]:
    """Write the files whose text has changed, all of them or none; name them.

    Each is whole beside its place before one of them takes its place.
    """
    changed = outdated(texts)
    partial: dict[Path, Path] = {}
    try:
        for path in changed:
            if (text := texts[path]) is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                partial[path] = path.with_name(f".{path.name}.partial")
                partial[path].write_text(text, encoding="utf-8", newline="\n")
        for path in changed:
            if path in partial:
                partial[path].replace(path)
            else:
                path.unlink(missing_ok=True)
    finally:
        for left in partial.values():
            left.unlink(missing_ok=True)
    return changed


def _text(path: Path) -> str | None:
    return path.read_bytes().decode("utf-8", "replace") if path.is_file() else None
