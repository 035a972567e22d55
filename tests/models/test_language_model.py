from typing import Any

import pytest
import torch
from torch import Tensor

from labml_txl.models import (
    COMPRESSIONS,
    FeedForward,
    LanguageModel,
    MemoryLengths,
    RelativeMultiHeadAttention,
    TransformerXL,
    TransformerXLLayer,
    choose,
)
from tests.models.small import D_MODEL, make_compressive, make_xl, random_parameters

N_VOCAB = 11
LENGTHS = MemoryLengths(5, 3)
KINDS = ["xl", *COMPRESSIONS]


def make(
    kind: str = "xl",
    lengths: MemoryLengths = LENGTHS,
    norm: str = "pre",
    tied: bool = True,
    encoding: str = "sinusoidal",
) -> LanguageModel:
    given: dict[str, Any] = {"norm": norm, "encoding": encoding, "dropout": 0.1}
    transformer = make_xl(**given) if kind == "xl" else make_compressive(kind, **given)
    model = LanguageModel(transformer, N_VOCAB, lengths, tied).double().eval()
    random_parameters(model, std=0.4)
    return model


def tokens(length: int, batch: int = 3) -> Tensor:
    return torch.randint(N_VOCAB, (length, batch))


def test_a_tied_head_shares_the_table_of_the_embedding() -> None:
    tied, untied = make(tied=True), make(tied=False)
    assert tied.head.weight is tied.embed.table.weight
    assert untied.head.weight is not untied.embed.table.weight
    n_tied = sum(p.numel() for p in tied.parameters())
    n_untied = sum(p.numel() for p in untied.parameters())
    assert n_untied - n_tied == N_VOCAB * D_MODEL


def test_initial_values_are_those_of_the_authors_code() -> None:
    layer = TransformerXLLayer(
        d_model=200,
        self_attn=RelativeMultiHeadAttention(4, 200),
        feed_forward=FeedForward(200, 300),
        dropout_prob=0.1,
    )
    model = LanguageModel(TransformerXL(layer, 2), 100, MemoryLengths(4))
    for name, parameter in model.named_parameters():
        wanted_mean = 1.0 if "norm" in name and "weight" in name else 0.0
        wanted_std = 0.0 if name.endswith(".bias") else 0.02
        assert parameter.mean().item() == pytest.approx(wanted_mean, abs=0.01), name
        assert parameter.std().item() == pytest.approx(wanted_std, rel=0.3), name


# Writing


@pytest.mark.parametrize("mem_len", [0, 1, 5, 40])
@pytest.mark.parametrize(
    ("kind", "encoding"),
    [("xl", "sinusoidal"), ("xl", "learned"), ("conv1d", "sinusoidal")],
)
def test_generation_with_and_without_a_cache_gives_the_same_text(
    kind: str, encoding: str, mem_len: int
) -> None:
    model = make(kind, MemoryLengths(mem_len, 3), encoding=encoding)
    prompt = tokens(4)
    once = model.generate(prompt, 25, seed=3)
    again = model.generate(prompt, 25, seed=3, cached=False)
    assert torch.equal(once, again)
    assert len(once.unique()) > 1


def test_greedy_generation_follows_the_logits() -> None:
    model = make(lengths=MemoryLengths(100))
    text = tokens(3)
    written = model.generate(text, 6, temperature=0)
    logits, _ = model(torch.cat((text, written)))
    assert torch.equal(logits[2:-1].argmax(-1), written)


def test_generation_uses_evaluation_mode_and_restores_the_mode() -> None:
    model = make().train()
    prompt = tokens(2)
    first = model.generate(prompt, 10, temperature=0)
    assert torch.equal(model.generate(prompt, 10, temperature=0), first)
    assert model.training
    assert model.transformer.cores()[0].dropout.training


# Choosing


P = torch.tensor([0.5, 0.0625, 0.3, 0.1375])


@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_tokens_are_drawn_with_their_probability(temperature: float) -> None:
    drawn = choose(P.log().expand(100_000, 4), temperature)
    shares, wanted = drawn.bincount(minlength=4) / 100_000, P ** (1 / temperature)
    torch.testing.assert_close(shares, wanted / wanted.sum(), atol=0.01, rtol=0)


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ({"temperature": 0}, {0}),
        ({"top_k": 1}, {0}),
        ({"top_k": 2}, {0, 2}),
        ({"top_k": 9}, {0, 1, 2, 3}),
        ({"top_p": 0.01}, {0}),
        ({"top_p": 0.5}, {0}),
        ({"top_p": 0.51}, {0, 2}),
        ({"top_p": 0.79}, {0, 2}),
        ({"top_p": 1.0}, {0, 1, 2, 3}),
        # The likeliest has 0.5, so 0.6 of it is 0.3.
        ({"min_p": 0.61}, {0}),
        ({"min_p": 0.59}, {0, 2}),
        ({"min_p": 0.2}, {0, 2, 3}),
        # Of the two likeliest, the first has 5/8: with 0.6 it is enough.
        ({"top_p": 0.6, "top_k": 2}, {0}),
    ],
)
def test_top_k_and_top_p_keep_only_the_most_likely_tokens(
    given: dict[str, Any], left: set[int]
) -> None:
    assert {*choose(P.log().expand(4000, 4), **given).tolist()} == left
