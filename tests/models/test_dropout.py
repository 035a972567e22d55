from typing import Any

import pytest
import torch
from torch import Tensor
from torch.func import grad, jvp, vmap

from labml_txl.models import Dropout
from labml_txl.models.dropout import draw_bits, factors
from tests.models.reference import assert_same_values_and_gradients


def keep_factors(x: Tensor, p: float) -> Tensor:
    return factors(draw_bits(x), p, x.dtype)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.93])
def test_dropout_drops_the_given_share(p: float) -> None:
    n = 1_000_000
    factors = keep_factors(torch.empty(n), p)
    dropped = (factors == 0).double().mean().item()
    assert abs(dropped - p) < 5 * (p * (1 - p) / n) ** 0.5 + 2**-16
    assert abs(factors.double().mean().item() - 1) < 0.02


def test_dropped_numbers_are_independent_of_their_neighbours() -> None:
    kept = (keep_factors(torch.empty(1_000_000), 0.5) > 0).double() - 0.5
    for lag in (1, 2, 3, 4, 5, 8):
        assert abs((kept[lag:] * kept[:-lag]).mean().item()) < 0.002


@pytest.mark.parametrize("training", [True, False])
def test_product_and_its_gradients_equal_dropout_and_then_a_product(
    training: bool,
) -> None:
    dropout = Dropout(0.4).train(training)
    x = torch.randn(2, 3, 5, 7, dtype=torch.float64, requires_grad=True)
    y = torch.randn(2, 3, 7, 4, dtype=torch.float64, requires_grad=True)
    torch.manual_seed(9)
    once = dropout.product(x, y)
    torch.manual_seed(9)
    twice = dropout(x) @ y
    assert_same_values_and_gradients(once, twice, [x, y])
    assert torch.allclose(once, x @ y) != training


def test_gradients_of_dropout_agree_with_finite_differences() -> None:
    def product(x: Tensor, y: Tensor) -> Tensor:
        torch.manual_seed(9)
        return Dropout(0.4).product(Dropout(0.2)(x), y)

    x = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    y = torch.randn(5, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(product, (x, y))
    assert torch.autograd.gradgradcheck(product, (x, y))


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
def test_dropout_works_within_the_transformations_of_torch_func() -> None:
    dropout, x = Dropout(0.5), torch.ones(8, 50, dtype=torch.float64)
    value = torch.ones(50, 1, dtype=torch.float64)

    def total(row: Tensor) -> Any:
        return dropout(row).sum() + dropout.product(row[None], value).sum()

    # Twice 0 or 2 for each element, drawn for each row by itself.
    each = vmap(grad(total), randomness="different")(x)
    assert {*each.flatten().tolist()} == {0.0, 2.0, 4.0}
    assert len(each.unique(dim=0)) == 8
    assert {*grad(total)(x[0]).tolist()} == {0.0, 2.0, 4.0}
    pair: Any = jvp(total, (x[0],), (x[0],))
    assert torch.equal(*pair)


def test_dropout_changes_nothing_in_evaluation_or_with_probability_zero() -> None:
    x = torch.randn(4, 5)
    assert Dropout(0.9).eval()(x) is x
    assert Dropout(0.0)(x) is x
