r"""# From an array to a record

What a name held, as `records` keeps it: the facts, and a few slices in 8 bits.

Any library's arrays will do: NumPy's, PyTorch's and JAX's are turned into NumPy's by
what they can all do. NumPy is imported where something runs, and not before.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from labml_txl.literate.recording.records import (
    SIDE,
    STEPS,
    UNREAL,
    Axis,
    Slice,
    Value,
)

# How many heads, and how many of the axis before, are kept.
INNER, OUTER = 4, 2

# The digits of a number that are kept.
DIGITS = 6


def is_tensor(value: Any) -> bool:
    r"""Whether something has a shape: nothing else is asked of a tensor."""
    try:
        return isinstance(getattr(value, "shape", None), tuple)
    except Exception:
        return False


def copied(value: Any) -> Any:
    r"""A tensor as an array of NumPy, in memory of its own; `None` if it cannot be."""
    import numpy

    def after(given: Any, step: str) -> Any:
        return getattr(given, step, lambda: given)()

    try:
        for step in ("detach", "cpu", "resolve_conj", "resolve_neg"):
            value = after(value, step)
        try:
            array = numpy.array(after(value, "numpy"))
        except TypeError:
            # NumPy has no number of 16 bits with the range of 32.
            array = numpy.array(after(value.float(), "numpy"))
        if array.dtype.kind not in "biuf":
            array = array.astype(numpy.float64)
    except Exception:
        return None
    return array


def type_name(value: Any) -> str:
    r"""The type of a tensor's elements, as `float32`."""
    return str(getattr(value, "dtype", "")).rpartition(".")[2]


def value_of(
    place: tuple[str, str, int],
    call: str,
    dtype: str,
    array: Any,
    names: tuple[str, ...],
    tokens: Mapping[str, Sequence[str]],
    kept: Mapping[str, int],
    turn: int = 0,
) -> Value:
    r"""What is kept of an array.

    `tokens` holds the labels of an axis, by its name, or by that of another axis and
    its own, as `batch, k_len`; `kept` says of how many indices of an axis there are
    slices, where others decide than this module. `turn` is that of `Value`.
    """
    import numpy

    axes = tuple(labelled(names, array.shape, tokens))
    finite = array[numpy.isfinite(array)].astype(numpy.float64)
    least, most, mean, deviation = (
        rounded(float(fact())) if finite.size else None
        for fact in (finite.min, finite.max, finite.mean, finite.std)
    )
    rows, columns = shown(axes, kept)
    first, second = (_start(axes[axis]) if axis >= 0 else 0 for axis in (rows, columns))
    start = first, second
    slices: tuple[Slice, ...] = ()
    if array.size:
        slices = tuple(_slices(array, axes, (rows, columns), start, kept))
    return Value(
        *place,
        call,
        dtype,
        axes,
        least,
        most,
        mean,
        deviation,
        rows,
        columns,
        slices,
        start,
        turn,
    )


def labelled(
    names: tuple[str, ...], shape: tuple[int, ...], tokens: Mapping[str, Sequence[str]]
) -> Iterator[Axis]:
    r"""The axes with their labels, rather those that differ by another axis."""
    for number, (name, size) in enumerate(zip(names, shape, strict=True)):
        told, by = tokens.get(name, ()), -1
        for other, (outer, times) in enumerate(zip(names, shape, strict=True)):
            each = tokens.get(f"{outer}, {name}", ())
            if other != number and len(each) == times * size > 0:
                told, by = each, other
        fits = by >= 0 or len(told) == size
        yield Axis(name, size, tuple(told) if fits else (), by)


def shown(axes: tuple[Axis, ...], kept: Mapping[str, int]) -> tuple[int, int]:
    r"""The axes that run down and across: the last two that are not chosen among."""
    long = [i for i, axis in enumerate(axes) if axis.size > 1] or [*range(len(axes))]
    chosen = [i for i in long if axes[i].name in kept]
    others = [i for i in long if i not in chosen]
    best = sorted([*chosen, *others][-2:]) if len(others) < 2 else others[-2:]
    if not best:
        return -1, -1
    return (-1, best[0]) if len(best) == 1 else (best[0], best[1])


def _start(axis: Axis) -> int:
    r"""The first index that is kept: the last `SIDE` of keys, else the first."""
    return max(axis.size - SIDE, 0) if axis.name.startswith("k_") else 0


def _slices(
    array: Any,
    axes: tuple[Axis, ...],
    pair: tuple[int, int],
    start: tuple[int, ...],
    kept: Mapping[str, int],
) -> Iterator[Slice]:
    left = [axis for axis in range(len(axes)) if axis not in pair]
    limits = [1] * (len(left) - 2) + [OUTER, INNER]
    counts = [
        min(axes[axis].size, kept.get(axes[axis].name, limit))
        for axis, limit in zip(left, limits[-len(left) :] if left else [], strict=True)
    ]
    windows = {
        axis: slice(first, first + SIDE)
        for axis, first in zip(pair, start, strict=True)
        if axis >= 0
    }
    for at in product(*map(range, counts)):
        index: list[Any] = [windows.get(axis) for axis in range(len(axes))]
        for axis, one in zip(left, at, strict=True):
            index[axis] = one
        yield encoded(array[tuple(index)], at)


def encoded(array: Any, at: tuple[int, ...] = ()) -> Slice:
    r"""Elements in 8 bits; whole numbers of a small range stay exact."""
    import numpy

    given = numpy.asarray(array, dtype=numpy.float64).ravel()
    finite = given[numpy.isfinite(given)]
    low = step = 0.0
    if finite.size:
        low = rounded(float(finite.min()))
        step = rounded(float(finite.max() - finite.min()) / STEPS)
    whole = bool((finite == numpy.round(finite)).all())
    if whole and finite.size and finite.max() - finite.min() <= STEPS:
        low, step = float(finite.min()), 1.0
    codes = numpy.zeros(given.shape)
    if step > 0:
        with numpy.errstate(invalid="ignore"):
            codes = numpy.clip(numpy.round((given - low) / step), 0, STEPS)
    for code, unreal in UNREAL.items():
        same = numpy.isnan(given) if math.isnan(unreal) else given == unreal
        codes[same] = code
    return Slice(at, low, step, codes.astype(numpy.uint8).tobytes())


def rounded(number: float) -> float:
    r"""A number with as many digits as are kept."""
    return float(f"{number:.{DIGITS}g}")
