"""Faults are drawn as they are said to be, and the tests notice them."""

import ast
import shutil
from pathlib import Path

import pytest

from tests.mutants.__main__ import UNEXPLAINED
from tests.mutants.draw import draw, mutants
from tests.mutants.kept import read
from tests.mutants.lines import TestFile, measured
from tests.mutants.trial import Answer, places, tried

LISTS = sorted(Path(__file__).with_name("mutants").glob("*.json"))

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


def test_a_statement_is_its_lines_and_a_header_those_before_its_body() -> None:
    found = {one.old.strip(): places(one, CODE) for one in mutants("a.py", CODE)}
    assert found["item + 1"] == ["a.py:8"]
    assert found[">"] == ["a.py:7"]
    call = "def f(x):\n    return g(\n        x < 1,\n        2,\n    )\n"
    (found_in_call,) = (
        places(one, call) for one in mutants("a.py", call) if one.old == "2"
    )
    assert found_in_call == [f"a.py:{line}" for line in range(2, 6)]


PROJECT = {
    "labml_txl/__init__.py": "",
    "labml_txl/counting.py": """\
def shared(size: int) -> int:
    return size + 1


def alone(size: int) -> int:
    return size + 2


def apart(size: int) -> int:
    return size + 3


def loose(size: int) -> int:
    return size + 4


def never(size: int) -> int:
    return size + 5
""",
    "tests/test_counting.py": """\
import subprocess
import sys

import pytest

from labml_txl import counting


@pytest.fixture(scope="module")
def two() -> int:
    return counting.shared(1)


def test_first(two: int) -> None:
    assert counting.loose(1)


def test_second(two: int) -> None:
    assert two == 2


def test_alone() -> None:
    assert counting.alone(1) == 3


def test_apart() -> None:
    code = "from labml_txl.counting import apart; print(apart(1))"
    command = [sys.executable, "-c", code]
    assert subprocess.run(command, capture_output=True, text=True).stdout == "4\\n"


def test_that_fails() -> None:
    assert not counting.loose(1)
""",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copy")
    here = Path(__file__).parent
    shutil.copytree(here / "mutants", folder / "tests/mutants")
    for path, text in PROJECT.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text)
    return folder


@pytest.fixture(scope="module")
def counted(project: Path) -> TestFile:
    return measured(project, "tests/test_counting.py", "", project / "kept")


@pytest.mark.parametrize(
    ("line", "names"),
    [(2, ["first", "second", "alone", "apart"]), (6, ["alone"]), (10, ["apart"])],
)
def test_tests_are_found_by_a_line_that_they_run(
    counted: TestFile, line: int, names: list[str]
) -> None:
    found = counted.running([f"labml_txl/counting.py:{line}"])
    assert found == [f"tests/test_counting.py::test_{name}" for name in names]


def test_what_fails_without_a_fault_notices_nothing(counted: TestFile) -> None:
    assert counted.tests["tests/test_counting.py::test_that_fails"] == -1
    assert counted.running(["labml_txl/counting.py:14"]) == [
        "tests/test_counting.py::test_first"
    ]


@pytest.mark.parametrize(
    ("function", "name"),
    [("shared", "second"), ("apart", "apart"), ("loose", ""), ("never", "")],
)
def test_a_fault_is_noticed_by_the_test_that_fails(
    project: Path, counted: TestFile, function: str, name: str
) -> None:
    file = project / "labml_txl/counting.py"
    (mutant,) = (
        one
        for one in mutants("labml_txl/counting.py", file.read_text())
        if one.function == function and one.old == " + "
    )
    noticed = tried(mutant, project, [counted]).noticed
    assert noticed == (f"tests/test_counting.py::test_{name}" if name else "")
    assert file.read_text() == PROJECT["labml_txl/counting.py"]


def test_an_answer_holds_until_a_test_that_it_stands_on_changes() -> None:
    one, two = (TestFile(path, "1", {}, {}) for path in ("one", "two"))
    changed = TestFile("two", "2", {}, {})
    assert Answer("one::test", {"one": "1"}).holds([one, changed])
    assert not Answer("two::test", {"two": "1"}).holds([one, changed])
    assert Answer("", {"one": "1", "two": "1"}).holds([one, two])
    assert not Answer("", {"one": "1", "two": "1"}).holds([one, changed])
    assert not Answer().holds([one])


@pytest.mark.parametrize("file", LISTS, ids=lambda file: file.stem)
def test_nine_of_ten_faults_are_noticed_and_the_others_explained(file: Path) -> None:
    kept = read(file)
    entries = kept["mutants"]
    assert len({one["mutant"] for one in entries}) == len(entries) == kept["drawn"]
    assert sum("noticed by" in one for one in entries) == kept["noticed"]
    assert kept["noticed"] >= 0.9 * kept["drawn"]
    said = [one["survives"] for one in entries if "survives" in one]
    assert not [text for text in said if text.startswith(UNEXPLAINED)]
