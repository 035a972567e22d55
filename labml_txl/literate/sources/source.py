r"""# Reading a source

A source is the text of one file together with the place where it was found.
Everything after this step works on the text alone, so a page can be made of a string
in a test just as of a file.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cached_property
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

    @cached_property
    def lines(self) -> list[str]:
        """The lines, each with its line break: joined they are the text again."""
        # `str.splitlines` would also break at form feeds and at Unicode's line
        # separators, which Python does not count as lines.
        return io.StringIO(self.text, newline="\n").readlines()


def read(path: Path, root: Path) -> Source:
    r"""Read the file at `path`; raise `LiterateError` if it is not UTF-8.

    Line breaks of Windows and of old Macs become `\n`, as Python itself reads them.
    """
    name = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        given = f"byte 0x{data[error.start]:02x}"
        raise LiterateError(
            name, line, f"{given} is not UTF-8: save the file with the encoding UTF-8"
        ) from None
    return Source(name, text.replace("\r\n", "\n").replace("\r", "\n"))
