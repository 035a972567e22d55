"""One token at a time gives the same numbers."""

import pytest
import torch
import torch.nn.functional as F

from labml_txl.models import Cache, MemoryLengths
from labml_txl.models.fast.one_token import prepare_product
from tests.models.test_language_model import KINDS, make, tokens


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize(("d_in", "d_out"), [(3, 48), (64, 32), (5, 7)])
def test_every_way_to_compute_a_product_gives_the_same(
    d_in: int, d_out: int, rows: int, dtype: torch.dtype
) -> None:
    weight = torch.randn(d_out, d_in, dtype=dtype)
    bias, x = torch.randn(d_out, dtype=dtype), torch.randn(1, rows, d_in, dtype=dtype)
    copies = weight.clone(), bias.clone(), x.clone()
    got = prepare_product(weight, bias, rows)(x)
    assert got.dtype == dtype
    torch.testing.assert_close(got, F.linear(x, weight, bias), rtol=1e-4, atol=1e-5)
    # Nothing that the caller holds has changed.
    for before, after in zip(copies, (weight, bias, x), strict=True):
        assert torch.equal(before, after)


@pytest.mark.parametrize("kind", KINDS)
def test_generation_continues_from_a_cache_as_from_its_memory(kind: str) -> None:
    model, prompt = make(kind, MemoryLengths(5, 3)), tokens(7)
    cache = Cache(model, None, 3)
    cache.read(tokens(9))
    wanted = model.generate(prompt, 12, cache.memory(), temperature=0)
    for _ in range(2):
        assert torch.equal(model.generate(prompt, 12, cache, temperature=0), wanted)


def test_a_custom_network_processes_single_tokens() -> None:
    model = make()
    for core in model.transformer.cores():
        core.feed_forward = torch.nn.Linear(core.size, core.size).double()  # type: ignore[assignment]
    cache, text = Cache(model, None, 3), tokens(4)
    with torch.no_grad():
        wanted, _ = model(text)
    got = torch.cat([cache.read(token[None]) for token in text])
    torch.testing.assert_close(got, wanted, rtol=1e-10, atol=1e-10)
