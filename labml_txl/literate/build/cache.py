r"""# Results of earlier builds

One SQLite file holds what earlier builds made of a project, as JSON. Each entry stands
under a hash of everything that it was made of, so an entry that is found is never out
of date. There are three kinds: what a module defines, the Markdown of its page with
its other forms, and the HTML of a page.

The file lies in the cache folder of the user, under a hash of the project's path, and
can be deleted at any time. A project brings no cache: reading it runs nothing.
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

from labml_txl.cache_folder import cache_folders, made

T = TypeVar("T")

# An entry that no build asked for in this time is removed.
SECONDS = 30 * 24 * 3600
_PACKAGES = (
    *("markdown", "mkdocs", "mkdocs-material", "pymdown-extensions", "pygments"),
    *("griffelib", "nbconvert", "nh3", "rjieba"),
)


def hash_of(*parts: object) -> str:
    """The hash of these values; other values have another one."""
    found = hashlib.blake2b(digest_size=16)
    for part in parts:
        if isinstance(part, str):
            kind, data = b"s", part.encode(errors="surrogatepass")
        elif isinstance(part, bytes):
            kind, data = b"b", part
        else:
            kind, data = b"r", repr(part).encode(errors="surrogatepass")
        found.update(kind + len(data).to_bytes(8, "little"))
        found.update(data)
    return found.hexdigest()


@cache
def program() -> str:
    """The hash of the engine and of the versions of the packages that it uses."""
    engine = Path(__file__).parents[1]
    files = sorted(f for end in ("py", "mjs", "html") for f in engine.rglob(f"*.{end}"))
    versions = []
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            versions.append((package, version(package)))
    return hash_of(sys.version, versions, *(file.read_bytes() for file in files))


def project_cache(root: Path) -> Cache:
    """The cache of a project; one in memory where no folder can be written to."""
    name = f"{root.name}-{hash_of(str(root.resolve()))}.sqlite"
    for folder in cache_folders():
        with suppress(OSError, sqlite3.Error):
            caches = made(folder / "sites")
            for file in caches.glob("*.sqlite"):  # of projects that nobody builds
                if file.stat().st_mtime < time.time() - SECONDS:
                    file.unlink()
            return Cache(caches / name)
    return Cache()


class Cache:
    """Entries by the hash of what they were made of: in a file, else in memory."""

    def __init__(self, file: Path | None = None) -> None:
        # The server of a preview answers each request in a thread of its own, one after
        # the other.
        self._entries = sqlite3.connect(
            file or ":memory:", timeout=1, check_same_thread=False
        )
        if file:
            file.chmod(0o600)
        try:
            self._prepare()
        except sqlite3.DatabaseError:
            # No database, or that of a program which has not ended: do without.
            self._entries.close()
            self._entries = sqlite3.connect(":memory:", check_same_thread=False)
            self._prepare()
        self._used: set[str] = set()

    def _prepare(self) -> None:
        run = self._entries.execute
        run("PRAGMA synchronous = OFF")
        run("CREATE TABLE IF NOT EXISTS program (hash TEXT)")
        run("CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, used, value)")
        if run("SELECT hash FROM program").fetchall() != [(program(),)]:
            run("DELETE FROM entries")
            run("DELETE FROM program")
            run("INSERT INTO program VALUES (?)", (program(),))
        self._entries.commit()

    def get(self, key: str) -> Any:
        """The entry of a key, or None."""
        found = self._entries.execute("SELECT value FROM entries WHERE key = ?", [key])
        for (value,) in found:
            self._used.add(key)
            return json.loads(zlib.decompress(value))
        return None

    def put(self, key: str, value: object) -> None:
        """Keep a value that JSON can hold."""
        text = json.dumps(value, separators=(",", ":"))
        packed = zlib.compress(text.encode(), level=1)
        with suppress(sqlite3.OperationalError):  # another build writes
            self._entries.execute(
                "INSERT OR REPLACE INTO entries VALUES (?, ?, ?)",
                (key, int(time.time()), packed),
            )

    def made(self, key: str, kind: type[T], make: Callable[[], T]) -> T:
        """The entry of a key as a dataclass, else what `make` makes, which is kept."""
        found = self.get(key)
        if found is not None:
            return kind(**found)
        value = make()
        names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
        self.put(key, {name: getattr(value, name) for name in names})
        return value

    def save(self) -> None:
        """Write what was put, and remove what no build has asked for in a long time."""
        now = int(time.time())
        with suppress(sqlite3.OperationalError):
            used = [(now, key) for key in self._used]
            self._entries.executemany("UPDATE entries SET used = ? WHERE key = ?", used)
            self._entries.execute("DELETE FROM entries WHERE used < ?", [now - SECONDS])
        with suppress(sqlite3.OperationalError):
            self._entries.commit()
        self._used.clear()
