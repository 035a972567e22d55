"""Which lines each test runs, those of the processes that it starts too.

Pytest takes this module as a plugin: `-p tests.mutants.watch`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import coverage
import pytest

from tests.mutants.whose import NOW

EVERY = "every"  # what a whole file shares: its imports, and fixtures of its module
_tests: dict[str, float] = {}
_shared: dict[str, float] = {}  # the seconds of fixtures that several tests get


def _now() -> str:
    return NOW.read_text(encoding="utf-8")


def _turn(context: str) -> None:
    NOW.write_text(context, encoding="utf-8")
    if current := coverage.Coverage.current():
        current.switch_context(context)


def pytest_configure(config: pytest.Config) -> None:
    """Begin with what the file shares."""
    _turn(EVERY)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Lines are those of this test while it runs.

    Its seconds are those that it takes alone, with every fixture that it needs.
    """
    _tests[item.nodeid] = 0.0
    _turn(str(len(_tests) - 1))
    before, begin = sum(_shared.values()), time.monotonic()
    try:
        return (yield)
    finally:
        own = time.monotonic() - begin - (sum(_shared.values()) - before)
        names = getattr(item, "fixturenames", [])
        needed = sum(_shared.get(name, 0.0) for name in names)
        if _tests[item.nodeid] >= 0:
            _tests[item.nodeid] = round(own + needed, 3)
        _turn(EVERY)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object]) -> Iterator[None]:
    """What more than one test gets belongs to all of them."""
    if fixturedef.scope == "function":
        return (yield)
    before, begin = _now(), time.monotonic()
    _turn(EVERY)
    try:
        return (yield)
    finally:
        _shared[fixturedef.argname] = time.monotonic() - begin
        _turn(before)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """A test that fails without a fault, or does not run, notices nothing."""
    if not report.passed:
        _tests[report.nodeid] = -1


def pytest_sessionfinish() -> None:
    """The tests in their order, each with its seconds."""
    NOW.with_name("tests.json").write_text(json.dumps(_tests), encoding="utf-8")
