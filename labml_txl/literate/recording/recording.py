r"""# Recording a run

`observe` runs a function and gives, for each annotated module, what the names in it
held: arguments, names and attributes that are assigned to, attributes that are read,
and what is returned.

```python
def recordings():
    x = numpy.random.default_rng(7).normal(size=(6, 8))
    yield Recording(lambda: attention.attend(x), [attention], "random numbers")
```

Any library's arrays will do: NumPy's, PyTorch's and JAX's are turned into NumPy's by
what they can all do. NumPy is imported where something runs, and not before.

A program that is observed computes what it computes without: values are copied, and
nothing is changed. It takes longer. Whatever has a `shape` is a tensor.

**A function that is called often** shows its first call. A name that got no value in
that call shows the first call in which it got one. `calls` chooses another call: all
that runs within the other calls of that function is then left out.
"""

from __future__ import annotations

import math
import platform
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from labml_txl.literate.recording import tracing
from labml_txl.literate.recording.bindings import Binding, Key, bindings, digest
from labml_txl.literate.recording.records import (
    SIDE,
    STEPS,
    UNREAL,
    Axis,
    Record,
    Run,
    Slice,
    Value,
)
from labml_txl.literate.recording.shapes import Names, axes_of
from labml_txl.literate.sources.source import LiterateError

# How many lists and tuples within each other a tensor is looked for in.
DEPTH = 4


@dataclass(frozen=True)
class Recording:
    r"""A run, and what is kept of it.

    - `run`: what is called and observed; what it gives is not looked at;
    - `modules`: the annotated modules of which there will be records;
    - `name`, `data`, `step`, `seed`: what it is, see `Run`;
    - `calls`: for a function that is called often, by its qualified name, the numbers
      of the calls that are kept, from 0, with what each is: `{1: "layer 2 of 4"}`; the
      function may stand in any module;
    - `pieces`: functions that read a batch in pieces, and the axis along which what
      their calls bind is joined: its name and its number where it has none;
    - `item`: of a list, which item is kept; of a tuple it is the first tensor. A list
      that is empty at first holds what it holds when the function ends;
    - `sizes`: sizes of axes, by name, for tensors of which no comment speaks;
    - `tokens`: what stands at each index of an axis, by the name of the axis; or of
      each index of another axis in turn, by the names of both, as `batch, k_len`;
    - `axes`: what one place on an axis is called where a value is read, see `Run`;
    - `kept`: of how many indices of an axis there are slices, `{"batch": 1}`.
    """

    run: Callable[[], object]
    modules: Sequence[ModuleType]
    name: str
    data: str = ""
    step: int = 0
    seed: int = 0
    calls: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    pieces: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    item: int = 0
    sizes: Mapping[str, int] = field(default_factory=dict)
    tokens: Mapping[str, Sequence[str]] = field(default_factory=dict)
    kept: Mapping[str, int] = field(default_factory=dict)
    axes: Mapping[str, str] = field(default_factory=dict)


def observe(recording: Recording, root: Path) -> tuple[Record, ...]:
    r"""Run a recording; `root` is the folder of the project."""
    modules = [_Module(module, root) for module in recording.modules]
    recorder = _Recorder(recording, modules)
    tracing.trace(recording.run, recorder.called)
    fields = {n: names for m in modules for n, names in m.axes.fields.items()}
    return tuple(_record(module, recording, fields) for module in modules)


@dataclass
class _Held:
    r"""What a name held in one call: an array for each piece, and the call of each.

    `part` is the name of the field that it stood in, if it did in one.
    """

    whole: object
    words: str
    part: str
    dtype: str
    along: tuple[str, int]
    pieces: dict[int, Any] = field(default_factory=dict)
    calls: dict[int, object] = field(default_factory=dict)

    def joined(self, names: Names) -> Any:
        r"""The pieces in one, along the axis of that name.

        Where nothing is said of the axes, what is the same in each piece is no part of
        a batch.
        """
        import numpy

        arrays = [self.pieces[piece] for piece in sorted(self.pieces)]
        first, (name, axis) = arrays[0], self.along
        if len(names) == first.ndim:
            if name not in names:
                return first
            axis = names.index(name)
        elif all(numpy.array_equal(first, other) for other in arrays[1:]):
            return first
        return numpy.concatenate(arrays, axis)


class _Module:
    r"""A module, and what its names have held so far."""

    def __init__(self, module: ModuleType, root: Path) -> None:
        file = Path(getattr(module, "__file__", None) or "").resolve()
        if not file.is_relative_to(root.resolve()) or not file.is_file():
            raise LiterateError(module.__name__, 1, f"this is no module below {root}")
        self.file = str(file)
        self.path = file.relative_to(root.resolve()).as_posix()
        self.text = file.read_text(encoding="utf-8")
        self.axes = axes_of(self.text)
        self.bindings = bindings(self.text)
        self.statements = tracing.statements_of(self.text)
        self.held: dict[Key, _Held] = {}


