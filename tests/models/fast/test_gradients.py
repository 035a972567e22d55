"""A layer that learns by gradients written by hand learns what its short form does."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from labml_txl.models import (
    CompressiveTransformerLayer,
    Conv1dCompression,
    FeedForward,
    RelativeAttention,
    RelativeMultiHeadAttention,
    TransformerXLLayer,
    causal_mask,
)
from labml_txl.models.fast import batches, gradients
from labml_txl.models.fast.folding import folds
from tests.models import reference
from tests.models.graph import steps_back

D_MODEL = 8


def layer_of(
    form: type[RelativeAttention], encoding: str = "sinusoidal", norm: str = "pre"
) -> TransformerXLLayer:
    return TransformerXLLayer(
        d_model=D_MODEL,
        self_attn=form(2, D_MODEL, 0.0, encoding),
        feed_forward=FeedForward(D_MODEL, 11, 0.0),
        dropout_prob=0.0,
        norm=norm,
    ).double()


def pair(encoding: str, norm: str) -> tuple[TransformerXLLayer, TransformerXLLayer]:
    """A layer and its short form, with the same random parameters."""
    fast = layer_of(RelativeMultiHeadAttention, encoding, norm)
    short = layer_of(RelativeAttention, encoding, norm)
    reference.random_parameters(fast)
    short.load_state_dict(fast.state_dict())
    return fast, short


def states(length: int, batch: int = 3) -> Tensor:
    return torch.randn(length, batch, D_MODEL, dtype=torch.float64, requires_grad=True)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two queries of one sequence at a time."""
    monkeypatch.setattr(batches, "BLOCK", 1)
    monkeypatch.setattr(gradients, "QUERIES", 2)


@settings(max_examples=40, deadline=None)
@given(
    seq_len=st.integers(1, 6),
    mem_len=st.integers(0, 6),
    batch=st.integers(1, 4),
    encoding=st.sampled_from(["sinusoidal", "learned"]),
    norm=st.sampled_from(["pre", "post"]),
    block=st.sampled_from([1, 40, 150, 1 << 18]),
    queries=st.integers(1, 4),
)
def test_a_layer_that_learns_equals_its_short_form(
    seq_len: int,
    mem_len: int,
    batch: int,
    encoding: str,
    norm: str,
    block: int,
    queries: int,
) -> None:
    fast, short = pair(encoding, norm)
    x, mem = states(seq_len, batch), states(mem_len, batch)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "BLOCK", block)
        patch.setattr(gradients, "QUERIES", queries)
        assert_learns_the_same(fast, short, x, mem)


def assert_learns_the_same(
    fast: TransformerXLLayer, short: TransformerXLLayer, x: Tensor, mem: Tensor
) -> None:
    """Both give the same values, and the same gradients."""
    y, expected = fast(x=x, mem=mem), short(x=x, mem=mem)
    torch.testing.assert_close(y, expected, rtol=1e-11, atol=1e-11)
    direction = torch.randn_like(y)
    got = torch.autograd.grad(y, [x, *fast.parameters()], direction)
    wanted = torch.autograd.grad(expected, [x, *short.parameters()], direction)
    for one, other in zip(got, wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-10)


def test_the_layer_of_the_test_above_goes_the_fast_way() -> None:
    fast, short = pair("sinusoidal", "pre")
    assert folds(fast, None)
    assert not folds(short, None)
    assert "AttentionBackward" in reachable(fast)
    assert "AttentionBackward" not in reachable(short)


def reachable(layer: TransformerXLLayer) -> set[str]:
    """The names of all steps that autograd would go back through."""
    return steps_back(layer(x=states(3), mem=states(4)))


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("p", [0.0, 0.3])
def test_gradients_by_hand_agree_with_finite_differences(p: float) -> None:
    assert_differentiates(gradients.Attention, 3, 2, 6, p)


