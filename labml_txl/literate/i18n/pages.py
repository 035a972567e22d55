"""# A page in another language

Translates the parts of a page. If a translation is missing or out of date, the page
shows the text as it was written, marked as of that language for browsers and screen
readers, with a link to the line of the catalog. The anchors of headings are those of
the page as it was written, so that a link to a block works in every language.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from html import escape

from markdown.extensions.toc import slugify, unique

from labml_txl.literate.equations.registry import Equation, Registry, Symbol
from labml_txl.literate.i18n.catalog import (
    Catalog,
    Entry,
    State,
    translate,
    translate_figure,
)
from labml_txl.literate.i18n.labels import Labels
from labml_txl.literate.i18n.languages import ENGLISH, Language
from labml_txl.literate.markdown.inline import Piece, flatten, plain_text
from labml_txl.literate.markdown.message import read_message
from labml_txl.literate.markdown.note import Note, Part, read_once, replace_words
from labml_txl.literate.security.trusted import mark_class
from labml_txl.literate.sources.blocks import Block
from labml_txl.literate.sources.cells import Output, pictures


@dataclass(frozen=True)
class Translation:
    """Translates pages into a language.

    - `catalog`: returns the catalog of a page by its path without extension;
    - `edit`: returns the URL at which a line of a file can be edited, or `""`;
    - `source`: the language in which the pages are written.
    """

    language: Language = ENGLISH
    catalog: Callable[[str], Catalog] = lambda page: Catalog()
    edit: Callable[[str, int], str] = lambda path, line: ""
    labels: Labels = field(default_factory=Labels)
    source: Language = ENGLISH

    def catalog_of(self, path: str) -> Catalog:
        """The catalog of the page `models/memory.md`."""
        return self.catalog(path.removesuffix(".md"))

    def translate_blocks(
        self, blocks: tuple[Block, ...], path: str, *, marked: bool = False
    ) -> tuple[Block, ...]:
        """Translate the notes of blocks.

        Their code, lines and scopes stay the same objects, so that a translation cannot
        change the code of a page.
        """
        if self.catalog_of(path).is_source:
            return blocks
        return tuple(
            block.with_note(self.note(block.note, path, marked=marked))
            for block in blocks
        )

    def note(self, note: Note, path: str, *, marked: bool = False) -> Note:
        """Translate a note of a page."""
        return translate(note, self.catalog_of(path), self._mark if marked else None)

    def translate_markdown(self, text: str, path: str, *, marked: bool = False) -> str:
        """Translate a text that is no note, such as the meaning of a symbol."""
        return self.note(read_once(text), path, marked=marked).text

    def translate_words(self, text: str, path: str) -> str:
        """Translate a title or a description, without marks."""
        return self.catalog_of(path)(" ".join(text.split()))

    def translate_drawing(self, drawing: str, path: str) -> str:
        """Translate the labels of a figure of a page."""
        return translate_figure(drawing, self.catalog_of(path))

    def translate_output(self, output: Output, path: str) -> Output:
        """Translate the texts of the pictures in an output of a notebook.

        A picture whose text is not translated is marked as English.
        """
        catalog = self.catalog_of(path)
        if catalog.is_source:
            return output
        for form, words, drawing in pictures(output):
            data, metadata = dict(output["data"]), dict(output["metadata"])
            found = catalog.look_up(words)
            metadata[form] = {**metadata[form], "alt": found.text}
            if found.state is not State.TRANSLATED:
                metadata[form]["lang"] = self.source.tag
            if drawing:
                data[form] = translate_figure(drawing, catalog)
            if data.get("text/plain") == words:
                data["text/plain"] = found.text
            output = {**output, "data": data, "metadata": metadata}
        return output

    def translate_registry(
        self, registry: Registry, path: str, *, marked: bool = False
    ) -> Registry:
        """Translate the titles, texts and symbols of the equations."""
        if self.catalog_of(path).is_source:
            return registry

        def symbol(given: Symbol) -> Symbol:
            meaning = self.translate_markdown(given.meaning, path, marked=marked)
            return replace(given, meaning=meaning)

        def equation(given: Equation) -> Equation:
            return replace(
                given,
                title=self.translate_markdown(given.title, path, marked=marked),
                text=self.translate_markdown(given.text, path, marked=marked),
                latex=replace_words(given.latex, self.catalog_of(path)),
                symbols=tuple(map(symbol, given.symbols)),
            )

        papers = tuple(
            replace(
                paper,
                equations=tuple(map(equation, paper.equations)),
                symbols=tuple(map(symbol, paper.symbols)),
            )
            for paper in registry.papers
        )
        return Registry(papers)

    def _mark(self, english: Part, found: Entry) -> Part:
        # What an abbreviation stands for becomes an attribute, which has no elements.
        if english.raw.startswith("*["):
            return english
        address = self.edit(found.path, found.line) if found.path else ""
        href = f' href="{escape(address)}"' if address else ""
        state = " lit-".join(filter(None, [found.state.value, found.why]))
        classes = mark_class(f"lit-mark lit-{state}")
        mark = f'</span> <a class="{classes}"{href}></a>'
        span = f'<span lang="{self.source.tag}">'
        opening, closing = (_make_piece(html, english) for html in (span, mark))
        # A figure on a line of its own is not part of the paragraph.
        before, words = _figures(english.pieces)
        after, words = _figures(words[::-1])
        name, words = _name_of_footnote(words[::-1])
        pieces = (*before, *name, opening, *words, closing, *after[::-1])
        return replace(english, pieces=pieces)


def _name_of_footnote(
    pieces: tuple[Piece, ...],
) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """The name that the definition of a footnote must begin with, and the rest."""
    if not pieces or not (name := _FOOTNOTE.match(pieces[0].raw)):
        return (), pieces
    first, end = pieces[0], name.end()
    rest = replace(first, raw=first.raw[end:], body=first.raw[end:])
    return (replace(first, raw=name[0], body=name[0]),), (rest, *pieces[1:])


_FOOTNOTE = re.compile(r"[ ]{0,3}\[\^[^\]\n]*\]:[ \t]*(?:\n[ \t>]*)?")


def _make_piece(html: str, part: Part) -> Piece:
    return Piece("own", html, html, "", part.start)


def _figures(pieces: tuple[Piece, ...]) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """The pictures on lines of their own that come first, and the other pieces."""
    end = 0
    while [piece.kind for piece in pieces[end : end + 2]] == ["image", "text"]:
        between = pieces[end + 1].raw
        if not _LINE_OF_PICTURE.fullmatch(between):
            break
        end += 2
    return pieces[:end], pieces[end:]


# What may be between a picture and the next line.
_LINE_OF_PICTURE = re.compile(r"\s*\n\s*|\{[^{}]*\}\s*\n\s*")
_EMPTY = re.compile(r'<a class="lit-mark lit-(\w+)(?: lit-([\w-]+))?"([^>]*)></a>')
_SUMMARY = re.compile(r"<summary\b[^>]*>.*?</summary>", re.DOTALL)


def label_marks(html: str, labels: Labels) -> str:
    """Insert the labels of the marks into the HTML of a page.

    This is the last step, so that the labels do not get into the table of contents and
    the search. The mark of a `<summary>` moves behind it, because the summary acts as a
    button, which must not contain a link.
    """
    html = _SUMMARY.sub(_move_marks, html)
    return _EMPTY.sub(
        lambda match: (
            f'<a class="lit-mark"{match[3]}>'
            f"{escape(labels.mark(match[1], match[2] or ''))}</a>"
        ),
        html,
    )


def _move_marks(summary: re.Match[str]) -> str:
    marks = "".join(mark[0] for mark in _EMPTY.finditer(summary[0]))
    return _EMPTY.sub("", summary[0]) + marks


def collect_sentences(
    path: str, messages: Iterable[str], translation: Translation
) -> str:
    """The translated messages of a page, as JSON for the script that links to them.

    Each has the letters and digits of its text, by which the script finds its block.
    The result is empty if no message is translated, or if there is no URL to edit them.
    """
    catalog = translation.catalog_of(path)
    edit = translation.edit(catalog.path, 0) if catalog.path else ""
    looked = ((message, catalog.look_up(message)) for message in messages)
    shown = [
        [found.line, _letters(found.text), message, found.text]
        for message, found in looked
        if found.state is State.TRANSLATED
    ]
    if not edit or not shown:
        return ""
    names = "sentences sentence_edit sentence_next sentence_previous close"
    labels = {name: translation.labels(name) for name in names.split()}
    source = translation.source
    original = {"lang": source.tag, "dir": source.direction}
    panel = {
        "edit": edit,
        "labels": labels,
        "original": original,
        "sentences": shown,
    }
    return json.dumps(panel, ensure_ascii=False)


def _letters(text: str) -> str:
    pieces = flatten(read_message(text).pieces)
    words = plain_text(piece for piece in pieces if piece.kind != "math")
    # The script finds no pictures, whose ends are text in a message.
    return "".join(re.findall(r"[^\W_]", _PICTURE.sub("", words)))


_PICTURE = re.compile(r"!\[[^\]]*\]\[\d+\]|\[\]\[\d+\]")


# How much is translated


Tally = Counter[State]


def count_translated(messages: Iterable[str], catalog: Catalog) -> Tally:
    """The number of messages in each state."""
    return Counter(catalog.look_up(message).state for message in messages)


def compute_share(found: Tally) -> int:
    """The percentage of translated messages; 100 only if all are translated."""
    total = found.total()
    return 100 * found[State.TRANSLATED] // total if total else 100


# Anchors


def add_anchors(note: Note, taken: set[str], *, first: bool = True) -> Note:
    """Add an anchor to each heading of an English note, before it is translated.

    `taken` contains the anchors of the page so far, and the new ones are added. Unless
    `first`, a heading at the very beginning gets none.
    """
    parts, wanted = list[Part](), ""
    opening = None if first else note.opening
    for part in note.parts:
        if wanted:
            parts.append(_add_anchor(part, wanted))
            wanted = ""
        else:
            parts.append(part)
        if part.kind == "heading" and part.message and part is not opening:
            if part.anchor:
                taken.add(part.anchor)
            else:
                wanted = address(part.raw, taken)
    end = [Part((Piece("own", f" {{#{wanted}}}", ""),))] if wanted else []
    return replace(note, parts=(*parts, *end))


def _add_anchor(after: Part, wanted: str) -> Part:
    """Add the anchor to the attributes after a heading."""
    first, *rest = after.pieces
    if attributes := re.match(r"[ ]*\{:?", first.raw):
        raw = f" {{#{wanted} {first.raw[attributes.end() :].lstrip()}"
        return replace(after, pieces=(replace(first, raw=raw, host=None), *rest))
    anchor = Piece("own", f" {{#{wanted}}}", "", "", first.start)
    return replace(after, pieces=(anchor, *after.pieces))


def address(words: str, taken: set[str]) -> str:
    """The anchor of a heading, which is added to those that are `taken`."""
    anchor: str = unique(slugify(read_message(words).plain, "-") or "section", taken)
    return anchor
