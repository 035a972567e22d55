"""Attention for a GPU, here on a CPU: it computes what the short form does."""

import re

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from labml_txl.models.distances import ENCODINGS
from labml_txl.models.fast import attention, fusion
from tests.models.fast.test_attention import assert_equal_forms, pair
from tests.models.small import states

D_MODEL = 8


def always(_x: Tensor, mask: Tensor | None) -> bool:
    return mask is None


@settings(max_examples=40, deadline=None)
@given(
    seq_len=st.integers(1, 9),
    mem_len=st.integers(0, 9),
    batch=st.integers(1, 4),
    encoding=st.sampled_from([*ENCODINGS]),
    queries=st.integers(1, 9),
)
def test_fused_attention_equals_the_short_form(
    seq_len: int, mem_len: int, batch: int, encoding: str, queries: int
) -> None:
    fast, short = pair(2, D_MODEL, encoding)
    x, mem = states(seq_len, batch, D_MODEL), states(mem_len, batch, D_MODEL)
    context = torch.cat((mem, x))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fusion, "QUERIES", queries)
        patch.setattr(attention, "fuses", always)
        assert_equal_forms(fast, short, [x, context, context], [x, mem])


@pytest.mark.parametrize("p", [0.0, 0.3])
@pytest.mark.parametrize(("seq_len", "mem_len"), [(5, 3), (3, 0)])
def test_fused_gradients_agree_with_finite_differences(
    p: float, seq_len: int, mem_len: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fusion, "QUERIES", 2)
    k_len = seq_len + mem_len
    heads = [(3, 2, seq_len, 4), (3, 2, k_len, 4), (3, 2, k_len, 4)]
    table = [(2, 4), (2, 4, k_len + 4), (2, 1, k_len + 4)]
    inputs = [
        torch.randn(shape, dtype=torch.float64, requires_grad=True)
        for shape in (*heads, *table)
    ]

    def attend(*given: Tensor) -> Tensor:
        torch.manual_seed(9)
        y: Tensor = fusion.FusedAttention.apply(*given, 0.7, p)  # type: ignore[no-untyped-call]
        return y

    assert torch.autograd.gradcheck(attend, inputs)


# The compiler makes an object of a class of which it says that nobody should.
@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor")
def test_compiled_attention_is_fused_in_one_graph(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(attention, "fuses", always)
    fast, short = pair(2, D_MODEL, "sinusoidal")
    programs = []

    def backend(program: torch.fx.GraphModule, inputs: object) -> object:
        programs.append(program.print_readable(print_output=False))
        return program.forward

    x = states(3, 2, D_MODEL)
    context = torch.cat((states(4, 2, D_MODEL), x))
    compiled = torch.compile(fast, backend=backend, fullgraph=True)
    y = compiled(x, context, context)
    torch.testing.assert_close(y, short(x, context, context))
    (program,) = programs
    assert "autograd_function_apply" in program
    # Nothing is written in place: names of such operations end in an underscore.
    assert not re.search(r"\.(baddbmm|mul|copy|fill|masked_fill)_\(", program)
