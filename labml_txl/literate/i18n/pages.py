r"""# A page in another language

What a page shows where a translation is missing or no longer fits: the English, marked
as English for browsers and screen readers, with a small link to the place where it can
be translated. And what stays English for ever: the addresses within a page, so that a
link to a block leads to it in every language.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from html import escape

from labml_txl.literate.equations.registry import Equation, Registry, Symbol
from labml_txl.literate.i18n.catalog import (
    Catalog,
    Entry,
    State,
    apart,
    translate_figure,
    translate_markdown,
)
from labml_txl.literate.i18n.labels import Labels
from labml_txl.literate.i18n.languages import ENGLISH, Language
from labml_txl.literate.markdown.inline import PICTURE, plain
from labml_txl.literate.markdown.messages import cut
from labml_txl.literate.sources.blocks import Block
from labml_txl.literate.sources.cells import Output, pictures


@dataclass(frozen=True)
class Translation:
    """A language of the site, as its pages need it.

    - `catalog`: the catalog of a page, by its path without ending;
    - `edit`: the address where a line of a file can be edited, or nothing.
    """

    language: Language = ENGLISH
    catalog: Callable[[str], Catalog] = lambda page: Catalog()
    edit: Callable[[str, int], str] = lambda path, line: ""
    labels: Labels = field(default_factory=Labels)

    def of(self, path: str) -> Catalog:
        """The catalog of the page `models/memory.md`."""
        return self.catalog(path.removesuffix(".md"))

    def blocks(
        self, blocks: tuple[Block, ...], path: str, *, marked: bool = False
    ) -> tuple[Block, ...]:
        """The same blocks with their notes in the language.

        Code, lines and scopes are the objects that came in: a translation cannot change
        what a page shows of the program.
        """
        if self.of(path).is_english:
            return blocks
        return tuple(
            block.with_note(self.markdown(block.note, path, marked=marked))
            for block in blocks
        )

    def markdown(self, text: str, path: str, *, marked: bool = False) -> str:
        """The text of a page in the language."""
        mark = self._mark if marked else None
        return translate_markdown(text, self.of(path), mark)

    def words(self, text: str, path: str) -> str:
        """A title or a description, without any mark."""
        return self.of(path)(" ".join(text.split()))

    def drawing(self, drawing: str, path: str) -> str:
        """A figure of a page, its labels in the language."""
        return translate_figure(drawing, self.of(path))

    def output(self, output: Output, path: str) -> Output:
        """What a cell of a notebook gave, the words of its pictures in the language.

        Where those for a picture are not translated, it says that they are English.
        """
        catalog = self.of(path)
        if catalog.is_english:
            return output
        for form, words, drawing in pictures(output):
            data, metadata = dict(output["data"]), dict(output["metadata"])
            found = catalog.look(words)
            metadata[form] = {**metadata[form], "alt": found.text}
            if found.state is not State.TRANSLATED:
                metadata[form]["lang"] = ENGLISH.tag
            if drawing:
                data[form] = translate_figure(drawing, catalog)
            if data.get("text/plain") == words:
                data["text/plain"] = found.text
            output = {**output, "data": data, "metadata": metadata}
        return output

    def registry(
        self, registry: Registry, path: str, *, marked: bool = False
    ) -> Registry:
        """The equations in the language: their titles, words and symbols."""
        if self.of(path).is_english:
            return registry

        def symbol(given: Symbol) -> Symbol:
            meaning = self.markdown(given.meaning, path, marked=marked)
            return replace(given, meaning=meaning)

        def equation(given: Equation) -> Equation:
            return replace(
                given,
                title=self.markdown(given.title, path, marked=marked),
                text=self.markdown(given.text, path, marked=marked),
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

    def _mark(self, english: str, found: Entry) -> str:
        address = self.edit(found.path, found.line) if found.path else ""
        href = f' href="{escape(address)}"' if address else ""
        state = " lit-".join(filter(None, [found.state.value, found.why]))
        # A figure on a line of its own stands beside the paragraph, and not in it.
        _, before, words, after, _ = _FIGURES.split(english)
        return (
            f'{before}<span lang="en">{words}</span> '
            f'<a class="lit-mark lit-{state}"{href}></a>{after}'
        )


_FIGURES = re.compile(
    rf"\A((?:{PICTURE.pattern}\n)*)(.*?)((?:\n{PICTURE.pattern})*)\Z", re.DOTALL
)
_EMPTY = re.compile(r'<a class="lit-mark lit-(\w+)(?: lit-([\w-]+))?"([^>]*)></a>')
_SUMMARY = re.compile(r"<summary\b[^>]*>.*?</summary>", re.DOTALL)


def say_marks(html: str, labels: Labels) -> str:
    """The page with words in its marks.

    They come last, so that no table of contents and no search takes them for a part of
    the text. The summary of a fold is a button, and a button holds no link: its mark
    comes first in what it opens.
    """
    html = _SUMMARY.sub(_after_summary, html)
    return _EMPTY.sub(
        lambda match: (
            f'<a class="lit-mark"{match[3]}>'
            f"{escape(labels.mark(match[1], match[2] or ''))}</a>"
        ),
        html,
    )


def _after_summary(summary: re.Match[str]) -> str:
    marks = "".join(mark[0] for mark in _EMPTY.finditer(summary[0]))
    return _EMPTY.sub("", summary[0]) + marks


def sentences(path: str, messages: Iterable[str], translation: Translation) -> str:
    """The sentences of a page that are shown in its language, as JSON for its script.

    Each comes with the letters and digits that a reader sees of it, by which the script
    finds its block. It is empty if there are none, or nobody said where to edit them.
    """
    catalog = translation.of(path)
    edit = translation.edit(catalog.path, 0) if catalog.path else ""
    looked = ((message, catalog.look(message)) for message in messages)
    shown = [
        [found.line, _letters(found.text), message, found.text]
        for message, found in looked
        if found.state is State.TRANSLATED
    ]
    if not edit or not shown:
        return ""
    names = "sentences sentence_edit sentence_next sentence_previous close"
    labels = {name: translation.labels(name) for name in names.split()}
    panel = {"edit": edit, "labels": labels, "sentences": shown}
    return json.dumps(panel, ensure_ascii=False)


def _letters(text: str) -> str:
    words = re.sub(r"\]\[\d+\]", "](#)", apart(text)[0])
    return "".join(re.findall(r"[^\W_]", plain(words)))


# How much is translated


Tally = Counter[State]


def tally(messages: Iterable[str], catalog: Catalog) -> Tally:
    """How many messages are in which state."""
    return Counter(catalog.look(message).state for message in messages)


def share(found: Tally) -> int:
    """How many of a hundred messages are translated; a hundred only if all are."""
    total = found.total()
    return 100 * found[State.TRANSLATED] // total if total else 100


# Addresses


def anchored(text: str, taken: set[str], *, first: bool = True) -> str:
    """Markdown whose headings name the address that they have in English.

    `taken` holds the addresses of the page so far. Unless `first`, a heading at the
    very beginning is left alone.
    """
    written, wanted = "", ""
    for index, part in enumerate(cut(text)):
        raw = part.raw
        if wanted:
            raw, wanted = _with_address(raw, wanted), ""
        written += raw
        if part.kind == "heading" and (first or index > 1):
            if part.anchor:
                taken.add(part.anchor)
            else:
                wanted = address(part.raw, taken)
    return written + (f" {{#{wanted}}}" if wanted else "")


def _with_address(after: str, wanted: str) -> str:
    """What follows a heading: its attributes, if it has any, get one more."""
    if attributes := re.match(r"[ ]*\{:?", after):
        return f" {{#{wanted} {after[attributes.end() :].lstrip()}"
    return f" {{#{wanted}}}{after}"


def address(words: str, taken: set[str]) -> str:
    """The address of a heading: its words, with a number where they are taken."""
    latin = (
        unicodedata.normalize("NFKD", plain(words)).encode("ascii", "ignore").decode()
    )
    kept = re.sub(r"[^\w\s-]", "", latin).strip().lower()
    wanted = base = re.sub(r"[-\s]+", "-", kept) or "section"
    number = 0
    while wanted in taken:
        number += 1
        wanted = f"{base}_{number}"
    taken.add(wanted)
    return wanted
