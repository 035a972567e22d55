r"""The vocabulary of a published model, which assigns an integer to each word.

`transformers` stores it as a pickle, in `vocab.pkl` or, written by PyTorch, in
`vocab.bin`. We also accept a text file `vocab.txt` with a word on each line, the most
frequent first.

A pickle is a small program, which can call any function that it names. We only allow
the names of tables and of the parts of a tokenizer, and ignore the latter. A pickle
that would need more memory or time than a vocabulary is rejected before it is loaded.
"""

import io
import pickle
import pickletools
import zipfile
from pathlib import Path
from typing import Any

from labml_txl.training.text.files import TrainingError
from labml_txl.training.text.vocabulary import END_OF_LINE, UNKNOWN, Words

# The types of tables that vocabularies contain.
TABLES = {"collections.OrderedDict", "collections.Counter"}

# Other types that the vocabularies of `transformers` contain. We do not create objects
# of these types.
LEFT_OUT = {
    "re._compile",
    "sacremoses.normalize.MosesPunctNormalizer",
    "sacremoses.tokenize.MosesDetokenizer",
    "sacremoses.tokenize.MosesTokenizer",
    "tokenizers.AddedToken",
    "transformers.tokenization_utils.Trie",
}

# The limit in bytes. The vocabulary of WikiText-103, with 267,735 words, has 9 million.
MOST = 100_000_000

# The limit of instructions in a pickle. That of WikiText-103 has about 2 million.
MOST_STEPS = 5_000_000

# The limit of tuples and large numbers. A tokenizer has some dozens.
MOST_RARE = 1000

# The limit of tuples that are used again. Each such use can double the time to hash a
# tuple.
MOST_SHARED = 10

FILES = ("vocab.pkl", "vocab.bin", "vocab.txt")


def words_of_folder(folder: Path) -> Words | None:
    r"""The vocabulary of a folder, or `None` if the folder has no file of a vocabulary.

    Raises `TrainingError`, in one line, if the file contains no vocabulary.
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
    r"""The words of a file with a word on each line."""
    check_size(path, path.stat().st_size)
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise TrainingError(f"{path} is not UTF-8 at byte {error.start}") from None


def from_pickle(path: Path) -> list[str]:
    r"""The words of a pickle, in the order of their integers."""
    stream = io.BytesIO(content_of(path))
    table = unpickled(stream, str(path))
    # Older versions of PyTorch write two numbers and a small table before the
    # vocabulary.
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
    r"""Raise `TrainingError` if a file is too large for a vocabulary."""
    if size > MOST:
        raise TrainingError(f"{path} holds {size:,} bytes: {MOST:,} are a vocabulary")


def unpickled(stream: io.BytesIO, name: str) -> Any:
    r"""The value of the next pickle.

    Raises `TrainingError`, in one line, if the pickle is truncated or contains anything
    but data. `name` is the name of the file in this error.
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
    # Damaged bytes can raise any exception. In each case they are not a complete
    # pickle.
    except Exception:
        raise TrainingError(f"{name} is cut off, or no vocabulary") from None


class RefusedError(Exception):
    r"""A request in a pickle that we reject."""


def check_opcodes(stream: io.BytesIO) -> None:
    r"""Raise `RefusedError` if a pickle takes longer to load than its length suggests.

    To hash a tuple, Python hashes all of its elements, so the time can double with each
    level of nested tuples. Numbers of more than 60 bits can be chosen so that they have
    the same hash. We therefore limit the number of both, and how often a tuple is used
    again. The memo of a pickle is as long as its largest index, so we limit this index
    too.
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
    r"""Loads pickles of words and numbers, and rejects all names but those above."""

    def find_class(self, module: str, attribute: str) -> Any:
        r"""The class for a name in a pickle."""
        named = f"{module}.{attribute}"
        if named in TABLES:
            return dict
        if named not in LEFT_OUT:
            raise RefusedError(named)

        class LeftOut:
            # A new class each time, so that a pickle cannot change a class that others
            # use.
            def __new__(cls, *_: object) -> Any:
                return object.__new__(cls)

            def __setstate__(self, state: object) -> None:
                pass

        return LeftOut

    def persistent_load(self, pid: object) -> Any:
        r"""Raise `RefusedError`, because all data must be in the file."""
        raise RefusedError(f"{pid!r} outside of the file")


def in_order(path: Path, table: Any) -> list[str]:
    r"""The words of a vocabulary, in the order of their integers."""
    names = table.get("idx2sym") if isinstance(table, dict) else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise TrainingError(f"{path} has no list idx2sym of words")
    numbers = table.get("sym2idx")
    if isinstance(numbers, dict) and numbers != {n: i for i, n in enumerate(names)}:
        raise TrainingError(f"{path} has other words in sym2idx than in idx2sym")
    return names
