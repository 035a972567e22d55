"""A record is read as it was written, and what is not true any more is told."""

import json
import math
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from labml_txl.literate.recording.bindings import hash_code
from labml_txl.literate.recording.records import (
    Axis,
    Record,
    Run,
    Slice,
    Value,
    compare,
    file_of,
    find_stale,
    read_record,
    to_json,
)
from labml_txl.literate.sources.source import LiterateError

RUN = Run(
    *("a small model", "some “text”", 10, 1, (("numpy", "2.0"),)),
    axes=(("i → j", "query → key"),),
)
TENSOR = Value(
    "A.run",
    "y",
    1,
    "layer 2 of 4",
    "float32",
    (
        Axis("batch", 2),
        Axis("i", 2, ("<b>", "\ud83d")),
        Axis("j", 3, (*"abc", *"def"), by=0),
    ),
    least=-1.0,
    most=1.5,
    turn=1,
    mean=0.25,
    deviation=0.5,
    rows=1,
    columns=2,
    slices=(
        Slice((0,), -1.0, 0.01, bytes(range(6))),
        Slice((1,), 0.0, 0.0, b"\xfd" * 6),
    ),
)
SCALAR = Value("A.run", "n", 0, "", "int64", (), None, None, None, None)
RECORD = Record("pkg/a.py", "0123", RUN, (TENSOR, SCALAR))


def store(folder: Path, content: str) -> Path:
    file = folder / "a.json"
    file.write_text(content, encoding="utf-8")
    return file


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    twice = replace(RECORD, values=(TENSOR, replace(TENSOR, name="z"), SCALAR))
    assert read_record(store(tmp_path, to_json(twice)), tmp_path) == twice
    # What names share stands in a file once.
    content = json.loads(to_json(twice))
    assert (len(content["codes"]), len(content["labels"])) == (2, 2)


def test_bytes_decode_to_numbers() -> None:
    one = Slice((), -1.0, 0.5, bytes([0, 2, 252, 253, 254]))
    assert one.values() == [-1.0, 0.0, 125.0, -math.inf, math.inf]
    assert math.isnan(Slice((), 0.0, 1.0, b"\xff").values()[0])


@pytest.mark.parametrize(
    "text",
    [
        *("", "[1]", "[" * 100_000, to_json(RECORD)[:-40]),
        to_json(RECORD).replace('"format": 3', '"format": 2'),
        to_json(RECORD).replace('"ordinal"', '"number"'),
    ],
)
def test_an_invalid_record_is_reported_in_one_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(LiterateError, match=r"^a.json:1: .*with txl observe$"):
        read_record(store(tmp_path, text), tmp_path)


# Each is a value of a record, by its place, that a page would write as it is.
STRANGE = [
    (("run",), None),
    (("run", "step"), "<img src=//evil.example>"),
    (("run", "axes"), ["a"]),
    (("module",), 3),
    (("values", 0, "name"), []),
    (("values", 0, "ordinal"), "<img>"),
    (("values", 0, "axes", 0, "size"), "<meta http-equiv=refresh>"),
    (("values", 0, "axes", 0, "size"), True),
    (("values", 0, "axes", 0, "name"), None),
    (("values", 0, "axes"), []),
    (("values", 0, "least"), math.nan),
    (("values", 0, "rows"), 7),
    (("values", 0, "turn"), 1.5),
    # Sizes that do not fit together.
    (("values", 0, "rows"), -2),
    (("values", 0, "rows"), 2),
    (("values", 0, "least"), None),
    (("values", 0, "axes", 1, "size"), 3),
    (("values", 0, "axes", 2, "by"), 3),
    (("values", 0, "axes", 2, "by"), -1),
    (("values", 0, "axes", 2, "size"), -3),
    (("values", 0, "axes", 2, "size"), 10**9),
    (("values", 0, "slices", 0, "at"), [2]),
    (("values", 0, "slices", 0, "at"), [0, 0]),
    (("codes", 0), "AAAA"),
]


@pytest.mark.parametrize(("place", "value"), STRANGE, ids=str)
def test_a_record_with_a_wrong_type_or_size_is_refused(
    tmp_path: Path, place: tuple[Any, ...], value: object
) -> None:
    content = json.loads(to_json(RECORD))
    inner = content
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = value
    with pytest.raises(LiterateError, match=r"^a.json:1: .*with txl observe$"):
        read_record(store(tmp_path, json.dumps(content)), tmp_path)


# A record that is not true any more

