"""# Links to the documentation of other packages

A name such as `torch.einsum` links to the documentation of its package. Its address
cannot be derived from the name, because one page may document one name or a hundred,
and some names are not documented at all. So we look it up in an inventory.

Sphinx writes an *inventory* with every documented name and its address. A project
stores copies of such files in its repository, because a build fetches nothing. A name
that is in no inventory gets no link.

The engine contains two small inventories, with the names of the standard library and of
torch that are used most. Their addresses were taken from the sources of the two
documentations.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from labml_txl.literate.sources.repository import relative_to
from labml_txl.literate.sources.source import LiterateError

_FOLDER = Path(__file__).parent / "inventories"

SHIPPED: Mapping[str, Path] = {
    "https://docs.python.org/3/": _FOLDER / "python.txt",
    "https://docs.pytorch.org/docs/stable/": _FOLDER / "torch.txt",
}
"""The inventories in the engine, by the address of the documentation. A project that
configures an inventory for one of these addresses replaces it."""


def read_references(inventories: Mapping[str, Path], root: Path) -> Mapping[str, str]:
    """The URL of every name in the given inventories and in those of the engine.

    `inventories` has the file for the address of each documentation; `root` is the
    folder that error messages show paths relative to. Raises `LiterateError` for a file
    that is missing or that is no inventory.
    """
    given = {f"{address.rstrip('/')}/": file for address, file in inventories.items()}
    found: dict[str, str] = {}
    for address, file in {**SHIPPED, **given}.items():
        path = relative_to(file, root)
        try:
            names = read_inventory(file.read_bytes(), path)
        except OSError:
            message = (
                "the inventory is missing: download objects.inv of the documentation"
            )
            raise LiterateError(path, 1, message) from None
        found.update((name, address + place) for name, place in names.items())
    return found


# The header of an inventory: the format, the project, its version, the compression.
_HEAD = re.compile(rb"# Sphinx inventory version 2\r?\n(?:#[^\n]*\n){3}")
# Name, domain and role, priority, location, link text; only lines of the domain `py`.
_LINE = re.compile(r"^(?P<name>\S+) +py:\S+ +-?\d+ +(?P<place>\S+) ", re.MULTILINE)


def read_inventory(data: bytes, path: str) -> Mapping[str, str]:
    """Parse a Sphinx inventory: the location of each Python name.

    What follows the header may be compressed, as Sphinx writes it, or plain text.
    `path` is the file that errors name. Raises `LiterateError` for another format.
    """
    head = _HEAD.match(data)
    if head is None:
        raise LiterateError(path, 1, "not a Sphinx inventory of version 2")
    body = data[head.end() :]
    with suppress(zlib.error):
        body = zlib.decompress(body)
    try:
        lines = [*_LINE.finditer(body.decode())]
    except UnicodeDecodeError:
        message = "the inventory is damaged: download it again"
        raise LiterateError(path, 5, message) from None
    # Sphinx abbreviates a location that ends with the name: a `$` replaces the name.
    pairs = ((line["name"], line["place"]) for line in lines)
    return {n: place[:-1] + n if place.endswith("$") else place for n, place in pairs}
