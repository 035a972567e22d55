"""# Reading a source

A source is the text of a file together with its path. All later steps work on the text
alone, so tests can make pages from strings.
"""

from __future__ import annotations

import io
import tokenize
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from labml_txl.errors import UserError


class LiterateError(UserError):
    """An error in a text: the file, the line, what is wrong and how to fix it.

    `str(error)` is one line, `path:line: message`, which is shown without a traceback,
    because the error is in the text and not in the program.
    """

    def __init__(self, path: str, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}")
        self.path = path
        self.line = line
        self.message = message

    @property
    def fields(self) -> tuple[str, int, str]:
        """The arguments that make this error again, for the cache."""
        return self.path, self.line, self.message


class UnreadableError(LiterateError):
    """An error that makes a whole file unusable, such as code that is not valid."""


class NewerSyntaxError(UnreadableError):
    """Code that is valid in a newer version of Python than the one that runs."""


# A function that gets each error after which the rest of a text is still processed.
Tell = Callable[[LiterateError], None]


def stop(fault: LiterateError) -> None:
    """A `Tell` that raises the first error."""
    raise fault


@dataclass(frozen=True)
class Source:
    """The text of one file.

    `path` is written with `/` and is relative to the root of the repository, so it can
    be used in messages, in links and for the name of a page.
    """

    path: str
    text: str

    @property
    def stem(self) -> str:
        """The name of the file without its folder and extension."""
        return Path(self.path).stem

    @property
    def lines(self) -> list[str]:
        """The lines, each with its line break."""
        return _lines(self.text)


# Files are processed one after the other. The lines of all would take much memory.
@lru_cache(maxsize=4)
def _lines(text: str) -> list[str]:
    # `str.splitlines` would also split at form feeds and at Unicode's line separators,
    # which do not end a line of Python.
    return io.StringIO(text, newline="\n").readlines()


# The endings of modules. Of files with the same name, that of the first gets the page.
ENDINGS = (".py", ".pyw", ".pyi")


def is_hidden(file: Path) -> bool:
    """Whether a file with the same name gets the page, as that of a stub does."""
    before = ENDINGS[: ENDINGS.index(file.suffix)] if file.suffix in ENDINGS else ()
    return any(file.with_suffix(ending).exists() for ending in before)


def import_root(folder: Path) -> Path:
    """The folder above all packages that contain `folder`, to import modules from."""
    while (folder / "__init__.py").is_file():
        folder = folder.parent
    return folder


def is_within(path: Path, *folders: Path) -> bool:
    """Whether a path leads, over all links, to a place below one of these folders."""
    try:
        place = path.resolve(strict=path.is_symlink())
    except (OSError, RuntimeError):  # a link that leads to itself, or nowhere
        return False
    return any(place.is_relative_to(folder.resolve()) for folder in folders)


def files_below(
    start: Path, endings: Collection[str], *, broken: bool = False
) -> list[Path]:
    """The files with these extensions at a path and below it, in order.

    Hidden files and folders with such an extension are left out, and links that are
    `broken`, unless they are asked for.
    """
    if start.is_file():
        return [start] if start.suffix in endings else []
    return sorted(
        file
        for file in start.rglob("*")
        if file.suffix in endings
        and not any(part.startswith(".") for part in file.relative_to(start).parts)
        and (file.is_file() or (broken and file.is_symlink() and not file.exists()))
    )


def check_file(path: Path, root: Path) -> str:
    """Return the name of a file in messages, which is its path below `root`.

    Raises `LiterateError` for a link to itself or to a file outside of `root`, and for
    a folder, a pipe or a device: to read one of these may never end.
    """
    inside = path.is_relative_to(root)
    name = path.relative_to(root).as_posix() if inside else str(path)
    if inside and not is_within(path, root):
        message = "a link to itself or to a file outside the project: copy the file"
        raise LiterateError(name, 1, message)
    if path.exists() and not path.is_file():
        kind = "a folder" if path.is_dir() else "a pipe or a device"
        raise LiterateError(name, 1, f"{kind}, expected a file")
    return name


def read(path: Path, root: Path) -> Source:
    r"""Read the file at `path`.

    The encoding is UTF-8, unless a Python file declares another. Line breaks become
    `\n`. Raises `LiterateError` for what `check_file` refuses, and for a file that
    cannot be decoded.
    """
    name = check_file(path, root)
    data = path.read_bytes()
    encoding, unknown = "utf-8-sig", ""
    if path.suffix in ENDINGS:
        try:
            encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        except SyntaxError as error:
            unknown = error.msg
    try:
        text = data.decode(encoding)
        text.encode()  # `unicode_escape` can give a surrogate.
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        given = f"byte 0x{data[error.start]:02x}"
        way_out = "save the file as UTF-8"
        named = "UTF-8" if encoding.startswith("utf-8") else encoding
        raise LiterateError(name, line, f"{given} is not {named}: {way_out}") from None
    # `rot13` converts text to text, and `undefined` refuses everything.
    except (LookupError, UnicodeError):
        message = f"unknown encoding {encoding}: save the file as UTF-8"
        raise LiterateError(name, 1, message) from None
    if unknown:
        raise LiterateError(name, 1, unknown)
    return Source(name, text.replace("\r\n", "\n").replace("\r", "\n"))
