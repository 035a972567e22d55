"""What is kept of an array: statistics, and slices that are off by half a step."""

import math

import numpy
from hypothesis import given, settings
from hypothesis import strategies as st

from labml_txl.literate.recording.recording import encode_slice, encode_value
from labml_txl.literate.recording.records import SIDE
from labml_txl.literate.recording.shapes import axes_of, read_shapes

NUMBERS = st.floats(-1e6, 1e6) | st.sampled_from([math.inf, -math.inf, math.nan])


@settings(max_examples=100, deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=30))
def test_slices_round_to_half_a_step_and_keep_nan(
    numbers: list[float],
) -> None:
    one = encode_slice(numpy.array(numbers))
    # Six digits of the lowest number and of the step are kept.
    finite = [abs(n) for n in numbers if math.isfinite(n)]
    margin = 0.5 * one.step + 1.2e-5 * max(finite, default=0) + 1e-300
    for wanted, found in zip(numbers, one.values(), strict=True):
        if math.isfinite(wanted):
            assert abs(found - wanted) <= margin
        else:
            assert found == wanted or (math.isnan(found) and math.isnan(wanted))


def test_few_whole_numbers_are_exact() -> None:
    whole = numpy.array([7, 255, 3, 3], dtype=numpy.int64)
    assert encode_slice(whole).values() == [7, 255, 3, 3]
    assert encode_slice(numpy.array([True, False])).values() == [1, 0]
    flat = encode_slice(numpy.array([math.pi, math.pi]))
    assert flat.step == 0
    assert flat.values() == [3.14159, 3.14159]


def kept(
    shape: tuple[int, ...], names: str, **counts: int
) -> tuple[tuple[int, int], list[tuple[int, ...]], tuple[int, int]]:
    array = numpy.arange(math.prod(shape), dtype=float).reshape(shape)
    axes = tuple(names.split(","))
    value = encode_value(("f", "x", 0), "", "float64", array, axes, {}, counts)
    places = [one.at for one in value.slices]
    for one in value.slices:
        assert len(one.codes) == math.prod(value.extent)
    return (value.rows, value.columns), places, value.extent


def test_the_last_two_axes_are_shown_and_few_of_the_others() -> None:
    assert kept((3, 4), "a,b") == ((0, 1), [()], (3, 4))
    assert kept((5,), "a") == ((-1, 0), [()], (1, 5))
    pair, places, _ = kept((3, 9, 6, 7), "a,b,c,d")
    assert pair == (2, 3)
    assert places == [(a, b) for a in range(2) for b in range(4)]
    # What is chosen among is not shown, and what has one index says nothing.
    named = {"batch": 1, "heads": 3}
    assert kept((6, 2, 7), "seq,batch,d", **named)[:2] == ((0, 2), [(0,)])
    assert kept((2, 4, 6, 7), "batch,heads,i,j", **named)[1] == [
        *((0, 0), (0, 1), (0, 2))
    ]
    assert kept((3, 4), "d,batch", **named)[0] == (0, 1)
    assert kept((4, 1, 7), "heads,,d", **named)[:2] == ((0, 2), [(0,)])


def test_only_the_first_indices_of_long_axes_are_kept() -> None:
    assert kept((200, 300), "q_len,k_len") == ((0, 1), [()], (SIDE, SIDE))
    array = numpy.arange(300.0)
    value = encode_value(("f", "x", 0), "", "float64", array, ("k_len",), {}, {})
    assert value.slices[0].values() == [*range(SIDE)]


def test_labels_are_kept_only_if_each_index_has_one() -> None:
    tokens = {"a": ("<", "“"), "b": ("x",)}
    value = encode_value(
        ("f", "x", 0), "", "", numpy.ones((2, 3)), ("a", "b"), tokens, {}
    )
    assert [axis.labels for axis in value.axes] == [("<", "“"), ()]
    empty = encode_value(("f", "x", 0), "", "", numpy.ones((2, 0)), ("a", "b"), {}, {})
    assert (empty.least, empty.mean, empty.slices) == (None, None, ())


def test_labels_may_differ_from_one_entry_of_a_batch_to_the_next() -> None:
    tokens = {"i": (*"ab",), "batch, i": (*"abcdef",), "i, batch": (*"xyz",)}

    def labels(*names: str) -> list[tuple[tuple[str, ...], int]]:
        shape = tuple({"i": 2, "batch": 3, "j": 2}[name] for name in names)
        array = numpy.zeros(shape)
        value = encode_value(("f", "x", 0), "", "float64", array, names, tokens, {})
        return [(axis.labels, axis.by) for axis in value.axes]

    six = (*"abcdef",)
    assert labels("batch", "i") == [((), -1), (six, 0)]
    assert labels("i", "j", "batch") == [(six, 2), ((), -1), ((), -1)]
    # What has no batch has those that go by the name of the axis alone.
    assert labels("i", "j") == [((*"ab",), -1), ((), -1)]


def test_docstrings_give_axes_to_arguments_and_to_what_is_returned() -> None:
    words = (
        "`query` is `[n, batch]`; `key` and `value` are\n`[k_len,\nbatch]`. For `mask` "
        "see `Other` too. `[x]` is nobody's. `m` is `[n, batch or 1]`. Returns "
        "`[n, d // 2]`, and `z`."
    )
    assert read_shapes(words) == {
        "query": ("n", "batch"),
        "key": ("k_len", "batch"),
        "value": ("k_len", "batch"),
        "m": ("n", "batch"),
        "return": ("n", "d // 2"),
    }


def test_a_shape_at_the_end_of_a_line_is_that_of_the_one_name_it_binds() -> None:
    axes = axes_of(
        "class A:\n    x: T  # [n]\ndef f(x):\n    y, z = x  # [a]\n"
        "    y = (\n        x\n    )  # [b, c], words\n    return y  # []\n"
    )
    assert axes.comments == {("f", "y", 1): ("b", "c"), ("f", "return", 0): ()}
    assert axes.fields == {"x": ("n",)}
