r"""# Records

A record contains the values that a run computed in one module. `txl observe` writes it
as a JSON file, which is committed, so that a site can be built without the library that
computed the values.

Of a tensor, a record contains its shape, its range, and a few slices with two axes and
elements of 8 bits: a byte $b$ up to 252 means $\text{low} + b \cdot \text{step}$; 253
means $-\infty$, 254 means $\infty$, and 255 means that the element is not a number.
"""

from __future__ import annotations

import json
import math
from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from labml_txl.literate.recording.bindings import hash_code
from labml_txl.literate.sources.source import LiterateError

FORMAT = 3
COMMAND = "txl observe"
AGAIN = f"record it again with {COMMAND}"

# The largest number of rows and columns of a slice, the largest byte that means a
# finite number, and the other bytes.
SIDE = 96
STEPS = 252
UNREAL = {253: -math.inf, 254: math.inf, 255: math.nan}


@dataclass(frozen=True)
class Run:
    """The run that values come from.

    - `name`: a few words that describe it (`a small Transformer-XL`);
    - `data`: what it read;
    - `step`, `seed`: how many steps the model was trained, and with which seed;
    - `axes`: the word for an index of an axis, by the name of the axis, or the words
      for both axes that are shown: `("seq_len → k_len", "query → key")`;
    - `versions`: of Python and of the libraries, as `("torch", "2.13.0")`.
    """

    name: str
    data: str
    step: int
    seed: int
    versions: tuple[tuple[str, str], ...] = ()
    axes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Axis:
    """An axis of a tensor: its name, which may be empty, and its size.

    If it runs over tokens, `labels` contains them, one for each index. If they depend
    on the index of another axis, `by` is the number of that axis, and `labels` contains
    all tokens of its first index, then those of the second, and so on.
    """

    name: str
    size: int
    labels: tuple[str, ...] = ()
    by: int = -1


@dataclass(frozen=True)
class Slice:
    """Two axes of a tensor at one index of each other axis.

    `at` contains these indices, in the order of the axes. `codes` contains the rows one
    after another, one byte for each element.
    """

    at: tuple[int, ...]
    low: float
    step: float
    codes: bytes

    def values(self) -> list[float]:
        """The elements, row by row."""
        return [
            UNREAL.get(code, self.low + code * self.step if code <= STEPS else math.nan)
            for code in self.codes
        ]


@dataclass(frozen=True)
class Value:
    """A tensor that was the value of a name.

    - `function`, `name`, `ordinal`: the key of the binding, see `find_bindings`;
    - `call`: which call of the function, in a few words (`layer 2 of 4`), or empty;
    - `dtype`: the type of its elements, as `float32`;
    - `axes`: its axes, in order;
    - `least`, `most`, `mean`, `deviation`: of its finite elements; `None` if it has
      none;
    - `rows`, `columns`: the axes that a slice shows, or -1: a vector has only columns,
      a scalar has neither;
    - `slices`: at most the first `SIDE` rows and columns, for some of the indices of
      the other axes;
    - `turn`: the number of the call among the recorded calls of the function, from 0: a
      branch that did not run in the first call may have run in another.
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
    turn: int = 0

    @property
    def key(self) -> tuple[str, str, int]:
        """The key of its binding."""
        return self.function, self.name, self.ordinal

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the axes."""
        return tuple(axis.size for axis in self.axes)

    @property
    def extent(self) -> tuple[int, int]:
        """The rows and columns of each slice."""
        rows, columns = (
            min(self.axes[axis].size, SIDE) if axis >= 0 else 1
            for axis in (self.rows, self.columns)
        )
        return rows, columns


@dataclass(frozen=True)
class Record:
    """The values that one run computed in one module.

    `module` is the path of the file from the root of the project, with `/`; `digest` is
    the hash of its code.
    """

    module: str
    digest: str
    run: Run
    values: tuple[Value, ...]


def to_json(record: Record) -> str:
    """A record as JSON. Equal records give equal texts.

    Elements and tokens that several values share are written once, into tables.
    """
    content = {"format": FORMAT, **_drop_defaults(record)}
    values = content.pop("values")
    codes: dict[str, int] = {}
    labels: dict[tuple[str, ...], int] = {}
    for value in values:
        for one in value.get("slices", ()):
            one["codes"] = codes.setdefault(one["codes"], len(codes))
        for axis in value.get("axes", ()):
            if "labels" in axis:
                axis["labels"] = labels.setdefault(tuple(axis["labels"]), len(labels))
    text = json.dumps(content, allow_nan=False)[:-1]
    tables = {"labels": labels, "codes": codes, "values": values}
    for name, table in tables.items():
        rows = (json.dumps(row, allow_nan=False) for row in table)
        text += f', "{name}": [\n' + ",\n".join(rows) + "\n]"
    return text + "}\n"


