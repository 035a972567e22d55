"""The baseline's attention is that of the definition, forward and backward."""

import math

import pytest
import torch
from torch import Tensor

from labml_txl.training.vanilla import AbsoluteAttention

HEADS, D_MODEL = 2, 6


def naive(attention: AbsoluteAttention, x: Tensor, mem_len: int) -> Tensor:
    """One query, key and head after another; `x` is `[mem_len + seq_len, batch, …]`."""
    length, batch, _ = x.shape
    d_k = D_MODEL // HEADS
    q, k, v = (
        (x @ part.weight.T).view(length, batch, HEADS, d_k)
        for part in (attention.query, attention.key, attention.value)
    )
    rows = []
    for i in range(mem_len, length):
        for b in range(batch):
            heads = []
            for h in range(HEADS):
                scores = [q[i, b, h] @ k[j, b, h] for j in range(i + 1)]
                weights = (torch.stack(scores) / math.sqrt(d_k)).softmax(0)
                heads.append(sum(w * v[j, b, h] for j, w in enumerate(weights)))
            rows.append(torch.cat(heads) @ attention.output.weight.T)
    attended = torch.stack(rows).view(length - mem_len, batch, D_MODEL)
    return attended + attention.output.bias


@pytest.mark.parametrize("mem_len", [0, 3])
def test_it_is_the_definition(mem_len: int) -> None:
    torch.manual_seed(mem_len)
    attention = AbsoluteAttention(HEADS, D_MODEL, dropout_prob=0.5).double().eval()
    names = {name for name, _ in attention.named_parameters()}
    kinds = ("query", "key", "value", "output")
    assert names == {*(f"{kind}.weight" for kind in kinds), "output.bias"}

    x = torch.randn(mem_len + 4, 2, D_MODEL, dtype=torch.float64, requires_grad=True)
    wanted = naive(attention, x, mem_len)
    found = attention(x[mem_len:], x, x)
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-12)

    onto = torch.randn_like(wanted)
    leaves = [x, *attention.parameters()]
    for got, want in zip(
        torch.autograd.grad(found, leaves, onto),
        torch.autograd.grad(wanted, leaves, onto),
        strict=True,
    ):
        torch.testing.assert_close(got, want, rtol=0, atol=1e-11)