class _Observed(tracing.Call):
    r"""One call of a function of an annotated module, in whose frame names are read."""

    def __init__(
        self, recorder: _Recorder, module: _Module | None, function: str, words: str
    ) -> None:
        super().__init__(module.statements.get(function, {}) if module else {})
        self.item = recorder.recording.item
        self.held = module.held if module else {}
        self.words = words
        self.left_out = False
        self.piece: tuple[object, int] = (self, 0)
        self.along = ("", 0)

    def bound(self, frame: FrameType, binding: Binding, value: Any) -> None:
        r"""Remember what a name holds, unless an earlier call has given it."""
        if binding.kind == "read" and is_tensor(
            tracing.value_in(frame, binding.name.partition(".")[0])
        ):
            return  # The attributes of a tensor are other forms of itself.
        key, (whole, piece) = binding.key, self.piece
        held = self.held.get(key)
        if held and (held.whole, held.calls.get(piece, self)) != (whole, self):
            return
        tensor, words, part = _chosen(value, self.item)
        array = copied(tensor) if is_tensor(tensor) else None
        if array is None:
            return
        if held is None or whole is self:
            text = ", ".join(each for each in (self.words, words) if each)
            held = _Held(whole, text, part, type_name(tensor), self.along)
            self.held[key] = held
        held.pieces[piece], held.calls[piece] = array, self


class _Recorder:
    def __init__(self, recording: Recording, modules: Iterable[_Module]) -> None:
        self.recording = recording
        self.modules = {module.file: module for module in modules}
        self.counted = {*recording.calls, *recording.pieces}
        self.counts: Counter[object] = Counter()

    def called(self, frame: FrameType, caller: tracing.Caller) -> tracing.Caller:
        module = self._module(frame.f_code.co_filename)
        function = frame.f_code.co_qualname
        if module is None and function not in self.counted:
            return None
        outer = caller if isinstance(caller, _Observed) else None
        call = _Observed(self, module, function, outer.words if outer else "")
        if outer is not None:
            call.left_out, call.along = outer.left_out, outer.along
            if outer.piece[0] is not outer:
                call.piece = outer.piece
        if function in self.recording.calls and not call.left_out:
            number = self.counts[function]
            call.left_out = number not in self.recording.calls[function]
            call.words = self.recording.calls[function].get(number, "")
            self.counts[function] += 1
        if function in self.recording.pieces and not call.left_out:
            call.along = self.recording.pieces[function]
            group = (outer or self, function)
            call.piece = (group, self.counts[group])
            self.counts[group] += 1
        if call.left_out:
            call.statements = {}
        elif module is not None:
            for binding in module.bindings:
                if binding.kind == "argument" and binding.function == function:
                    call.bound(frame, binding, frame.f_locals.get(binding.name))
        return call

    def _module(self, filename: str) -> _Module | None:
        for resolved, module in self.modules.items():
            if tracing.same_file(filename, resolved):
                return module
        return None


def _chosen(value: Any, item: int, depth: int = 0) -> tuple[Any, str, str]:
    r"""The tensor that stands for a value, which one it is, and its field's name."""
    if depth > DEPTH:
        return None, "", ""
    if isinstance(value, list) and value:
        number = min(item, len(value) - 1)
        found, words, part = _chosen(value[number], item, depth + 1)
        more = f"item {number + 1} of {len(value)}"
        return found, ", ".join(each for each in (words, more) if each), part
    if isinstance(value, (tuple, dict)) and not is_tensor(value):
        named = value if isinstance(value, dict) else _fields(value)
        for name, each in named.items():
            found, words, _ = _chosen(each, item, depth + 1)
            if is_tensor(found):
                return found, ", ".join(w for w in (str(name), words) if w), str(name)
    return value, "", ""


def _fields(given: tuple[Any, ...]) -> dict[str, Any]:
    names = [f"item {n} of {len(given)}" for n in range(1, len(given) + 1)]
    return dict(zip(getattr(given, "_fields", names), given, strict=False))


def _record(
    module: _Module, recording: Recording, fields: Mapping[str, Names]
) -> Record:
    axes = replace(module.axes, fields={**fields, **module.axes.fields})
    held = [(b, module.held[b.key]) for b in module.bindings if b.key in module.held]
    arrays = {b.key: one.joined(axes.comments.get(b.key, ())) for b, one in held}
    known: dict[str, dict[str, int]] = {}
    for binding, _ in held:
        here = known.setdefault(binding.function, {})
        named, shape = axes.comments.get(binding.key, ()), arrays[binding.key].shape
        if len(named) == len(shape):
            pairs = zip(named, shape, strict=True)
            here.update((name, size) for name, size in pairs if name.isidentifier())
    values, turns = [], dict[str, dict[object, int]]()
    for binding, one in held:
        array, here = arrays[binding.key], known[binding.function]
        names = axes.named(binding, one.part, array.shape, here, recording.sizes)
        given = (binding.key, one.words, one.dtype, array, names)
        calls = turns.setdefault(binding.function, {})
        turn = calls.setdefault(one.calls[min(one.calls)], len(calls))
        values.append(value_of(*given, recording.tokens, recording.kept, turn))
    about = (recording.name, recording.data, recording.step, recording.seed)
    run = Run(*about, "txl observe", _versions(), tuple(recording.axes.items()))
    return Record(module.path, digest(module.text), run, tuple(values))


def _versions() -> tuple[tuple[str, str], ...]:
    r"""The versions of Python and of the libraries that compute."""
    names = (name for name in ("jax", "torch", "numpy") if name in sys.modules)
    found = ((name, str(sys.modules[name].__version__)) for name in names)
    return ("Python", platform.python_version()), *found


# What is kept of an array: the facts, and a few slices in 8 bits.

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
        labels, by = tokens.get(name, ()), -1
        for other, (outer, times) in enumerate(zip(names, shape, strict=True)):
            each = tokens.get(f"{outer}, {name}", ())
            if other != number and len(each) == times * size > 0:
                labels, by = each, other
        fits = by >= 0 or len(labels) == size
        yield Axis(name, size, tuple(labels) if fits else (), by)


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
