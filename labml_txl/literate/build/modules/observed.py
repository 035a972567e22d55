r"""# The records of a project

One file a module, in a folder beside the pages. A file that cannot be read shows
nothing, and neither does the record of other code: `txl check` tells of both.

What was recorded may be whole models: the files in the folder `models` of this folder
are published as they are, for figures that ask for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from labml_txl.literate.recording.records import Record, read_record
from labml_txl.literate.render.observed.data import files
from labml_txl.literate.render.page import Page
from labml_txl.literate.sources.source import LiterateError

if TYPE_CHECKING:
    from labml_txl.literate.build.edition import Edition

# Where a site keeps what browsers ask for: once, for all languages.
FOLDER = "assets/observed"
MODELS = "assets/models"


def records(root: Path, folder: str) -> Mapping[str, Record]:
    """The record of each module that has one, by the path of the module."""
    found: dict[str, Record] = {}
    for file in sorted((root / folder).glob("*.json")):
        with suppress(LiterateError, OSError):
            record = read_record(file, root)
            found.setdefault(record.module, record)
    return found


def run_words(records: Mapping[str, Record]) -> Mapping[str, str]:
    """What is said of runs in words, and the first module that such a run is of.

    That is the name of a run, its data, the calls that are shown, and what a place on
    an axis is called, unless that is its name.
    """
    found: dict[str, str] = {}
    for path, record in records.items():
        calls = (part for value in record.values for part in value.call.split(", "))
        said = (part for part in calls if not part.isidentifier())
        pairs = (zip(*map(_places, pair), strict=False) for pair in record.run.axes)
        axes = (words for pair in pairs for axis, words in pair if words != axis)
        for words in (record.run.name, record.run.data, *said, *axes):
            if words.strip():
                found.setdefault(words, path)
    return found


def _places(words: str) -> list[str]:
    """What is said of one axis, or of two with an arrow between them."""
    return words.split(" → ")


def observed_files(edition: Edition) -> Iterator[tuple[str, str | bytes]]:
    """What browsers ask for, by the path of its file: of each page that shows values.

    The files hold no words of a language, and stand in the English site.
    """
    shown = [page for page in edition.annotated.pages if page.observed.marks]
    if not shown or edition.language.folder:
        return
    known = edition.annotated.records
    for page in shown:
        yield from files(known[page.source.path], _folder(page))


def same_files(edition: Edition, before: Edition) -> Iterator[str]:
    """The paths of those that are as they were: what was recorded is the same."""
    known, then = edition.annotated.records, before.annotated.records
    for page in edition.annotated.pages:
        record = known.get(page.source.path)
        if record is not None and record == then.get(page.source.path):
            yield from (path for path, _ in files(record, _folder(page)))


def _folder(page: Page) -> str:
    return f"{FOLDER}/{page.path.removesuffix('.md')}"


def models(edition: Edition) -> Iterator[tuple[str, Path]]:
    """The files of models that figures ask for, by the path that they get.

    They stand in the English site.
    """
    folder = edition.root / edition.project.observations / "models"
    if folder.is_dir() and not edition.language.folder:
        for file in sorted(file for file in folder.iterdir() if file.is_file()):
            yield f"{MODELS}/{file.name}", file
