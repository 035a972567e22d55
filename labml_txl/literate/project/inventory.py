"""# The messages of a project

Extracts the messages to translate from a text, from a drawing, and from the settings.
Each message has its file and the heading above it, so that a translator can find it. It
has no line number, because line numbers change even if the message does not, and the
catalogs would change with them.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from labml_txl.literate.i18n import labels
from labml_txl.literate.i18n.update import Message
from labml_txl.literate.markdown.inline import plain_text
from labml_txl.literate.markdown.note import Part, words_in
from labml_txl.literate.project.content import Content
from labml_txl.literate.project.settings import Project
from labml_txl.literate.security.svg import DrawingError, parse, relabel
from labml_txl.literate.sources.repository import relative_to
from labml_txl.literate.sources.source import Source, read

# The catalog of messages that belong to no single page: navigation and labels.
SITE = "site"


def site_messages(content: Content) -> Iterator[Message]:
    """The messages of the settings and of recorded values, and the engine's labels.

    In the project that contains the engine, the labels have a catalog of their own.
    """
    for name in content.project.names:
        # The description of a site may be empty.
        if words := " ".join(name.split()):
            yield Message(words, "label", content.project.settings)
    for words, place in content.recorded_words.items():
        yield Message(" ".join(words.split()), "label", place)
    if not has_engine(content.root):
        yield from label_messages(content.root)


def label_messages(root: Path) -> Iterator[Message]:
    """The messages of the engine's labels, for the catalogs of a project."""
    # In the project that contains the engine, translators can open the file.
    file = Path(labels.__file__)
    place = relative_to(file, root.resolve()) if has_engine(root) else labels.__name__
    for name, label in labels.LABELS.items():
        yield Message(label, "label", place, plural=labels.PLURALS.get(name, ""))


def has_engine(root: Path) -> bool:
    """Whether the project in a folder contains the engine with its labels."""
    return Path(labels.__file__).is_relative_to(root.resolve())


def collect_messages(
    parts: Iterable[Part], page: str, place: str, project: Project, heading: str = ""
) -> Iterator[Message]:
    """The messages of a text; those of the labels of a figure follow the figure."""
    docs = project.root / project.docs
    for part in parts:
        if part.message:
            above = "" if part.kind in {"title", "description"} else heading
            yield Message(part.message, part.kind, place, above)
        for piece in part.pieces:
            if piece.kind in {"math", "display"}:
                for words in words_in(piece.raw):
                    yield Message(words, "formula", place, heading)
        if part.kind == "heading":
            heading = plain_text(part.pieces)
        for piece in part.pieces:
            target = piece.target if piece.kind in {"image", "link"} else ""
            file = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
            if file.endswith(".svg") and (docs / file).is_file():
                yield from figure_messages(read(docs / file, project.root), heading)


def figure_messages(drawing: Source, heading: str = "") -> Iterator[Message]:
    """The messages of the labels of a drawing."""
    for part in drawing_parts(drawing.text):
        yield Message(part.message, part.kind, drawing.path, heading)


def drawing_parts(drawing: str) -> list[Part]:
    """The labels of a drawing that have to be translated."""
    found = list[Part]()

    def message(words: str) -> str:
        found.append(Part((), "figure", words))
        return words

    # An invalid drawing is reported for the page that shows it.
    with suppress(DrawingError):
        relabel(parse(drawing), message)
    return found
