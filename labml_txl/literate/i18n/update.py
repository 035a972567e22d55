"""# Updating catalogs

Updates the catalogs of a language after the English has changed. A message that did not
change keeps its translation, even if it moved to another page. If only its formulas
changed, they are replaced in the translation. If the text changed, the message gets the
translation of the most similar earlier one as a proposal, marked *fuzzy*, which is not
shown until a translator has reviewed it. Translations that no message needs any more
are kept as obsolete entries at the end of the file, and are used again if their English
comes back.

A second update changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

import polib

from labml_txl.literate.i18n.labels import fields
from labml_txl.literate.i18n.plurals import plural_rule
from labml_txl.literate.i18n.po import file_of, file_of_shipped, read_po, write_po
from labml_txl.literate.markdown.message import read_message
from labml_txl.literate.markdown.note import KINDS


@dataclass(frozen=True)
class Message:
    """A message, its kind, the file that contains it, and the heading above it.

    For a number of things, `text` is the singular and `plural` the other form.
    """

    text: str
    kind: str
    place: str
    heading: str = ""
    plural: str = ""


# The messages of each page, in their order.
Inventory = Mapping[str, tuple[Message, ...]]

# Translations as obsolete entries, by their English; those not reviewed are fuzzy.
Memory = Mapping[str, polib.POEntry]


def update(
    messages: Inventory,
    locale: Path,
    language: str,
    root: Path,
    *,
    shared: bool = True,
) -> dict[Path, str | None]:
    """Return the new text of each catalog of a language; None deletes it.

    Unless `shared`, a file takes no translations from other files of the project. So a
    check does not fail because a message that was translated in one file occurs in
    another one too.
    Raises `LiterateError` for a file that cannot be read. Writes nothing.
    """
    folder = locale / language
    old = {
        path.relative_to(folder).with_suffix("").as_posix(): read_po(path, root)
        for path in sorted(folder.rglob("*.po"))
    }
    memories = {page: _memory(file) for page, file in old.items()}
    labels = file_of_shipped(language)
    shipped = _memory(read_po(labels, labels.parent) if labels.is_file() else ())
    everywhere: Memory = shipped
    for memory in memories.values():
        everywhere = {**memory, **everywhere}
    reviewed = {(text, _KIND["label"]) for text in shipped}
    entries_of_all = (entry for file in old.values() for entry in file)
    reviewed |= {
        (entry.msgid, _kind_of(entry))
        for entry in entries_of_all
        if entry.msgstr and not entry.obsolete and not entry.fuzzy
    }
    texts: dict[Path, str | None] = {}
    for page in dict.fromkeys([*messages, *old]):
        memory, file = memories.get(page, {}), old.get(page, polib.POFile())
        before = {entry.msgid: entry for entry in file if not entry.obsolete}
        needed = {message.text: message for message in messages.get(page, ())}
        path = file_of(locale, language, page)
        known = {**(everywhere if shared else shipped), **memory}
        # A word alone may mean something else in another place.
        unsure = {
            text
            for text, message in needed.items()
            if text not in memory
            and len(_LETTERS.findall(text)) < 3
            and (text, _KIND[message.kind]) not in reviewed
        }
        entries = [
            _plural(m, before.get(text) or known.get(text), language)
            if m.plural
            else _entry(m, before.get(text), known, text in unsure)
            for text, m in needed.items()
        ]
        # A translation that an entry proposes is in that entry already.
        proposed = {entry.previous_msgid for entry in entries}
        gone = {*memory} - {*needed} - (proposed - {entry.msgid for entry in file})
        entries += (memory[text] for text in sorted(gone))
        texts[path] = write_po(language, page, entries, file) if entries else None
    return texts


def _memory(file: Iterable[polib.POEntry]) -> Memory:
    """The translations in a file; of several for a message, the most reliable one."""
    memory: dict[str, polib.POEntry] = {}
    # A fuzzy entry translates the message that its English was before, if it says so.
    for entry in sorted(
        file, key=lambda one: (one.fuzzy, not one.previous_msgid, one.obsolete)
    ):
        before = entry.previous_msgid if entry.fuzzy else None
        original = before or entry.msgid
        given = entry.msgstr or any(entry.msgstr_plural.values())
        if given and original not in memory:
            memory[original] = polib.POEntry(
                msgid=original,
                msgstr=entry.msgstr,
                msgid_plural=entry.msgid_plural,
                msgstr_plural=entry.msgstr_plural,
                tcomment=entry.tcomment,
                flags=["fuzzy"] * (entry.fuzzy and not before),
                obsolete=True,
            )
    return memory


_LETTERS = re.compile(r"\w+")
# How the comment of an entry names each kind.
_KIND = {name: f"({words})" for name, words in KINDS.items()} | {"paragraph": ""}


def _kind_of(entry: polib.POEntry) -> str:
    last = entry.comment.rpartition("\n")[2]
    return last if last in _KIND.values() else ""


def _entry(
    message: Message, old: polib.POEntry | None, known: Memory, unsure: bool
) -> polib.POEntry:
    """The new entry of a message: its old one, or with a translation of `known`.

    If it is `unsure` that this has the meaning that is needed, the entry is fuzzy.
    """
    text, exact = message.text, known.get(message.text)
    kind = _KIND[message.kind]
    sure = exact and not exact.fuzzy and not unsure
    words, comment, fuzzy, before = "", old.tcomment if old else "", False, None
    if old and old.msgstr and not (old.fuzzy and sure):
        words, fuzzy = old.msgstr, old.fuzzy
        before = old.previous_msgid if fuzzy else None
    elif exact:
        words, comment, fuzzy = exact.msgstr, exact.tcomment, not sure
    elif other := _find_similar(text, known):
        words = replace_formulas(text, other.msgid, other.msgstr)
        comment = other.tcomment
    elif not old and (before := find_nearest(text, known)):
        words, comment, fuzzy = known[before].msgstr, known[before].tcomment, True
    braces = message.kind == "label" and fields(text) != []
    return polib.POEntry(
        msgid=text,
        msgstr=words,
        comment="\n".join(filter(None, [message.heading, kind])),
        tcomment=comment,
        occurrences=[(message.place, "")],
        flags=["fuzzy"] * fuzzy + ["python-brace-format"] * braces,
        previous_msgid=before or None,
    )


def _plural(
    message: Message, old: polib.POEntry | None, language: str
) -> polib.POEntry:
    """The new entry of a number of things, with the forms that it had."""
    number = plural_rule(language)[0]
    given = old.msgstr_plural if old else {}
    return polib.POEntry(
        msgid=message.text,
        msgid_plural=message.plural,
        msgstr_plural={index: given.get(index, "") for index in range(number)},
        comment=f"({KINDS[message.kind]})",
        tcomment=old.tcomment if old else "",
        occurrences=[(message.place, "")],
        flags=["fuzzy"] * bool(old and old.fuzzy) + ["python-brace-format"],
    )


def _find_similar(message: str, known: Memory) -> polib.POEntry | None:
    """A reviewed entry whose message differs from this one in formulas only."""
    return next(
        (
            one
            for one in known.values()
            if not one.fuzzy and replace_formulas(message, one.msgid, one.msgstr)
        ),
        None,
    )


def replace_formulas(message: str, original: str, translation: str) -> str:
    """The translation of `original`, with the formulas of `message`.

    The result is empty unless the two messages differ in formulas only, and the
    translation contains each formula of `original` unchanged.
    """
    now, before = read_message(message).formulas, read_message(original).formulas
    if now.texts != before.texts or not now.objects:
        return ""
    new = dict(zip(before.objects, now.objects, strict=True))
    there = read_message(translation).formulas
    if [*map(new.get, before.objects)] != [*now.objects]:
        return ""
    if sorted(there.objects) != sorted(before.objects):
        return ""
    return there.replace(map(new.__getitem__, there.objects))


# Two messages are similar if they share at least this part of their words, in order.
NEAR = 0.6


def find_nearest(message: str, choices: Iterable[str]) -> str:
    """The most similar of other messages; empty if none is similar."""
    known = {_words(one): one for one in choices}
    near = get_close_matches(_words(message), known, n=1, cutoff=NEAR)
    return known[tuple(near[0])] if near else ""


@lru_cache(maxsize=20_000)
def _words(message: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+|[^\w\s]", message.lower()))