def read_record(path: Path, root: Path) -> Record:
    """Read the record in a file; raises `LiterateError` if it contains no record."""
    name = path.relative_to(root).as_posix()
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            given = f"format {content['format']}, expected {FORMAT}"
            raise LiterateError(name, 1, f"{given}: {AGAIN}")
        return _make_record(content)
    except (
        AttributeError,
        ValueError,
        TypeError,
        LookupError,
        RecursionError,
    ) as error:
        problem = f"not a record ({type(error).__name__}: {error})"
        raise LiterateError(name, 1, f"{problem}: {AGAIN}") from None


def _drop_defaults(item: Any) -> Any:
    """A value as JSON has it, without the fields that have their default."""
    if isinstance(item, bytes):
        return b64encode(item).decode()
    if isinstance(item, tuple):
        return [_drop_defaults(part) for part in item]
    if is_dataclass(item):
        return {
            field.name: _drop_defaults(value)
            for field in fields(item)
            if (value := getattr(item, field.name)) != field.default
        }
    return item


def _make_record(content: dict[str, Any]) -> Record:
    """The record in the content of a file, which we change: values replace numbers."""
    for value in content["values"]:
        for axis in value.get("axes", ()):
            if "labels" in axis:
                axis["labels"] = content["labels"][axis["labels"]]
        for one in value.get("slices", ()):
            one["codes"] = content["codes"][one["codes"]]
    given = {name: content[name] for name in ("module", "digest", "run", "values")}
    record: Record = _convert(given, Record)
    for value in record.values:
        _check_parts(value)
    return record


def _check_parts(value: Value) -> None:
    """Raise `ValueError` unless the parts of a value have the sizes of its axes."""
    statistics = (value.least, value.most, value.mean, value.deviation)
    if None in statistics and any(one is not None for one in statistics):
        raise ValueError(f"{value.name} has some statistics but not all")
    axes = range(-1, len(value.axes))
    shown = [axis for axis in (value.rows, value.columns) if axis >= 0]
    numbers = [value.rows, value.columns, *(axis.by for axis in value.axes)]
    if not all(number in axes for number in numbers) or len({*shown}) < len(shown):
        raise ValueError(f"{value.name} refers to an axis that it does not have")
    for axis in value.axes:
        size = axis.size * (value.axes[axis.by].size if axis.by >= 0 else 1)
        if axis.size < 0 or len(axis.labels) not in {0, size}:
            given = f"{len(axis.labels)} labels for {size} indices"
            raise ValueError(f"{value.name} has {given} of {axis.name or 'an axis'}")
    others = [axis.size for n, axis in enumerate(value.axes) if n not in shown]
    for one in value.slices:
        if len(one.codes) != math.prod(value.extent):
            rows, columns = value.extent
            given = f"{len(one.codes)} bytes, expected {rows} times {columns}"
            raise ValueError(f"a slice of {value.name} has {given}")
        if len(one.at) != len(others) or not all(
            0 <= index < size for index, size in zip(one.at, others, strict=True)
        ):
            raise ValueError(f"{value.name} has no element at {list(one.at)}")


# The types of the fields of each class.
_FIELDS = {kind: get_type_hints(kind) for kind in (Record, Run, Value, Axis, Slice)}


def _convert(item: Any, kind: Any) -> Any:
    """A value of JSON as a value of a type; raises `TypeError` if it is of another.

    The pages rely on it: a size that is a text would be HTML.
    """
    if kinds := _FIELDS.get(kind):
        return kind(**{name: _convert(one, kinds[name]) for name, one in item.items()})
    if get_origin(kind) is tuple:
        wanted = get_args(kind)
        wanted = wanted[:1] * len(item) if wanted[-1] is ... else wanted
        return tuple(_convert(*pair) for pair in zip(item, wanted, strict=True))
    if kind is bytes:
        return b64decode(item)
    if kind == float | None:
        return None if item is None else _convert(item, float)
    if type(item) is not kind and (kind, type(item)) != (float, int):
        raise TypeError(f"{item!r:.40} is not of the type {kind}")
    if kind is float and not math.isfinite(item):
        raise TypeError(f"{item} is not finite")
    return item


