"""What is kept is found again, as long as somebody asks for it."""

import subprocess
from pathlib import Path

import pytest

from labml_txl.literate.build import cache
from labml_txl.literate.build.cache import Cache


def fail() -> str:
    raise AssertionError("this was known")


def saved(folder: Path, name: str = "en") -> Cache:
    return Cache(folder / f"{name}.pickle")


def whole(kept: Cache) -> str:
    """Something that is made of two parts."""
    return kept.made(
        "whole", lambda: "".join(kept.made(part, part.upper) for part in "ab")
    )


def test_what_is_kept_is_known_to_the_next_build(tmp_path: Path) -> None:
    first = saved(tmp_path)
    assert whole(first) == "AB"
    first.save()
    assert saved(tmp_path).made("whole", fail) == "AB"


def test_git_leaves_the_cache_of_a_strangers_project_out(tmp_path: Path) -> None:
    kept = saved(tmp_path / ".cache" / "literate")
    kept.keep("a", "words")
    kept.save()
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    status = ["git", "status", "--porcelain", "--untracked-files=all"]
    said = subprocess.run(status, cwd=tmp_path, check=True, capture_output=True)
    assert said.stdout == b""
    assert len([*tmp_path.joinpath(".cache").rglob("*.pickle")]) == 1


def test_what_nobody_asks_for_is_forgotten(tmp_path: Path) -> None:
    first, second = saved(tmp_path), saved(tmp_path)
    first.keep("old", "words")
    first.save()
    second.keep("new", "words")
    second.save()
    assert saved(tmp_path).get("old") is None
    assert saved(tmp_path).get("new") == "words"


@pytest.mark.parametrize("builds", [1, 3])
def test_parts_stay_as_long_as_what_was_made_of_them(
    tmp_path: Path, builds: int
) -> None:
    first = saved(tmp_path)
    whole(first)
    first.save()
    for number in range(builds):
        later = saved(tmp_path)
        assert later.made("whole", fail) == "AB"
        # Without something new, nothing is written.
        later.keep(f"new {number}", "")
        later.save()
    assert saved(tmp_path).made("a", fail) == "A"
    assert saved(tmp_path).made("b", fail) == "B"


def test_parts_go_with_what_was_made_of_them(tmp_path: Path) -> None:
    first, second = saved(tmp_path), saved(tmp_path)
    whole(first)
    first.save()
    second.made("a", fail)
    second.save()
    assert saved(tmp_path).made("a", fail) == "A"
    assert saved(tmp_path).get("b") is None


def test_a_part_that_could_not_be_made_leaves_no_trace(tmp_path: Path) -> None:
    kept = saved(tmp_path)
    with pytest.raises(AssertionError):
        kept.made("whole", lambda: kept.made("part", fail))
    assert kept.get("whole") is None
    assert whole(kept) == "AB"


def test_languages_tell_each_other_what_is_shared(tmp_path: Path) -> None:
    english, japanese = saved(tmp_path), saved(tmp_path, "ja")
    assert english.made("key", lambda: "words", shared=True) == "words"
    assert japanese.made("key", fail, shared=True) == "words"
    assert japanese.get("own") is None


def test_what_is_shared_lasts_for_one_build_and_is_kept_by_each(tmp_path: Path) -> None:
    english, japanese = saved(tmp_path), saved(tmp_path, "ja")
    english.made("key", lambda: "words", shared=True)
    japanese.made("key", fail, shared=True)
    japanese.save()
    english.begin()
    chinese = saved(tmp_path, "zh")
    assert chinese.made("key", lambda: "other", shared=True) == "other"
    assert saved(tmp_path, "ja").made("key", fail, shared=True) == "words"


def test_another_program_is_told_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(tmp_path).made("key", lambda: "old", shared=True)
    monkeypatch.setattr(cache, "program", lambda: "another")
    assert saved(tmp_path, "ja").made("key", lambda: "new", shared=True) == "new"


def test_a_cache_without_a_file_shares_nothing() -> None:
    assert Cache().made("key", lambda: "words", shared=True) == "words"
    Cache().begin()
