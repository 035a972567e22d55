import torch

from labml_txl.models import FeedForward
from tests.models.reference import assert_same_values_and_gradients
from tests.models.small import random_parameters


def test_feed_forward_matches_its_definition_token_by_token() -> None:
    network = FeedForward(6, 11, 0.0).double()
    random_parameters(network)
    x = torch.randn(5, 3, 6, dtype=torch.float64, requires_grad=True)
    W_1, b_1 = network.expand.weight, network.expand.bias
    W_2, b_2 = network.contract.weight, network.contract.bias
    slow = torch.stack(
        [
            torch.stack(
                [W_2 @ torch.clamp(W_1 @ token + b_1, min=0) + b_2 for token in row]
            )
            for row in x
        ]
    )
    assert_same_values_and_gradients(network(x), slow, [x, *network.parameters()])