CODE = "def f(x):\n    return x\n"
X = Value(
    *("f", "x", 0, "", "float32", (Axis("n", 3),), 0.0, 25.2, 10.0, 1.0, -1, 0),
    slices=(Slice((), 0.0, 0.1, b"\0\x64\xfc"),),
)
OLD = Record("pkg/a.py", hash_code(CODE), Run("", "", 0, 0), (X,))


def changed(**how: object) -> Record:
    return replace(OLD, values=(replace(X, **how),))  # type: ignore[arg-type]


def codes(*numbers: int, low: float = 0.0, step: float = 0.1) -> Record:
    return changed(slices=(Slice((), low, step, bytes(numbers)),))


def test_small_differences_between_processors_are_tolerated() -> None:
    high = partial(codes, low=5.0, step=1e-7)
    flat = partial(codes, 0, 0, 0, step=0.0)
    for old, new, differs in (
        (OLD, codes(1, 98, 252), False),
        (OLD, codes(0, 100, 252, low=0.27), False),
        (OLD, codes(5, 100, 252), True),
        (OLD, codes(0, 100, 254), True),
        (codes(0, 100, 255), codes(0, 100, 252), True),
        (codes(0, 100, 255), codes(0, 100, 255), False),
        # Whole numbers are exact.
        (codes(1, 2, 3, step=1.0), codes(1, 2, 4, step=1.0), True),
        (flat(low=5.0), flat(low=5.001), False),
        (flat(low=5.0), flat(low=5.1), True),
        # A narrow range far from 0 is no better known than its lowest number.
        (high(0, 9, 9), high(0, 200, 252), False),
    ):
        said = "pkg/a.py: x in f has different values than recorded"
        assert [*compare(old, new)] == [said] * differs


def test_float16_may_differ_by_more() -> None:
    for dtype, low, differs in (
        ("float32", 1000.5, True),
        ("float16", 1000.5, False),
        ("float16", 1005.0, True),
        ("bfloat16", 1005.0, False),
    ):
        old, new = (
            changed(
                dtype=dtype,
                axes=(Axis("n", 3),),
                slices=(Slice((), at, 0.01, b"\0\x64\x05"),),
            )
            for at in (1000.0, low)
        )
        assert bool([*compare(old, new)]) == differs, (dtype, low)


@pytest.mark.parametrize(
    ("new", "told"),
    [
        (changed(dtype="float64"), "x in f is float64 [3], recorded as float32 [3]"),
        (changed(axes=(Axis("n", 4),)), "is float32 [4], recorded as float32 [3]"),
        (changed(axes=(Axis("m", 3),)), "x in f has different axes than recorded"),
        (changed(call="layer 2"), "x in f has different axes than recorded"),
        (changed(slices=()), "x in f has different axes than recorded"),
        (replace(OLD, values=()), "x in f is no longer assigned"),
        (replace(OLD, digest=""), "the code has changed since it was recorded"),
        (
            replace(OLD, run=replace(OLD.run, axes=(("n", "query"),))),
            "the description of the run has changed",
        ),
    ],
)
def test_different_shapes_types_or_names_are_reported(new: Record, told: str) -> None:
    (line,) = compare(OLD, new)
    assert line.startswith("pkg/a.py: ")
    assert line.endswith(told)
    # Another version of a library is no difference.
    run = replace(new.run, versions=(("numpy", "9"),))
    assert not [*compare(new, replace(new, run=run))]


def check(root: Path, files: Iterable[tuple[str, str]]) -> list[str]:
    """What is wrong with the records below a root, after some files are written."""
    for name, text in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return [str(each) for each in find_stale(root / "docs", root)]


def test_stale_records_are_found_without_running_code(
    tmp_path: Path,
) -> None:
    file = f"docs/{file_of(OLD.module)}"
    assert file == "docs/pkg.a.json"
    right = [("pkg/a.py", CODE), (file, to_json(OLD))]
    assert check(tmp_path, right) == []
    # Other words leave a record as it is.
    assert check(tmp_path, [("pkg/a.py", f'"""A."""\n{CODE}')]) == []
    again = "record it again with txl observe"
    assert check(tmp_path, [("pkg/a.py", "def f(y):\n    return y\n")]) == [
        f"{file}:1: pkg/a.py has changed since it was recorded: {again}"
    ]
    assert check(tmp_path, [("pkg/a.py", "def f(")]) == []
    (line,) = check(tmp_path, [(file, to_json(OLD)[:-9])])
    assert line.startswith(f"{file}:1: not a record")
    for module in ("pkg/b.py", "../a.py", "x" * 5000, "\0"):
        lines = check(tmp_path, [(file, to_json(replace(OLD, module=module)))])
        assert lines == [f"{file}:1: {module} does not exist: delete this record"]
