r"""# Putting a page into another language

A catalog maps what a page says in English to what it says in another language. The unit
is one message: a paragraph, a heading, an item of a list. Formulas and code are part of
it, so a translator sees whole sentences.

A message is shown in the other language only if its translation is there, is up to date
and is sound. Everything else is shown in English, and whoever shows it can say so.
If only formulas of the English have changed, the words still say the same: they are
shown with the new formulas.

English is the language of the empty catalog.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from enum import Enum
from functools import lru_cache

from labml_txl.literate.markdown.inline import OBJECT, Piece, rewrite
from labml_txl.literate.markdown.messages import Part, cut
from labml_txl.literate.markdown.svg import document, parse, relabel
from labml_txl.literate.sources.source import LiterateError

ENGLISH = "en"


class State(Enum):
    """What is known of a message in a language.

    - `TRANSLATED`: it can be shown;
    - `MISSING`: nobody has translated it;
    - `FUZZY`: it was translated, but the English has changed since, or nobody has
      looked at the translation yet;
    - `FAULTY`: something is wrong with the translation.
    """

    TRANSLATED = "translated"
    MISSING = "missing"
    FUZZY = "fuzzy"
    FAULTY = "faulty"


@dataclass(frozen=True)
class Entry:
    """What a catalog has for a message.

    - `text`: the translation; where it is looked up and cannot be shown, the English;
    - `state`: why it can be shown or not;
    - `path`, `line`: where it stands or should stand, to be edited;
    - `why`: the code of what is wrong with it, one of those of the lint;
    - `fault`: what it holds that its English does not, if it holds such a thing.
    """

    text: str
    state: State = State.TRANSLATED
    line: int = 0
    why: str = ""
    fault: str = ""
    path: str = ""


@dataclass(frozen=True)
class Catalog:
    """The translations of one page into one language, by their English messages.

    `path` names its file, as seen from the root of the repository.
    """

    language: str = ENGLISH
    page: str = ""
    entries: Mapping[str, Entry] = field(default_factory=dict)
    path: str = ""

    @property
    def is_english(self) -> bool:
        """Whether there is nothing to translate into."""
        return self.language == ENGLISH

    @property
    def faults(self) -> tuple[LiterateError, ...]:
        """What translations hold that their English does not, each with its place."""
        return tuple(
            LiterateError(self.path, entry.line, f"{entry.fault}: take it out")
            for entry in self.entries.values()
            if entry.fault
        )

    def look(self, message: str) -> Entry:
        """What the catalog has for a message, with the words that can be shown."""
        if self.is_english:
            return Entry(message)
        entry = self.entries.get(message) or self._changed(message)
        shown = entry.text if entry.state is State.TRANSLATED else message
        return replace(entry, text=shown, path=self.path)

    def _changed(self, message: str) -> Entry:
        """What stands for a message that the file does not know yet.

        If it is nearly one that is translated, then the English has changed.
        """
        known = {m: e for m, e in self.entries.items() if e.state is State.TRANSLATED}
        for original, entry in known.items():
            if text := with_formulas(message, original, entry.text):
                return replace(entry, text=text)
        near = self.entries.get(nearest(message, known))
        return replace(near, state=State.FUZZY) if near else _MISSING

    def __call__(self, message: str) -> str:
        """The message in the language of the catalog, or in English."""
        return self.look(message).text


_MISSING = Entry("", State.MISSING, 1)

# How a page says that a part of it is English: given the English as it is written and
# what the catalog has, it returns what to show.
Mark = Callable[[str, Entry], str]

# Of these, the words alone are wanted: no mark can be put into them.
_BARE = frozenset({"title", "description", "alternative", "figure", "label"})


def translate_markdown(
    markdown: str, catalog: Catalog, mark: Mark | None = None
) -> str:
    """The text in the language of the catalog; what it lacks is English, and marked.

    Titles, descriptions and the words in pictures are never marked.
    """
    if catalog.is_english:
        return markdown
    return "".join(translated(part, catalog, mark) for part in cut(markdown))


def translate_figure(drawing: str, catalog: Catalog) -> str:
    """An SVG drawing, its labels in the language of the catalog.

    Raises `DrawingError` for a drawing that is not valid.
    """
    if catalog.is_english:
        return drawing
    root = parse(drawing)
    relabel(root, catalog)
    return document(root)


def translated(part: Part, catalog: Catalog, mark: Mark | None = None) -> str:
    """One part in the language of the catalog."""
    if not part.message:
        return part.raw
    found = catalog.look(part.message)
    if found.state is State.TRANSLATED:
        return part.put(found.text)
    return mark(part.raw, found) if mark and part.kind not in _BARE else part.raw


# Messages with other formulas


def with_formulas(message: str, original: str, translation: str) -> str:
    """The translation of an earlier message, with the formulas of a message of today.

    It is empty unless the two messages differ in formulas only, and the translation
    holds each of the earlier ones as it was.
    """
    words, formulas = apart(message)
    before, were = apart(original)
    if words != before or not formulas or len(formulas) != len(were):
        return ""
    new = dict(zip(were, formulas, strict=True))
    held = apart(translation)[1]
    if [*map(new.get, were)] != [*formulas] or sorted(held) != sorted(were):
        return ""
    return _each_formula(translation, new.__getitem__)


@lru_cache(maxsize=20_000)
def apart(message: str) -> tuple[str, tuple[str, ...]]:
    """A message without its formulas, and these."""
    formulas: list[str] = []

    def take(formula: str) -> str:
        formulas.append(formula)
        return OBJECT

    return _each_formula(message, take), tuple(formulas)


def _each_formula(message: str, change: Callable[[str], str]) -> str:
    def changed(piece: Piece) -> str:
        if piece.kind in {"math", "display"}:
            return change(piece.raw)
        if piece.kind in {"link", "citation"}:
            end = piece.raw.removeprefix(f"[{piece.body}")
            return f"[{_each_formula(piece.body, change)}{end}"
        return piece.raw

    return rewrite(message, changed)


# Messages that are nearly the same

# Two messages are near if they share at least this part of their words, in order.
NEAR = 0.6


def nearest(message: str, choices: Iterable[str]) -> str:
    """The first of the nearest to a message among others; empty if none is near."""
    wanted, count = _words(message)
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    best, found = NEAR, ""
    for one in choices:
        words, counted = _words(one)
        total = len(wanted) + len(words)
        # Words in common, in any order, are the most that there can be in order.
        if not total or 2 * (count & counted).total() < best * total:
            continue
        matcher.set_seq1(words)
        if (ratio := matcher.ratio()) >= best and (ratio > best or not found):
            best, found = ratio, one
    return found


@lru_cache(maxsize=20_000)
def _words(message: str) -> tuple[list[str], Counter[str]]:
    words = re.findall(r"\w+|[^\w\s]", message.lower())
    return words, Counter(words)
