"""# Corpora and their parts

Each text is stored as a file of tokens and divided into a training, a validation and a
test part. The file is mapped into memory instead of loaded, so that only the tokens in
use take RAM.

| name | text | parts |
|---|---|---|
| `tiny-shakespeare` | a million characters of plays | the first 90 % and the last 10 %, as in nanoGPT |
| `scenes` | Tiny Shakespeare with invented names and repeated lines (`labml_txl.training.scenes`) | three files, made of 90, 5 and 5 % of it |
| `enwik8` | the first $10^8$ bytes of a dump of Wikipedia | 90, 5 and 5 million, as in both papers |
| `text8` | $10^8$ letters and spaces made from such a dump | 90, 5 and 5 million |
| `wikitext-103` | articles of Wikipedia | three files, as published |

Any other name is the path of a UTF-8 file, which is divided into 90, 5 and 5 %.

With `--vocabulary words`, the tokens of WikiText-103 are those of both papers: 267,735
words, which include the end of a line, in the published parts.
"""  # noqa: E501, a row of a table is one line

import hashlib
import tempfile
import zipfile
from functools import partial
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from labml_txl.cache_folder import cache_folder
from labml_txl.training.scenes import scenes_of
from labml_txl.training.text.files import (
    BLOCK,
    PRIVATE,
    Report,
    TrainingError,
    cached,
    checksum,
    checksum_of,
    fetch,
    followed,
    is_cached,
    silent,
    write_checksum,
    written_whole,
)
from labml_txl.training.text.tiny_shakespeare import tiny_shakespeare
from labml_txl.training.text.vocabulary import (
    Bytes,
    Characters,
    Vocabulary,
    Words,
    before_words,
    text_blocks,
    vocabulary,
)


class Corpus(NamedTuple):
    """A text as tokens: `[n_tokens]` for each part. `test` may be empty.

    `digest` is a checksum of the files of the text.
    """

    name: str
    vocabulary: Vocabulary
    train: Tensor
    validation: Tensor
    test: Tensor
    digest: str


class Archive(NamedTuple):
    """A published archive: its address, an MD5 checksum, and the names of its files.

    The checksums are those of the publishers, or for WikiText-103 that of `torchtext`.
    They detect incomplete and damaged downloads.
    """

    address: str
    md5: str
    members: tuple[str, ...]


# For enwik8 and text8, the MD5 is that of the text, for WikiText-103 that of the
# archive.
ARCHIVES = {
    "enwik8": Archive(
        "https://mattmahoney.net/dc/enwik8.zip",
        "a1fa5ffddb56f4953e226637dabbb36a",
        ("enwik8",),
    ),
    "text8": Archive(
        "https://mattmahoney.net/dc/text8.zip",
        "3bea1919949baf155f99411df5fada7e",
        ("text8",),
    ),
    "wikitext-103": Archive(
        "https://wikitext.smerity.com/wikitext-103-v1.zip",
        "9ddaacaf6af0710eda8c456decff7832",
        tuple(
            f"wikitext-103/wiki.{part}.tokens" for part in ("train", "valid", "test")
        ),
    ),
}
NAMES = ("tiny-shakespeare", "scenes", *ARCHIVES)


def text_files(
    name: str, report: Report = silent, archives: dict[str, Archive] = ARCHIVES
) -> list[Path]:
    """The file or the three files of a text, which are downloaded if necessary."""
    if name == "tiny-shakespeare":
        return [tiny_shakespeare(report=report)]
    if name == "scenes":
        return scenes_of(tiny_shakespeare(report=report))
    if name in archives:
        return _unpacked(name, archives[name], report)
    path = Path(name)
    if path.is_dir():
        files = [path / f"wiki.{part}.tokens" for part in ("train", "valid", "test")]
        if all(file.is_file() for file in files):
            return files
    if not path.is_file():
        raise TrainingError(
            f"{name} is neither a file nor one of {', '.join(NAMES)}; for WikiText-103 "
            "the folder with wiki.train.tokens can be given"
        )
    return [path]


def text_of_checkpoint(named: str, given: str | None) -> str:
    """The text to read: the one `given`, or the corpus that a checkpoint has `named`.

    A checkpoint can come from an untrusted source, so we do not open a file only
    because the checkpoint names its path. Raises `TrainingError` if it does so and
    `given` is `None`.
    """
    if given is None and named not in NAMES:
        raise TrainingError(
            f"the checkpoint was trained on {named!r}, which is not a corpus: give the "
            "file with --text"
        )
    return named if given is None else given


def _unpacked(name: str, archive: Archive, report: Report) -> list[Path]:
    folder = cache_folder() / name
    files = [folder / Path(member).name for member in archive.members]
    if all(_is_whole(file, archive, report) for file in files):
        return files
    try:
        with tempfile.TemporaryDirectory() as place:
            packed = Path(place) / f"{name}.zip"
            fetch(archive.address, packed, report)
            _unpack(packed, archive, files, report)
    except (OSError, zipfile.BadZipFile, KeyError) as error:
        names = ", ".join(file.name for file in files)
        raise TrainingError(
            f"{name} could not be downloaded: {error}. Put {names} into {folder}"
        ) from None
    return files


