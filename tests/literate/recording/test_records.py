"""A record is read as it was written, and nothing else is taken for one."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from labml_txl.literate.recording.records import (
    Axis,
    Record,
    Run,
    Slice,
    Value,
    read_record,
    stale,
    written,
)
from labml_txl.literate.sources.source import LiterateError

RUN = Run(
    *("a small model", "some “text”", 10, 1, "txl observe", (("numpy", "2.0"),)),
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


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(written(RECORD), encoding="utf-8")
    assert read_record(file, tmp_path) == RECORD


def test_what_names_share_stands_in_a_file_once(tmp_path: Path) -> None:
    twice = Record("pkg/a.py", "0123", RUN, (TENSOR, replace(TENSOR, name="z")))
    content = json.loads(written(twice))
    assert (len(content["codes"]), len(content["labels"])) == (2, 2)
    file = tmp_path / "a.json"
    file.write_text(written(twice), encoding="utf-8")
    assert read_record(file, tmp_path) == twice


def test_a_byte_stands_for_a_number() -> None:
    one = Slice((), -1.0, 0.5, bytes([0, 2, 252, 253, 254]))
    assert one.values() == [-1.0, 0.0, 125.0, -math.inf, math.inf]
    assert math.isnan(Slice((), 0.0, 1.0, b"\xff").values()[0])


@pytest.mark.parametrize(
    "text",
    [
        *("", "[1]", "[" * 100_000, written(RECORD)[:-40]),
        written(RECORD).replace('"format": 2', '"format": 1'),
        written(RECORD).replace('"ordinal"', '"number"'),
    ],
)
def test_what_is_no_record_is_told_in_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(LiterateError, match=r"^a.json:1: .*with txl observe$"):
        read_record(file, tmp_path)


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
]


@pytest.mark.parametrize(("place", "value"), STRANGE, ids=str)
def test_a_value_of_another_type_is_no_record(
    tmp_path: Path, place: tuple[Any, ...], value: object
) -> None:
    content = json.loads(written(RECORD))
    inner = content
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = value
    file = tmp_path / "a.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(LiterateError, match=r"^a.json:1: .*with txl observe$"):
        read_record(file, tmp_path)


@pytest.mark.parametrize("name", ["x" * 5000, "\0", "../../a.py"])
def test_a_module_that_no_file_can_be_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.json").write_text(
        written(replace(RECORD, module=name)), encoding="utf-8"
    )
    (told,) = stale(tmp_path, tmp_path)
    assert "remove this" in str(told)
