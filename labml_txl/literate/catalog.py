r"""# Putting a page into another language

A catalog maps what a page says in English to what it says in another language. The unit
is one Markdown block: a paragraph, a heading, a list item. Formulas, code and the
targets of links are part of the message, so a translator sees whole sentences.

English is the language of the empty catalog.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from labml_txl.literate.blocks import Block
from labml_txl.literate.inline import scan


@dataclass(frozen=True)
class Catalog:
    """The translations of one language, by their English messages."""

    language: str = "en"
    messages: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, message: str) -> str:
        """The message in the language of the catalog, or in English."""
        return self.messages.get(message, message)


def translate(blocks: tuple[Block, ...], catalog: Catalog) -> tuple[Block, ...]:
    """The same blocks with their notes in the language of the catalog.

    Code, lines and scopes are the objects that came in: a translation cannot change
    what a page shows of the program.
    """
    return tuple(block.with_note(_note(block.note, catalog)) for block in blocks)


def _note(note: str, catalog: Catalog) -> str:
    return "".join(
        catalog(text) if said else text for text, said in markdown_blocks(note)
    )


def markdown_blocks(note: str) -> Iterator[tuple[str, bool]]:
    """Cut Markdown at its empty lines: each part, and whether it is a message.

    Blocks of code, displayed formulas and the empty space between are no messages.
    Put together, the parts are the note.
    """
    words = ""
    for piece in scan(note):
        if piece.kind in {"fence", "display", "include"}:
            yield from _paragraphs(words)
            yield piece.raw, False
            words = ""
        else:
            words += piece.raw
    yield from _paragraphs(words)


def _paragraphs(text: str) -> Iterator[tuple[str, bool]]:
    for part in re.split(r"(\s*\n\s*\n|\A\s+|\s+\Z)", text):
        if part:
            yield part, bool(part.strip())
