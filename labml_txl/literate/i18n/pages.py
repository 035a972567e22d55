"""# A page in another language

Translates the parts of a page. If a translation is missing or out of date, the page
shows the English text, marked as English for browsers and screen readers, with a link
to the line of the catalog. The anchors of headings are those of the English page, so
that a link to a block works in every language.
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
    """Translates pages into a language.

    - `catalog`: returns the catalog of a page by its path without extension;
    - `edit`: returns the URL at which a line of a file can be edited, or `""`.
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
        """Translate the notes of blocks.

        Their code, lines and scopes stay the same objects, so that a translation cannot
        change the code of a page.
        """
        if self.of(path).is_english:
            return blocks
        return tuple(
            block.with_note(self.markdown(block.note, path, marked=marked))
            for block in blocks
        )

    def markdown(self, text: str, path: str, *, marked: bool = False) -> str:
        """Translate a text of a page."""
        mark = self._mark if marked else None
        return translate_markdown(text, self.of(path), mark)

    def words(self, text: str, path: str) -> str:
        """Translate a title or a description, without marks."""
        return self.of(path)(" ".join(text.split()))

    def drawing(self, drawing: str, path: str) -> str:
        """Translate the labels of a figure of a page."""
        return translate_figure(drawing, self.of(path))

    def output(self, output: Output, path: str) -> Output:
        """Translate the texts of the pictures in an output of a notebook.

        A picture whose text is not translated is marked as English.
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
        """Translate the titles, texts and symbols of the equations."""
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
        # A figure on a line of its own is not part of the paragraph.
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
    """Insert the labels of the marks into the HTML of a page.

    This is the last step, so that the labels do not get into the table of contents and
    the search. The mark of a `<summary>` moves behind it, because the summary acts as a
    button, which must not contain a link.
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
    """The translated messages of a page, as JSON for the script that links to them.

    Each has the letters and digits of its text, by which the script finds its block.
    The result is empty if no message is translated, or if there is no URL to edit them.
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
    """The number of messages in each state."""
    return Counter(catalog.look(message).state for message in messages)


def share(found: Tally) -> int:
    """The percentage of translated messages; 100 only if all are translated."""
    total = found.total()
    return 100 * found[State.TRANSLATED] // total if total else 100


# Anchors


def anchored(text: str, taken: set[str], *, first: bool = True) -> str:
    """Add an anchor to each heading of an English text, before it is translated.

    `taken` contains the anchors of the page so far, and the new ones are added. Unless
    `first`, a heading at the very beginning gets none.
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
    """Add the anchor to the attributes after a heading."""
    if attributes := re.match(r"[ ]*\{:?", after):
        return f" {{#{wanted} {after[attributes.end() :].lstrip()}"
    return f" {{#{wanted}}}{after}"


def address(words: str, taken: set[str]) -> str:
    """The anchor of a heading, which is added to those that are `taken`."""
    anchor: str = unique(slugify(plain(words), "-") or "section", taken)
    return anchor
