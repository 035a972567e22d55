r"""# What a browser asks for

A page without an open card holds no values. The first card asks for one file with the
facts of all values of its module, and for the slices of the value that it shows. Slices
are the bytes of the record, one file for as many as are small enough together.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from labml_txl.literate.recording.records import Axis, Record, Value

# Bytes of slices in one file.
TOGETHER = 36_864


def facts(record: Record) -> str:
    """All that is known of the values of a record but for their elements, as JSON.

    The labels of axes stand in it once. Whatever they hold, the text is ASCII.
    """
    labels: dict[tuple[str, ...], int] = {}
    values = [_value(value, labels) for value in record.values]
    run = record.run
    told = {
        "run": {
            **{"name": run.name, "data": run.data, "step": run.step, "seed": run.seed},
            "command": run.command,
            "versions": [f"{name} {of}" for name, of in run.versions],
            "axes": dict(run.axes),
        },
        "labels": [[*one] for one in labels],
        "values": values,
    }
    return json.dumps(told, separators=(",", ":"), allow_nan=False)


def files(record: Record, folder: str) -> Iterator[tuple[str, str | bytes]]:
    """The files of a record, by their paths: the facts, and the slices of each value.

    `folder` is the path of the page, without its ending.
    """
    yield f"{folder}.json", facts(record)
    for number, value in enumerate(record.values):
        together = _together(value)
        for first in range(0, len(value.slices), together):
            codes = (one.codes for one in value.slices[first : first + together])
            yield f"{folder}/{number}-{first // together}.bin", b"".join(codes)


def _together(value: Value) -> int:
    """How many slices of a value stand in one file."""
    rows, columns = value.extent
    return max(1, TOGETHER // max(1, rows * columns))


def _value(value: Value, labels: dict[tuple[str, ...], int]) -> dict[str, object]:
    told = (value.least, value.most, value.mean, value.deviation)
    return {
        "name": value.name,
        "call": value.call,
        "dtype": value.dtype,
        "axes": [_axis(axis, labels) for axis in value.axes],
        "told": [_short(number) for number in told],
        "shown": [value.rows, value.columns],
        "start": value.start,
        "extent": value.extent,
        "slices": [[one.at, _short(one.low), _short(one.step)] for one in value.slices],
        "together": _together(value),
    }


def _axis(axis: Axis, labels: dict[tuple[str, ...], int]) -> list[object]:
    if not axis.labels:
        return [axis.name, axis.size]
    by = [axis.by] if axis.by >= 0 else []
    return [axis.name, axis.size, labels.setdefault(axis.labels, len(labels)), *by]


def _short(number: float | None) -> float | None:
    return None if number is None else float(f"{number:.6g}")
