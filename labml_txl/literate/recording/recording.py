"""# Recording a run

`observe` runs a function and records the values in the annotated modules: of arguments,
of names and attributes that are assigned to, of attributes that are read, and of what
is returned.

```python
def recordings():
    x = numpy.random.default_rng(7).normal(size=(6, 8))
    yield Recording(lambda: attention.attend(x), [attention], "random numbers")
```

The arrays may be those of NumPy, PyTorch or JAX. Everything that has a `shape` is a
tensor. The program computes the same as without recording, but takes longer: values are
copied, and nothing is changed.

If a function is called often, its first call is recorded. If that call does not bind a
name, the first call that does is recorded for this name. `calls` selects other calls;
everything that runs within the calls that are not selected is then left out.
"""

from __future__ import annotations

import math
import platform
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

# NumPy is imported by the functions that need it, because pages are built without it.
from labml_txl.literate.recording import tracing
from labml_txl.literate.recording.bindings import Binding, Key, find_bindings, hash_code
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

# How deep in nested lists and tuples we look for a tensor.
DEPTH = 4


@dataclass(frozen=True)
class Recording:
    """A run, and what is recorded of it.

    - `run`: the function to run; its result is ignored;
    - `modules`: the annotated modules to make records of;
    - `name`, `data`, `step`, `seed`: the description of the run, see `Run`;
    - `calls`: for a function that is called often, by its qualified name, the numbers
      of the calls to record, from 0, each with a description: `{1: "layer 2 of 4"}`;
      the function may belong to any module;
    - `item`: which item of a list is recorded; of a tuple, it is the first tensor. A
      list that is empty at first is recorded as it is when the function ends;
    - `sizes`: the sizes of axes, by name, for tensors without a shape comment;
    - `tokens`: the label of each index of an axis, by the name of the axis. If labels
      depend on the index of another axis, they are listed under the names of both, as
      `batch, k_len`;
    - `axes`: the word for an index of an axis, see `Run`;
    - `kept`: for how many indices of an axis slices are recorded, `{"batch": 1}`.
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
    """Run a recording; `root` is the folder of the project.

    Raises `LiterateError` if one of the modules is not in this folder.
    """
    modules = [_Module(module, root) for module in recording.modules]
    # A function and its module share their globals.
    found = {id(vars(module.module)): module for module in modules}
    counts: Counter[str] = Counter()

    def start_call(frame: FrameType, caller: tracing.Caller) -> tracing.Caller:
        module = found.get(id(frame.f_globals))
        function = frame.f_code.co_qualname
        calls = recording.calls.get(function)
        if module is None and calls is None:
            return None
        call = _Call(module, function, recording.item)
        if isinstance(caller, _Call):
            call.words, call.left_out = caller.words, caller.left_out
        if calls is not None and not call.left_out:
            number = counts[function]
            call.left_out, call.words = number not in calls, calls.get(number, "")
            counts[function] += 1
        if call.left_out:
            call.statements = {}
        elif module is not None:
            for binding in module.bindings:
                if binding.kind == "argument" and binding.function == function:
                    call.bind(frame, binding, frame.f_locals.get(binding.name))
        return call

    tracing.trace(recording.run, start_call)
    fields = {n: names for m in modules for n, names in m.axes.fields.items()}
    return tuple(_make_record(module, recording, fields) for module in modules)


@dataclass(frozen=True)
class _Captured:
    """A copy of the value of a name, and the call in which the name got it.

    `words` describe the call and the part of the value, `part` is the name of the field
    that contained it, or empty.
    """

    array: Any
    dtype: str
    words: str
    part: str
    call: object


class _Module:
    """A module, and the values that its names have had so far."""

    def __init__(self, module: ModuleType, root: Path) -> None:
        file = Path(getattr(module, "__file__", None) or "").resolve()
        if not file.is_relative_to(root.resolve()) or not file.is_file():
            raise LiterateError(module.__name__, 1, f"not a module below {root}")
        self.module = module
        self.path = file.relative_to(root.resolve()).as_posix()
        self.text = file.read_text(encoding="utf-8")
        self.axes = axes_of(self.text)
        self.bindings = find_bindings(self.text)
        self.statements = tracing.statements_of(self.text)
        self.captured: dict[Key, _Captured] = {}


class _Call(tracing.Call):
    """One call of a function, whose names are recorded if it is in a module."""

    def __init__(self, module: _Module | None, function: str, item: int) -> None:
        super().__init__(module.statements.get(function, {}) if module else {})
        self.captured = module.captured if module else {}
        self.item = item
        self.words = ""
        self.left_out = False

    def bind(self, frame: FrameType, binding: Binding, value: Any) -> None:
        """Record the value of a name, unless an earlier call has done so."""
        if binding.kind == "read" and is_tensor(
            tracing.read_value(frame, binding.name.partition(".")[0])
        ):
            return  # Attributes of a tensor, such as `x.T`, are other views of it.
        before = self.captured.get(binding.key)
        if before and before.call is not self:
            return
        tensor, words, part = _choose_tensor(value, self.item)
        array = copy_array(tensor) if is_tensor(tensor) else None
        if array is not None:
            dtype = str(getattr(tensor, "dtype", "")).rpartition(".")[2]
            text = ", ".join(filter(None, (self.words, words)))
            self.captured[binding.key] = _Captured(array, dtype, text, part, self)


def _choose_tensor(value: Any, item: int, depth: int = 0) -> tuple[Any, str, str]:
    """The tensor in a value, words for its place there, and the name of its field."""
    if depth > DEPTH:
        return None, "", ""
    if isinstance(value, list) and value:
        number = min(item, len(value) - 1)
        found, words, part = _choose_tensor(value[number], item, depth + 1)
        more = f"item {number + 1} of {len(value)}"
        return found, ", ".join(filter(None, (words, more))), part
    if isinstance(value, (tuple, dict)) and not is_tensor(value):
        if isinstance(value, tuple):
            numbers = [f"item {n} of {len(value)}" for n in range(1, len(value) + 1)]
            value = dict(zip(getattr(value, "_fields", numbers), value, strict=False))
        for name, each in value.items():
            found, words, _ = _choose_tensor(each, item, depth + 1)
            if is_tensor(found):
                return found, ", ".join(filter(None, (str(name), words))), str(name)
    return value, "", ""


def _make_record(
    module: _Module, recording: Recording, fields: Mapping[str, Names]
) -> Record:
    axes = replace(module.axes, fields={**fields, **module.axes.fields})
    captured = module.captured
    bound = [(b, captured[b.key]) for b in module.bindings if b.key in captured]
    # The sizes of the axes that the comments of each function name.
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
        names = axes.name_axes(
            binding, one.part, one.array.shape, here, recording.sizes
        )
        given = (binding.key, one.words, one.dtype, one.array, names)
        turn = calls.setdefault(one.call, len(calls))
        values.append(encode_value(*given, recording.tokens, recording.kept, turn))
    libraries = (name for name in ("jax", "torch", "numpy") if name in sys.modules)
    versions = ((name, str(sys.modules[name].__version__)) for name in libraries)
    run = Run(
        name=recording.name,
        data=recording.data,
        step=recording.step,
        seed=recording.seed,
        versions=(("Python", platform.python_version()), *versions),
        axes=tuple(recording.axes.items()),
    )
    return Record(module.path, hash_code(module.text), run, tuple(values))


# What is recorded of an array: statistics, and a few slices in 8 bits.

# The number of indices that slices are recorded for: of the last axis that a slice does
# not show (the heads), and of the one before it.
INNER, OUTER = 4, 2

# The number of significant digits of a number in a record.
DIGITS = 6


def is_tensor(value: Any) -> bool:
    """Whether a value has a shape."""
    try:
        return isinstance(getattr(value, "shape", None), tuple)
    except Exception:
        return False


def copy_array(value: Any) -> Any:
    """A copy of a tensor as an array of NumPy; `None` if this is impossible."""
    import numpy

    try:
        if hasattr(value, "detach"):  # of PyTorch
            value = value.detach().cpu()
            # NumPy has no `bfloat16`.
            value = value.double() if value.is_floating_point() else value
            value = value.numpy(force=True)
        array = numpy.array(value)
        return array if array.dtype.kind in "biuf" else array.astype(numpy.float64)
    except Exception:
        return None


def encode_value(
    place: Key,
    call: str,
    dtype: str,
    array: Any,
    names: Names,
    tokens: Mapping[str, Sequence[str]],
    kept: Mapping[str, int],
    turn: int = 0,
) -> Value:
    """The value that is recorded of an array.

    `tokens` and `kept` are those of `Recording`, `turn` is that of `Value`.
    """
    import numpy

    axes = tuple(label_axes(names, array.shape, tokens))
    finite = array[numpy.isfinite(array)].astype(numpy.float64)
    statistics = (
        round_number(float(of_all())) if finite.size else None
        for of_all in (finite.min, finite.max, finite.mean, finite.std)
    )
    rows, columns = choose_axes(axes, kept)
    others = [axis for axis in range(array.ndim) if axis not in (rows, columns)]
    limits = dict(zip(reversed(others), (INNER, OUTER), strict=False))
    counts = (
        min(axes[axis].size, kept.get(axes[axis].name, limits.get(axis, 1)))
        for axis in others
    )
    slices = []
    for at in product(*map(range, counts)) if array.size else ():
        index: dict[int, Any] = dict(zip(others, at, strict=True))
        part = array[tuple(index.get(axis, slice(SIDE)) for axis in range(array.ndim))]
        slices.append(encode_slice(part, at))
    least, most, mean, deviation = statistics
    about = (*place, call, dtype, axes, least, most, mean, deviation)
    return Value(*about, rows, columns, tuple(slices), turn)


def label_axes(
    names: Names, shape: tuple[int, ...], tokens: Mapping[str, Sequence[str]]
) -> Iterator[Axis]:
    """The axes with their labels; preferably those that depend on another axis."""
    for number, (name, size) in enumerate(zip(names, shape, strict=True)):
        labels, by = tokens.get(name, ()), -1
        for other, (outer, times) in enumerate(zip(names, shape, strict=True)):
            each = tokens.get(f"{outer}, {name}", ())
            if other != number and len(each) == times * size > 0:
                labels, by = each, other
        fits = by >= 0 or len(labels) == size
        yield Axis(name, size, tuple(labels) if fits else (), by)


def choose_axes(axes: tuple[Axis, ...], kept: Mapping[str, int]) -> tuple[int, int]:
    """The axes of the rows and columns of a slice, -1 for none.

    They are the last two with more than one index; axes in `kept` are the last choice.
    """
    long = [i for i, axis in enumerate(axes) if axis.size > 1] or [*range(len(axes))]
    best = sorted(long, key=lambda i: axes[i].name not in kept)[-2:]
    rows, columns = [-1, -1, *sorted(best)][-2:]
    return rows, columns


def encode_slice(array: Any, at: tuple[int, ...] = ()) -> Slice:
    """Elements in 8 bits; whole numbers with a small range stay exact."""
    import numpy

    given = numpy.asarray(array, dtype=numpy.float64).ravel()
    finite = given[numpy.isfinite(given)]
    low = step = 0.0
    if finite.size:
        low = round_number(float(finite.min()))
        step = round_number(float(finite.max() - finite.min()) / STEPS)
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


def round_number(number: float) -> float:
    """A number with `DIGITS` significant digits."""
    return float(f"{number:.{DIGITS}g}")
