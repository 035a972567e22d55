r"""# Names in other documentation

A name such as `torch.einsum` leads to where its own project documents it. That address
cannot be guessed: one page documents one name, another page a hundred, and some names
are documented nowhere. So each address is looked up.

Sphinx writes an *inventory* beside the documentation that it makes, with every name and
its address. Such a file stands in the repository of a project, since nothing is fetched
while a site is built. **A name that no inventory holds gets no link.**

The engine brings two small inventories along, for the names of the standard library and
of torch that are used most. Each of them was looked up in the sources of that
documentation.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from labml_txl.literate.sources.source import LiterateError

_FOLDER = Path(__file__).parent / "inventories"

SHIPPED: Mapping[str, Path] = {
    "https://docs.python.org/3/": _FOLDER / "python.txt",
    "https://docs.pytorch.org/docs/stable/": _FOLDER / "torch.txt",
}
"""The inventories that the engine brings along, by the address of what they describe.
A project that names one of these addresses puts its own file in place."""


def references(inventories: Mapping[str, Path], root: Path) -> Mapping[str, str]:
    """The address of every name that the inventories hold, those of the engine too.

    `inventories` has a file for the address of each documentation. Raises
    `LiterateError` for a file that is missing or that is no inventory.
    """
    given = {complete(address): file for address, file in inventories.items()}
    return {
        name: address + place
        for address, file in {**SHIPPED, **given}.items()
        for name, place in _read(file, root).items()
    }


def complete(address: str) -> str:
    """The address of a documentation, with the `/` that its pages are found behind."""
    return f"{address.rstrip('/')}/"


def _read(file: Path, root: Path) -> Mapping[str, str]:
    path = file.relative_to(root).as_posix() if file.is_relative_to(root) else str(file)
    try:
        return read_inventory(file.read_bytes(), path)
    except OSError:
        message = "there is no inventory: fetch objects.inv of the documentation"
        raise LiterateError(path, 1, message) from None


# How zlib begins, by how hard it has tried.
_PACKED = (b"x\x01", b"x\x5e", b"x\x9c", b"x\xda")
# The lines above the names say what the file is.
_HEAD = re.compile(rb"# Sphinx inventory version 2\r?\n(?:#[^\n]*\n){3}")
_LINE = re.compile(
    r"(?P<name>\S.*?)\s+(?P<domain>[^\s:]+):\S+\s+-?\d+\s+(?P<place>\S+)\s+\S.*"
)


def read_inventory(data: bytes, path: str) -> Mapping[str, str]:
    """The names in an inventory of Sphinx, each with its place in the documentation.

    What follows the head of the file may be packed, as Sphinx leaves it, or plain text.
    Only names of Python count. `path` is the file to name in an error.
    """
    _, lines = _parts(data, path)
    return dict(map(_entry, lines))


def _parts(data: bytes, path: str) -> tuple[str, list[re.Match[str]]]:
    """The head of an inventory and its lines that tell of a name of Python."""
    head = _HEAD.match(data)
    if head is None:
        raise LiterateError(path, 1, "this is no inventory of Sphinx, version 2")
    body = data[head.end() :]
    try:
        text = (zlib.decompress(body) if body.startswith(_PACKED) else body).decode()
    except (UnicodeDecodeError, zlib.error):
        raise LiterateError(
            path, 5, "the inventory is damaged: fetch it anew"
        ) from None
    return head[0].decode("utf-8", "replace"), [*_lines(text, path)]


def _lines(text: str, path: str) -> Iterator[re.Match[str]]:
    for number, line in enumerate(text.split("\n"), start=5):
        found = _LINE.fullmatch(line.rstrip("\r"))
        if found is None and line.strip():
            raise LiterateError(path, number, f"this names no place: {line[:60]}")
        if found and found["domain"] == "py":
            yield found


def _entry(line: re.Match[str]) -> tuple[str, str]:
    # A place that ends with the name itself has a `$` instead.
    name, place = line["name"], line["place"]
    return name, place[:-1] + name if place.endswith("$") else place
