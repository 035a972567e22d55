"""Faults are drawn as they are said to be, and the kept lists are whole."""

import ast
import json
from pathlib import Path

import pytest

from tests.mutants.draw import draw, mutants

ROOT = Path(__file__).parents[1]
CODE = '''\
"""About it."""


def first(items: list[int], size: int = 3) -> int | None:
    """The first that is large."""
    for item in items:
        if (item) > (size) and not item % 2:  # a comment
            return item + 1
    return None
'''


def test_every_kind_of_fault_is_drawn_from_a_function() -> None:
    found = {(one.old.strip(), one.new.strip()) for one in mutants("a.py", CODE)}
    assert found >= {
        (">", ">="),
        ("and", "or"),
        ("not", ""),
        ("%", "+"),
        ("item + 1", "None"),
        ("1", "(1 + 1)"),
    }
    assert not [new for old, new in found if "comment" in old or "About" in old]
    for one in mutants("a.py", CODE):
        assert ast.dump(ast.parse(one.of(CODE))) != ast.dump(ast.parse(CODE)), one


def test_the_seed_alone_decides(tmp_path: Path) -> None:
    files = []
    for name in "ab":
        files.append(tmp_path / f"{name}.py")
        files[-1].write_text(CODE)
    first, again = (draw(tmp_path, files, 2, seed=1) for _ in range(2))
    assert first == again
    assert {one.path for one in first} == {"a.py", "b.py"}


@pytest.mark.parametrize(
    "file", sorted((ROOT / "tests/mutants").glob("*.json")), ids=lambda file: file.stem
)
def test_of_a_hundred_faults_the_tests_notice_ninety(file: Path) -> None:
    answer = json.loads(file.read_text(encoding="utf-8"))
    entries = answer["mutants"]
    assert answer["drawn"] == len(entries) >= 100
    assert answer["noticed"] == sum("noticed by" in one for one in entries) >= 90
    for one in entries:
        assert one.get("noticed by") or one["survives"] != "not explained yet", one
