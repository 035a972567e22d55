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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polib
from babel import Locale, UnknownLocaleError
from babel.core import get_global

from labml_txl.literate.i18n.catalog import nearest, with_formulas
from labml_txl.literate.i18n.labels import fields
from labml_txl.literate.i18n.languages import is_name
from labml_txl.literate.i18n.po import file_of, read_po, write_po
from labml_txl.literate.markdown.messages import KINDS


@dataclass(frozen=True)
class Candidate:
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
class Message:
    """A message, what it is, the file that it stands in, and the heading above it."""

    text: str
    kind: str
    place: str
    heading: str = ""


# The messages of each page, in its order.
Inventory = Mapping[str, tuple[Message, ...]]

# The translations that a file knows, by their English.
Memory = Mapping[str, Candidate]


def update(
    messages: Inventory,
    locale: Path,
    language: str,
    root: Path,
    *,
    shared: bool = True,
) -> dict[Path, str | None]:
    """The files of a language as they should be; `None` for one that is not needed.

    Unless `shared`, a file takes nothing from another one: whoever translates a message
    that waits in two files has not to answer for the other. Raises `LiterateError` for
    a file that cannot be read. Nothing is written.
    """
    folder = locale / language
    old = {
        path.relative_to(folder).with_suffix("").as_posix(): read_po(path, root)
        for path in sorted(folder.rglob("*.po"))
    }
    memories = {page: _memory(file) for page, file in old.items()}
    everywhere: dict[str, Candidate] = {}
    for memory in memories.values() if shared else ():
        everywhere = {**memory, **everywhere}
    texts: dict[Path, str | None] = {}
    for page in dict.fromkeys([*messages, *old]):
        file, memory = old.get(page), memories.get(page, {})
        entries = _entries(messages.get(page, ()), file or (), memory, everywhere)
        path = file_of(locale, language, page)
        texts[path] = write_po(language, page, entries, file) if entries else None
    return texts


def _memory(file: Iterable[polib.POEntry]) -> Memory:
    """The translations that a file knows; of several for one message, the surest."""
    ranked: list[tuple[int, Candidate]] = []
    for entry in file:
        before = entry.previous_msgid if entry.fuzzy else None
        # What another program gave several forms for a number keeps the last of them.
        forms = [*entry.msgstr_plural.values()]
        original, words = before or entry.msgid, entry.msgstr or "".join(forms[-1:])
        if words and not entry.fuzzy:
            one = Candidate(original, words, True, entry.tcomment)
            ranked.append((int(entry.obsolete), one))
        elif words:
            # A fuzzy translation is one of what the English was before.
            sure = before is not None
            proposed = entry.msgid if sure else ""
            one = Candidate(original, words, sure, entry.tcomment, proposed)
            ranked.append((3 - sure, one))
    memory: dict[str, Candidate] = {}
    for _, one in sorted(ranked, key=lambda pair: pair[0]):
        memory.setdefault(one.original, one)
    return memory


def _entries(
    messages: Iterable[Message],
    old: Iterable[polib.POEntry],
    memory: Memory,
    everywhere: Memory,
) -> list[polib.POEntry]:
    """The entries of a file: one for each message, and those that none needs."""
    needed = {message.text: message for message in messages}
    before = {entry.msgid: entry for entry in old if not entry.obsolete}
    gone = [one for one in memory.values() if one.original not in needed]
    live = [
        _entry(message, before.get(text), memory, gone, everywhere)
        for text, message in needed.items()
    ]
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
    message: Message,
    old: polib.POEntry | None,
    memory: Memory,
    gone: Sequence[Candidate],
    everywhere: Memory,
) -> polib.POEntry:
    """The entry of a message: as it was, or with what is known, or without words."""
    text = message.text
    kind = "" if message.kind == "paragraph" else f"({KINDS[message.kind]})"
    entry = polib.POEntry(
        msgid=text,
        comment="\n".join(filter(None, [message.heading, kind])),
        occurrences=[(message.place, "")],
        flags=["python-brace-format"]
        * (message.kind == "label" and fields(text) != []),
    )
    exact = memory.get(text) or everywhere.get(text)
    if old is not None and old.msgstr and not (old.fuzzy and exact and exact.sure):
        entry.msgstr, entry.tcomment = old.msgstr, old.tcomment
        entry.flags[:0] = ["fuzzy"] if old.fuzzy else []
        entry.previous_msgid = old.previous_msgid if old.fuzzy else None
        return entry
    if exact is not None:
        entry.msgstr, entry.tcomment = exact.translation, exact.comment
        entry.flags[:0] = [] if exact.sure else ["fuzzy"]
        return entry
    # One whose formulas alone have changed.
    for one in (*gone, *everywhere.values()):
        with_new = with_formulas(text, one.original, one.translation)
        if one.sure and with_new:
            entry.msgstr, entry.tcomment = with_new, one.comment
            return entry
    if old is not None:
        entry.tcomment = old.tcomment
        return entry
    # A proposal: the nearest in the first of these that has a near one.
    for choices in (gone, [*memory.values()], [*everywhere.values()]):
        if near := nearest(text, [one.original for one in choices]):
            one = next(one for one in choices if one.original == near)
            entry.msgstr, entry.previous_msgid = one.translation, one.original
            entry.tcomment = one.comment
            entry.flags.insert(0, "fuzzy")
            return entry
    return entry


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
