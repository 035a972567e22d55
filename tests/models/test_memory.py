import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from labml_txl.models import (
    causal_mask,
    extend_context,
    reset_memory,
    update_memory,
)


def numbered(first: int, length: int, batch: int = 2) -> Tensor:
    """States that say at which time they were computed."""
    times = torch.arange(first, first + length, dtype=torch.float64)
    return times[:, None, None].expand(length, batch, 3).clone()


@pytest.mark.equation("txl.recurrence")
@pytest.mark.equation("txl.memory")
def test_the_extended_context_is_the_memory_and_then_the_segment() -> None:
    mem, h = numbered(0, 4), numbered(4, 3)
    assert torch.equal(extend_context(mem, h), numbered(0, 7))
    assert torch.equal(extend_context(None, h), h)


@pytest.mark.equation("txl.memory")
def test_gradients_do_not_flow_into_memory() -> None:
    mem, h = numbered(0, 4).requires_grad_(), numbered(4, 3).requires_grad_()
    torch.autograd.backward(extend_context(mem, h).sum())
    assert mem.grad is None
    assert h.grad is not None
    new = update_memory([mem], [h], 5)
    assert not new[0].requires_grad


@settings(max_examples=100, deadline=None)
@given(mem_len=st.integers(0, 9), lengths=st.lists(st.integers(1, 7), max_size=5))
def test_memory_always_holds_the_newest_states(
    mem_len: int, lengths: list[int]
) -> None:
    mem: list[Tensor] = []
    read = 0
    for length in lengths:
        states = [numbered(read, length), 2 * numbered(read, length)]
        mem = update_memory(mem, states, mem_len)
        read += length
        remembered = min(mem_len, read)
        if not remembered:
            assert mem == []
            continue
        expected = numbered(read - remembered, remembered)
        assert torch.equal(mem[0], expected)
        assert torch.equal(mem[1], 2 * expected)


def test_memory_is_never_changed_in_place() -> None:
    old, new = numbered(0, 4), numbered(4, 3)
    mem, states = [old], [new]
    update_memory(mem, states, 4)
    reset_memory(mem, torch.tensor([True, False]))
    assert mem[0] is old
    assert torch.equal(old, numbered(0, 4))
    assert torch.equal(new, numbered(4, 3))


def test_reset_forgets_one_sequence_and_keeps_the_others() -> None:
    mem = [numbered(1, 4, batch=3), numbered(5, 4, batch=3)]
    reset = reset_memory(mem, torch.tensor([False, True, False]))
    for old, new in zip(mem, reset, strict=True):
        assert torch.equal(new[:, [0, 2]], old[:, [0, 2]])
        assert not new[:, 1].any()
    assert reset_memory([], torch.tensor([True])) == []


def test_causal_mask_hides_states_from_before_a_sequence_began() -> None:
    mask = causal_mask(2, 3, remembered=torch.tensor([3, 1, 0]))
    assert mask.shape == (2, 5, 3)
    assert mask[0].T.int().tolist() == [
        [1, 1, 1, 1, 0],
        [0, 0, 1, 1, 0],
        [0, 0, 0, 1, 0],
    ]
