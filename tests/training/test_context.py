"""The relative effective context length, against its definition in plain loops."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from labml_txl.training.context import (
    Reach,
    at_positions,
    effective_lengths,
    losses,
)
from labml_txl.training.objective import build
from labml_txl.training.text.files import TrainingError
from tests.training.small import small


def naive(table: list[list[list[float]]], lengths: list[int], r: float) -> list[Reach]:
    """Appendix C, word by word: `table[c][i][t]` is a loss."""
    found = []
    for i in range(len(table[0])):
        short = 0
        while True:
            if short + 1 == len(lengths):
                found.append(Reach(lengths[short], ended=False))
                break
            b = [min(column) for column in zip(*table[short], strict=True)]
            n_hard = max(1, round(r * len(b)))
            hard = sorted(range(len(b)), key=lambda t: -b[t])[:n_hard]
            f_short = sum(min(b[t], table[short][i][t]) for t in hard) / n_hard
            f_long = sum(min(b[t], table[short + 1][i][t]) for t in hard) / n_hard
            gain = (math.exp(f_short) - math.exp(f_long)) / math.exp(f_short)
            if gain < 0.01:
                found.append(Reach(lengths[short], ended=True))
                break
            short += 1
    return found


@given(
    seed=st.integers(0, 10_000),
    n_models=st.integers(1, 3),
    n_lengths=st.integers(2, 5),
    r=st.sampled_from([0.1, 0.3, 0.5, 1.0]),
)
def test_effective_length_follows_its_definition(
    seed: int, n_models: int, n_lengths: int, r: float
) -> None:
    # Losses that fall with the context, by less and less, and not everywhere.
    chance = torch.Generator().manual_seed(seed)
    start = 5 * torch.rand(n_models, 23, generator=chance)
    fall = torch.rand(n_lengths, n_models, 23, generator=chance) - 0.3
    scale = 0.5 ** torch.arange(n_lengths)[:, None, None]
    table = start - (fall * scale).cumsum(0)
    lengths = [4 * (n + 1) for n in range(n_lengths)]
    wanted = naive(table.tolist(), lengths, r)
    assert effective_lengths(list(table), lengths, r) == wanted


@pytest.mark.parametrize("seq_len", [3, 4, 100])
def test_a_measured_loss_depends_only_on_its_context(seq_len: int) -> None:
    model = build(small(mem_len=50), 9).eval()
    text = torch.randint(0, 9, (40,))
    other = text.clone()
    other[:21] = (other[:21] + 1) % 9
    places = torch.tensor([31])
    for length in (10, 11):
        a, b = (
            at_positions(model, each, places, length, seq_len) for each in (text, other)
        )
        # With one token more of context, the change is seen.
        assert torch.equal(a, b) == (length == 10)

    # And it knows all of it: one pass over the whole context says the same.
    with torch.inference_mode():
        logits = model(text[20:31, None])[0][-1, 0]
    wanted = -logits.log_softmax(-1)[text[31]]
    assert a[0].item() == pytest.approx(wanted.item(), abs=1e-5)


def test_without_memory_no_context_reaches_beyond_the_segment() -> None:
    models = [build(small(mem_len=0), 9).eval()]
    text = torch.randint(0, 9, (200,))
    table = losses(models, text, [4, 8, 12], seq_len=4, positions=50)
    assert [part.shape for part in table] == [(1, 50)] * 3
    assert torch.allclose(table[0], table[1], atol=1e-6)
    assert effective_lengths(table, [4, 8, 12], 1.0) == [Reach(4, ended=True)]


def test_lengths_that_cannot_be_compared_are_an_error_of_one_line() -> None:
    models = [build(small(), 9).eval()]
    for lengths in ([8], [8, 8], [8, 4], [0, 4]):
        with pytest.raises(TrainingError, match="expected two or more"):
            losses(models, torch.zeros(100, dtype=torch.long), lengths, seq_len=4)
    with pytest.raises(TrainingError, match="too short for a context of 8"):
        losses(models, torch.zeros(8, dtype=torch.long), [4, 8], seq_len=4)
