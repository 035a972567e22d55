"""What is told of a build."""

import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from labml_txl.literate.edition.publishing.site import Publication, report
from labml_txl.literate.sources.source import LiterateError
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
