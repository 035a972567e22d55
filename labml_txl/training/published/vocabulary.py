"""The vocabulary of a published model, which assigns an integer to each word.

`transformers` stores it as a pickle, in `vocab.pkl` or, written by PyTorch, in
`vocab.bin`. We also accept a text file `vocab.txt` with a word on each line, the most
frequent first.

A pickle is a small program, which can call any function that it names. We do not run
it, but take the words from its instructions.
"""

import io
import pickletools
import zipfile
from pathlib import Path
from typing import Any

from labml_txl.training.text.files import TrainingError
from labml_txl.training.text.vocabulary import END_OF_LINE, UNKNOWN, Words

# Bytes. The vocabulary of WikiText-103, with 267,735 words, has 9 million.
MOST = 20_000_000

FILES = ("vocab.pkl", "vocab.bin", "vocab.txt")

# The key of the list that has the words in the order of their numbers.
LIST = "idx2sym"


def read_words(folder: Path) -> Words | None:
    """The vocabulary of a folder, or `None` if the folder has no file of a vocabulary.

    Raises `TrainingError`, in one line, if the file contains no vocabulary.
    """
    found = [folder / name for name in FILES if (folder / name).is_file()]
    if not found:
        return None
    path = found[0]
    names = read_lines(path) if path.suffix == ".txt" else read_pickle(path)
    strange = [name for name in names if not name or name.split() != [name]]
    if strange:
        raise TrainingError(f"{path} contains {strange[0]!r}, which is not a word")
    for name in (END_OF_LINE, UNKNOWN):
        if name not in names:
            raise TrainingError(
                f"{path} has no {name}, which a vocabulary must contain"
            )
    if len(set(names)) < len(names):
        raise TrainingError(f"{path} contains a word twice")
    return Words("\n".join(names))


def read_lines(path: Path) -> list[str]:
    """The words of a file with a word on each line."""
    check_size(path, path.stat().st_size)
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise TrainingError(f"{path} is not UTF-8 at byte {error.start}") from None


def read_pickle(path: Path) -> list[str]:
    """The words of a file of pickles, by their numbers."""
    contents = read_content(path)
    stream = io.BytesIO(contents)
    # Older versions of PyTorch write other pickles around the one of the vocabulary.
    while stream.tell() < len(contents):
        try:
            names = read_list(stream)
        # Any exception here means a truncated or invalid pickle.
        except Exception:
            raise TrainingError(f"{path} is truncated or not a vocabulary") from None
        if names:
            return names
    raise TrainingError(f"{path} has no list {LIST} of words")


def read_list(stream: io.BytesIO) -> list[str]:
    """The words of the list in the next pickle; none if it has no such list.

    A word that occurred before is not written again: a place of the memo is named, of
    which every value may have one.
    """
    memo: dict[Any, str | None] = {}
    words: list[str] = []
    waiting: list[str] = []  # written, and not appended to the list yet
    newest: str | None = None
    inside = False
    for opcode, value, _ in pickletools.genops(stream):
        name: str = opcode.name
        if name == "FRAME":
            continue
        if name in ("MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT"):
            memo[len(memo) if value is None else value] = newest
            continue
        key, newest = newest, None
        if "UNICODE" in name:
            newest = value
        elif name.endswith("GET"):
            newest = memo.get(value)
        if not inside:
            inside = key == LIST and name in ("EMPTY_LIST", "MARK")
        elif newest is not None:
            waiting.append(newest)
        elif name in ("APPEND", "APPENDS"):
            words += waiting
            waiting.clear()
        elif name not in ("MARK", "LIST"):
            break
    return words


def read_content(path: Path) -> bytes:
    """The bytes of the pickles in a file, which may be an archive of PyTorch."""
    size = path.stat().st_size
    if not zipfile.is_zipfile(path):
        check_size(path, size)
        return path.read_bytes()
    try:
        with zipfile.ZipFile(path) as members:
            inner = [m for m in members.infolist() if m.filename.endswith("/data.pkl")]
            if len(inner) != 1:
                raise TrainingError(f"{path} is an archive without a vocabulary")
            check_size(path, inner[0].file_size)
            return members.read(inner[0])
    except (zipfile.BadZipFile, NotImplementedError, OSError, RuntimeError):
        raise TrainingError(f"{path} is truncated or not a vocabulary") from None


def check_size(path: Path, size: int) -> None:
    """Raise `TrainingError` if a file is too large for a vocabulary."""
    if size > MOST:
        raise TrainingError(
            f"{path} has {size:,} bytes: a vocabulary has at most {MOST:,}"
        )
