r"""# What is computed once

A page that did not change need not be made again. What it became is kept under a digest
of all that it was made of, so a kept result is never an old one. The first part of each
digest stands for the program itself: another version of the engine or of a package that
it builds on finds nothing.

A result keeps its parts: as long as it is found, so are they. After a change, the parts
that did not change are found again.

The page of a module is kept under its own text, its translations, and where the names
of all modules stand. So a changed note makes one page anew. A definition that is new or
has another address makes all of them anew, since each may lead there.

The cache is one file for each language, below `.cache`. It can be deleted at any time.
Languages are built at the same time. What they all need is made by the first that asks:
beside these files is a folder in which the others find it.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

T = TypeVar("T")
Kept = TypeVar("Kept", covariant=True)

_PACKAGES = (
    *("markdown", "mkdocs", "mkdocs-material", "pymdown-extensions", "pygments"),
    *("griffelib", "nh3", "rjieba"),
)


def digest(*parts: object) -> str:
    """A name for these values: others have another name."""
    found = hashlib.blake2b(digest_size=16)
    for part in parts:
        if isinstance(part, str):
            kind, data = b"s", part.encode(errors="surrogatepass")
        elif isinstance(part, bytes):
            kind, data = b"b", part
        else:
            kind, data = b"r", repr(part).encode()
        found.update(kind + len(data).to_bytes(8, "little"))
        found.update(data)
    return found.hexdigest()


@cache
def program() -> str:
    """A name for the engine and for the packages that do its work."""
    engine = Path(__file__).parents[1]
    files = sorted(
        [f for ending in ("py", "mjs", "html") for f in engine.rglob(f"*.{ending}")]
    )
    return digest(
        sys.version, *map(_version, _PACKAGES), *(file.read_bytes() for file in files)
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


class _Kept(NamedTuple):
    """A result, packed, and the digests of what it was made of."""

    packed: bytes
    parts: tuple[str, ...] = ()


def _packed(value: object) -> bytes:
    # A quarter of the room, for a hundredth of the time of a build.
    return zlib.compress(pickle.dumps(value, pickle.HIGHEST_PROTOCOL), level=1)


class Cache:
    """Results by the digest of what they were made of, kept in a file if it has one.

    They are packed, in memory too: whoever asks for one gets a copy of their own.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = file
        self._known: dict[str, _Kept] = {}
        self._used: dict[str, _Kept] = {}
        self._making: list[set[str]] = []
        self._living: dict[str, Any] = {}
        self._loaded = self._alone = self._lives = False

    def get(self, key: str) -> Any:
        """What was kept under a digest, or None."""
        if not self._loaded:
            written = _load(self.file) if self.file else None
            self._known = {k: _Kept(*kept) for k, kept in (written or {}).items()}
            self._loaded = True
        self._use([key])
        if key not in self._used:
            return None
        return pickle.loads(zlib.decompress(self._used[key].packed))

    def _use(self, keys: Iterable[str]) -> None:
        """Parts stay as long as what was made of them."""
        for key in keys:
            if key in self._known and key not in self._used:
                self._used[key] = self._known[key]
                self._use(self._used[key].parts)
            if self._making and key in self._used:
                self._making[-1].add(key)

    def keep(self, key: str, value: Any, parts: Iterable[str] = ()) -> None:
        """Keep a result under the digest of what it was made of."""
        self._used[key] = _Kept(_packed(value), tuple(parts))
        self._use([key])

    def made(
        self,
        key: str,
        make: Callable[[], T],
        *,
        shared: bool = False,
        frozen: bool = False,
    ) -> T:
        """What was kept under a digest, else what `make` makes of it.

        What else is kept while `make` runs is a part of the result. A `shared` result
        is looked for among those of other languages first, and is put there. A `frozen`
        one is never changed: while somebody writes, all get the same.
        """
        if key in self._living:
            self._use([key])
            return cast(T, self._living[key])
        found = self.get(key)
        if found is None:
            file = self._shared(key) if shared else None
            self._making.append(set())
            try:
                found = _load(file) if file else None
                if found is None:
                    found = make()
                    if file:
                        _save(file, found)
            finally:
                parts = self._making.pop()
            self.keep(key, found, sorted(parts))
        if frozen and self._lives:
            self._living[key] = found
        return cast(T, found)

    @contextmanager
    def noting(self, keys: set[str]) -> Iterator[None]:
        """Put the digests of all that is asked for or kept into `keys`."""
        self._making.append(keys)
        try:
            yield
        finally:
            self._making.pop()

    def hold(self, keys: Iterable[str]) -> None:
        """Do not forget what stands under these digests, though nobody asks for it."""
        self._use(keys)

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

    def _shared(self, key: str) -> Path | None:
        if self.file is None or self._alone:
            return None
        return self.file.with_name("shared") / key

    def begin(self, *, alone: bool = False, lives: bool = False) -> None:
        """Forget what the languages told each other while they were built before.

        Where a language is `alone`, it tells nobody. A cache that `lives` is asked
        again and again by one process.
        """
        self._alone, self._lives = alone, lives
        if self.file:
            shutil.rmtree(self.file.with_name("shared"), ignore_errors=True)

    def save(self, *, write: bool = True) -> None:
        """Write what was asked for since the last time, and forget the rest.

        Git leaves the folder out.
        """
        if write and self.file and self._used.keys() != self._known.keys():
            _save(self.file, {key: tuple(kept) for key, kept in self._used.items()})
            with suppress(OSError):
                self.file.with_name(".gitignore").write_text("*\n", encoding="utf-8")
        self._living = {k: v for k, v in self._living.items() if k in self._used}
        self._known, self._used, self._loaded = self._used, {}, True


def _load(file: Path) -> Any:
    """What this program has written into a file, or None."""
    try:
        with file.open("rb") as stream:
            made_by, found = pickle.load(stream)
    except Exception:
        # A cache that cannot be read is no cache, whatever is wrong with it.
        return None
    return found if made_by == program() else None


def _save(file: Path, value: object) -> None:
    """Write the file whole or not at all; a folder that is read-only has no cache."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=file.parent)
        with os.fdopen(handle, "wb") as stream:
            pickle.dump((program(), value), stream, pickle.HIGHEST_PROTOCOL)
        os.replace(partial, file)
    except OSError:
        return


class Lazy(Mapping[str, Kept]):
    """Texts by name, each made when it is asked for: all at once take much room."""

    def __init__(self, makers: Mapping[str, Callable[[], Kept]]) -> None:
        self._makers = makers

    def __getitem__(self, name: str) -> Kept:
        """The text of that name."""
        return self._makers[name]()

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)
