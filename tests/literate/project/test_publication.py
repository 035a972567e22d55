"""A site takes its place when it is whole."""

import logging
from pathlib import Path

import pytest

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
