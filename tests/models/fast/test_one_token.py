"""One token at a time: the same numbers, and 16-bit weights close to them."""

import pytest
import torch
import torch.nn.functional as F

from labml_txl.models import Cache, MemoryLengths
from labml_txl.models.fast import one_token
from labml_txl.models.fast.one_token import product, sixteen_bits, threads, threads_for
from labml_txl.training.runs.storage.eight_bits import load_small
from tests.models.test_language_model import KINDS, make, tokens
from tests.observed.recordings import WEIGHTS
from tests.observed.weights import validation

CPU = torch.device("cpu")
SIXTEEN = pytest.mark.skipif(not sixteen_bits(CPU), reason="no 16-bit products here")
HALVES = pytest.mark.skipif(
    not sixteen_bits(CPU, torch.float16), reason="no products with halves here"
)


WAYS = ("in_parts", "packs")


def without(monkeypatch: pytest.MonkeyPatch, *ways: str) -> None:
    """A machine that knows these ways of a product not."""
    for way in ways:
        monkeypatch.setattr(one_token, way, lambda weight: False)


@pytest.mark.parametrize("missing", [(), ("in_parts",), WAYS])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize(("d_in", "d_out"), [(3, 48), (64, 32), (5, 7)])
def test_a_product_is_that_of_its_weight_however_it_is_computed(
    monkeypatch: pytest.MonkeyPatch,
    d_in: int,
    d_out: int,
    rows: int,
    dtype: torch.dtype,
    missing: tuple[str, ...],
) -> None:
    without(monkeypatch, *missing)
    weight = torch.randn(d_out, d_in, dtype=dtype)
    bias, x = torch.randn(d_out, dtype=dtype), torch.randn(1, rows, d_in, dtype=dtype)
    copies = weight.clone(), bias.clone(), x.clone()
    got = product(weight, bias, rows)(x)
    assert got.dtype == dtype
    torch.testing.assert_close(got, F.linear(x, weight, bias), rtol=1e-4, atol=1e-5)
    # Nothing that the caller holds has changed.
    for before, after in zip(copies, (weight, bias, x), strict=True):
        assert torch.equal(before, after)


@pytest.mark.skipif(
    not torch.backends.mkl.is_available(), reason="this PyTorch comes without MKL"
)
def test_parts_of_a_weight_are_the_weight_itself() -> None:
    weight, x = torch.randn(32, 8), torch.randn(1, 1, 8)
    multiply = product(weight, torch.zeros(32), 1)
    weight.zero_()
    assert not multiply(x).any()


@SIXTEEN
@pytest.mark.parametrize("missing", [(), WAYS])
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize(("d_in", "d_out"), [(3, 8), (64, 16)])
def test_a_product_of_sixteen_bits_rounds_both_factors(
    monkeypatch: pytest.MonkeyPatch,
    d_in: int,
    d_out: int,
    rows: int,
    missing: tuple[str, ...],
) -> None:
    without(monkeypatch, *missing)
    weight, bias = torch.randn(d_out, d_in), torch.zeros(d_out)
    x = torch.randn(1, rows, d_in)
    got = product(weight, bias, rows, torch.bfloat16)(x)
    wanted = F.linear(x.bfloat16().double(), weight.bfloat16().double())
    assert got.dtype == torch.float32
    torch.testing.assert_close(got.double(), wanted, rtol=2**-8, atol=2**-8)
    assert not torch.equal(got, F.linear(x, weight))


@pytest.mark.parametrize("missing", [(), ("in_parts",), WAYS])
@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("kind", ["xl", "conv1d"])
def test_single_tokens_in_single_precision_are_read_as_the_model_reads_them(
    monkeypatch: pytest.MonkeyPatch, kind: str, batch: int, missing: tuple[str, ...]
) -> None:
    without(monkeypatch, *missing)
    monkeypatch.setattr(one_token, "PARTS", 2)
    model = make(kind, MemoryLengths(5, 3)).float()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.3)
    cache, text, memory = Cache(model, None, batch), tokens(24, batch), None
    for token in text:
        with torch.no_grad():
            wanted, memory = model(token[None], memory)
        got = cache.read(token[None])
        torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("mem_len", [0, 5])
