import math
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from labml_txl.models import Cache
from labml_txl.training import evaluation
from labml_txl.training.config import Config
from labml_txl.training.evaluation import (
    divide_text,
    evaluate,
    reach,
    with_memory,
)
from labml_txl.training.objective import build, cross_entropy
from labml_txl.training.text.files import TrainingError
from tests.training.small import small


@given(
    n_tokens=st.integers(2, 60),
    seq_len=st.integers(1, 9),
    batch=st.integers(1, 7),
    share=st.floats(0, 0.5),
)
def test_every_token_but_the_first_is_predicted_once(
    n_tokens: int, seq_len: int, batch: int, share: float
) -> None:
    warm_up = int(share * n_tokens) if batch > 1 else 0
    predicted: list[int] = []
    for places, counts in divide_text(n_tokens, seq_len, batch, warm_up):
        assert len(places) <= seq_len
        assert ((places >= 0) & (places < n_tokens - 1)).all()
        predicted += (places[counts] + 1).tolist()
    assert sorted(predicted) == list(range(1, n_tokens))


def test_the_score_is_the_mean_over_all_predictions() -> None:
    torch.manual_seed(2)
    model = build(small(mem_len=50), 9)
    text = torch.randint(0, 9, (41,))
    score = evaluate(model, text, seq_len=7, batch=1)

    # With a memory of everything, segments make no difference.
    logits, _ = model.eval()(text[:-1, None])
    wanted = cross_entropy(logits, text[1:, None]).item()
    assert score.tokens == 40
    assert score.nats == pytest.approx(wanted, abs=1e-5)
    assert score.bits == pytest.approx(wanted / math.log(2), abs=1e-5)
    assert score.perplexity == pytest.approx(math.exp(wanted), abs=1e-4)


@pytest.mark.parametrize("kind", ["xl", "compressive"])
def test_evaluation_changes_neither_model_nor_random_state(kind: str) -> None:
    model = build(small(model=kind, dropout=0.5), 9)
    text = torch.randint(0, 9, (60,))
    before = torch.get_rng_state()
    first = evaluate(model, text, 7)
    assert torch.equal(torch.get_rng_state(), before)
    assert model.training
    assert evaluate(model, text, 7).nats == first.nats
    assert all(parameter.grad is None for parameter in model.parameters())


def test_another_memory_makes_another_model_of_the_same_parameters() -> None:
    model = build(small(model="compressive", c_mem_len=3, compression_rate=2), 9)
    other = with_memory(model, mem_len=0, c_mem_len=0)
    assert model.lengths == (5, 3)
    assert other.lengths == (0, 0)
    assert next(other.parameters()) is next(model.parameters())
    assert (reach(model), reach(other)) == (11, 0)
    assert reach(build(small(), 9)) == 5
    text = torch.randint(0, 9, (60,))
    assert evaluate(model, text, 7).nats != evaluate(other, text, 7).nats


def test_a_text_without_a_second_token_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="1 tokens leaves nothing to predict"):
        evaluate(build(small(), 9), torch.zeros(1), 7)


SETTINGS: dict[str, Config] = {
    "xl": small(),
    "post": small(norm="post"),
    "learned": small(encoding="learned"),
    "compressive": small(model="compressive", c_mem_len=3),
    "clusters": small(cutoffs=[4], div_val=2),
    "absolute": small(encoding="absolute"),
}


@pytest.mark.parametrize("kind", SETTINGS)
def test_a_cache_changes_no_loss_and_is_used_where_it_has_room(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    losses = Cache.losses

    def noted(cache: Cache, tokens: Tensor, targets: Tensor) -> Tensor:
        read.append(len(tokens))
        return losses(cache, tokens, targets)

    monkeypatch.setattr(Cache, "losses", noted)
    torch.manual_seed(3)
    model = build(SETTINGS[kind], 9).double()
    text = torch.randint(0, 9, (90,), generator=torch.Generator().manual_seed(1))
    without = evaluate(model, text, 7, batch=3).nats
    assert not read
    score = evaluate(model, text, 7, batch=3, cached=True)
    assert score.nats == pytest.approx(without, rel=1e-12)
    assert bool(read) == (kind != "absolute")
    read.clear()
    monkeypatch.setattr(evaluation, "CACHE_BYTES", 1)
    assert evaluate(model, text, 7, batch=3, cached=True).nats == without
    assert not read
