"""A cache changes nothing but the time: it is held against the model's own forward."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from labml_txl.models import Cache, LanguageModel, MemoryLengths, Reader
from labml_txl.models.distances import ENCODINGS
from tests.models.test_language_model import KINDS, make, tokens


def same(got: Tensor, wanted: Tensor) -> None:
    torch.testing.assert_close(got, wanted, rtol=1e-10, atol=1e-10)


def read_both(
    model: LanguageModel, cache: Reader, memory: Any, lengths: list[int], batch: int = 3
) -> Any:
    """Read segments with the cache and without; returns what is remembered without."""
    for length in lengths:
        segment = tokens(length, batch)
        with torch.no_grad():
            logits, memory = model(segment, memory)
        same(cache.read(segment), logits)
    return memory


@settings(max_examples=80, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    encoding=st.sampled_from([*ENCODINGS]),
    norm=st.sampled_from(["pre", "post"]),
    mem_len=st.sampled_from([0, 1, 5]),
    c_mem_len=st.sampled_from([0, 1, 3]),
    batch=st.integers(1, 4),
    prompt=st.sampled_from([1, 3, 5, 12]),
    seed=st.integers(0, 99),
)
def test_reading_with_a_cache_equals_reading_without(
    kind: str,
    encoding: str,
    norm: str,
    mem_len: int,
    c_mem_len: int,
    batch: int,
    prompt: int,
    seed: int,
) -> None:
    torch.manual_seed(seed)
    model = make(kind, MemoryLengths(mem_len, c_mem_len), norm, encoding=encoding)
    cache = Cache(model, None, batch)
    read_both(model, cache, None, [prompt, *[1] * 14, 4, 1, 9, 2], batch)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_cache_goes_on_from_a_memory_and_gives_one_back(
    kind: str, encoding: str
) -> None:
    model = make(kind, encoding=encoding)
    with torch.no_grad():
        _, memory = model(tokens(4))
        _, memory = model(tokens(7), memory)
    cache = Cache(model, memory, 3)
    memory = read_both(model, cache, memory, [1, 1, 5, 1])
    # From its memory, the model's own forward goes on as from its own.
    segment = tokens(3)
    with torch.no_grad():
        same(model(segment, cache.memory())[0], model(segment, memory)[0])


@pytest.mark.parametrize("kind", KINDS)
def test_a_memory_longer_than_the_model_keeps_is_read_and_then_forgotten(
    kind: str,
) -> None:
    model = make(kind)
    with torch.no_grad():
        _, memory = model(tokens(17))
    model.lengths = MemoryLengths(2, 1)
    cache = Cache(model, memory, 3)
    read_both(model, cache, memory, [1, 2, 1])


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_copies_of_a_cache_are_independent(kind: str, cached: bool) -> None:
    model = make(kind)
    cache = model.reader(batch=3, cached=cached)
    assert isinstance(cache, Cache) == cached
    cache.read(tokens(6))
    twin = cache.copy()
    memory = twin.memory()
    for length in (1, 2, 9):
        cache.read(tokens(length))
    memory = read_both(model, twin, memory, [1, 2, 9])
    cache.read(tokens(2))
    segment = tokens(3)
    with torch.no_grad():
        same(model(segment, twin.memory())[0], model(segment, memory)[0])
    # What each writes from where it stands is the same again: it was not changed.
    texts = [model.generate(segment, 5, one, seed=1) for one in (twin, twin, memory)]
    assert torch.equal(texts[0], texts[1])
    assert torch.equal(texts[0], texts[2])
    if isinstance(cache, Cache) and isinstance(twin, Cache):
        layers = zip(cache.layers, twin.layers, strict=True)
        assert all(layer.one_token is other.one_token for layer, other in layers)


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_a_returned_memory_is_not_changed_later(kind: str, cached: bool) -> None:
    model = make(kind)
    cache = model.reader(batch=3, cached=cached)
    cache.read(tokens(6))
    memory, segment = cache.memory(), tokens(4)
    with torch.no_grad():
        before, _ = model(segment, memory)
        for _ in range(20):
            cache.read(tokens(1))
        assert torch.equal(model(segment, memory)[0], before)
