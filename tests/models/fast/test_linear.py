"""Linear layers by oneDNN compute what their formulas say, and so do all others."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.autograd import forward_ad

from labml_txl.models import Dropout, FeedForward
from labml_txl.models.fast import linear as by_onednn
from labml_txl.models.fast.dropout import draw_bits, factors
from labml_txl.models.fast.linear import linear, multiplies, through
from tests.models.graph import steps_back

pytestmark = pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor")
BUILT = pytest.mark.skipif(
    not by_onednn.IS_BUILT, reason="this PyTorch has no product by oneDNN"
)


def drawn(*shape: int) -> Tensor:
    return torch.randn(shape, requires_grad=True)


def assert_close_to_double(
    y: Tensor, expected: Tensor, inputs: list[Tensor], doubles: list[Tensor]
) -> None:
    """Values and gradients equal those of doubles, up to single precision."""
    direction = torch.randn_like(y)
    got = [y, *torch.autograd.grad(y, inputs, direction)]
    wanted = [expected, *torch.autograd.grad(expected, doubles, direction.double())]
    for one, other in zip(got, wanted, strict=True):
        scale = 1 + other.abs().sum().item() / max(1, other.numel())
        torch.testing.assert_close(one.double(), other, rtol=0, atol=1e-5 * scale)


@pytest.mark.parametrize("built", [pytest.param(True, marks=BUILT), False])
@settings(max_examples=25, deadline=None)
@given(
    shape=st.sampled_from([(5,), (3, 2), (0, 2), (1, 1), (7, 3)]),
    sizes=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    with_bias=st.booleans(),
    turned=st.booleans(),
)
def test_linear_layers_equal_their_formula(
    built: bool,
    shape: tuple[int, ...],
    sizes: tuple[int, int],
    with_bias: bool,
    turned: bool,
) -> None:
    d, out = sizes
    x = drawn(*shape, d)
    w = drawn(out, d)
    b = drawn(out) if with_bias else None
    inputs = [z for z in (x, w, b) if z is not None]
    doubles = [z.detach().double().requires_grad_() for z in inputs]
    given_x, double_x = x, doubles[0]
    if turned and len(shape) > 1:
        given_x, double_x = x.transpose(0, 1), double_x.transpose(0, 1)
    expected = (double_x[..., None, :] * doubles[1]).sum(-1)
    if with_bias:
        expected = expected + doubles[2]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_onednn, "IS_BUILT", built)
        y = linear(given_x, w, b)
        assert ("LinearBackward" in steps_back(y)) == (built and y.numel() > 0)
        assert_close_to_double(y, expected, inputs, doubles)


@pytest.mark.parametrize("built", [pytest.param(True, marks=BUILT), False])
@pytest.mark.parametrize("p", [0.0, 0.3])
def test_a_network_by_products_equals_its_short_form(
    built: bool, p: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_onednn, "IS_BUILT", built)
    network, x = FeedForward(8, 11, p), drawn(4, 3, 8)
    inputs = [x, *network.parameters()]
    doubles = [z.detach().double().requires_grad_() for z in inputs]
    double_x, w1, b1, w2, b2 = doubles

    # The same elements are dropped in both.
    torch.manual_seed(1)
    keep = torch.ones(4, 3, 11, dtype=torch.float64)
    if p:
        keep = factors(draw_bits(torch.empty(4, 3, 11)), p, torch.float64)
    expected = F.linear(F.linear(double_x, w1, b1).clamp(min=0) * keep, w2, b2)

    torch.manual_seed(1)
    y = network(x)
    assert ("RectifiedBackward" in steps_back(y)) == built
    assert_close_to_double(y, expected, inputs, doubles)
    with torch.inference_mode():
        network.eval()
        short = F.linear(F.linear(double_x, w1, b1).clamp(min=0), w2, b2)
        torch.testing.assert_close(network(x).double(), short, rtol=1e-5, atol=1e-6)


@BUILT
def test_nothing_of_an_element_that_dropout_leaves_is_scaled_wrongly() -> None:
    # The largest probability still keeps one case of 65,536, and its factor is that.
    network = FeedForward(2, 4000, 1 - 2**-20)
    nn.init.constant_(network.expand.bias, 1.0)
    x = torch.zeros(60, 2, requires_grad=True)
    torch.manual_seed(0)
    network(x).sum().backward()
    assert network.expand.bias.grad is not None
    assert network.contract.weight.grad is not None
    hidden = network.contract.weight.grad[0]  # what stayed, times its factor
    kept = hidden / 65536
    assert kept.sum() > 0
    torch.testing.assert_close(kept, kept.round())
    wanted = hidden * network.contract.weight.detach().sum(0)
    torch.testing.assert_close(network.expand.bias.grad, wanted)


@BUILT
@pytest.mark.parametrize("p", [0.0, 0.3])
def test_a_second_gradient_is_that_of_the_short_form(p: float) -> None:
    network, x = FeedForward(6, 7, p), drawn(5, 6)
    second = []
    for built in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(by_onednn, "IS_BUILT", built)
            torch.manual_seed(3)
            y = network(x)
            (first,) = torch.autograd.grad(y.square().sum(), x, create_graph=True)
            wanted = [x, network.expand.weight, network.contract.weight]
            second.append(torch.autograd.grad(first.square().sum(), wanted))
    for one, other in zip(*second, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-6)


@BUILT
@pytest.mark.filterwarnings("ignore:TF32 acceleration")
def test_only_what_onednn_multiplies_goes_to_it() -> None:
    x, w = torch.randn(3, 4), torch.randn(5, 4, requires_grad=True)
    assert multiplies(x, w)
    assert not multiplies(x.double(), w)
    assert not multiplies(x.to("meta"), w)
    # Weights that do not lie close together.
    for apart in (
        torch.randn(5, 8)[:, :4],
        torch.randn(10, 4)[::2],
        w[:1].expand(5, 4),
    ):
        assert not multiplies(x, apart)
        torch.testing.assert_close(linear(x, apart), x @ apart.mT)
    assert multiplies(x, torch.randn(4, 5).mT)
    for apart in (torch.randn(5, 2)[:, 0], torch.randn(1).expand(5)):
        assert not multiplies(x, w, apart)
        torch.testing.assert_close(linear(x, w, apart), x @ w.mT + apart)
    with torch.autocast("cpu"):
        assert not multiplies(x, w)
        assert linear(x, w).dtype == torch.bfloat16
    with torch.backends.mkldnn.flags(enabled=False):
        assert not multiplies(x, w)
    torch.func.vmap(lambda row: linear(row, w))(x)
    grad = torch.func.grad(lambda row: linear(row, w).sum())(x)
    torch.testing.assert_close(grad, w.sum(0).expand(3, -1))


def hooked(network: FeedForward) -> nn.Module:
    network.contract.register_forward_hook(lambda *_: None)
    return network.contract


def heard(network: FeedForward) -> nn.Module:
    network.expand.register_full_backward_hook(lambda *_: None)
    return network.expand


class Doubled(nn.Linear):
    """A layer of your own."""

    def forward(self, x: Tensor) -> Tensor:
        return 2 * super().forward(x)


def of_your_own(network: FeedForward) -> nn.Module:
    network.expand = Doubled(4, 4)
    return network.expand


def other_dropout(network: FeedForward) -> nn.Module:
    network.dropout = nn.AlphaDropout(0.5)  # type: ignore[assignment]
    return network.dropout


@BUILT
@pytest.mark.parametrize("change", [hooked, heard, of_your_own, other_dropout])
def test_parts_of_your_own_are_called(change: object) -> None:
    network, x = FeedForward(4, 4, 0.0), torch.randn(3, 4)
    assert callable(change)
    part = change(network)
    called: list[nn.Module] = []
    forward = part.forward

    def noted(x: Tensor) -> object:
        called.append(part)
        return forward(x)

    part.forward = noted
    network(x)
    assert called == [part]
    if isinstance(part, nn.Linear):
        torch.testing.assert_close(through(part, x), part(x))
        assert called == [part] * 3


def test_a_dropout_that_only_evaluates_drops_nothing() -> None:
    network, x = FeedForward(4, 5, 0.9), torch.randn(3, 4)
    assert isinstance(network.dropout, Dropout)
    network.dropout.eval()
    torch.testing.assert_close(network(x), network.eval()(x))


def test_a_pytorch_without_the_product_is_no_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(*_: str) -> bool:
        raise RuntimeError("no such operator")

    name = "_dispatch_has_kernel_for_dispatch_key"
    monkeypatch.setattr(torch._C, name, missing)
    assert not by_onednn.is_built()
    monkeypatch.setattr(torch._C, name, lambda *_: False)
    assert not by_onednn.is_built()


@pytest.mark.parametrize("place", ["x", "expand", "contract"])
def test_what_is_no_number_stays_none(place: str) -> None:
    network, x = FeedForward(4, 8, 0.0), drawn(3, 2, 4)
    with torch.no_grad():
        spoilt = x if place == "x" else getattr(network, place).weight
        spoilt[0, 0] = torch.nan
    y = network(x)
    y.sum().backward()
    assert y.isnan().any()
    assert network.contract.weight.grad is not None
    wanted = place != "contract"
    assert bool(network.contract.weight.grad.isnan().any()) is wanted


@pytest.mark.parametrize(
    ("x", "weight", "bias", "said"),
    [
        ((3, 4), (2, 5), (2,), "shapes cannot be multiplied"),
        ((3, 4), (2, 4), (3,), "must match|not broadcastable|expand"),
    ],
)
def test_what_does_not_fit_is_named_by_pytorch(
    x: tuple[int, ...], weight: tuple[int, ...], bias: tuple[int, ...], said: str
) -> None:
    with pytest.raises(RuntimeError, match=said):
        linear(torch.zeros(x), torch.zeros(weight), torch.zeros(bias))
    with pytest.raises(RuntimeError, match="dtype"):
        linear(torch.zeros(x), torch.zeros(2, x[-1]).double())


def test_a_layer_elsewhere_multiplies_nothing_here() -> None:
    network = FeedForward(4, 8).to("meta")
    assert not multiplies(torch.zeros(3, 4), network.expand.weight)
    with pytest.raises(RuntimeError, match="meta"):
        network(torch.zeros(3, 4))


def test_one_vector_alone_has_its_gradients() -> None:
    x, weight, bias = drawn(4), drawn(3, 4), drawn(3)
    doubles = [part.detach().double().requires_grad_() for part in (x, weight, bias)]
    expected = doubles[1] @ doubles[0] + doubles[2]
    assert_close_to_double(
        linear(x, weight, bias), expected, [x, weight, bias], doubles
    )


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_others_may_look_into_the_network() -> None:
    network, x = FeedForward(4, 8, 0.0).eval(), torch.randn(3, 4)
    traced = torch.jit.trace(network, x)
    torch.testing.assert_close(traced(2 * x), network(2 * x))
    _, along = torch.autograd.functional.jvp(network, x, x)
    with forward_ad.dual_level():
        dual = network(forward_ad.make_dual(x, x))
        torch.testing.assert_close(forward_ad.unpack_dual(dual).tangent, along)
    network.expand.forward = lambda x: torch.ones(3, 8)  # type: ignore[assignment]
    ones = network.contract(torch.ones(3, 8))
    torch.testing.assert_close(network(x), ones)
