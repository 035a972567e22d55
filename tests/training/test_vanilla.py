"""The baseline's attention is that of the definition, forward and backward."""

import pytest

from labml_txl.training.vanilla import AbsoluteAttention
from tests.models import reference
from tests.models.small import D_MODEL, HEADS, random_parameters, states


@pytest.mark.parametrize("mem_len", [0, 3])
def test_the_vanilla_transformer_equals_its_definition(mem_len: int) -> None:
    attention = AbsoluteAttention(HEADS, D_MODEL, dropout_prob=0.5).double().eval()
    random_parameters(attention)
    x = states(mem_len + 4)
    joined = reference.attend_by_content(attention, x[mem_len:], x, mem_len)
    reference.assert_same_values_and_gradients(
        attention(x[mem_len:], x, x),
        attention.output(joined),
        [x, *attention.parameters()],
    )
