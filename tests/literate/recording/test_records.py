"""A record is read as it was written, and nothing else is taken for one."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from labml_txl.literate.recording.records import (
    Axis,
    Record,
    Run,
    Slice,
    Value,
    read_record,
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
