"""Some tests alone: pytest takes this module as a plugin (`-p tests.mutants.chosen`).

The file in `MUTANTS_CHOSEN` has the names of the tests to run. Those that failed are
written into another one beside it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.mutants.kept import read, write

_FILE = Path(os.environ.get("MUTANTS_CHOSEN", "chosen.json"))
_failed: list[str] = []


def failures(chosen: Path) -> Path:
    """Where the tests that failed are written."""
    return chosen.with_name(f"{chosen.name}.failed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out the others."""
    names = set(read(_FILE))
    items[:] = [item for item in items if item.nodeid in names]


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """A file that cannot be read has failed."""
    if report.failed:
        _failed.append(report.nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """A test has failed."""
    if report.failed:
        _failed.append(report.nodeid)


def pytest_sessionfinish() -> None:
    """Say which."""
    write(failures(_FILE), _failed)
