"""Texts that follow one another in a sequence, and texts of different lengths."""

import re
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from labml_txl.models import (
    COMPRESSIONS,
    AbsolutePositions,
    Cache,
    LanguageModel,
    MemoryLengths,
    causal_mask,
    pad_left,
    text_positions,
)
from tests.models.small import make_compressive, make_xl, random_parameters

N_VOCAB, RATE = 11, 2
LENGTHS = MemoryLengths(4, 3)
BY_BLOCK = [n for n, one in COMPRESSIONS.items() if getattr(one, "by_block", False)]
KINDS = ["xl", *BY_BLOCK]


def make(kind: str, lengths: MemoryLengths = LENGTHS, **given: Any) -> LanguageModel:
    stack = make_xl(**given) if kind == "xl" else make_compressive(kind, RATE, **given)
    model = LanguageModel(stack, N_VOCAB, lengths).double().eval()
    random_parameters(model, std=0.4)
    return model


def tokens(length: int, batch: int = 2) -> Tensor:
    return torch.randint(N_VOCAB, (length, batch))


def read(
    model: LanguageModel, text: Tensor, positions: Tensor | None, seq_len: int
) -> Tensor:
    """The logits of a text, read in segments: with a cache they are the same."""
    memory, logits, cached = None, [], []
    cache = Cache(model, None, text.shape[1])
    for start in range(0, len(text), seq_len):
        some = slice(start, start + seq_len)
        given = None if positions is None else positions[some]
        y, memory = model(text[some], memory, given)
        logits.append(y)
        cached.append(cache.read(text[some], given))
    torch.testing.assert_close(torch.cat(cached), torch.cat(logits))
    return torch.cat(logits)


# Positions


@settings(max_examples=50, deadline=None)
@given(
    begins=st.lists(st.lists(st.booleans(), min_size=2, max_size=2), min_size=1),
    cut=st.integers(0, 9),
)
def test_a_position_counts_the_tokens_of_the_text_before(
    begins: list[list[bool]], cut: int
) -> None:
    given = torch.tensor(begins)
    wanted = torch.zeros(given.shape, dtype=torch.long)
    for b in range(2):
        for i in range(1, len(given)):
            wanted[i, b] = 0 if given[i, b] else wanted[i - 1, b] + 1
    assert torch.equal(text_positions(given), wanted)
    if 0 < cut < len(given):
        first = text_positions(given[:cut])
        rest = text_positions(given[cut:], first[-1])
        assert torch.equal(torch.cat((first, rest)), wanted)


def test_a_query_sees_the_memory_as_far_as_its_text_goes() -> None:
    positions = torch.tensor([[0, 5], [1, 0], [2, 1]])
    mask = causal_mask(3, 4, positions=positions)
    for i in range(3):
        for j in range(7):
            for b in range(2):
                behind = i + 4 - j
                assert mask[i, j, b] == (0 <= behind <= positions[i, b])


# Texts that follow one another


