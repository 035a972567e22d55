"""What a student changes in a notebook: its numbers, and the answers of its exercises.

The cells run in this process, with small sizes.
"""

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labml_txl.literate.export.notebooks.tutorial import Tutorial, find_tutorials
from labml_txl.literate.sources.cells import Cell

# A plot of a tensor warns within NumPy.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

ROOT = Path(__file__).parents[2]

# The least numbers that are allowed; a notebook without numbers runs as it is.
LEAST: dict[str, dict[str, object]] = {
    "memory": {"N_LAYERS": 2, "SEQ_LEN": 2, "STEPS": 8, "PERIOD": 3, "MEM_LEN": 2},
    "relative_shift": {"MEMORY": "then the cat saw a bird", "LARGE": 1},
    "train_compressive": {"STEPS": 2, "FROZEN_STEPS": 1, "MEASURED": 400},
    "train_transformer_xl": {"STEPS": 1, "PROMPT": 1, "LETTERS": 1, "MEASURED": 100},
    "what_memory_is_worth": {"STEPS": 1, "SEGMENT": 2, "MEMORY": 1, "MEASURED": 300},
}
NAMES = sorted(path.stem for path in ROOT.glob("notebooks/*.py"))
# Numbers far from each other: here the memory is as long as 48 segments.
APART = {"STEPS": 1, "SEGMENT": 2, "MEMORY": 96, "MEASURED": 300}


def tutorial(name: str) -> Tutorial:
    (found,) = find_tutorials(ROOT, [f"notebooks/{name}.py"])
    return found


def compiled(cell: Cell, changes: Mapping[str, object]) -> tuple[Any, Any]:
    """The code of a cell, with other values for some names, and its last expression."""
    tree = ast.parse(cell.text)
    for node in tree.body if "parameters" in cell.tags else ():
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) if name in changes:
                node.value = ast.copy_location(ast.Constant(changes[name]), node.value)  # type: ignore[arg-type]
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    shown = ast.Expression(last.value) if isinstance(last, ast.Expr) else None
    name = f"cell at line {cell.line}"
    return compile(tree, name, "exec"), shown and compile(shown, name, "eval")


def execute(cell: Cell, names: dict[str, Any], changes: Mapping[str, object]) -> Any:
    """What a cell shows last."""
    code, shown = compiled(cell, changes)
    exec(code, names)
    return eval(shown, names) if shown else None


class Ran(NamedTuple):
    """The claims and the exercises that are wrong."""

    claims: list[str]
    exercises: list[str]


def run(name: str, changes: Mapping[str, object]) -> Ran:
    """Run a notebook, and give each answer after its solution is known."""
    names: dict[str, Any] = {"__name__": "__main__"}
    ran, check = Ran([], []), Cell("code", "", 0)
    for cell in tutorial(name).cells:
        if cell.kind != "code":
            continue
        shown, place = execute(cell, names, changes), f"{name}.py:{cell.line}"
        if "claim" in cell.tags and "full" not in cell.tags and shown is not True:
            ran.claims.append(f"{place}: {shown}")
        if "check" in cell.tags:
            check = cell
            if shown is not None:
                ran.exercises.append(f"{place}: {shown} for no answer")
        if "solution" in cell.tags:
            for answer, wanted in ((names["solution"], True), (_wrong(names), False)):
                given = execute(check, {**names, "answer": answer}, {})
                if given is not wanted:
                    ran.exercises.append(f"{place}: {given} for {answer!r}")
    return ran


def _wrong(names: Mapping[str, Any]) -> Any:
    """An answer of the right kind that is not the solution."""
    match names["solution"]:
        case bool() as answer:
            return not answer
        case int() | float() as answer:
            return answer + 1
        case tuple() | list() as answer:
            return [*answer, answer[0]]
        case str() as answer:
            return f"no {answer}"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TXL_QUICK", "1")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("name", "changes"),
    [*((name, LEAST.get(name, {})) for name in NAMES), ("what_memory_is_worth", APART)],
)
def test_a_notebook_runs_with_other_numbers_and_says_what_they_give(
    name: str, changes: Mapping[str, object]
) -> None:
    assert run(name, changes) == Ran([], [])


@pytest.mark.parametrize("given", ["", 3, None, "word"])
def test_a_text_is_taken_or_refused_in_the_first_cell(given: object) -> None:
    (cell,) = (c for c in tutorial("relative_shift").cells if "parameters" in c.tags)
    assert refusal(cell, {"SEGMENT": given}).endswith(": give 2 or more words")


def test_every_exercise_has_a_hint_an_answer_its_check_and_a_solution() -> None:
    wrong = []
    for name in NAMES:
        cells = tutorial(name).cells
        for before, cell, *after in zip(
            cells, cells[1:], cells[2:], cells[3:], strict=False
        ):
            kinds = [other.tags[0] if other.tags else "" for other in (cell, *after)]
            asked = "<summary>Hint</summary>" in before.text
            if asked != (kinds == ["answer", "check", "solution"]):
                wrong.append(f"{name}.py:{cell.line}: {kinds}")
        if not any("**2. " in cell.text for cell in cells):
            wrong.append(f"{name}.py: fewer than two exercises")
    assert wrong == []


NUMBERS = st.one_of(
    st.integers(-5, 70), st.integers(), st.sampled_from([0, 1.5, None, True, "3"])
)


@pytest.mark.parametrize("name", LEAST)
@settings(max_examples=40)
@given(data=st.data())
def test_a_number_is_taken_or_refused_in_the_first_cell(
    name: str, data: st.DataObject
) -> None:
    (cell,) = (c for c in tutorial(name).cells if "parameters" in c.tags)
    names: dict[str, Any] = {}
    execute(cell, names, {})
    limits = names.get("limits", {"LARGE": (1, 2048)})
    changes = {
        parameter: data.draw(NUMBERS, parameter)
        for parameter in data.draw(st.sets(st.sampled_from([*limits])))
    }
    if refused := refusal(cell, changes):
        assert refused.partition(" =")[0] in limits
        assert ": give " in refused
        return
    for parameter, value in changes.items():
        least, most = limits[parameter]
        assert type(value) is int
        assert least <= value <= most


def refusal(cell: Cell, changes: Mapping[str, object]) -> str:
    """What the cell of the parameters says of these numbers, if it refuses them."""
    try:
        execute(cell, {}, changes)
    except ValueError as error:
        return str(error)
    return ""
