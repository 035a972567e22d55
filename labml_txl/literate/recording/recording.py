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
from collections import Counter, defaultdict
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


@dataclass(frozen=True)
class _Captured:
    r"""What a name held: a copy of it, and the call in which it got that value.

    `words` say which call and which part of the value it is, `part` is the name of the
    field that it stood in, if it did in one.
    """

    array: Any
    dtype: str
    words: str
    part: str
    call: object


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
        self.captured: dict[Key, _Captured] = {}


class _Call(tracing.Call):
    r"""One call of a function of an annotated module, in whose frame names are read."""

    def __init__(self, module: _Module | None, function: str, item: int) -> None:
        super().__init__(module.statements.get(function, {}) if module else {})
        self.captured = module.captured if module else {}
        self.item = item
        self.words = ""
        self.left_out = False

    def bound(self, frame: FrameType, binding: Binding, value: Any) -> None:
        r"""Remember what a name holds, unless an earlier call has given it."""
        if binding.kind == "read" and is_tensor(
            tracing.value_in(frame, binding.name.partition(".")[0])
        ):
            return  # The attributes of a tensor are other forms of itself.
        before = self.captured.get(binding.key)
        if before and before.call is not self:
            return
        tensor, words, part = _chosen(value, self.item)
        array = copied(tensor) if is_tensor(tensor) else None
        if array is not None:
            dtype = str(getattr(tensor, "dtype", "")).rpartition(".")[2]
            text = ", ".join(each for each in (self.words, words) if each)
            self.captured[binding.key] = _Captured(array, dtype, text, part, self)


class _Recorder:
    def __init__(self, recording: Recording, modules: Iterable[_Module]) -> None:
        self.recording = recording
        self.modules = {module.file: module for module in modules}
        self.counts: Counter[str] = Counter()

    def called(self, frame: FrameType, caller: tracing.Caller) -> tracing.Caller:
        found = self.modules.items()
        same_file, filename = tracing.same_file, frame.f_code.co_filename
        module = next((m for file, m in found if same_file(filename, file)), None)
        function = frame.f_code.co_qualname
        calls = self.recording.calls.get(function)
        if module is None and calls is None:
            return None
        call = _Call(module, function, self.recording.item)
        if isinstance(caller, _Call):
            call.words, call.left_out = caller.words, caller.left_out
        if calls is not None and not call.left_out:
            number = self.counts[function]
            call.left_out, call.words = number not in calls, calls.get(number, "")
            self.counts[function] += 1
        if call.left_out:
            call.statements = {}
        elif module is not None:
            for binding in module.bindings:
                if binding.kind == "argument" and binding.function == function:
                    call.bound(frame, binding, frame.f_locals.get(binding.name))
        return call


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
        if isinstance(value, dict):
            named = value
        else:
            numbers = [f"item {n} of {len(value)}" for n in range(1, len(value) + 1)]
            fields = getattr(value, "_fields", numbers)
            named = dict(zip(fields, value, strict=False))
        for name, each in named.items():
            found, words, _ = _chosen(each, item, depth + 1)
            if is_tensor(found):
                return found, ", ".join(w for w in (str(name), words) if w), str(name)
    return value, "", ""


def _record(
    module: _Module, recording: Recording, fields: Mapping[str, Names]
) -> Record:
    axes = replace(module.axes, fields={**fields, **module.axes.fields})
    captured = module.captured
    bound = [(b, captured[b.key]) for b in module.bindings if b.key in captured]
    # The sizes of the axes that the comments of a function name.
    sizes: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for binding, one in bound:
        names = axes.comments.get(binding.key, ())
        if len(names) == one.array.ndim:
            pairs = zip(names, one.array.shape, strict=True)
            sizes[binding.function].update(p for p in pairs if p[0].isidentifier())
    values: list[Value] = []
    turns: defaultdict[str, dict[object, int]] = defaultdict(dict)
    for binding, one in bound:
        here, calls = sizes[binding.function], turns[binding.function]
        names = axes.named(binding, one.part, one.array.shape, here, recording.sizes)
        given = (binding.key, one.words, one.dtype, one.array, names)
        turn = calls.setdefault(one.call, len(calls))
        values.append(value_of(*given, recording.tokens, recording.kept, turn))
    libraries = (name for name in ("jax", "torch", "numpy") if name in sys.modules)
    versions = ((name, str(sys.modules[name].__version__)) for name in libraries)
    run = Run(
        name=recording.name,
        data=recording.data,
        step=recording.step,
        seed=recording.seed,
        command="txl observe",
        versions=(("Python", platform.python_version()), *versions),
        axes=tuple(recording.axes.items()),
    )
    return Record(module.path, digest(module.text), run, tuple(values))


# What is kept of an array: statistics, and a few slices in 8 bits.

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
        rounded(float(of_all())) if finite.size else None
        for of_all in (finite.min, finite.max, finite.mean, finite.std)
    )
    rows, columns = shown(axes, kept)
    # Of a long axis the first indices are kept; of keys, the last.
    first, second = (
        max(axes[axis].size - SIDE, 0)
        if axis >= 0 and axes[axis].name.startswith("k_")
        else 0
        for axis in (rows, columns)
    )
    others = [axis for axis in range(array.ndim) if axis not in (rows, columns)]
    limits = dict(zip(reversed(others), (INNER, OUTER), strict=False))
    counts = (
        min(axes[axis].size, kept.get(axes[axis].name, limits.get(axis, 1)))
        for axis in others
    )
    slices = []
    for at in product(*map(range, counts)) if array.size else ():
        index: dict[int, Any] = dict(zip(others, at, strict=True))
        index[rows] = slice(first, first + SIDE)
        index[columns] = slice(second, second + SIDE)
        part = array[tuple(index[axis] for axis in range(array.ndim))]
        slices.append(encoded(part, at))
    statistics = (least, most, mean, deviation)
    about = (*place, call, dtype, axes, *statistics)
    return Value(*about, rows, columns, tuple(slices), (first, second), turn)


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