def assert_differentiates(
    step: type[torch.autograd.Function],
    seq_len: int,
    mem_len: int,
    columns: int,
    p: float,
) -> None:
    """The gradients of attention agree with finite differences."""
    heads, d_k, batch = 2, 2, 2
    sizes = [
        *((seq_len, batch, 3 * heads * d_k), (mem_len, batch, 2 * heads * d_k)),
        *((heads, d_k), (heads, d_k, columns), (heads, 1, columns)),
    ]
    inputs = [
        torch.randn(size, dtype=torch.float64, requires_grad=True) for size in sizes
    ]

    def attend(*given: Tensor) -> Tensor:
        torch.manual_seed(0)  # the same elements are dropped each time
        read: Tensor = step.apply(*given, 0.7, p)
        return read

    assert torch.autograd.gradcheck(attend, inputs)


def test_dropout_drops_the_share_it_was_told_of_the_weights() -> None:
    heads, n = 2, 60
    own, old = torch.zeros(n, 4, 3 * D_MODEL), torch.ones(n, 4, 2 * D_MODEL)
    own[..., 2 * D_MODEL :] = 1
    u, keys, bias = (
        torch.zeros(2, 4),
        torch.zeros(2, 4, 2 * n + 1),
        torch.zeros(2, 1, 1),
    )
    bias = bias.expand(2, 1, 2 * n + 1)
    read = gradients.Attention.apply(own, old, u, keys, bias, 1.0, 0.5)  # type: ignore[no-untyped-call]
    # All values are 1, and so is the sum of all weights: what is read is the share that
    # stayed, times two.
    heads_read = read.view(-1, heads, 4)[..., 0]
    assert heads_read.mean().item() == pytest.approx(1, abs=0.02)
    assert heads_read.std().item() == pytest.approx(1 / 90**0.5, rel=0.2)


def test_a_compressed_memory_that_wants_a_gradient_gets_it() -> None:
    fast, short = pair("sinusoidal", "pre")

    def compressive(core: TransformerXLLayer) -> CompressiveTransformerLayer:
        layer = CompressiveTransformerLayer(
            d_model=D_MODEL,
            self_attn=core.self_attn,
            feed_forward=core.feed_forward,
            dropout_prob=0.0,
            compress=Conv1dCompression(2, D_MODEL),
        ).double()
        layer.core.load_state_dict(core.state_dict())
        return layer

    x, mem, c_mem = states(3), states(4), states(2)
    found = []
    for core in (fast, short):
        y = compressive(core)(x=x, mem=mem, c_mem=c_mem)
        found.append((y, *torch.autograd.grad(y.square().sum(), [x, c_mem])))
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-10)


def hooked(layer: TransformerXLLayer) -> None:
    layer.self_attn.key.register_forward_hook(lambda *_: None)


def with_bias(layer: TransformerXLLayer) -> None:
    layer.self_attn.value = nn.Linear(D_MODEL, D_MODEL)


def other_norm(layer: TransformerXLLayer) -> None:
    layer.norm_self_attn = nn.RMSNorm(D_MODEL)  # type: ignore[assignment]


def other_dropout(layer: TransformerXLLayer) -> None:
    layer.self_attn.dropout = nn.AlphaDropout(0.1)


@pytest.mark.parametrize("change", [hooked, with_bias, other_norm, other_dropout])
def test_parts_of_your_own_are_called(change: object) -> None:
    layer = layer_of(RelativeMultiHeadAttention)
    assert folds(layer, None)
    assert callable(change)
    change(layer)
    assert not folds(layer.double(), None)
    layer(x=states(3), mem=states(4)).sum().backward()


def test_what_does_not_learn_or_has_a_mask_goes_the_short_way() -> None:
    layer = layer_of(RelativeMultiHeadAttention)
    assert not folds(layer, causal_mask(3, 4))
    with torch.no_grad():
        assert not folds(layer, None)
    with torch.autocast("cpu"):
        assert not folds(layer, None)


def test_a_second_gradient_is_refused() -> None:
    layer = layer_of(RelativeMultiHeadAttention)
    x = states(3)
    y = layer(x=x, mem=states(4)).square().sum()
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        first.square().sum().backward()