def _is_whole(file: Path, archive: Archive, report: Report) -> bool:
    if not file.is_file() or len(archive.members) == 1:
        return file.is_file() and checksum(file, "md5", report) == archive.md5
    # The publisher gives no checksums of the single files, so we store ours on first
    # use and check that the files have not changed since.
    if not checksum_of(file).is_file():
        write_checksum(file, report)
    return is_cached(file, report)


def _unpack(packed: Path, archive: Archive, files: list[Path], report: Report) -> None:
    if len(files) > 1:
        _check(packed, archive, report)
    try:
        with zipfile.ZipFile(packed) as members:
            for member, file in zip(archive.members, files, strict=True):
                with (
                    members.open(member) as source,
                    written_whole(file, PRIVATE) as goal,
                ):
                    blocks = iter(partial(source.read, BLOCK), b"")
                    total = members.getinfo(member).file_size
                    what = f"{file.name}, unpacked"
                    for block in followed(blocks, total, what, report, len):
                        goal.write(block)
                checksum_of(file).unlink(missing_ok=True)
        if len(files) == 1:
            _check(files[0], archive, report)
    except BaseException:
        # Remove all files if one is incomplete or is not the expected text.
        for file in files:
            file.unlink(missing_ok=True)
        raise


def _check(file: Path, archive: Archive, report: Report) -> None:
    if checksum(file, "md5", report) != archive.md5:
        raise OSError(f"checksum mismatch for {archive.address}: try again later")


def open_corpus(
    name: str,
    kind: str = "characters",
    symbols: str = "",
    report: Report = silent,
    digest: str = "",
) -> Corpus:
    """A text as tokens, with its vocabulary and its parts.

    `kind` is `"characters"`, `"words"` or `"bytes"`. `symbols` are those of an existing
    vocabulary. Without them, the vocabulary is made from the text: characters from the
    whole text, words from the training part if it is a separate file. Raises
    `TrainingError` if a `digest` is given and the text has a different one.
    """
    files = text_files(name, report)
    for file in files:
        if not file.stat().st_size:
            raise TrainingError(f"{file} is empty: give a text to train on")
    sums = [checksum(file, report=report) for file in files]
    found = hashlib.sha256("".join(sums).encode()).hexdigest()
    if digest not in ("", found):
        raise TrainingError(
            f"{name} differs from the text that the run was trained on so far: restore "
            "that text, or start a new run"
        )
    words = (
        vocabulary(kind, symbols)
        if symbols
        else vocabulary_of_text(kind, files, report)
    )
    tokens = [
        map_tokens(file, known, words, report)
        for file, known in zip(files, sums, strict=True)
    ]
    train, validation, test = tokens if len(tokens) == 3 else split(tokens[0], name)
    if len(train) < 2 or len(validation) < 2:
        raise TrainingError(f"{name} is too short to be split into parts")
    return Corpus(name, words, train, validation, test, found)


def vocabulary_of_text(
    kind: str, files: list[Path], report: Report = silent
) -> Vocabulary:
    """The vocabulary of the files of a text."""
    if kind == Words.kind:
        return Words.of(files[0], report)
    if kind == Characters.kind:
        found = (Characters.of(file, report).symbols for file in files)
        return Characters("".join(found))
    return vocabulary(kind, "")


def split(tokens: Tensor, name: str) -> list[Tensor]:
    """The training, the validation and the test part of a text that is one file."""
    first = int(len(tokens) * 0.9)
    second = first + int(len(tokens) * 0.05)
    if name == "tiny-shakespeare":
        second = len(tokens)
    return [tokens[:first], tokens[first:second], tokens[second:]]


def part_of(corpus: Corpus, part: str) -> Tensor:
    """A part of a text, or with `"all"` the whole text."""
    if part == "all":
        return torch.cat((corpus.train, corpus.validation, corpus.test))
    tokens: Tensor = getattr(corpus, part)
    if len(tokens) < 2:
        raise TrainingError(f"{corpus.name} has no {part} part")
    return tokens


def map_tokens(
    path: Path, digest: str, words: Vocabulary, report: Report = silent
) -> Tensor:
    """The tokens of a file, which is mapped, so that only those in use take RAM."""
    if isinstance(words, Bytes):
        return mapped(path, torch.uint8)

    # Characters and words are encoded once and written to a file whose name contains
    # hashes of the text and of the vocabulary, in the smallest type that has enough
    # values.
    dtype = torch.uint8 if len(words) <= 256 else torch.int32
    table = hashlib.sha256(words.symbols.encode("utf-8", "surrogatepass")).hexdigest()
    goal = cache_folder() / "tokens" / f"{digest[:24]}-{table[:8]}.bin"
    if not is_cached(goal, report):
        with cached(goal, report) as file:
            blocks = text_blocks(path, "tokens", report)
            # Blocks must not end within a word.
            for text in blocks if words.kind == "characters" else before_words(blocks):
                file.write(words.encode(text).to(dtype).numpy().tobytes())
    return mapped(goal, dtype)


def mapped(path: Path, dtype: torch.dtype) -> Tensor:
    """A file, mapped as a tensor that must not be changed."""
    count = path.stat().st_size // dtype.itemsize
    if not count:
        return torch.zeros(0, dtype=dtype)
    return torch.from_file(str(path), shared=False, size=count, dtype=dtype)
