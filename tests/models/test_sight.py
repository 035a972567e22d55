"""How many keys a token sees, and how far apart it takes two tokens to be."""

import pytest
import torch

from labml_txl.models import (
    Cache,
    LanguageModel,
    MemoryLengths,
    RelativeAttention,
    RelativeMultiHeadAttention,
    causal_mask,
)
from tests.models.small import D_MODEL, make_xl, random_parameters

N_VOCAB = 11


@pytest.mark.parametrize("mem_len", [0, 2, 3, 7])
@pytest.mark.parametrize("span", [1, 3, 5, 20])
def test_a_span_shows_the_nearest_keys_and_no_others(mem_len: int, span: int) -> None:
    mask = causal_mask(4, mem_len, span=span)[:, :, 0]
    for i in range(4):
        own = mem_len + i
        wanted = [0 <= own - j < span for j in range(mem_len + 4)]
        assert mask[i].tolist() == wanted
        assert sum(wanted) == min(span, own + 1)


def make(
    form: type[RelativeAttention], mem_len: int, zero_memory: bool = False
) -> LanguageModel:
    stack = make_xl(form=form, clamp_len=3, norm="post", same_length=True)
    model = LanguageModel(
        stack, N_VOCAB, MemoryLengths(mem_len), zero_memory=zero_memory
    )
    return model.double().eval()


@pytest.mark.parametrize("zero_memory", [False, True])
@pytest.mark.parametrize("mem_len", [2, 4, 9])
def test_all_implementations_see_the_same_keys(mem_len: int, zero_memory: bool) -> None:
    short = make(RelativeAttention, mem_len, zero_memory)
    random_parameters(short)
    fast = make(RelativeMultiHeadAttention, mem_len, zero_memory)
    fast.load_state_dict(short.state_dict())
    cache = Cache(fast, None, 2)
    memory = same = None
    for length in (4, 1, 5, 4, 3):
        tokens = torch.randint(N_VOCAB, (length, 2))
        expected, memory = short(tokens, memory)
        logits, same = fast(tokens, same)
        torch.testing.assert_close(logits, expected)
        with torch.no_grad():
            torch.testing.assert_close(fast(tokens, None)[0], short(tokens, None)[0])
        torch.testing.assert_close(cache.read(tokens), expected)


def test_a_token_depends_on_nothing_beyond_its_span() -> None:
    mem_len, n_layers = 3, 2
    model = make(RelativeMultiHeadAttention, mem_len)
    random_parameters(model)
    tokens = torch.randint(N_VOCAB, (12, 1))
    last, _ = model(tokens)
    for changed in range(12):
        other = tokens.clone()
        other[changed] = (other[changed] + 1) % N_VOCAB
        reached = not torch.equal(model(other)[0][-1], last[-1])
        assert reached == (11 - changed <= n_layers * (mem_len - 1))


def test_a_memory_of_zeros_is_attended_to() -> None:
    model = make(RelativeMultiHeadAttention, 4, zero_memory=True)
    random_parameters(model)
    tokens = torch.randint(N_VOCAB, (3, 2))
    zeros = [torch.zeros(4, 2, D_MODEL, dtype=torch.float64)] * 2
    expected, kept = model(tokens, zeros)
    logits, memory = model(tokens)
    assert torch.equal(logits, expected)
    for mine, theirs in zip(memory, kept, strict=True):
        assert torch.equal(mine, theirs)
    assert not torch.equal(logits, model(tokens, [])[0])
