"""A site takes its place when it is whole."""

import gc
import logging
import sys
from pathlib import Path

import pytest

from labml_txl.errors import UserError
from labml_txl.literate.project.publication import Publication
from labml_txl.literate.sources.source import LiterateError
from tests.literate.small import contents, write


def test_faults_are_reported_once_and_in_order(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    places = [("b.py", 2), ("a.py", 9), ("b.py", 1), ("a.py", 9)]
    faults = [LiterateError(path, line, "wrong") for path, line in places]
    site = Publication(logging.getLogger("report"))
    site.begin(tmp_path / "site")
    site.report(faults)
    site.report(faults)  # of another language
    site.end()
    assert len(site.messages) == 3
    told = ("a.py:9", "b.py:1", "b.py:2")
    assert caplog.messages == [f"{place}: wrong" for place in told]


@pytest.mark.parametrize("keep", [["ja", "zh", "new"], []])
def test_while_somebody_writes_other_languages_stay(
    tmp_path: Path, keep: list[str]
) -> None:
    site = Publication(logging.getLogger("publication"))
    write(tmp_path, {f"site/{name}/index.html": "old" for name in ("gone", "ja", "zh")})
    site.begin(tmp_path / "site")
    write(site.partial, {"index.html": "new"})
    site.finish(keep=keep)
    kept = {"ja/index.html", "zh/index.html"} if keep else set()
    assert contents(tmp_path / "site").keys() == {"index.html", *kept}


def test_a_reader_finds_the_whole_old_site_or_the_whole_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = ({f"{n}.html": words for n in range(9)} for words in ("old", "new"))
    write(tmp_path / "site", old)
    site = Publication(logging.getLogger("publication"))
    site.begin(tmp_path / "site")
    write(site.partial, new)
    seen = list[set[bytes]]()

    def look(event: str, args: object) -> None:
        # Python reports each call that changes a file, before it is made.
        if watching and event in {
            "os.rename",
            "os.remove",
            "os.rmdir",
            "shutil.rmtree",
        }:
            files = contents(tmp_path / "site")
            assert len(files) == 9
            seen.append({*files.values()})

    watching = True
    sys.addaudithook(look)
    site.finish()
    watching = False
    site.end()
    assert {*seen[0]} == {b"new"} or b"old" in seen[0]
    assert all(len(words) == 1 for words in seen)
    assert contents(tmp_path / "site") == dict.fromkeys(new, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_two_builds_into_one_folder_are_refused_in_a_line(tmp_path: Path) -> None:
    first, second = (Publication(logging.getLogger(name)) for name in "ab")
    threshold = gc.get_threshold()
    first.begin(tmp_path / "site")
    write(first.partial, {"index.html": "first"})
    with pytest.raises(UserError, match=r"another build is writing .*site: wait"):
        second.begin(tmp_path / "site")
    second.discard()
    second.end()
    first.finish()
    first.end()
    assert contents(tmp_path / "site") == {"index.html": b"first"}
    second.begin(tmp_path / "site")
    second.end()
    assert gc.get_threshold() == threshold


def test_nothing_behind_a_link_is_deleted(tmp_path: Path) -> None:
    """Somebody else's project may have a link in the place of a temporary folder."""
    write(tmp_path, {"mine/letter.txt": "kept", "project/site/index.html": "old"})
    site = Publication(logging.getLogger("link"))
    site.goal = tmp_path / "project/site"
    for place in (site.partial, site.goal / "ja.partial"):
        place.symlink_to(tmp_path / "mine")
    site.begin(site.goal)
    assert not site.partial.is_symlink()
    write(site.partial, {"index.html": "new"})
    site.place("ja", lambda partial: write(partial, {"index.html": "ja"}))
    site.finish()
    site.end()
    assert contents(tmp_path / "mine") == {"letter.txt": b"kept"}
    assert contents(site.goal) == {"index.html": b"new"}
    # Nor does a file stand in the way.
    site.partial.write_text("a file")
    site.begin(site.goal)
    assert not site.partial.exists()
    site.end()


def test_a_language_that_fails_leaves_its_old_pages(tmp_path: Path) -> None:
    site = Publication(logging.getLogger("publication"))
    site.begin(tmp_path / "site")
    write(tmp_path, {"site/ja/index.html": "old"})

    def fail(folder: Path) -> None:
        write(folder, {"index.html": "half"})
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011
        site.place("ja", fail)
    assert contents(tmp_path / "site") == {"ja/index.html": b"old"}
    site.place("ja", lambda folder: write(folder, {"index.html": "new"}))
    assert contents(tmp_path / "site") == {"ja/index.html": b"new"}
