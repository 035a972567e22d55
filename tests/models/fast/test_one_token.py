"""One token at a time: the same numbers, and 16-bit weights close to them."""

import pytest
import torch
import torch.nn.functional as F

from labml_txl.models import Cache, MemoryLengths
from labml_txl.models.fast.one_token import Product, one_thread, sixteen_bits
from labml_txl.training.runs.storage.eight_bits import load_small
from tests.models.test_language_model import KINDS, make, tokens
from tests.observed.recordings import WEIGHTS
from tests.observed.weights import validation

CPU = torch.device("cpu")
SIXTEEN = pytest.mark.skipif(not sixteen_bits(CPU), reason="no 16-bit products here")


@pytest.mark.parametrize(("d_in", "d_out"), [(3, 8), (8, 3), (5, 5)])
def test_a_product_is_that_of_its_weight_however_it_is_stored(
    d_in: int, d_out: int
) -> None:
    weight, bias = torch.randn(d_out, d_in), torch.randn(d_out)
    product = Product(weight, bias)
    x = torch.randn(1, 2, d_in)
    torch.testing.assert_close(product(x), F.linear(x, weight, bias))
    assert product.weight.stride(1 if d_in >= d_out else 0) == 1


@SIXTEEN
@pytest.mark.parametrize(("d_in", "d_out"), [(3, 8), (64, 16)])
def test_a_product_of_sixteen_bits_rounds_both_factors(d_in: int, d_out: int) -> None:
    weight, x = torch.randn(d_out, d_in), torch.randn(1, 2, d_in)
    got = Product(weight, None, torch.bfloat16)(x)
    wanted = F.linear(x.bfloat16().double(), weight.bfloat16().double())
    assert got.dtype == torch.float32
    torch.testing.assert_close(got.double(), wanted, rtol=2**-8, atol=2**-8)
    assert not torch.equal(got, F.linear(x, weight))


@SIXTEEN
@pytest.mark.parametrize("kind", ["xl", "compressive"])
def test_weights_of_sixteen_bits_change_the_loss_by_less_than_two_thousandths(
    kind: str,
) -> None:
    """A trained model reads 400 characters that it did not learn from."""
    model, checkpoint = load_small(WEIGHTS / f"{kind}.safetensors")
    text = validation(checkpoint)[:400].long()
    caches = [Cache(model.eval(), dtype=dtype) for dtype in (None, torch.bfloat16)]
    losses = []
    for cache in caches:
        logits = torch.cat([cache.read(token.view(1, 1)) for token in text[:-1]])
        losses.append(F.cross_entropy(logits[:, 0], text[1:]).item())
    assert losses[0] != losses[1]
    assert abs(losses[0] - losses[1]) <= 0.002


def test_threads_are_as_many_afterwards_even_after_an_error() -> None:
    def fail() -> None:
        with one_thread():
            during.append(torch.get_num_threads())
            raise KeyError

    before, during = torch.get_num_threads(), list[int]()
    torch.set_num_threads(3)
    with pytest.raises(KeyError):
        fail()
    assert (during, torch.get_num_threads()) == ([1], 3)
    torch.set_num_threads(before)


@pytest.mark.parametrize("kind", KINDS)
def test_generation_goes_on_from_a_cache_as_from_its_memory(kind: str) -> None:
    model, prompt = make(kind, MemoryLengths(5, 3)), tokens(7)
    cache = Cache(model, None, 3)
    cache.read(tokens(9))
    wanted = model.generate(prompt, 12, cache.memory(), temperature=0)
    for _ in range(2):
        assert torch.equal(model.generate(prompt, 12, cache, temperature=0), wanted)


def test_a_network_of_your_own_reads_single_tokens() -> None:
    model = make()
    for core in model.transformer.cores():
        core.feed_forward = torch.nn.Linear(core.size, core.size).double()  # type: ignore[assignment]
    cache, text = Cache(model, None, 3), tokens(4)
    with torch.no_grad():
        wanted, _ = model(text)
    got = torch.cat([cache.read(token[None]) for token in text])
    torch.testing.assert_close(got, wanted, rtol=1e-10, atol=1e-10)
