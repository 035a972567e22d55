r"""# The vocabulary of a published model

Which number stands for which word. `transformers` keeps that in a pickle, which is
[read as data](pickles.md): `vocab.pkl`, or `vocab.bin` as PyTorch wrote it. A text file
`vocab.txt` with a word a line does as well, the most frequent one first.
"""

import zipfile
from pathlib import Path
from typing import Any

from labml_txl.training.published.pickles import read_pickles
from labml_txl.training.text.cache import TrainingError
from labml_txl.training.text.vocabulary import END_OF_LINE, UNKNOWN, Words

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
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise TrainingError(f"{path} is not UTF-8 at byte {error.start}") from None


def from_pickle(path: Path) -> list[str]:
    r"""The words of a pickle, by their numbers."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as members:
            inner = [name for name in members.namelist() if name.endswith("/data.pkl")]
            if len(inner) != 1:
                raise TrainingError(f"{path} is an archive without a vocabulary")
            with members.open(inner[0]) as file:
                table = next(read_pickles(file, str(path)))  # type: ignore[arg-type]
    else:
        with path.open("rb") as file:
            pickles = read_pickles(file, str(path))
            table = next(pickles)
            # Before the table, older versions of PyTorch write three values of their
            # own: two numbers and a small table.
            if isinstance(table, int):
                next(pickles)
                next(pickles)
                table = next(pickles)
    return in_order(path, table)


def in_order(path: Path, table: Any) -> list[str]:
    r"""The words of what a vocabulary file holds, in the order of their numbers."""
    names = table.get("idx2sym") if isinstance(table, dict) else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise TrainingError(f"{path} has no list idx2sym of words")
    numbers = table.get("sym2idx")
    if isinstance(numbers, dict) and numbers != {n: i for i, n in enumerate(names)}:
        raise TrainingError(f"{path} has other words in sym2idx than in idx2sym")
    return names
