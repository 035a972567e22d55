import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from labml_txl import variants
from labml_txl.models import (
    COMPRESSIONS,
    LOSSES,
    Conv1dCompression,
    DilatedConvCompression,
    MaxPooling,
    MeanPooling,
    MostUsedCompression,
)
from labml_txl.models.distances import ENCODINGS
from tests.models.reference import assert_same_values_and_gradients
from tests.models.small import random_parameters


def test_the_table_of_variants_agrees_with_the_classes() -> None:
    assert [*variants.COMPRESSIONS] == [*COMPRESSIONS]
    assert [*variants.ENCODINGS] == [*ENCODINGS]
    assert [*variants.LOSSES] == [*LOSSES]
    for name, make in COMPRESSIONS.items():
        module = make(2, 4)
        assert isinstance(module, nn.Module)
        is_learned = any(one.requires_grad for one in module.parameters())
        assert variants.COMPRESSIONS[name].is_learned == is_learned, name
        by_block = getattr(module, "by_block", False)
        assert variants.COMPRESSIONS[name].by_block == by_block, name


def memories(length: int, batch: int = 2, d_model: int = 3) -> Tensor:
    return torch.randn(length, batch, d_model, dtype=torch.float64, requires_grad=True)


@pytest.mark.equation("cmp.compression")
@pytest.mark.parametrize("name", COMPRESSIONS)
@settings(max_examples=25, deadline=None)
@given(
    length=st.integers(0, 13),
    rate=st.integers(1, 5),
    batch=st.integers(1, 3),
    d_model=st.integers(1, 4),
)
def test_every_function_makes_one_memory_of_each_block(
    name: str, length: int, rate: int, batch: int, d_model: int
) -> None:
    compress = COMPRESSIONS[name](rate, d_model)
    mem, usage = torch.randn(length, batch, d_model), torch.rand(length, batch)
    assert compress(mem, usage).shape == (length // rate, batch, d_model)


@pytest.mark.equation("cmp.compression")
def test_pooling_matches_its_definition_in_loops() -> None:
    mem = memories(7)
    blocks = [
        [mem[3 * n + k, b, e] for k in range(3)]
        for n, b, e in itertools.product(range(2), range(2), range(3))
    ]
    for compress, slow in (
        (MaxPooling(3, 3), [max(block) for block in blocks]),
        (MeanPooling(3, 3), [(a + b + c) / 3 for a, b, c in blocks]),
    ):
        expected = torch.stack(slow).view(2, 2, 3)
        assert_same_values_and_gradients(compress(mem), expected, [mem])


@pytest.mark.equation("cmp.compression")
def test_convolution_matches_its_definition_in_loops() -> None:
    compress = Conv1dCompression(3, 3).double()
    random_parameters(compress)
    W, bias = compress.conv.weight, compress.conv.bias
    assert bias is not None
    mem = memories(8)
    slow = [
        bias + sum(W[:, :, k] @ mem[3 * n + k, b] for k in range(3))
        for n, b in itertools.product(range(2), range(2))
    ]
    expected = torch.stack(slow).view(2, 2, 3)
    assert_same_values_and_gradients(compress(mem), expected, [mem, W, bias])


@pytest.mark.parametrize(
    ("rate", "dilation"), [(1, 2), (2, 3), (3, 2), (4, 3), (5, 2), (6, 5), (12, 5)]
)
def test_dilated_convolution_reads_every_memory_once(rate: int, dilation: int) -> None:
    compress = DilatedConvCompression(rate, 1).double()
    assert compress.dilation == dilation
    torch.nn.init.ones_(compress.conv.weight)
    n_blocks = 3 * rate + 6
    mem = memories(n_blocks * rate, 1, 1)
    (reads,) = torch.autograd.grad(compress(mem).sum(), mem)
    inner = slice(rate * dilation, -rate * dilation)
    assert (reads[inner] == 1).all()
    assert reads.max() == 1

    # One output reads `rate` memories, spread over a longer time than a block.
    (reads,) = torch.autograd.grad(compress(mem)[n_blocks // 2, 0, 0], mem)
    (read,) = reads[:, 0, 0].nonzero(as_tuple=True)
    assert len(read) == rate
    assert (read.diff() == dilation).all()


def test_most_used_keeps_the_most_attended_in_the_order_of_time() -> None:
    mem = memories(6)
    usage = torch.tensor([[5, 0], [1, 9], [4, 1], [0, 2], [2, 8], [3, 7.0]])
    kept = MostUsedCompression(3, 3)(mem, usage)
    assert torch.equal(kept[:, 0], mem[[0, 2], 0])
    assert torch.equal(kept[:, 1], mem[[1, 4], 1])
    assert torch.equal(MostUsedCompression(1, 3)(mem, usage), mem)