@pytest.mark.parametrize("seq_len", [1, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_one_text_needs_no_positions(kind: str, seq_len: int) -> None:
    model, text = make(kind), tokens(18)
    positions = torch.arange(18)[:, None].expand(-1, 2)
    torch.testing.assert_close(
        read(model, text, positions, seq_len), read(model, text, None, seq_len)
    )


@pytest.mark.parametrize("seq_len", [1, 3, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_a_text_does_not_depend_on_the_text_before_it(kind: str, seq_len: int) -> None:
    model = make(kind)
    begins = torch.zeros(24, 2, dtype=torch.bool)
    begins[7, 0] = begins[13, 0] = begins[10, 1] = True
    text, positions = tokens(24), text_positions(begins)
    other = text.clone()
    other[:13, 0] = (text[:13, 0] + 1) % N_VOCAB
    other[:10, 1] = (text[:10, 1] + 2) % N_VOCAB
    one, two = (read(model, each, positions, seq_len) for each in (text, other))
    assert torch.equal(one[13:, 0], two[13:, 0])
    assert torch.equal(one[10:, 1], two[10:, 1])
    assert not torch.allclose(one[7:13, 0], two[7:13, 0])


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("kind", ["xl", "conv1d", "mean_pooling"])
def test_a_text_after_another_is_read_as_by_itself(kind: str, norm: str) -> None:
    # The second text begins with a segment, and its states are compressed in the same
    # blocks, since the first one has an even length.
    model, seq_len = make(kind, norm=norm), 4
    first, second = tokens(12), tokens(14)
    text = torch.cat((first, second))
    begins = torch.zeros(len(text), 2, dtype=torch.bool)
    begins[len(first)] = True
    together = read(model, text, text_positions(begins), seq_len)
    alone = read(model, second, None, seq_len)
    torch.testing.assert_close(together[len(first) :], alone)


def test_same_length_counts_only_keys_of_the_same_text() -> None:
    model = make("xl", same_length=True)
    text = tokens(9)
    positions = text_positions(torch.arange(9)[:, None].expand(-1, 2) % 6 == 0)
    together = read(model, text, positions, 9)
    torch.testing.assert_close(together[6:], read(model, text[6:], None, 3))


# Texts of different lengths


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("kind", ["xl", "conv1d"])
def test_padded_prompts_are_continued_as_each_by_itself(
    kind: str, cached: bool
) -> None:
    # A long memory: what is kept does not depend on the padding.
    model = make(kind, MemoryLengths(60, 0))
    texts = [torch.randint(N_VOCAB, (length,)) for length in (3, 7, 1, 5)]
    prompt, positions = pad_left(texts, token=4)
    assert prompt.shape == (7, 4)
    written = model.generate(
        prompt, 12, positions=positions, temperature=0, cached=cached
    )
    logits, _ = model(prompt, None, positions)
    for b, text in enumerate(texts):
        alone = text[:, None]
        torch.testing.assert_close(logits[-len(text) :, b], model(alone)[0][:, 0])
        assert torch.equal(
            written[:, b], model.generate(alone, 12, temperature=0)[:, 0]
        )


@pytest.mark.parametrize("kind", ["xl", "conv1d"])
def test_padding_adds_nothing_to_the_losses_and_gradients(kind: str) -> None:
    model = make(kind)
    texts = [torch.randint(N_VOCAB, (length,)) for length in (4, 9)]
    read, positions = pad_left([text[:-1] for text in texts])
    targets, _ = pad_left([text[1:] for text in texts], token=-100)
    losses, _ = model.losses(read, targets, None, positions)
    parameters = [*model.parameters()]
    got = torch.autograd.grad(losses.sum(), parameters, allow_unused=True)
    apart = [model.losses(text[:-1, None], text[1:, None])[0] for text in texts]
    alone = torch.cat(apart).sum()
    wanted = torch.autograd.grad(alone, parameters, allow_unused=True)
    torch.testing.assert_close(losses.sum(), alone)
    for one, other in zip(got, wanted, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)


def test_absolute_positions_are_counted_from_the_beginning_of_a_text() -> None:
    encode, x = AbsolutePositions(6).double(), torch.randn(5, 2, 6).double()
    positions = torch.tensor([[0, 7], [0, 0], [1, 1], [2, 2], [3, 0]])
    encoded = encode(x, positions)
    plain = encode(x)
    torch.testing.assert_close(encoded[1:, 0] - x[1:, 0], plain[:4, 0] - x[:4, 0])
    torch.testing.assert_close(encoded[1:4, 1] - x[1:4, 1], plain[:3, 1] - x[:3, 1])
    torch.testing.assert_close(encoded[0], plain[0])


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (lambda m, t: m(t, None, t[:3]), "positions [3, 2] of torch.int64"),
        (lambda m, t: m(t, None, t.double()), "of torch.float64: wanted integers"),
        (lambda m, t: m.generate(t, 2, positions=t[:, :1]), "positions [4, 1]"),
        *(
            (lambda m, t, name=name: make(name)(t, None, t), "depend on several texts")
            for name in COMPRESSIONS
            if name not in BY_BLOCK
        ),
        (lambda m, t: pad_left([]), "pad_left needs texts [length]"),
        (lambda m, t: pad_left([t[:, 0], t[:0, 0]]), "none of them empty"),
    ],
)
def test_invalid_positions_are_refused(run: Any, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        run(make("xl"), tokens(4))
