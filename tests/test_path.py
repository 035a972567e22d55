"""The path through the site takes as long as its title says."""

import re

from tests.test_ground import ROOT

PATH = (ROOT / "docs/path.md").read_text(encoding="utf-8")
STOPS = re.findall(r"^\| (\d+) \| \[[^]]+\]\(([^)#]+)[^)]*\) \|", PATH, re.MULTILINE)


def test_the_minutes_of_the_stops_are_those_of_the_title() -> None:
    titles = re.findall(r"in (\d+) minutes\b", PATH)
    assert titles == ["90", "90"]
    assert sum(int(minutes) for minutes, _ in STOPS) == 90


def test_no_stop_is_made_twice() -> None:
    pages = [page for _, page in STOPS]
    assert len(pages) == len(set(pages)) >= 10
