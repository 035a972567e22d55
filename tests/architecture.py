"""Writes ARCHITECTURE.md from the tree: each package, what it is, what it imports.

python -m tests.architecture
"""

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

from tests.test_layers import PACKAGE, ROOT, imported

PAGE = ROOT / "ARCHITECTURE.md"
HEAD = """\
# Architecture

The packages of `labml_txl`. Each imports only packages that are listed above it. This
page is written by `python -m tests.architecture`, which `make refresh` runs.
[CONTRIBUTING](CONTRIBUTING.md) says where to add what.

| Package | Contents | Imports |
| --- | --- | --- |
"""


def find_packages() -> list[Path]:
    """The packages, and in place of the engine its own; each with those inside it."""
    folders = [*PACKAGE.glob("*/"), *PACKAGE.glob("literate/*/")]
    folders.remove(PACKAGE / "literate")
    return [folder for folder in folders if (folder / "__init__.py").is_file()]


def name_of(folder: Path) -> str:
    return ".".join(folder.relative_to(ROOT).parts)


def describe(folder: Path) -> str:
    """The first sentence of the docstring of a package, after its title."""
    tree = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
    title, _, text = (ast.get_docstring(tree) or "").partition("\n\n")
    words = " ".join((text if title.startswith("#") else title).split())
    return re.split(r"(?<=\.) |:$", words)[0]


def imports_of(folder: Path, names: set[str]) -> set[str]:
    """The other packages that the files of a package import."""
    found = set()
    for path in folder.rglob("*.py"):
        for name in imported(path):
            parts = name.split(".")
            known = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
            found.add(next(filter(names.__contains__, known), ""))
    return found - {"", name_of(folder)}


def write_page() -> str:
    """The text of the page."""
    return HEAD + "".join(f"{row}\n" for row in _rows())


def _rows() -> Iterator[str]:
    folders = {name_of(folder): folder for folder in find_packages()}
    graph = {n: sorted(imports_of(f, {*folders})) for n, f in sorted(folders.items())}
    # Raises an error that names the packages if some import each other in a circle.
    for name in TopologicalSorter(graph).static_order():
        wanted = ", ".join(f"`{one.removeprefix('labml_txl.')}`" for one in graph[name])
        yield f"| `{name}` | {describe(folders[name])} | {wanted} |"


if __name__ == "__main__":
    PAGE.write_text(write_page(), encoding="utf-8")
