"""A run shows what names hold, and is the same run as without anybody looking."""

import importlib.util
import math
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import numpy
import pytest
import torch

from labml_txl.literate.recording.recording import Recording, observe
from labml_txl.literate.recording.records import Record, Value
from labml_txl.literate.sources.source import LiterateError

ATTENTION = '''
import numpy

def attend(x, scale=0.5):
    """Each row of `x`, `[n, d]`, reads all rows. Returns `[n, d]`."""
    scores = x @ x.T  # [n, n]
    scores *= scale
    scores += 1.0
    weights = softmax(scores)
    return weights @ x

def softmax(scores):
    e = numpy.exp(scores - scores.max(-1, keepdims=True))  # [n, n]
    return e / e.sum(-1, keepdims=True)
'''


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], ModuleType]:
    """Write a module, and import it."""

    def write(source: str) -> ModuleType:
        path = tmp_path / "annotated.py"
        path.write_text(source, encoding="utf-8")
        spec = importlib.util.spec_from_file_location("annotated", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return write


Written = Callable[[str], ModuleType]


def observed(
    module: ModuleType, run: Callable[[], object], **how: Any
) -> tuple[Mapping[tuple[str, str, int], Value], Record]:
    """What a run of a module shows, by the keys of its bindings."""
    recording = Recording(run, [module], "a run", **how)
    (found,) = observe(recording, Path(str(module.__file__)).parent)
    return {value.key: value for value in found.values}, found


def numbers(value: Value) -> list[float]:
    """The elements of a value's first slice."""
    return value.slices[0].values()


def test_values_of_every_binding_are_recorded_for_numpy(written: Written) -> None:
    module = written(ATTENTION)
    x = numpy.arange(6.0).reshape(3, 2)
    values, found = observed(module, lambda: module.attend(x))
    scores = x @ x.T
    for ordinal, wanted in enumerate((scores, scores / 2, scores / 2 + 1)):
        value = values["attend", "scores", ordinal]
        assert value.shape == (3, 3)
        assert numbers(value) == pytest.approx(wanted.ravel(), abs=0.1)
        assert value.most == pytest.approx(wanted.max(), rel=1e-5)
    axes = {key: [axis.name for axis in v.axes] for key, v in values.items()}
    assert axes["attend", "x", 0] == ["n", "d"]
    assert axes["attend", "weights", 0] == ["n", "n"]
    assert axes["attend", "return", 0] == ["n", "d"]
    assert axes["softmax", "return", 0] == ["n", "n"]
    assert sum(numbers(values["softmax", "return", 0])) == pytest.approx(3, abs=0.02)
    assert ("attend", "scale", 0) not in values
    assert found.run.versions[0] == ("Python", sys.version.split()[0])


def test_recording_changes_no_result_and_restores_the_tracer(
    written: Written,
) -> None:
    module = written(
        "import torch\n\ndef f(x, w):\n    x = torch.dropout(x @ w, 0.5, True)\n"
        "    x += torch.rand_like(x)\n    return x.relu_().softmax(-1)\n"
    )

    def run() -> list[torch.Tensor]:
        torch.manual_seed(3)
        w = torch.randn(7, 5, requires_grad=True)
        y = module.f(torch.randn(4, 7), w)
        y.square().sum().backward()
        assert w.grad is not None
        return [y.detach(), w.grad, torch.rand(3)]

    def tracer(frame: FrameType, event: str, argument: object) -> None:
        return None

    before, kept = sys.gettrace(), []
    sys.settrace(tracer)
    try:
        values, _ = observed(module, lambda: kept.extend(run()))
        assert sys.gettrace() is tracer
        with pytest.raises(ZeroDivisionError):
            observed(module, lambda: 1 / 0)
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)
    assert all(torch.equal(a, b) for a, b in zip(kept, run(), strict=True))
    assert values["f", "x", 0].dtype == "float32"
    assert {("f", "x", 0), ("f", "x", 1), ("f", "x", 2)} < values.keys()


LAYERS = """
import numpy

def stack(x):
    states = []
    for _ in range(3):
        states.append(x)
        x = layer(x)
    return x, states

def layer(x):
    y = add(x) + 1.0
    return y

def add(x):
    return x + 10.0
"""


def test_a_named_call_is_recorded_with_the_calls_within_it(
    written: Written,
) -> None:
    module = written(LAYERS)
    calls = {"layer": {1: "layer 2 of 3"}}
    given = numpy.zeros(2)
    values, _ = observed(module, lambda: module.stack(given), calls=calls, item=1)
    assert numbers(values["layer", "y", 0]) == [22, 22]
    assert numbers(values["add", "return", 0]) == [21, 21]
    assert values["add", "x", 0].call == "layer 2 of 3"
    # A loop leaves its last value; a list is what it has become.
    assert numbers(values["stack", "x", 1]) == [33, 33]
    assert numbers(values["stack", "states", 0]) == [11, 11]
    assert values["stack", "states", 0].call == "item 2 of 3"
    assert values["stack", "return", 0].call == "item 1 of 2"
    first, _ = observed(module, lambda: module.stack(given))
    assert numbers(first["add", "x", 0]) == [0, 0]


