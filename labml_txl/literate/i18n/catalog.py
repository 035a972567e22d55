"""# Translating the text of a page

A catalog maps the messages of a page to another language. A message is the unit
of translation: a paragraph, a heading or an item of a list. It includes its formulas
and its code, so that translators see whole sentences.

A translation is shown only if it exists, is up to date and has no fault. Otherwise we
show the English message, and the caller can mark it.

The catalog of the language in which the pages are written is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from labml_txl.literate.markdown.inline import Piece
from labml_txl.literate.markdown.note import Note, Part, replace_words
from labml_txl.literate.security.foreign import find_foreign
from labml_txl.literate.security.svg import parse, relabel, write_document
from labml_txl.literate.sources.source import LiterateError


class State(Enum):
    """The state of a message in a language.

    - `TRANSLATED`: its translation can be shown;
    - `MISSING`: it has no translation;
    - `FUZZY`: the English has changed since it was translated, or nobody has reviewed
      the translation yet;
    - `FAULTY`: the lint found an error in the translation.
    """

    TRANSLATED = "translated"
    MISSING = "missing"
    FUZZY = "fuzzy"
    FAULTY = "faulty"


@dataclass(frozen=True)
class Entry:
    """An entry of a catalog.

    - `text`: the translation; in the result of `Catalog.look_up`, the text to show;
    - `path`, `line`: where it can be edited;
    - `why`: the code of the lint's error, if the state is `FAULTY`;
    - `forms`: the plural forms, if the message is a number of things.
    """

    text: str
    state: State = State.TRANSLATED
    line: int = 0
    why: str = ""
    path: str = ""
    forms: tuple[str, ...] = ()


@dataclass(frozen=True)
class Catalog:
    """The translations of one page into one language, by their messages.

    `language` is empty for the language in which the page is written. `path` is the
    path of its file, relative to the root of the project.
    """

    language: str = ""
    entries: Mapping[str, Entry] = field(default_factory=dict)
    path: str = ""

    @property
    def is_source(self) -> bool:
        """Whether the catalog translates nothing."""
        return not self.language

    def fill_from(self, others: Catalog) -> Catalog:
        """This catalog, with the translations of another where it has none."""
        given = {
            message: entry
            for message, entry in others.entries.items()
            if entry.state is State.TRANSLATED
        }
        own = {
            message: entry
            for message, entry in self.entries.items()
            if entry.state is not State.MISSING or message not in given
        }
        return replace(self, entries={**given, **own})

    @property
    def faults(self) -> tuple[LiterateError, ...]:
        """An error for each translation that contains what its English does not."""
        return tuple(
            LiterateError(self.path, e.line, f"{why}: remove it")
            for message, e in self.entries.items()
            if e.state is State.FAULTY and (why := find_foreign(message, e.text))
        )

    def look_up(self, message: str) -> Entry:
        """The entry of a message, with the text to show: a translation or English."""
        if self.is_source:
            return Entry(message)
        entry = self.entries.get(message, _MISSING)
        shown = entry.text if entry.state is State.TRANSLATED else message
        return replace(entry, text=shown, path=self.path)

    def __call__(self, message: str) -> str:
        """The message in the language of the catalog, or in English."""
        return self.look_up(message).text


_MISSING = Entry("", State.MISSING, 1)

# Marks a part of a page as English. It takes the English part and the entry of the
# catalog, and returns the part to show.
Mark = Callable[[Part, Entry], Part]

# Parts of these kinds become plain text, which can contain no mark.
_BARE = frozenset({"title", "description", "alternative", "figure", "label"})


def translate(note: Note, catalog: Catalog, mark: Mark | None = None) -> Note:
    """Translate a note, and apply `mark` to the parts that remain English.

    Titles, descriptions and texts of pictures are never marked.
    """
    if catalog.is_source:
        return note
    return note.map_parts(lambda part: _translate_part(part, catalog, mark))


def translate_figure(drawing: str, catalog: Catalog) -> str:
    """Translate the labels of an SVG. Raises `DrawingError` if it is not valid."""
    if catalog.is_source:
        return drawing
    root = parse(drawing)
    relabel(root, catalog)
    return write_document(root)


def _translate_part(part: Part, catalog: Catalog, mark: Mark | None) -> Part:
    part = _translate_message(part, catalog, mark)
    pieces = tuple(_translate_words(piece, catalog) for piece in part.pieces)
    return part if pieces == part.pieces else replace(part, pieces=pieces)


def _translate_words(piece: Piece, catalog: Catalog) -> Piece:
    """A formula with the words in it translated; any other piece unchanged."""
    if piece.kind not in {"math", "display"}:
        return piece
    raw, body, host = (
        text and replace_words(text, catalog)
        for text in (piece.raw, piece.body, piece.host)
    )
    return replace(piece, raw=raw or "", body=body or "", host=host)


def _translate_message(part: Part, catalog: Catalog, mark: Mark | None) -> Part:
    if not part.message:
        return part
    found = catalog.look_up(part.message)
    if found.state is State.TRANSLATED:
        return part.with_translation(found.text)
    return mark(part, found) if mark and part.kind not in _BARE else part
