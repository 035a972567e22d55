"""Evaluation keeps keys where that changes nothing but its time."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from labml_txl.models import Cache, FeedForward, LanguageModel, RelativeAttention
from labml_txl.models.fast.attention import RelativeMultiHeadAttention
from labml_txl.training.config import Config
from labml_txl.training.evaluation import evaluate
from labml_txl.training.objective import build
from labml_txl.training.runs import segments
from labml_txl.training.runs.segments import (
    finds_room,
    is_as_written,
    main_memory,
    one_after_another,
)
from tests.training.small import small

SETTINGS: dict[str, Config] = {
    "xl": small(),
    "post": small(norm="post"),
    "learned": small(encoding="learned"),
    "compressive": small(model="compressive", c_mem_len=3),
    "clusters": small(cutoffs=[4], div_val=2),
}


def model_of(kind: str) -> LanguageModel:
    torch.manual_seed(3)
    return build(SETTINGS[kind], 9)


def nats_of(model: LanguageModel) -> float:
    text = torch.randint(0, 9, (90,), generator=torch.Generator().manual_seed(1))
    return evaluate(model, text, 7, batch=3).nats


def never(*_: object) -> bool:
    return False


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many tokens each segment has that a cache reads."""
    lengths: list[int] = []
    losses = Cache.losses

    def noted(cache: Cache, tokens: Tensor, targets: Tensor) -> Tensor:
        lengths.append(len(tokens))
        return losses(cache, tokens, targets)

    monkeypatch.setattr(Cache, "losses", noted)
    return lengths


@pytest.mark.parametrize("kind", SETTINGS)
def test_kept_keys_change_no_loss(
    kind: str, read: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = model_of(kind).double()
    kept = nats_of(model)
    assert sum(read) >= 30
    read.clear()
    monkeypatch.setattr(segments, "finds_room", never)
    assert nats_of(model) == pytest.approx(kept, rel=1e-12)
    assert not read


def test_keys_take_a_quarter_of_the_memory_at_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = model_of("compressive").double()
    lengths, size = model.lengths, model.transformer.size
    keys = lengths.mem_len + lengths.c_mem_len + 7
    pairs = 2 * 2 * keys * 3 * size * 8 * len(model.transformer.layers)
    monkeypatch.setattr(segments, "main_memory", lambda: 4 * pairs)
    assert finds_room(model, 3, 7)
    monkeypatch.setattr(segments, "main_memory", lambda: 4 * pairs - 1)
    assert not finds_room(model, 3, 7)


def test_on_other_devices_the_model_reads_by_itself(read: list[int]) -> None:
    model = model_of("xl").to("meta")
    tokens = torch.zeros(7, 3, dtype=torch.long, device="meta")
    assert one_after_another(model, 3, 7)(tokens, tokens).shape == (7, 3)
    assert not read


# What somebody may have changed: the model then reads by itself


class Low(nn.Module):
    """A linear layer, and a small one beside it."""

    def __init__(self, given: nn.Linear) -> None:
        super().__init__()
        d_out, d_in = given.weight.shape
        self.given, self.beside = given, nn.Linear(d_in, d_out)
        self.weight, self.bias = given.weight, given.bias

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.given(x) + self.beside(x)
        return y


class Louder(RelativeMultiHeadAttention):
    def forward(self, *given: Any, **named: Any) -> Tensor:
        return 2 * super().forward(*given, **named)


def first(model: LanguageModel) -> RelativeAttention:
    return model.transformer.cores()[0].self_attn


def a_hook(module: nn.Module) -> None:
    module.register_forward_hook(lambda _module, _given, result: 2 * result)


def beside_a_query(model: LanguageModel) -> None:
    first(model).query = Low(first(model).query)  # type: ignore[assignment]


def beside_an_output(model: LanguageModel) -> None:
    first(model).output = Low(first(model).output)  # type: ignore[assignment]


def beside_a_network(model: LanguageModel) -> None:
    network = model.transformer.cores()[0].feed_forward
    assert type(network) is FeedForward
    network.expand = Low(network.expand)  # type: ignore[assignment]


def a_bias(model: LanguageModel) -> None:
    size = model.transformer.size
    first(model).key = nn.Linear(size, size)
    nn.init.normal_(first(model).key.bias)


def an_attention(model: LanguageModel) -> None:
    first(model).__class__ = Louder


def a_forward(model: LanguageModel) -> None:
    head = model.head
    vars(head)["forward"] = lambda y: 2 * type(head).forward(head, y)


CHANGES: tuple[Callable[[LanguageModel], None], ...] = (
    beside_a_query,
    beside_an_output,
    beside_a_network,
    a_bias,
    an_attention,
    a_forward,
    lambda model: a_hook(first(model).value),
    lambda model: a_hook(model.transformer.layers[0]),
    lambda model: a_hook(model.embed),
)


@pytest.mark.parametrize("change", CHANGES)
def test_a_model_that_was_changed_reads_by_itself(
    change: Callable[[LanguageModel], None],
    read: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = model_of("xl")
    before = nats_of(model)
    assert is_as_written(model)
    change(model)
    assert not is_as_written(model)
    read.clear()
    got = nats_of(model)
    assert not read
    monkeypatch.setattr(segments, "finds_room", never)
    assert nats_of(model) == got != before


def test_what_no_cache_knows_reads_by_itself() -> None:
    absolute = build(small(encoding="absolute"), 9)
    assert not is_as_written(absolute)
    assert nats_of(absolute) > 0


# The memory of the machine


def test_a_container_has_less_memory_than_its_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(segments, "LIMITS", (limit, tmp_path))
    machine = main_memory()
    assert machine > 1 << 28
    limit.write_text("max\n", encoding="ascii")
    assert main_memory() == machine
    limit.write_text("123456789\n", encoding="ascii")
    assert main_memory() == 123456789


@pytest.mark.parametrize("answer", [-1, None])
def test_memory_of_which_nobody_tells_is_assumed(
    answer: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "LIMITS", ())
    if answer is None:
        monkeypatch.delattr(os, "sysconf", raising=False)
    else:
        monkeypatch.setattr(os, "sysconf", lambda _name: answer)
    assert main_memory() == 8 << 30