def test_values_of_one_call_are_distinguished_from_those_of_another(
    written: Written,
) -> None:
    module = written(
        "def f(x, more):\n    y = x + 1.0\n    if more:\n        z = y * 2.0\n"
        "        w = z\n        return w\n    return y\n"
    )
    x = numpy.ones(2)

    def run() -> None:
        for more in (False, True, False, True):
            module.f(x, more)

    values, _ = observed(module, run)
    turns = {(name, ordinal): one.turn for (_, name, ordinal), one in values.items()}
    assert turns == {
        **{("x", 0): 0, ("y", 0): 0, ("return", 1): 0},
        **{("z", 0): 1, ("w", 0): 1, ("return", 0): 1},
    }


def test_a_binding_that_an_exception_prevented_is_not_recorded(
    written: Written,
) -> None:
    module = written(
        "import numpy\n\ndef f(x):\n    y = x\n    try:\n        y = x + fail(x)\n"
        "    except ZeroDivisionError:\n        z = y * 2.0\n"
        "    with open(__file__):\n        return (\n            z\n        )\n\n"
        "def fail(x):\n    w = x / 2\n    return w / (1 // 0)\n"
    )
    values, _ = observed(module, lambda: module.f(numpy.ones(3)))
    keys = {(function, name, ordinal) for function, name, ordinal in values}
    assert keys == {
        *(("f", "x", 0), ("f", "y", 0), ("f", "z", 0), ("f", "return", 0)),
        *(("fail", "x", 0), ("fail", "w", 0)),
    }


def test_attributes_are_read_and_properties_are_not(written: Written) -> None:
    module = written(
        "class A:\n    asked = 0\n    @property\n    def heavy(self):\n"
        "        self.asked += 1\n        return self.w\n"
        "    def run(self, x):\n        self.y = x * self.w\n"
        "        a = self.heavy + x.T\n        return a\n"
    )
    thing = module.A()
    thing.w = numpy.full(2, 3.0)
    values, _ = observed(module, lambda: thing.run(numpy.ones(2)))
    assert thing.asked == 1
    assert numbers(values["A.run", "self.w", 0]) == [3, 3]
    assert numbers(values["A.run", "self.y", 0]) == [3, 3]
    assert ("A.run", "self.heavy", 0) not in values
    assert ("A.run", "x.T", 0) not in values


def test_unusual_values_do_not_disturb_a_run(written: Written) -> None:
    module = written(
        "class Odd:\n    def __getattr__(self, name):\n"
        "        raise RuntimeError(name)\n\n"
        "def f(x, odd, loop):\n    y = x + 1 if x.any() else odd.w\n    return y\n"
    )
    loop: list[Any] = []
    loop.append(loop)
    values, _ = observed(module, lambda: module.f(numpy.ones(2), module.Odd(), loop))
    assert numbers(values["f", "return", 0]) == [2, 2]
    assert values.keys() == {("f", "x", 0), ("f", "y", 0), ("f", "return", 0)}


def test_a_module_of_another_project_is_refused(tmp_path: Path) -> None:
    for module in (sys, numpy):
        with pytest.raises(LiterateError, match=r"not a module below \S+$"):
            observe(Recording(dict, [module], ""), tmp_path)


class Foreign:
    """An array of another library, which NumPy can turn into one of its own."""

    def __init__(self, numbers: list[float]) -> None:
        self.numbers = numpy.array(numbers, numpy.float16)
        self.shape, self.dtype = self.numbers.shape, "float8_e5m2"

    def __array__(self, dtype: object = None, copy: object = None) -> numpy.ndarray:
        return self.numbers


def test_tensors_of_every_kind_and_other_values(written: Written) -> None:
    module = written("def f(x):\n    return x\n")
    half = torch.tensor([[1.5, -math.inf]], dtype=torch.bfloat16)
    given: dict[str, Any] = {
        "bfloat16": half.requires_grad_(),
        "float16": torch.tensor([65504, math.inf, math.nan], dtype=torch.float16),
        "bool": torch.tensor([True, False]),
        "int64": numpy.int64(3),
        "float8_e5m2": Foreign([1, 2]),
        "float32": (None, {"a": torch.zeros(0, 2)}),
    }
    for dtype, tensor in given.items():
        values, _ = observed(module, partial(module.f, tensor))
        assert values["f", "x", 0].dtype == dtype
    assert values["f", "x", 0].slices == ()
    assert values["f", "x", 0].call == "item 2 of 2, a"
    values, _ = observed(module, lambda: module.f(half))
    assert numbers(values["f", "x", 0]) == [1.5, -math.inf]
    low, *unreal = numbers(
        observed(module, lambda: module.f(given["float16"]))[0]["f", "x", 0]
    )
    assert (low, unreal[0]) == (65504, math.inf)
    assert math.isnan(unreal[1])
    nowhere = torch.zeros(2, device="meta")
    assert not observed(module, lambda: module.f(nowhere))[0]
