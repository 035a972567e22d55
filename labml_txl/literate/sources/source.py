r"""# Reading a source

A source is the text of one file together with the place where it was found.
Everything after this step works on the text alone, so a page can be made of a string
in a test just as of a file.
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
    """What is wrong with a text: the file, the line, what it is and how to fix it.

    `str(error)` is one line, `path:line: message`. It is all that a reader sees: no
    traceback, since the fault lies in the text and not in the program.
    """

    def __init__(self, path: str, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}")
        self.path = path
        self.line = line
        self.message = message


class UnreadableError(LiterateError):
    """A file that says nothing to the engine: no Python, or no text at all."""


# Who is told of a fault that leaves the rest of a text as it is.
Tell = Callable[[LiterateError], None]


def stop(fault: LiterateError) -> None:
    """Go no further: the way of those who want to hear of the first fault only."""
    raise fault


@dataclass(frozen=True)
class Source:
    """The text of one file.

    `path` is written with `/` and is relative to the root of the repository, so that
    it serves in messages, in links and as the name of a page alike.
    """

    path: str
    text: str

    @property
    def stem(self) -> str:
        """The name of the file without folder and ending."""
        return Path(self.path).stem

    @property
    def lines(self) -> list[str]:
        """The lines, each with its line break: joined they are the text again."""
        return _lines(self.text)


# A file is read to its end before the next: the lines of all would take much memory.
@lru_cache(maxsize=4)
def _lines(text: str) -> list[str]:
    # `str.splitlines` would also break at form feeds and at Unicode's line separators,
    # which Python does not count as lines.
    return io.StringIO(text, newline="\n").readlines()


def files_below(start: Path, endings: Collection[str]) -> list[Path]:
    """The files at a path and below it, by the endings of their names, in order.

    What an editor or a system hides is none of them, nor what cannot be opened: a link
    that leads nowhere, a folder with the name of a file.
    """
    if start.is_file():
        return [start] if start.suffix in endings else []
    return sorted(
        file
        for file in start.rglob("*")
        if file.suffix in endings
        and not any(part.startswith(".") for part in file.relative_to(start).parts)
        and file.is_file()
    )


def read(path: Path, root: Path) -> Source:
    r"""Read the file at `path`; raise `LiterateError` if its letters cannot be read.

    A file of Python may say in its first lines that it is not in UTF-8. Line breaks of
    Windows and of old Macs become `\n`, as Python itself reads them.
    """
    name = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
    if path.is_relative_to(root) and not path.resolve().is_relative_to(root.resolve()):
        message = "this is a link to a file outside of the project: copy it"
        raise LiterateError(name, 1, message)
    if path.is_dir():
        raise LiterateError(name, 1, "this is a folder: a file belongs here")
    data = path.read_bytes()
    encoding, unknown = "utf-8-sig", ""
    if path.suffix == ".py":
        try:
            encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        except SyntaxError as error:
            unknown = error.msg
    try:
        text = data.decode(encoding)
        text.encode()  # `unicode_escape` can give half of a character.
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        given = f"byte 0x{data[error.start]:02x}"
        way_out = "save the file with the encoding UTF-8"
        named = "UTF-8" if encoding.startswith("utf-8") else encoding
        raise LiterateError(name, line, f"{given} is not {named}: {way_out}") from None
    # `rot13` and its like turn texts into texts, and `undefined` refuses all.
    except (LookupError, UnicodeError):
        message = f"{encoding} is no encoding of a file: save it with UTF-8"
        raise LiterateError(name, 1, message) from None
    if unknown:
        raise LiterateError(name, 1, unknown)
    return Source(name, text.replace("\r\n", "\n").replace("\r", "\n"))
