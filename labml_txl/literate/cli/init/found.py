r"""# What is in a folder

Packages at the top of a folder or below `src`, and modules that are single files.
Tests, documentation and what only builds the project are not shown. A file that cannot
become a page is left out, and the reason is told.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labml_txl.literate.build.modules import left_out, page_of
from labml_txl.literate.render.resolve import published
from labml_txl.literate.sources.source import LiterateError, read
from labml_txl.literate.sources.syntax import parse

EXAMPLE = "examples/annotated_example.py"

# What stands at the top of a project and is no code to be shown.
_NOT_SHOWN = {
    *("test", "tests", "doc", "docs", "example", "examples", "build", "dist", "site"),
    *("setup.py", "conftest.py", "noxfile.py", "__init__.py", "__main__.py"),
}
# The tests within a package.
_TESTS = ("*/tests", "*/test", "*/test_*.py", "*_test.py", "*/conftest.py")


@dataclass(frozen=True)
class Found:
    """What a project is called, what it says of itself, and its code.

    - `modules`: the files and folders to show, each with the page that it begins with,
      or `""` if it has none;
    - `exclude`: what is not shown of them, as patterns;
    - `faults`: why a file cannot be shown, a line each.
    """

    name: str
    about: str
    modules: Mapping[str, str]
    exclude: tuple[str, ...]
    faults: tuple[str, ...]


def look(root: Path) -> Found:
    """Look around in a folder. Raises `LiterateError` for a broken `pyproject.toml`."""
    name, about = _named(root)
    starts = [*_starts(root, name), root / EXAMPLE]
    files = {
        file.relative_to(root).as_posix(): (start, file)
        for start in starts
        for file in (sorted(start.rglob("*.py")) if start.is_dir() else [start])
    }
    tests = tuple(p for p in _TESTS if any(left_out(path, [p]) for path in files))
    faults, pages = dict[str, str](), dict[Path, str]()
    taken = {_address(page): f"docs/{page}" for page in _written(root)}
    for path, (start, file) in files.items():
        if left_out(path, tests):
            continue
        page = page_of(start, file)
        other = taken.setdefault(_address(page), path)
        same = f"{path}: {other} has the same page"
        fault = _fault(root, file) if other == path else same
        if fault:
            faults[path] = fault
        elif start not in pages or page.endswith("/index.md"):
            pages[start] = min(pages.get(start, page), page, key=len)
    modules = {s.relative_to(root).as_posix(): pages.get(s, "") for s in starts}
    exclude = (*tests, *map(_literally, faults))
    return Found(name, about, modules, exclude, tuple(faults.values()))


def _starts(root: Path, name: str) -> Iterator[Path]:
    """The packages and the single modules of a project."""
    for folder in (root, root / "src"):
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.name.startswith(".") or path.name in _NOT_SHOWN:
                continue
            if path.is_dir() and path != root / "src":
                # Without this file it may be a package, if there is another sign.
                sign = folder != root or path.name == name.replace("-", "_")
                if path.joinpath("__init__.py").is_file() or (
                    sign and next(path.rglob("*.py"), None)
                ):
                    yield path
            elif path.suffix == ".py" and not left_out(f"/{path.name}", _TESTS):
                yield path


def _named(root: Path) -> tuple[str, str]:
    """The name of a project, by its `pyproject.toml` or its folder; what it is."""
    file, known = root / "pyproject.toml", dict[str, Any]()
    if file.is_file():
        try:
            known = tomllib.loads(read(file, root).text)
        except tomllib.TOMLDecodeError as error:
            raise LiterateError(file.name, 1, f"not valid TOML: {error}") from None
    for table in (known.get("project"), known.get("tool", {}).get("poetry")):
        if isinstance(table, dict) and isinstance(table.get("name"), str):
            return table["name"], str(table.get("description", ""))
    return root.name or "Site", ""


def _written(root: Path) -> Iterator[str]:
    """The pages that are written by hand, and the one that will be."""
    docs = root / "docs"
    yield "index.md"
    for file in docs.rglob("*.md"):
        yield file.relative_to(docs).as_posix()


def _address(page: str) -> str:
    """Where a page is published; some disks do not know capitals from small letters."""
    return published("index.md", page).casefold()


def _fault(root: Path, file: Path) -> str:
    """Why a file cannot become a page; empty if it can."""
    if file == root / EXAMPLE and not file.exists():
        return ""
    try:
        parse(read(file, root))
    except LiterateError as error:
        return str(error)
    except (OSError, RecursionError, ValueError) as error:
        return f"{file.relative_to(root).as_posix()}: {error}"
    return ""


def _literally(path: str) -> str:
    """A path as a pattern that means it alone."""
    return re.sub(r"[*?[]", r"[\g<0>]", path)
