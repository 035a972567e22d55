r"""# Whether a record is still true

Two questions, for two occasions. `stale` asks without running anything whether the code
is that of the record; `txl check` does. `differences` holds a record to a new run of
the same code; `txl observe --check` does.

Another processor computes sums in another order. So numbers may differ by a little more
than what 8 bits tell apart; shapes, types and whole numbers may not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from labml_txl.literate.recording.bindings import bindings, digest
from labml_txl.literate.recording.records import (
    STEPS,
    Record,
    Slice,
    Value,
    read_record,
)
from labml_txl.literate.sources.source import LiterateError

# How far a number may be off: steps of its 8 bits, a share of the slice's range, and
# what is left of the lowest number when it is rounded.
OFF_BY = 2.5
SHARE = 1e-3
ROUNDED = 1e-5

AGAIN = "record it again with txl observe"


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
        if not file.resolve().is_relative_to(root.resolve()) or not file.is_file():
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
            continue  # said already, of the module itself
        for value in record.values:
            if value.key not in known:
                yield LiterateError(name, 1, f"{_place(value)} is not bound: {AGAIN}")
                break


def differences(old: Record, new: Record) -> Iterator[str]:
    r"""Where a new run shows something else than a record, a line each."""
    if old.digest != new.digest:
        yield f"{old.module}: the code has changed since it was recorded"
    if replace(old.run, versions=()) != replace(new.run, versions=()):
        yield f"{old.module}: the run is told in other words than were recorded"
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
        elif axes_of(value) != axes_of(again):
            yield f"{place} has other axes than were recorded"
        elif any(_apart(a, b) for a, b in zip(value.slices, again.slices, strict=True)):
            yield f"{place} has other values than were recorded"
    for value in there.values():
        yield f"{old.module}: {_place(value)} is not in the record"


def axes_of(value: Value) -> tuple[object, ...]:
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
