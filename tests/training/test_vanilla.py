"""The baseline's attention is that of the definition, forward and backward."""

import math

import pytest
import torch

from labml_txl.training.vanilla import AbsoluteAttention
from tests.models import reference
from tests.models.small import D_MODEL, HEADS, random_parameters, states


@pytest.mark.parametrize("mem_len", [0, 3])
def test_it_is_the_definition(mem_len: int) -> None:
    attention = AbsoluteAttention(HEADS, D_MODEL, dropout_prob=0.5).double().eval()
    random_parameters(attention)
    x, outputs = states(mem_len + 4), []
    for i in range(mem_len, len(x)):
        for b in range(2):
            joined = []
            for h in range(HEADS):
                W_q, W_k, W_v = (
                    reference.head(part.weight, h, HEADS)
                    for part in (attention.query, attention.key, attention.value)
                )
                keys = [W_k @ x[j, b] for j in range(i + 1)]
                scores = [W_q @ x[i, b] @ k / math.sqrt(len(k)) for k in keys]
                values = [W_v @ x[j, b] for j in range(i + 1)]
                joined.append(reference.weighted_sum(scores, values))
            outputs.append(attention.output(torch.cat(joined)))
    slow = torch.stack(outputs).view(4, 2, D_MODEL)
    reference.assert_same_values_and_gradients(
        attention(x[mem_len:], x, x), slow, [x, *attention.parameters()]
    )
