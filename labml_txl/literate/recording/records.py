r"""# Records

What a run showed, as data: one JSON file for each module, written by `txl observe` and
committed. Pages read it, so that a site is built without the library that computed it.

A tensor is kept as its shape, its range, and a few slices with two axes, in 8 bits: a
byte $b$ up to 252 stands for $\text{low} + b \cdot \text{step}$; 253 is $-\infty$, 254
is $\infty$, and 255 is not a number.

A file that holds no record is reported in one line, and nothing of it is shown then.
"""

from __future__ import annotations

import json
import math
from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from labml_txl.literate.recording.bindings import bindings, digest
from labml_txl.literate.sources.source import LiterateError

FORMAT = 2
AGAIN = "record it again with txl observe"

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
            raise LiterateError(name, 1, f"{given}: {AGAIN}")
        return _record(content)
    except (
        AttributeError,
        ValueError,
        TypeError,
        LookupError,
        RecursionError,
    ) as error:
        problem = f"this is no record ({type(error).__name__}: {error})"
        raise LiterateError(name, 1, f"{problem}: {AGAIN}") from None


def _plain(item: Any) -> Any:
    r"""What JSON has a form for. Empty and usual things are left out."""
    if isinstance(item, bytes):
        return b64encode(item).decode()
    if isinstance(item, tuple):
        return [_plain(part) for part in item]
    if isinstance(item, (Record, Run, Axis, Value, Slice)):
        return {
            field.name: _plain(value)
            for field in fields(item)
            if (value := getattr(item, field.name)) != field.default and value != ()
        }
    return item


def _record(content: dict[str, Any]) -> Record:
    r"""The record in the content of a file, its tables put back into the values."""
    labels = [tuple(one) for one in content["labels"]]
    codes = [b64decode(one) for one in content["codes"]]
    run = content["run"]
    for pairs in ("versions", "axes"):
        run[pairs] = tuple(tuple(pair) for pair in run.get(pairs, ()))
    values = []
    for value in content["values"]:
        for axis in value.get("axes", ()):
            axis["labels"] = labels[axis["labels"]] if "labels" in axis else ()
        for one in value.get("slices", ()):
            one["at"], one["codes"] = tuple(one.get("at", ())), codes[one["codes"]]
        value["axes"] = tuple(Axis(**axis) for axis in value.get("axes", ()))
        value["slices"] = tuple(Slice(**one) for one in value.get("slices", ()))
        value["start"] = tuple(value.get("start", (0, 0)))
        values.append(Value(**value))
    record = Record(content["module"], content["digest"], Run(**run), tuple(values))
    _check(record, Record)
    return record


def _check(item: Any, kind: Any) -> None:
    r"""Raise `TypeError` for what is not of a type, or holds something that is not.

    Pages rely on it: a size that is a text would be HTML.
    """
    if kind in _TYPES:
        for name, wanted in _TYPES[kind].items():
            _check(getattr(item, name), wanted)
        if kind is Value and max(item.rows, item.columns) >= len(item.axes):
            raise TypeError(f"{item.name} shows an axis that it does not have")
    elif get_origin(kind) is tuple and isinstance(item, tuple):
        wanted = get_args(kind)
        wanted = wanted[:1] * len(item) if wanted[-1] is ... else wanted
        for one, part in zip(item, wanted, strict=True):
            _check(one, part)
    elif kind == float | None:
        if item is not None:
            _check(item, float)
    elif kind is float and type(item) in (int, float):
        if not abs(item) < 1e300:
            raise TypeError(f"{item} is no number")
    elif type(item) is not kind:
        raise TypeError(f"{item!r:.40} is not of the type {kind}")


_TYPES = {kind: get_type_hints(kind) for kind in (Record, Run, Axis, Value, Slice)}


