"""# The build cache

Caches the results of builds in one SQLite database per project, as compressed JSON. The
key of an entry is a hash of all inputs that the entry was computed from, so a cached
entry never has to be invalidated: if an input changes, so does the key. There are five
kinds of entries: the facts of a module (`ModuleFacts`), the cells of a tutorial
(`TutorialFacts`), a page in all its formats (`PageEntry`), the HTML of a page
(`PageHtml`), and the hash of a published page (`mkdocs.reuse`).

The database is in the cache folder of the user. Its name contains a hash of the path of
the project. It can be deleted at any time. Because it is not in the repository, nobody
can be made to load somebody else's cache, and JSON cannot contain code anyway.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

from labml_txl.cache_folder import cache_folders, make_folder

T = TypeVar("T")

# Entries are removed after this many seconds.
SECONDS = 30 * 24 * 3600
_PACKAGES = (
    *("markdown", "mkdocs", "mkdocs-material", "pymdown-extensions", "pygments"),
    *("jupytext", "nbconvert", "nbformat", "nh3", "rjieba"),
)


def hash_of(*parts: object) -> str:
    """A hash of the `repr` of these values: equal values give equal hashes."""
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()


@cache
def hash_program() -> str:
    """A hash of the engine's code and of the versions of the packages that it uses."""
    engine = Path(__file__).parents[1]
    files = sorted(f for end in ("py", "mjs", "html") for f in engine.rglob(f"*.{end}"))
    versions = []
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            versions.append((package, version(package)))
    return hash_of(sys.version, versions, *(file.read_bytes() for file in files))


def project_cache(root: Path) -> Cache:
    """Open the cache of a project; it is in memory if no cache folder is writable.

    Also deletes caches of projects that have not been built for `SECONDS`.
    """
    name = f"{root.name}-{hash_of(str(root.resolve()))}.sqlite"
    for folder in cache_folders():
        with suppress(OSError, sqlite3.Error):
            caches = make_folder(folder / "sites")
            for file in caches.glob("*.sqlite"):
                if file.stat().st_mtime < time.time() - SECONDS:
                    file.unlink()
            return Cache(caches / name)
    return Cache()


class Cache:
    """A cache in the database `file`, or in memory without one.

    It is cleared if another version of the engine filled it. If the file cannot be
    used, the cache is in memory too.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file, self._is_damaged = file, False
        # The preview server handles each request in a new thread, but a lock serializes
        # them, so we may turn SQLite's check off.
        self._entries = sqlite3.connect(
            file or ":memory:", timeout=1, check_same_thread=False
        )
        if file:
            file.chmod(0o600)
        try:
            self._prepare()
        except (sqlite3.DatabaseError, ValueError) as error:
            # The file is no database, or another process has locked it.
            self._is_damaged = not _is_locked(error)
            self._entries.close()
            self._entries = sqlite3.connect(":memory:", check_same_thread=False)
            self._prepare()

    def _prepare(self) -> None:
        run = self._entries.execute
        run("PRAGMA synchronous = OFF")
        run("CREATE TABLE IF NOT EXISTS program (hash TEXT)")
        run("CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, made, value)")
        if run("SELECT hash FROM program").fetchall() != [(hash_program(),)]:
            run("DELETE FROM entries")
            run("DELETE FROM program")
            run("INSERT INTO program VALUES (?)", (hash_program(),))
        self._entries.commit()

    def get(self, key: str) -> Any:
        """Return the cached value of a key, or None, also for a damaged entry."""
        try:
            found = self._entries.execute(
                "SELECT value FROM entries WHERE key = ?", [key]
            ).fetchone()
            # A damaged index may lead to the entry of another key.
            owner, value = (
                json.loads(zlib.decompress(found[0])) if found else ("", None)
            )
        except (sqlite3.DatabaseError, zlib.error, TypeError, ValueError) as error:
            self._is_damaged |= not _is_locked(error)
            return None
        return value if owner == key else None

    def put(self, key: str, value: object) -> None:
        """Store a value, which must be serializable as JSON."""
        text = json.dumps([key, value], separators=(",", ":"))
        packed = zlib.compress(text.encode(), level=1)
        with suppress(sqlite3.DatabaseError):
            self._entries.execute(
                "INSERT OR REPLACE INTO entries VALUES (?, ?, ?)",
                (key, int(time.time()), packed),
            )

    def get_or_make(self, key: str, kind: type[T], make: Callable[[], T]) -> T:
        """Return the cached dataclass of a key, or call `make` and store its result."""
        found = self.get(key)
        names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
        if isinstance(found, dict) and found.keys() == set(names):
            return kind(**found)
        value = make()
        self.put(key, {name: getattr(value, name) for name in names})
        return value

    def save(self) -> None:
        """Commit new entries, and delete those that are older than `SECONDS`.

        A damaged database is deleted, so that the next build begins with a new one.
        """
        oldest = int(time.time()) - SECONDS
        # Another build may have locked the database, and the disk may be full.
        with suppress(sqlite3.DatabaseError):
            self._entries.execute("DELETE FROM entries WHERE made < ?", [oldest])
        with suppress(sqlite3.DatabaseError):
            self._entries.commit()
        if self._is_damaged and self._file:
            with suppress(OSError):
                self._file.unlink(missing_ok=True)


def _is_locked(error: Exception) -> bool:
    """Whether SQLite refuses because another process uses the database."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
