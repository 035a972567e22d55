r"""# Records

What a run showed, as data: one JSON file for each module, written by `txl observe` and
committed. Pages read it, so that a site is built without the library that computed it.

A tensor is kept as its shape, its range, and a few slices with two axes, in 8 bits: a
byte $b$ up to 252 stands for $\text{low} + b \cdot \text{step}$; 253 is $-\infty$, 254
is $\infty$, and 255 is not a number.

A record comes out of a file that anybody may have edited. What is wrong with it is told
with one line, and nothing of it is shown then.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from labml_txl.literate.sources.source import LiterateError

FORMAT = 2

# The largest slice, and the bytes that stand for no number.
SIDE = 96
STEPS = 252
UNREAL = {253: -math.inf, 254: math.inf, 255: math.nan}


@dataclass(frozen=True)
class Run:
    r"""The run that values come from.

    - `name`: what it is in a few words (`a small Transformer-XL`);
    - `data`: what it read;
    - `step`, `seed`: how long what ran was trained, and with which seed;
    - `command`: the command that records it again;
    - `axes`: what one place on an axis is called, by the name of the axis, or by those
      of both that are shown: `("seq_len → k_len", "query → key")`;
    - `versions`: of Python and of what computed, as `("torch", "2.13.0")`.
    """

    name: str
    data: str
    step: int
    seed: int
    command: str
    versions: tuple[tuple[str, str], ...] = ()
    axes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Axis:
    r"""An axis of a tensor: its name, which may be empty, and its size.

    Where it runs over tokens, `labels` holds them, one for each index. Where they
    differ from one index of another axis to the next, `by` is the number of that axis,
    and all tokens of its first index come first.
    """

    name: str
    size: int
    labels: tuple[str, ...] = ()
    by: int = -1


@dataclass(frozen=True)
class Slice:
    r"""Two axes of a tensor at one index of each other axis.

    `at` holds these indices, in the order of the axes, without those shown. `codes`
    holds the rows one after another, one byte an element.
    """

    at: tuple[int, ...]
    low: float
    step: float
    codes: bytes

    def values(self) -> list[float]:
        r"""The elements, row after row."""
        return [
            UNREAL.get(code, self.low + code * self.step if code <= STEPS else math.nan)
            for code in self.codes
        ]


@dataclass(frozen=True)
class Value:
    r"""A tensor that a name held.

    - `function`, `name`, `ordinal`: the key of the binding, see `bindings`;
    - `call`: which call of the function, in a few words (`layer 2 of 4`), or empty;
    - `dtype`: the type of its elements, as `float32`;
    - `axes`: its axes, in order;
    - `least`, `most`, `mean`, `deviation`: of its finite elements; `None` if it has
      none;
    - `rows`, `columns`: the axes that a slice shows, -1 for none: a vector has columns
      only, a scalar neither;
    - `slices`: what is kept of it, with `SIDE` rows and columns at most: the first
      `SIDE` of each axis, or the last where an axis runs over keys.
    - `start`: the index of the first row and of the first column that is kept.
    - `turn`: which of the calls that values of the function are of, from 0: a branch
      that did not run in the first may have run in another.
    """

    function: str
    name: str
    ordinal: int
    call: str
    dtype: str
    axes: tuple[Axis, ...]
    least: float | None
    most: float | None
    mean: float | None
    deviation: float | None
    rows: int = -1
    columns: int = -1
    slices: tuple[Slice, ...] = ()
    start: tuple[int, int] = (0, 0)
    turn: int = 0

    @property
    def key(self) -> tuple[str, str, int]:
        r"""The key of its binding."""
        return self.function, self.name, self.ordinal

    @property
    def shape(self) -> tuple[int, ...]:
        r"""The sizes of the axes."""
        return tuple(axis.size for axis in self.axes)

    @property
    def extent(self) -> tuple[int, int]:
        r"""The rows and columns of each slice."""
        rows, columns = (
            min(self.axes[axis].size, SIDE) if axis >= 0 else 1
            for axis in (self.rows, self.columns)
        )
        return rows, columns


@dataclass(frozen=True)
class Record:
    r"""What one run showed in one module.

    `module` is the path of the file from the root of the project, with `/`; `digest`
    names the code that ran.
    """

    module: str
    digest: str
    run: Run
    values: tuple[Value, ...]


def written(record: Record) -> str:
    r"""A record as the text of a file: the same record gives the same bytes.

    Names may share what they hold, so elements and tokens stand in tables, once each.
    """
    content = {"format": FORMAT, **_plain(record)}
    values = content.pop("values")
    codes: dict[str, int] = {}
    labels: dict[tuple[str, ...], int] = {}
    for value in values:
        for one in value.get("slices", ()):
            one["codes"] = codes.setdefault(one["codes"], len(codes))
        for axis in value.get("axes", ()):
            if "labels" in axis:
                axis["labels"] = labels.setdefault(tuple(axis["labels"]), len(labels))
    text = json.dumps(content, ensure_ascii=False, allow_nan=False)[:-1]
    tables = {"labels": labels, "codes": codes, "values": values}
    for name, table in tables.items():
        rows = (json.dumps(v, ensure_ascii=False, allow_nan=False) for v in table)
        text += f', "{name}": [\n' + ",\n".join(rows) + "\n]"
    text += "}\n"
    # A token may be half a letter, which no file of text can hold as it is.
    return text.encode("utf-8", "backslashreplace").decode()


def read_record(path: Path, root: Path) -> Record:
    r"""The record in a file; `LiterateError` in one line if it holds anything else."""
    name = path.relative_to(root).as_posix()
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            given = f"format {content['format']}, wanted {FORMAT}"
            raise LiterateError(name, 1, f"{given}: record it again with txl observe")
        record = Record(
            _text(content["module"]),
            _text(content["digest"]),
            _run(content["run"]),
            tuple(_values(content)),
        )
    except _NONSENSE as error:
        problem = f"this is no record ({type(error).__name__}: {error})"
        way_out = "record it again with txl observe"
        raise LiterateError(name, 1, f"{problem}: {way_out}") from None
    return record


# What nonsense in a file may lead to, also one that is nested very deep, or a number
# with very many digits.
_NONSENSE = (
    *(ValueError, TypeError, LookupError, AttributeError),
    *(OverflowError, RecursionError),
)


def _plain(item: Any) -> Any:
    r"""What JSON has a form for. Empty and usual things are left out."""
    if isinstance(item, bytes):
        return base64.b64encode(item).decode()
    if isinstance(item, tuple):
        return [_plain(part) for part in item]
    if isinstance(item, (Record, Run, Axis, Value, Slice)):
        return {
            field.name: _plain(value)
            for field in fields(item)
            if (value := getattr(item, field.name)) != field.default and value != ()
        }
    return item


def _run(given: Mapping[str, Any]) -> Run:
    versions, axes = (
        tuple((_text(name), _text(of)) for name, of in given.get(key, ()))
        for key in ("versions", "axes")
    )
    name, data, command = (_text(given[key]) for key in ("name", "data", "command"))
    step, seed = _whole(given["step"]), _whole(given["seed"])
    return Run(name, data, step, seed, command, versions, axes)


def _values(content: Mapping[str, Any]) -> Iterator[Value]:
    labels = [tuple(map(_text, each)) for each in content["labels"]]
    codes = [base64.b64decode(each, validate=True) for each in content["codes"]]
    for value in content["values"]:
        yield _value(value, labels, codes)


def _value(
    given: Mapping[str, Any], labels: Sequence[tuple[str, ...]], codes: Sequence[bytes]
) -> Value:
    axes = tuple(_axis(axis, labels) for axis in given.get("axes", ()))
    for axis in axes:
        times = axes[axis.by].size if axis.by >= 0 else 1
        if axis.labels and len(axis.labels) != axis.size * times:
            wanted = f"{axis.size} × {times}"
            raise ValueError(f"{len(axis.labels)} labels for {wanted} indices")
    rows, columns = (_whole(given.get(key, -1), -1) for key in ("rows", "columns"))
    if rows >= len(axes) or columns >= len(axes) or (rows >= 0 and rows == columns):
        raise ValueError(f"rows {rows} and columns {columns} of {len(axes)} axes")
    first, second = given.get("start", (0, 0))
    value = Value(
        function=_text(given["function"]),
        name=_text(given["name"]),
        ordinal=_whole(given["ordinal"]),
        call=_text(given.get("call", "")),
        dtype=_text(given["dtype"]),
        axes=axes,
        least=_number(given.get("least")),
        most=_number(given.get("most")),
        mean=_number(given.get("mean")),
        deviation=_number(given.get("deviation")),
        rows=rows,
        columns=columns,
        slices=tuple(_slice(one, codes) for one in given.get("slices", ())),
        start=(_whole(first), _whole(second)),
        turn=_whole(given.get("turn", 0)),
    )
    size, others = math.prod(value.extent), len(axes) - (rows >= 0) - (columns >= 0)
    for one in value.slices:
        if len(one.codes) != size or len(one.at) != others:
            given_size = f"{len(one.codes)} elements at {list(one.at)}"
            raise ValueError(f"{value.name}: {given_size}, wanted {size}")
    return value


def _axis(given: Mapping[str, Any], labels: Sequence[tuple[str, ...]]) -> Axis:
    told = labels[_whole(given["labels"])] if "labels" in given else ()
    by = _whole(given.get("by", -1), -1)
    return Axis(_text(given["name"]), _whole(given["size"]), told, by)


def _slice(given: Mapping[str, Any], codes: Sequence[bytes]) -> Slice:
    at = tuple(_whole(index) for index in given.get("at", ()))
    low, step = _number(given["low"]), _number(given["step"])
    if low is None or step is None:
        raise ValueError("a slice without low and step")
    return Slice(at, low, step, codes[_whole(given["codes"])])


def _text(given: Any) -> str:
    if not isinstance(given, str):
        raise TypeError(f"{given!r} is no text")
    return given


def _whole(given: Any, least: int = 0) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or given < least:
        raise ValueError(f"{given!r} is no whole number from {least} on")
    return given


def _number(given: Any) -> float | None:
    if given is None:
        return None
    if not isinstance(given, (int, float)) or not math.isfinite(given):
        raise ValueError(f"{given!r} is no finite number")
    return float(given)
