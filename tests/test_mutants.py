"""Faults are drawn as they are said to be."""

import ast
from pathlib import Path

from tests.mutants.draw import draw, mutants

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
