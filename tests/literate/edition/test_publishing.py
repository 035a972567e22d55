"""What is told of a build."""

import logging

import pytest

from labml_txl.literate.edition.publishing.site import report
from labml_txl.literate.sources.source import LiterateError


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