# Whether a record is still true. `stale` asks without running anything whether the code
# is that of the record; `txl check` does. `differences` holds a record to a new run of
# the same code; `txl observe --check` does. Another processor computes sums in another
# order: numbers may differ by a little more than what 8 bits tell apart; shapes, types
# and whole numbers may not.

# How far a number may be off: steps of its 8 bits, a share of the slice's range, and
# what is left of the lowest number when it is rounded.
OFF_BY = 2.5
SHARE = 1e-3
ROUNDED = 1e-5


def file_of(module: str) -> str:
    r"""The name of the file that a module's record lies in."""
    return f"{module.removesuffix('.py').replace('/', '.')}.json"


def records(folder: Path, root: Path) -> Iterator[tuple[str, Record | LiterateError]]:
    r"""The names of the files of a folder, in order, with the record or the fault."""
    for file in sorted(folder.glob("*.json")):
        name = file.relative_to(root).as_posix()
        try:
            yield name, read_record(file, root)
        except LiterateError as error:
            yield name, error


def stale(folder: Path, root: Path) -> Iterator[LiterateError]:
    r"""What is wrong with the records of a folder, one line for each."""
    for name, record in records(folder, root):
        if isinstance(record, LiterateError):
            yield record
            continue
        file = root / record.module
        try:
            inside = file.resolve().is_relative_to(root.resolve()) and file.is_file()
        except (OSError, ValueError):  # no name that a file can have
            inside = False
        if not inside:
            yield LiterateError(name, 1, f"there is no {record.module}: remove this")
            continue
        try:
            text = file.read_text(encoding="utf-8")
            if digest(text) != record.digest:
                problem = f"{record.module} is other code than what ran"
                yield LiterateError(name, 1, f"{problem}: {AGAIN}")
                continue
            known = {binding.key for binding in bindings(text)}
        except (SyntaxError, ValueError):
            continue  # `txl check` reports the module itself
        for value in record.values:
            if value.key not in known:
                yield LiterateError(name, 1, f"{_place(value)} is not bound: {AGAIN}")
                break


def differences(old: Record, new: Record) -> Iterator[str]:
    r"""Where a new run shows something else than a record, a line each."""
    if old.digest != new.digest:
        yield f"{old.module}: the code has changed since it was recorded"
    if replace(old.run, versions=()) != replace(new.run, versions=()):
        yield f"{old.module}: the run has another description than was recorded"
    there = {value.key: value for value in new.values}
    for value in old.values:
        place = f"{old.module}: {_place(value)}"
        if value.key not in there:
            yield f"{place} is bound no more"
            continue
        again = there.pop(value.key)
        given, now = (f"{v.dtype} {list(v.shape)}" for v in (value, again))
        if given != now:
            yield f"{place} is {now}, recorded as {given}"
        elif _layout(value) != _layout(again):
            yield f"{place} has other axes than were recorded"
        elif any(_apart(a, b) for a, b in zip(value.slices, again.slices, strict=True)):
            yield f"{place} has other values than were recorded"
    for value in there.values():
        yield f"{old.module}: {_place(value)} is not in the record"


def _layout(value: Value) -> tuple[object, ...]:
    r"""What of a value depends on no number: its axes, and the places of its slices."""
    places = tuple(one.at for one in value.slices)
    shown = value.rows, value.columns, value.start, places
    return (value.axes, shown, value.call, value.turn)


def _apart(old: Slice, new: Slice) -> bool:
    r"""Whether two slices are farther apart than another processor makes them."""
    margin = 0.0
    if not old.step == new.step == 1.0:
        size = abs(old.low)
        margin = OFF_BY * max(old.step, new.step) + ROUNDED * size
        margin += SHARE * (old.step * STEPS or size)
    pairs = zip(old.values(), new.values(), strict=True)
    return any(
        a != b and not abs(a - b) <= margin and (a == a or b == b) for a, b in pairs
    )


def _place(value: Value) -> str:
    number = f" ({value.ordinal + 1})" if value.ordinal else ""
    return f"{value.name}{number} in {value.function}"
