"""What is told of a build."""

import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from labml_txl.literate.build.build import Project
from labml_txl.literate.build.edition import Edition
from labml_txl.literate.build.publishing.places import remove
from labml_txl.literate.build.publishing.site import Publication, report
from labml_txl.literate.sources.source import LiterateError, UnreadableError
from tests.literate.small import contents, write


@pytest.mark.parametrize(
    ("faults", "told"),
    [
        ([], []),
        (
            [("b.py", 2), ("a.py", 9), ("b.py", 1), ("a.py", 9)],
            [f"{place}: wrong" for place in ("a.py:9", "b.py:1", "b.py:2")]
            + ["Faults: 3. Files with faults: 2."],
        ),
    ],
)
def test_faults_are_told_in_order_and_counted(
    faults: list[tuple[str, int]], told: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="report"):
        report(
            logging.getLogger("report"),
            [LiterateError(path, line, "wrong") for path, line in faults],
        )
    assert caplog.messages == told


def test_a_server_begins_with_broken_files_and_keeps_the_page_of_a_new_one(
    tmp_path: Path,
) -> None:
    site = Publication("", logging.getLogger("server"))
    site.serving = True

    def save(name: str, text: str) -> None:
        write(tmp_path, {f"pkg/{name}.py": text})
        site.stop_at_unreadable(Edition(Project(tmp_path, modules=("pkg",))))

    save("old", "print 1\n")
    save("new", "x = 1\n")
    for _ in range(2):
        with pytest.raises(UnreadableError, match=r"pkg/new\.py:1"):
            save("new", "x = (\n")
    save("new", "x = 2\n")
    save("old", "print(1)\n")
    with pytest.raises(UnreadableError, match=r"pkg/old\.py:1"):
        save("old", "print 1\n")


@pytest.mark.parametrize("serving", [True, False])
def test_while_somebody_writes_other_languages_stay_until_they_are_asked_for(
    tmp_path: Path, serving: bool
) -> None:
    languages = [SimpleNamespace(code=code) for code in ("en", "ja", "zh")]
    edition: Any = SimpleNamespace(languages=languages)
    publication = Publication("", logging.getLogger("publication"))
    publication.serving = serving
    write(tmp_path, {f"site/{name}/index.html": "old" for name in ("gone", "ja", "zh")})
    publication.begin(tmp_path / "site")
    write(publication.partial, {"index.html": "new"})
    publication.finish(edition, strict=False)
    kept = {"ja/index.html", "zh/index.html"} if serving else set()
    assert contents(tmp_path / "site").keys() == {"index.html", *kept}


def test_a_site_is_removed_and_what_its_links_lead_to_stays(tmp_path: Path) -> None:
    write(tmp_path, *({f"{f}/a/b/c/x.html": "x"} for f in ("site", "far", "near")))
    (tmp_path / "site/a/far").symlink_to(tmp_path / "far")
    (tmp_path / "link").symlink_to(tmp_path / "near")
    for name in ("site", "link", "missing"):
        remove(tmp_path / name)
    assert not (tmp_path / "site").exists()
    assert contents(tmp_path).keys() >= {"far/a/b/c/x.html", "near/a/b/c/x.html"}
