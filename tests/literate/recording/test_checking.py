"""A record that is not true any more is told, with what is to be done."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from labml_txl.literate.recording.bindings import digest
from labml_txl.literate.recording.records import (
    Axis,
    Record,
    Run,
    Slice,
    Value,
    differences,
    file_of,
    stale,
    written,
)

CODE = "def f(x):\n    return x\n"
VALUE = Value(
    *("f", "x", 0, "", "float32", (Axis("n", 3),), 0.0, 25.2, 10.0, 1.0, -1, 0),
    slices=(Slice((), 0.0, 0.1, b"\0\x64\xfc"),),
)
RECORD = Record("pkg/a.py", digest(CODE), Run("", "", 0, 0, ""), (VALUE,))


def changed(**how: object) -> Record:
    return replace(RECORD, values=(replace(VALUE, **how),))  # type: ignore[arg-type]


def codes(*numbers: int, low: float = 0.0, step: float = 0.1) -> Record:
    return changed(slices=(Slice((), low, step, bytes(numbers)),))


def test_a_new_run_may_differ_by_what_another_processor_makes_of_it() -> None:
    assert not [*differences(RECORD, codes(1, 98, 252))]
    assert not [*differences(RECORD, codes(0, 100, 252, low=0.27))]
    assert [*differences(RECORD, codes(5, 100, 252))] == [
        "pkg/a.py: x in f has other values than were recorded"
    ]
    assert [*differences(RECORD, codes(0, 100, 254))]
    assert [*differences(codes(0, 100, 255), codes(0, 100, 252))]
    assert not [*differences(codes(0, 100, 255), codes(0, 100, 255))]
    whole = codes(1, 2, 3, step=1.0)
    assert [*differences(whole, codes(1, 2, 4, step=1.0))]
    flat = codes(0, 0, 0, low=5.0, step=0.0)
    assert not [*differences(flat, codes(0, 0, 0, low=5.001, step=0.0))]
    assert [*differences(flat, codes(0, 0, 0, low=5.1, step=0.0))]
    # A narrow range far from 0 is no better known than its lowest number.
    near = codes(0, 9, 9, low=5.0, step=1e-7)
    assert not [*differences(near, codes(0, 200, 252, low=5.0, step=1e-7))]


@pytest.mark.parametrize(
    ("new", "told"),
    [
        (changed(dtype="float64"), "x in f is float64 [3], recorded as float32 [3]"),
        (changed(axes=(Axis("n", 4),)), "is float32 [4], recorded as float32 [3]"),
        (changed(axes=(Axis("m", 3),)), "x in f has other axes than were recorded"),
        (changed(call="layer 2"), "x in f has other axes than were recorded"),
        (changed(slices=()), "x in f has other axes than were recorded"),
        (replace(RECORD, values=()), "x in f is bound no more"),
        (replace(RECORD, digest=""), "the code has changed since it was recorded"),
        (
            replace(RECORD, run=replace(RECORD.run, axes=(("n", "query"),))),
            "the run has another description than was recorded",
        ),
    ],
)
def test_shapes_types_and_names_may_not_differ(new: Record, told: str) -> None:
    (line,) = differences(RECORD, new)
    assert line.startswith("pkg/a.py: ")
    assert line.endswith(told)
    assert not [*differences(new, new)]


def test_another_version_of_a_library_is_no_difference() -> None:
    run = replace(RECORD.run, versions=(("numpy", "9"),))
    assert not [*differences(RECORD, replace(RECORD, run=run))]


def told(root: Path, files: Iterable[tuple[str, str]]) -> list[str]:
    """What is wrong with the records below a root, after some files are written."""
    for name, text in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return [str(each) for each in stale(root / "docs", root)]


def test_what_is_wrong_with_a_record_is_seen_without_running_anything(
    tmp_path: Path,
) -> None:
    file = f"docs/{file_of(RECORD.module)}"
    assert file == "docs/pkg.a.json"
    right = [("pkg/a.py", CODE), (file, written(RECORD))]
    assert told(tmp_path, right) == []
    # Other words leave a record as it is.
    assert told(tmp_path, [("pkg/a.py", f'"""A."""\n{CODE}')]) == []
    again = "record it again with txl observe"
    assert told(tmp_path, [("pkg/a.py", "def f(y):\n    return y\n")]) == [
        f"{file}:1: pkg/a.py is other code than what ran: {again}"
    ]
    assert told(tmp_path, [("pkg/a.py", "def f(")]) == []
    other = replace(RECORD, values=(replace(VALUE, name="y"),))
    assert told(tmp_path, [right[0], (file, written(other))]) == [
        f"{file}:1: y in f is not bound: {again}"
    ]
    (line,) = told(tmp_path, [(file, written(RECORD)[:-9])])
    assert line.startswith(f"{file}:1: this is no record")
    for module in ("pkg/b.py", "../a.py"):
        lines = told(tmp_path, [(file, written(replace(RECORD, module=module)))])
        assert lines == [f"{file}:1: there is no {module}: remove this"]