# Whether a record is still valid. `find_stale` compares the code with that of the
# record, without running it. `compare` compares a record with a new run of the same
# code. On another processor, sums are computed in another order, so numbers may differ
# by a little more than the resolution of 8 bits; shapes, types and whole numbers may
# not.

# The tolerance: in steps of 8 bits, as a share of the slice's range, and as a share of
# its lowest number, which is rounded.
OFF_BY = 2.5
SHARE = 1e-3
ROUNDED = 1e-5
# The distance between neighbours of 1 in types of fewer bits; a sum may be off by it.
COARSE = {"float16": 2**-10, "bfloat16": 2**-7}


def file_of(module: str) -> str:
    """The file name of a module's record."""
    return f"{module.removesuffix('.py').replace('/', '.')}.json"


def read_records(
    folder: Path, root: Path
) -> Iterator[tuple[str, Record | LiterateError]]:
    """The file names in a folder, in order, each with its record or the error."""
    for file in sorted(folder.glob("*.json")):
        name = file.relative_to(root).as_posix()
        try:
            yield name, read_record(file, root)
        except LiterateError as error:
            yield name, error


def find_stale(folder: Path, root: Path) -> Iterator[LiterateError]:
    """The errors in the records of a folder, at most one for each file."""
    for name, record in read_records(folder, root):
        if isinstance(record, LiterateError):
            yield record
            continue
        try:
            code = hash_code((root / record.module).read_text(encoding="utf-8"))
        except SyntaxError:
            continue  # `txl check` reports the module itself.
        except (OSError, ValueError):  # The path may be none that a file can have.
            yield LiterateError(
                name, 1, f"{record.module} does not exist: delete this record"
            )
            continue
        if code != record.digest:
            problem = f"{record.module} has changed since it was recorded"
            yield LiterateError(name, 1, f"{problem}: {AGAIN}")


def compare(old: Record, new: Record) -> Iterator[str]:
    """The differences between a record and a new run, one line for each value."""
    if old.digest != new.digest:
        yield f"{old.module}: the code has changed since it was recorded"
    if replace(old.run, versions=()) != replace(new.run, versions=()):
        yield f"{old.module}: the description of the run has changed"
    there = {value.key: value for value in new.values}
    for value in old.values:
        place = f"{old.module}: {_place(value)}"
        if value.key not in there:
            yield f"{place} is no longer assigned"
            continue
        again = there.pop(value.key)
        given, now = (f"{v.dtype} {list(v.shape)}" for v in (value, again))
        if given != now:
            yield f"{place} is {now}, recorded as {given}"
        elif _layout(value) != _layout(again):
            yield f"{place} has different axes than recorded"
        elif _summaries_differ(value, again) or any(
            _slices_differ(a, b, COARSE.get(value.dtype, 0.0))
            for a, b in zip(value.slices, again.slices, strict=True)
        ):
            yield f"{place} has different values than recorded"
    for value in there.values():
        yield f"{old.module}: {_place(value)} is not in the record"


def _layout(value: Value) -> tuple[object, ...]:
    """All of a value that does not depend on the numbers in it."""
    places = tuple(one.at for one in value.slices)
    return value.axes, value.rows, value.columns, places, value.call, value.turn


def _summaries_differ(old: Value, new: Value) -> bool:
    """Whether two values differ in their statistics, by more than the tolerance."""
    pairs = [
        (getattr(old, name), getattr(new, name))
        for name in ("least", "most", "mean", "deviation")
    ]
    numbers = (abs(one) for pair in pairs for one in pair if one is not None)
    margin = SHARE * max(numbers, default=0.0)
    return any(
        a != b and (a is None or b is None or abs(a - b) > margin) for a, b in pairs
    )


def _slices_differ(old: Slice, new: Slice, coarse: float = 0.0) -> bool:
    """Whether two slices differ by more than the tolerance.

    `coarse` is the share of a number that its type cannot tell apart.
    """
    margin = 0.0
    if not old.step == new.step == 1.0:
        size = abs(old.low)
        margin = OFF_BY * max(old.step, new.step) + ROUNDED * size
        margin += SHARE * (old.step * STEPS or size)
        margin += coarse * max(size, abs(old.low + old.step * STEPS))
    pairs = zip(old.values(), new.values(), strict=True)
    return any(
        a != b and not abs(a - b) <= margin and (a == a or b == b) for a, b in pairs
    )


def _place(value: Value) -> str:
    number = f" ({value.ordinal + 1})" if value.ordinal else ""
    return f"{value.name}{number} in {value.function}"
