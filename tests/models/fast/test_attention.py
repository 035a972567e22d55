"""What makes attention fast changes nothing but its time: each idea by itself."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from labml_txl.models import (
    RelativeAttention,
    RelativeMultiHeadAttention,
    rel_shift,
    shift_view,
)
from labml_txl.models.distances import ENCODINGS
from labml_txl.models.fast import batches
from tests.models import reference
from tests.models.small import random_parameters, states


def pair(
    heads: int, d_model: int, encoding: str
) -> tuple[RelativeMultiHeadAttention, RelativeAttention]:
    """The fast form and the short form with the same random parameters."""
    fast = RelativeMultiHeadAttention(heads, d_model, 0.0, encoding).double()
    short = RelativeAttention(heads, d_model, 0.0, encoding).double()
    random_parameters(fast)
    short.load_state_dict(fast.state_dict())
    return fast, short


def a_mask(seq_len: int, k_len: int, batch: int) -> Tensor | None:
    """No mask for a batch of 0; else a random one, in which queries may see no key."""
    if not batch:
        return None
    return torch.rand(seq_len, k_len, batch) < 0.4


def assert_equal_forms(
    fast: RelativeAttention, short: RelativeAttention, given: list[Any], inputs: Any
) -> None:
    """Equal results and equal gradients, of the inputs and of each parameter."""
    y, expected = fast(*given), short(*given)
    direction = torch.randn_like(y)
    got = torch.autograd.grad(y, [*inputs, *fast.parameters()], direction)
    wanted = torch.autograd.grad(expected, [*inputs, *short.parameters()], direction)
    for one, other in zip((y, *got), (expected, *wanted), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-11, atol=1e-11)


# The whole attention


@pytest.mark.equation("txl.weighted_values")
@settings(max_examples=30, deadline=None)
@given(
    seq_len=st.integers(1, 5),
    mem_len=st.integers(0, 6),
    batch=st.integers(1, 4),
    heads=st.integers(1, 3),
    encoding=st.sampled_from([*ENCODINGS]),
    masked=st.sampled_from(["no", "one", "each"]),
)
def test_fast_attention_equals_the_short_form(
    seq_len: int, mem_len: int, batch: int, heads: int, encoding: str, masked: str
) -> None:
    fast, short = pair(heads, 4 * heads, encoding)
    x, mem = states(seq_len, batch, 4 * heads), states(mem_len, batch, 4 * heads)
    context = torch.cat((mem, x))
    sizes = {"no": 0, "one": 1, "each": batch}
    mask = a_mask(seq_len, len(context), sizes[masked])
    assert_equal_forms(fast, short, [x, context, context, mask], [x, mem])
    with torch.no_grad():
        torch.testing.assert_close(
            fast.eval()(x, context, context, mask), short(x, context, context, mask)
        )


# Each idea


@settings(max_examples=40, deadline=None)
@given(
    q_len=st.integers(1, 6),
    mem_len=st.integers(0, 6),
    extra=st.integers(1, 7),
    heads=st.integers(1, 3),
    batch=st.integers(1, 3),
)
def test_the_view_equals_the_definition_of_the_shift(
    q_len: int, mem_len: int, extra: int, heads: int, batch: int
) -> None:
    k_len = mem_len + q_len
    by_distance = torch.randn(
        batch, heads, q_len, k_len + extra, dtype=torch.float64, requires_grad=True
    )
    # What has no distance means nothing: only what has one is compared.
    column = torch.arange(k_len) + q_len - 1 - torch.arange(q_len)[:, None]
    exists = column < k_len + extra
    reference.assert_same_values_and_gradients(
        shift_view(by_distance, k_len)[..., exists],
        rel_shift(by_distance, k_len)[..., exists],
        [by_distance],
    )


@pytest.mark.parametrize("sequences", [1, 2, 3, 9])
@pytest.mark.parametrize("mask_batch", [0, 1, 7])
def test_results_do_not_depend_on_how_a_batch_is_divided(
    monkeypatch: pytest.MonkeyPatch, mask_batch: int, sequences: int
) -> None:
    attention, _ = pair(2, 6, "sinusoidal")
    x = states(4, 7, 6)
    context = torch.cat((states(2, 7, 6), x))
    mask = a_mask(4, 6, mask_batch)
    whole = attention(x, context, context, mask)
    monkeypatch.setattr(batches, "BLOCK", 2 * 4 * 6 * sequences)
    in_blocks = attention(x, context, context, mask)
    reference.assert_same_values_and_gradients(
        in_blocks, whole, [x, *attention.parameters()]
    )
