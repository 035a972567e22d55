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
"""The inventories that the engine brings along, by the address of what they describe.
A project that names one of these addresses puts its own file in place."""


def references(inventories: Mapping[str, Path], root: Path) -> Mapping[str, str]:
    """The address of every name that the inventories hold, those of the engine too.

    `inventories` has a file for the address of each documentation. Raises
    `LiterateError` for a file that is missing or that is no inventory.
    """
    given = {f"{address.rstrip('/')}/": file for address, file in inventories.items()}
    found: dict[str, str] = {}
    for address, file in {**SHIPPED, **given}.items():
        path = relative_to(file, root)
        try:
            names = read_inventory(file.read_bytes(), path)
        except OSError:
            message = "there is no inventory: fetch objects.inv of the documentation"
            raise LiterateError(path, 1, message) from None
        found.update((name, address + place) for name, place in names.items())
    return found


# The lines above the names say what the file is.
_HEAD = re.compile(rb"# Sphinx inventory version 2\r?\n(?:#[^\n]*\n){3}")
# Name, domain and role, priority, place, and the words of a link. Those of Python only.
_LINE = re.compile(r"^(?P<name>\S+) +py:\S+ +-?\d+ +(?P<place>\S+) ", re.MULTILINE)


def read_inventory(data: bytes, path: str) -> Mapping[str, str]:
    """The names of Python in an inventory of Sphinx, each with its place.

    What follows the head of the file may be packed, as Sphinx leaves it, or plain text.
    `path` is the file to name in an error.
    """
    head = _HEAD.match(data)
    if head is None:
        raise LiterateError(path, 1, "this is no inventory of Sphinx, version 2")
    body = data[head.end() :]
    with suppress(zlib.error):
        body = zlib.decompress(body)
    try:
        lines = [*_LINE.finditer(body.decode())]
    except UnicodeDecodeError:
        message = "the inventory is damaged: fetch it anew"
        raise LiterateError(path, 5, message) from None
    # A place that ends with the name itself has a `$` instead.
    pairs = ((line["name"], line["place"]) for line in lines)
    return {n: place[:-1] + n if place.endswith("$") else place for n, place in pairs}
