"""What a compiler is shown computes what the short form does."""

import re

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from labml_txl.models.fast import folding, fusion
from tests.models.fast.test_gradients import (
    assert_differentiates,
    assert_learns_the_same,
    pair,
    states,
)


@settings(max_examples=40, deadline=None)
@given(
    seq_len=st.integers(1, 9),
    mem_len=st.integers(0, 9),
    batch=st.integers(1, 4),
    encoding=st.sampled_from(["sinusoidal", "learned"]),
    norm=st.sampled_from(["pre", "post"]),
    queries=st.integers(1, 9),
)
def test_what_a_compiler_fuses_equals_the_short_form(
    seq_len: int, mem_len: int, batch: int, encoding: str, norm: str, queries: int
) -> None:
    fast, short = pair(encoding, norm)
    x, mem = states(seq_len, batch), states(mem_len, batch)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fusion, "QUERIES", queries)
        patch.setattr(folding, "Attention", fusion.FusedAttention)
        assert_learns_the_same(fast, short, x, mem)


@pytest.mark.parametrize("p", [0.0, 0.3])
@pytest.mark.parametrize(("seq_len", "mem_len"), [(5, 3), (3, 0)])
def test_fused_gradients_agree_with_finite_differences(
    p: float, seq_len: int, mem_len: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fusion, "QUERIES", 2)
    columns = seq_len + mem_len + 4
    assert_differentiates(fusion.FusedAttention, seq_len, mem_len, columns, p)


# The compiler makes an object of a class of which it says that nobody should.
@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor")
def test_a_compiled_layer_goes_this_way_as_one_graph(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(folding, "COMPILED_ON", {"cpu"})
    fast, short = pair("sinusoidal", "pre")
    programs = []

    def backend(program: torch.fx.GraphModule, inputs: object) -> object:
        programs.append(program.print_readable(print_output=False))
        return program.forward

    x, mem = states(3), states(4)
    layer = torch.compile(fast, backend=backend, fullgraph=True)
    torch.testing.assert_close(layer(x=x, mem=mem), short(x=x, mem=mem))
    (program,) = programs
    assert "autograd_function_apply" in program
    # Nothing is written in place: names of such operations end in an underscore.
    assert not re.search(r"\.(baddbmm|mul|copy|fill|masked_fill)_\(", program)