@pytest.mark.parametrize("batch", [1, 3])
def test_with_same_length_a_single_token_sees_as_many_keys_as_any(
    batch: int, mem_len: int
) -> None:
    model, memory = make(lengths=MemoryLengths(mem_len)), None
    model.transformer.same_length = True  # type: ignore[attr-defined]
    cache = Cache(model, None, batch)
    for token in tokens(12, batch):
        with torch.no_grad():
            wanted, memory = model(token[None], memory)
        got = cache.read(token[None])
        torch.testing.assert_close(got, wanted, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("dtype", [None, torch.float16])
def test_a_product_may_have_no_bias(dtype: torch.dtype | None) -> None:
    weight, x = torch.randn(32, 8), torch.randn(1, 1, 8)
    got = product(weight, None, 1, dtype)(x)
    torch.testing.assert_close(got, F.linear(x, weight), rtol=0, atol=2e-2)


def test_what_a_cache_begins_with_stays_the_callers() -> None:
    model = make()
    with torch.no_grad():
        _, memory = model(tokens(4))
    cache, before = Cache(model, memory, 3), [layer.clone() for layer in memory]
    for layer in memory:
        layer.zero_()
    for kept, layer in zip(cache.memory(), before, strict=True):
        assert torch.equal(kept, layer)


@HALVES
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize(("d_in", "d_out"), [(3, 8), (64, 17)])
def test_a_product_of_half_precision_rounds_the_weight_alone(
    d_in: int, d_out: int, rows: int
) -> None:
    weight, bias = torch.randn(d_out, d_in), torch.randn(d_out)
    # Greater than any number of 16 bits is what it is multiplied by.
    x = 1e6 * torch.randn(1, rows, d_in)
    got = product(weight, bias, rows, torch.float16)(x)
    wanted = F.linear(x, weight.half().float(), bias)
    assert got.dtype == torch.float32
    torch.testing.assert_close(got, wanted, rtol=1e-4, atol=10.0)
    assert not torch.equal(got, F.linear(x, weight, bias))


@pytest.mark.parametrize("kind", ["xl", "compressive"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_weights_of_sixteen_bits_change_the_loss_by_less_than_two_thousandths(
    kind: str, dtype: torch.dtype
) -> None:
    """A trained model reads 400 characters that it did not learn from."""
    model, checkpoint = load_small(WEIGHTS / f"{kind}.safetensors")
    text = validation(checkpoint)[:400].long()
    if not sixteen_bits(CPU, dtype):
        pytest.skip(f"this processor has no products with weights of {dtype}")
    caches = [Cache(model.eval(), dtype=numbers) for numbers in (None, dtype)]
    losses = []
    for cache in caches:
        logits = torch.cat([cache.read(token.view(1, 1)) for token in text[:-1]])
        losses.append(F.cross_entropy(logits[:, 0], text[1:]).item())
    assert losses[0] != losses[1]
    assert abs(losses[0] - losses[1]) <= 0.002


@pytest.mark.parametrize(("many", "wanted"), [(1, 3), (1 << 60, 1)])
def test_a_small_layer_takes_one_thread_and_threads_are_as_many_afterwards(
    monkeypatch: pytest.MonkeyPatch, many: int, wanted: int
) -> None:
    core = make().transformer.cores()[0]
    monkeypatch.setattr(one_token, "MANY", many)

    def fail() -> None:
        with threads(threads_for(core)):
            during.append(torch.get_num_threads())
            raise KeyError

    before, during = torch.get_num_threads(), list[int]()
    torch.set_num_threads(3)
    with pytest.raises(KeyError):
        fail()
    assert (during, torch.get_num_threads()) == ([wanted], 3)
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
