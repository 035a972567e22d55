r"""# What is computed once

A page that did not change need not be made again. What it became is kept under a digest
of all that it was made of, so a kept result is never an old one. The first part of each
digest stands for the program itself: another version of the engine or of a package that
it builds on finds nothing.

The cache is one file for each language, below `.cache`. It can be deleted at any time.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar, cast

T = TypeVar("T")

_PACKAGES = (
    *("markdown", "mkdocs", "mkdocs-material", "pymdown-extensions", "pygments"),
    *("nh3", "rjieba"),
)


def digest(*parts: object) -> str:
    """A name for these values: others have another name."""
    found = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part if isinstance(part, bytes) else repr(part).encode()
        found.update(len(data).to_bytes(8, "little"))
        found.update(data)
    return found.hexdigest()


@cache
def program() -> str:
    """A name for the engine and for the packages that do its work."""
    engine = Path(__file__).parents[1]
    files = sorted([*engine.rglob("*.py"), *engine.rglob("*.mjs")])
    return digest(
        sys.version, *map(_version, _PACKAGES), *(file.read_bytes() for file in files)
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


class Cache:
    """Results by the digest of what they were made of, kept in a file if it has one."""

    def __init__(self, file: Path | None = None) -> None:
        self.file = file
        self._known: dict[str, Any] = {}
        self._used: dict[str, Any] = {}
        self._loaded = False

    def get(self, key: str) -> Any:
        """What was kept under a digest, or None."""
        if not self._loaded:
            self._known, self._loaded = _load(self.file) if self.file else {}, True
        if key in self._known and key not in self._used:
            self._used[key] = self._known[key]
        return self._used.get(key)

    def keep(self, key: str, value: Any) -> None:
        """Keep a result under the digest of what it was made of."""
        self._used[key] = value

    def made(self, key: str, make: Callable[[], T]) -> T:
        """What was kept under a digest, else what `make` makes of it."""
        found = self.get(key)
        if found is None:
            found = make()
            self.keep(key, found)
        return cast(T, found)

    def folder(self, name: str) -> Path | None:
        """A folder beside the file, if it can be there."""
        if self.file is None:
            return None
        folder = self.file.with_name(name)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            return None
        return folder

    def save(self, *, write: bool = True) -> None:
        """Write what was asked for since the last time, and forget the rest."""
        if write and self.file and self._used.keys() != self._known.keys():
            _save(self.file, self._used)
        self._known, self._used, self._loaded = self._used, {}, True


def _load(file: Path) -> dict[str, Any]:
    try:
        with file.open("rb") as stream:
            made_by, known = pickle.load(stream)
    except Exception:
        # A cache that cannot be read is no cache, whatever is wrong with it.
        return {}
    return dict(known) if made_by == program() else {}


def _save(file: Path, known: dict[str, Any]) -> None:
    """Write the file whole or not at all; a folder that is read-only has no cache."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=file.parent)
        with os.fdopen(handle, "wb") as stream:
            pickle.dump((program(), known), stream, pickle.HIGHEST_PROTOCOL)
        os.replace(partial, file)
    except OSError:
        return
