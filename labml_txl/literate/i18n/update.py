r"""# Keeping translations up to date

The English changes, and the files of the translators follow. A message that did not
change keeps its translation, wherever it has moved to. If only its formulas changed,
the translation gets the new ones. A message that changed otherwise gets the translation
of the nearest earlier one as a proposal, marked *fuzzy*: it is not shown until somebody
has looked at it. What no message needs any more is kept at the end of the file, and
comes back when its English comes back.

A second update changes no byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import polib
from babel import Locale, UnknownLocaleError
from babel.core import get_global

from labml_txl.literate.i18n.catalog import nearest, with_formulas
from labml_txl.literate.i18n.inventory import Inventory, Said
from labml_txl.literate.i18n.labels import fields
from labml_txl.literate.i18n.languages import is_name
from labml_txl.literate.i18n.po import file_of, read_po, write_po
from labml_txl.literate.markdown.messages import KINDS


@dataclass(frozen=True)
class Known:
    """A translation that somebody once made: of which English, and whether it is sure.

    It is not sure if it came from elsewhere and nobody has looked at it yet.
    `proposed` is the message that it is proposed for, if that is how it is known.
    """

    original: str
    translation: str
    sure: bool = True
    comment: str = ""
    proposed: str = ""


@dataclass(frozen=True)
class _File:
    """The file of a page as it was: its entries, and the translations it knows."""

    old: polib.POFile | None = None
    entries: Mapping[str, polib.POEntry] = field(default_factory=dict)
    known: Mapping[str, Known] = field(default_factory=dict)


def update(
    found: Inventory, locale: Path, language: str, root: Path
) -> dict[Path, str | None]:
    """The files of a language as they should be; `None` for one that is not needed.

    Raises `LiterateError` for a file that cannot be read. Nothing is written.
    """
    folder = locale / language
    names = [
        path.relative_to(folder).with_suffix("").as_posix()
        for path in sorted(folder.rglob("*.po"))
    ]
    files = {name: _file(read_po(folder / f"{name}.po", root)) for name in names}
    everywhere: dict[str, Known] = {}
    for file in files.values():
        for original, known in file.known.items():
            everywhere.setdefault(original, known)
    texts: dict[Path, str | None] = {}
    for page in dict.fromkeys([*found, *names]):
        file = files.get(page, _File())
        entries = _entries(found.get(page, ()), file, everywhere)
        path = file_of(locale, language, page)
        texts[path] = write_po(language, page, entries, file.old) if entries else None
    return texts


def _file(old: polib.POFile) -> _File:
    entries = {entry.msgid: entry for entry in old if not entry.obsolete}
    known: dict[str, Known] = {}
    for _, one in sorted(_known(old), key=lambda pair: pair[0]):
        known.setdefault(one.original, one)
    return _File(old, entries, known)


def _known(old: Iterable[polib.POEntry]) -> Iterator[tuple[int, Known]]:
    """What a file knows, and how far that is to be trusted: 0 is best."""
    for entry in old:
        before = entry.previous_msgid if entry.fuzzy else None
        # What another program gave several forms for a number keeps the last of them.
        forms = [*entry.msgstr_plural.values()]
        original, words = before or entry.msgid, entry.msgstr or "".join(forms[-1:])
        if words and not entry.fuzzy:
            yield int(entry.obsolete), Known(original, words, True, entry.tcomment)
        elif words:
            # A fuzzy translation is one of what the English was before.
            sure = before is not None
            proposed = entry.msgid if sure else ""
            yield 3 - sure, Known(original, words, sure, entry.tcomment, proposed)


def _entries(
    said: Iterable[Said], file: _File, everywhere: Mapping[str, Known]
) -> list[polib.POEntry]:
    messages = {one.message: one for one in said}
    gone = [one for one in file.known.values() if one.original not in messages]
    live = [_entry(one, file, gone, everywhere) for one in messages.values()]
    # What an entry still proposes need not be kept a second time.
    proposals = {(entry.msgid, entry.previous_msgid) for entry in live}
    kept = [
        polib.POEntry(
            msgid=one.original,
            msgstr=one.translation,
            tcomment=one.comment,
            flags=[] if one.sure else ["fuzzy"],
            obsolete=True,
        )
        for one in sorted(gone, key=lambda one: one.original)
        if (one.proposed, one.original) not in proposals
    ]
    return [*live, *kept]


def _entry(
    said: Said, file: _File, gone: Iterable[Known], everywhere: Mapping[str, Known]
) -> polib.POEntry:
    """The entry of a message: as it was, or with what is known, or without words."""
    old = file.entries.get(said.message)
    exact = file.known.get(said.message) or everywhere.get(said.message)
    kind = "" if said.kind == "paragraph" else f"({KINDS[said.kind]})"
    filled_in = said.kind == "label" and fields(said.message)
    entry = polib.POEntry(
        msgid=said.message,
        comment="\n".join(filter(None, [said.heading, kind])),
        occurrences=[(said.place, "")],
        flags=["python-brace-format"] if filled_in else [],
    )
    if old is not None and old.msgstr and not (old.fuzzy and exact and exact.sure):
        entry.msgstr, entry.tcomment = old.msgstr, old.tcomment
        entry.flags[:0] = ["fuzzy"] if old.fuzzy else []
        entry.previous_msgid = old.previous_msgid if old.fuzzy else None
    elif exact is not None:
        entry.msgstr, entry.tcomment = exact.translation, exact.comment
        entry.flags[:0] = [] if exact.sure else ["fuzzy"]
    elif same := _with_formulas(said.message, [*gone, *everywhere.values()]):
        entry.msgstr, entry.tcomment = same.translation, same.comment
    elif old is not None:
        entry.tcomment = old.tcomment
    elif near := _near(said.message, gone, file.known.values(), everywhere.values()):
        entry.msgstr, entry.previous_msgid = near.translation, near.original
        entry.tcomment = near.comment
        entry.flags.insert(0, "fuzzy")
    return entry


def _with_formulas(message: str, choices: Iterable[Known]) -> Known | None:
    """What is known of a message that has other formulas and says the same."""
    for known in choices:
        text = with_formulas(message, known.original, known.translation)
        if known.sure and text:
            return replace(known, translation=text)
    return None


def _near(message: str, *choices: Iterable[Known]) -> Known | None:
    """The nearest known message, in the first of the choices that has a near one."""
    for known in choices:
        by_original: dict[str, Known] = {}
        for one in known:
            by_original.setdefault(one.original, one)
        if found := nearest(message, by_original):
            return by_original[found]
    return None


# A new language

_CODE = re.compile(r"[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|\d{3}))?")


def is_code(code: str) -> bool:
    """Whether browsers may know a language by this code: `de`, `pt-BR`, `zh-Hant`."""
    return bool(_CODE.fullmatch(code))


def known(code: str) -> Locale | None:
    """What CLDR knows of a language, if it knows it."""
    try:
        return Locale.parse(code, sep="-")
    except (UnknownLocaleError, ValueError):
        return None


def settings(code: str, name: str = "", theme: str = "en") -> str:
    """The text of a file `language.toml`; `theme` is the theme's name for it."""
    found = known(code)
    own = (found.get_display_name() if found else "") or ""
    english = (found.english_name if found else "") or ""
    # CLDR knows some languages by no name of their own, or by one that is a sentence.
    names = (name, own[:1].upper() + own[1:], english, code)
    fields = {
        "name": next(filter(is_name, names)),
        "english": next(filter(is_name, (english, name, code))),
        "tag": _TAGS.get(code, code),
        "theme": theme,
        "locale": _with_territory(code),
        "direction": "rtl" if found and found.text_direction == "rtl" else "ltr",
    }
    lines = [
        f"{key} = {json.dumps(v, ensure_ascii=False)}" for key, v in fields.items()
    ]
    return "\n".join(lines) + f"\n{_SEARCH.get(code.partition('-')[0], '')}"


def _with_territory(code: str) -> str:
    """The language and a country of it, as previews of links want them: `pt_BR`."""
    language, *parts = code.split("-")
    country = next((part for part in parts if len(part) < 4), "")
    likely = get_global("likely_subtags").get(code.replace("-", "_"), "")
    return "_".join(filter(None, [language, country or likely.rpartition("_")[2]]))


_TAGS = {"zh": "zh-Hans", "zh-TW": "zh-Hant"}

# What stands between two words for the search: beside spaces and signs, the place where
# one script follows another; in Chinese, the mark that the search puts between words.
_SIGNS = r"""\s\-.,:;=()\[\]{}"'/、。，．：；！？（）「」『』《》・…—"""
_SCRIPTS = ("ァ-ヶー", "一-龠々")
_BORDERS = "|".join(f"(?<=[{s}])(?![{s}])|(?<![{s}])(?=[{s}])" for s in _SCRIPTS)
_SEARCH = {
    "zh": f"""
[search]
languages = ["zh"]
separator = '''[{_SIGNS}\\u200b]+'''
""",
    "ja": f"""
[search]
languages = ["ja"]
separator = '''[{_SIGNS}]+|{_BORDERS}'''
""",
}
