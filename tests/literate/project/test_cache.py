"""The cache holds what was put, for this program."""

import random
from dataclasses import dataclass
from pathlib import Path

import pytest

from labml_txl.literate.project import cache
from labml_txl.literate.project.cache import Cache, hash_of, project_cache


@dataclass(frozen=True)
class Entry:
    words: str
    numbers: tuple[int, ...] = ()


def made(cache: Cache, words: str, key: str = "key") -> Entry:
    return cache.get_or_make(hash_of(key), Entry, lambda: Entry(words, (1, 2)))


def test_an_entry_is_computed_once_and_reused_by_the_next_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.sqlite"
    first = Cache(file)
    assert made(first, "first") == Entry("first", (1, 2))
    assert made(first, "second").words == "first"
    # Another build at the same time does without what this one writes.
    second = Cache(file)
    assert made(second, "second").words == "second"
    first.save()
    second.save()
    again = made(Cache(file), "third")
    assert (again.words, [*again.numbers]) == ("first", [1, 2])
    assert file.stat().st_mode & 0o777 == 0o600
    monkeypatch.setattr(cache, "hash_program", lambda: "another")
    assert made(Cache(file), "third").words == "third"


def test_a_damaged_entry_is_computed_again(
    tmp_path: Path,
) -> None:
    file, keys = tmp_path / "a.sqlite", [str(number) for number in range(40)]
    whole = Cache(file)
    for key in keys:
        made(whole, f"right {key}", key)
    whole.save()
    data, chance, misses = file.read_bytes(), random.Random(1), 0
    for _ in range(150):
        damaged = bytearray(data)
        for _ in range(chance.choice((1, 50))):
            damaged[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        file.write_bytes(damaged)
        found = Cache(file)
        for key in keys:
            entry = made(found, f"new {key}", key)
            assert entry.words in {f"right {key}", f"new {key}"}
            misses += entry.words.startswith("new")
        found.save()
    assert misses > 40
    # The next builds are cached again.
    for words in ("first", "second", "third"):
        found = Cache(file)
        last = made(found, words).words
        found.save()
    assert last in {"first", "second"}


def test_an_old_entry_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, days = tmp_path / "a.sqlite", 24 * 3600
    now = 1_000_000_000
    monkeypatch.setattr("time.time", lambda: now)
    for words in ("first", "second"):
        found = Cache(file)
        made(found, words, words)
        found.save()
        now += 20 * days
    Cache(file).save()
    assert made(Cache(file), "again", "second").words == "second"
    assert made(Cache(file), "again", "first").words == "again"


def test_values_that_differ_have_another_hash() -> None:
    values = ["1", b"1", 1, ("1",), "", "a\n", ("a", ""), ("", "a")]
    hashes = [hash_of(value) for value in values] + [hash_of("a", "b"), hash_of("ab")]
    assert len({*hashes}) == len(hashes)


def test_a_cache_file_that_is_no_database_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "a.sqlite"
    file.write_bytes(b"no database" * 100)
    found = Cache(file)
    assert made(found, "first").words == "first"
    found.save()


def test_a_project_keeps_nothing_of_its_cache_in_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TXL_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    projects = [tmp_path / "one" / "site", tmp_path / "two" / "site"]
    for project in projects:
        project.mkdir(parents=True)
        found = project_cache(project)
        made(found, str(project))
        found.save()
    assert made(project_cache(projects[0]), "other").words == str(projects[0])
    assert [*projects[0].iterdir()] == []
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700
