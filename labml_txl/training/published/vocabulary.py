r"""The vocabulary of a published model: which number stands for which word.

`transformers` keeps that in a pickle: `vocab.pkl`, or `vocab.bin` as PyTorch wrote it.
A text file `vocab.txt` with a word a line does as well, the most frequent one first.

A pickle is a small program: it may call whatever it names. Here it may name tables and
the parts of a tokenizer, which are left out. What would take more memory or time to
read than a vocabulary does is refused before.
"""

import io
import pickle
import pickletools
import zipfile
from pathlib import Path
from typing import Any

from labml_txl.training.text.files import TrainingError
from labml_txl.training.text.vocabulary import END_OF_LINE, UNKNOWN, Words

# The tables among the types that vocabularies hold.
TABLES = {"collections.OrderedDict", "collections.Counter"}

# What else the vocabularies of `transformers` hold. Nothing is made of it.
LEFT_OUT = {
    "re._compile",
    "sacremoses.normalize.MosesPunctNormalizer",
    "sacremoses.tokenize.MosesDetokenizer",
    "sacremoses.tokenize.MosesTokenizer",
    "tokenizers.AddedToken",
    "transformers.tokenization_utils.Trie",
}

# Bytes. The vocabulary of WikiText-103, with 267,735 words, has 9 million.
MOST = 100_000_000

# Instructions of a pickle. That of WikiText-103 has about 2 million.
MOST_STEPS = 5_000_000

# Tuples and large numbers: a tokenizer has some dozens.
MOST_RARE = 1000

# Tuples that are used again: each time, there may be twice as much to look up.
MOST_SHARED = 10

FILES = ("vocab.pkl", "vocab.bin", "vocab.txt")


def words_of_folder(folder: Path) -> Words | None:
    r"""The vocabulary of a folder, or `None` where it has no file of one.

    Raises `TrainingError`, in one line, for a file that holds none.
    """
    found = [folder / name for name in FILES if (folder / name).is_file()]
    if not found:
        return None
    path = found[0]
    names = from_text(path) if path.suffix == ".txt" else from_pickle(path)
    strange = [name for name in names if not name or name.split() != [name]]
    if strange:
        raise TrainingError(f"{path} has {strange[0]!r}, which is no word")
    for name in (END_OF_LINE, UNKNOWN):
        if name not in names:
            raise TrainingError(f"{path} has no {name}, which a vocabulary needs")
    if len(set(names)) < len(names):
        raise TrainingError(f"{path} has a word twice: each needs a number of its own")
    return Words("\n".join(names))


def from_text(path: Path) -> list[str]:
    r"""The words of a file that has a word a line."""
    check_size(path, path.stat().st_size)
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise TrainingError(f"{path} is not UTF-8 at byte {error.start}") from None


def from_pickle(path: Path) -> list[str]:
    r"""The words of a pickle, by their numbers."""
    stream = io.BytesIO(content_of(path))
    table = unpickled(stream, str(path))
    # Before the vocabulary, older versions of PyTorch write two numbers and a small
    # table of their own.
    if isinstance(table, int):
        *_, table = (unpickled(stream, str(path)) for _ in range(3))
    return in_order(path, table)


def content_of(path: Path) -> bytes:
    r"""The bytes of the pickles in a file, which may be an archive of PyTorch."""
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
        raise TrainingError(f"{path} is cut off, or no vocabulary") from None


def check_size(path: Path, size: int) -> None:
    r"""Raise `TrainingError` for more bytes than a vocabulary has."""
    if size > MOST:
        raise TrainingError(f"{path} holds {size:,} bytes: {MOST:,} are a vocabulary")


def unpickled(stream: io.BytesIO, name: str) -> Any:
    r"""The value of the next pickle.

    Raises `TrainingError`, in one line, for what is cut off or no data. `name` is what
    the error calls the file.
    """
    start = stream.tell()
    try:
        check_opcodes(stream)
        stream.seek(start)
        return Restricted(stream).load()
    except RefusedError as error:
        raise TrainingError(
            f"{name} asks for {error}, which is no data: a vocabulary holds words and "
            "numbers only"
        ) from None
    # Whatever the bytes are taken for: they are no pickle that is whole.
    except Exception:
        raise TrainingError(f"{name} is cut off, or no vocabulary") from None


class RefusedError(Exception):
    r"""What a pickle asks for, and does not get."""


def check_opcodes(stream: io.BytesIO) -> None:
    r"""Raise `RefusedError` for a pickle that takes more than its length to read.

    Python looks up a tuple by all that is in it, however often it is in itself, and
    numbers beyond 60 bits can be made to look alike. So both are few, and hardly any
    tuple is used twice. The memo is as long as its largest place.
    """
    rare = shared = 0
    newest, memo = False, dict[int, bool]()
    for step, (opcode, value, _) in enumerate(pickletools.genops(stream)):
        if step == MOST_STEPS:
            raise RefusedError("too many instructions")
        name: str = opcode.name
        place: Any = value
        if name in ("MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT"):
            place = len(memo) if value is None else int(place)
            if place > len(memo) + 1:
                raise RefusedError(f"place {place} of the memo")
            memo[place] = newest
            continue
        shared += name == "DUP" or (
            name.endswith("GET") and memo.get(int(place), False)
        )
        newest = name in ("TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "FROZENSET")
        rare += newest or (isinstance(value, int) and abs(value) >= 2**60)
        if rare > MOST_RARE or shared > MOST_SHARED:
            raise RefusedError("too many tuples or large numbers")


class Restricted(pickle.Unpickler):
    r"""Reads pickles of words and numbers; every name but those above is refused."""

    def find_class(self, module: str, attribute: str) -> Any:
        r"""What a name in a pickle stands for."""
        named = f"{module}.{attribute}"
        if named in TABLES:
            return dict
        if named not in LEFT_OUT:
            raise RefusedError(named)

        class LeftOut:
            # Its own class, so that nothing that a pickle writes into it stays.
            def __new__(cls, *_: object) -> Any:
                return object.__new__(cls)

            def __setstate__(self, state: object) -> None:
                pass

        return LeftOut

    def persistent_load(self, pid: object) -> Any:
        r"""Nothing stands outside of the file."""
        raise RefusedError(f"{pid!r} outside of the file")


def in_order(path: Path, table: Any) -> list[str]:
    r"""The words of what a vocabulary file holds, in the order of their numbers."""
    names = table.get("idx2sym") if isinstance(table, dict) else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise TrainingError(f"{path} has no list idx2sym of words")
    numbers = table.get("sym2idx")
    if isinstance(numbers, dict) and numbers != {n: i for i, n in enumerate(names)}:
        raise TrainingError(f"{path} has other words in sym2idx than in idx2sym")
    return names
