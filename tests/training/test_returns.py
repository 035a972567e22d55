import math

import pytest
import torch

from labml_txl.models import LanguageModel
from labml_txl.training import build, configure
from labml_txl.training.evaluation import evaluate
from labml_txl.training.returns import (
    Return,
    average_by_distance,
    find_returns,
    make_text,
    measure_token_bits,
)
from labml_txl.training.text.vocabulary import Characters

TEXT = "Zel, ZEL and Quor. Zel sees Quor; zel is no name. QUOR: Zel?\n" * 8


@pytest.fixture
def model() -> LanguageModel:
    sizes = {"n_layers": 2, "d_model": 16, "heads": 2, "d_ff": 16, "mem_len": 24}
    torch.manual_seed(0)
    return build(configure(sizes), len(Characters(TEXT).symbols)).eval()


def test_a_return_is_the_same_spelling_again() -> None:
    text = TEXT[: TEXT.index("\n")]
    found = find_returns(text, {"Zel", "ZEL", "Quor", "QUOR"})
    assert found == [Return(19, 22, 19), Return(28, 32, 15), Return(56, 59, 37)]


def test_invented_names_are_not_in_the_play() -> None:
    play = (
        "ROMULA:\nA good Good night, Arcite.\n\nARCITE:\nGood good night, Romula.\n\n"
    )
    text, names = make_text(play * 40, passes=2)
    assert not names & {"Good", "ROMULA", "Romula", "ARCITE", "Arcite"}
    assert len(names) > 4
    assert text.lower().count("good night") == 160


def test_the_bits_of_all_tokens_are_those_of_the_evaluation(
    model: LanguageModel,
) -> None:
    tokens = Characters(TEXT).encode(TEXT)
    bits = measure_token_bits(model, tokens[:, None], seq_len=10)
    mean = float(bits.sum()) / (len(tokens) - 1)
    assert math.isclose(mean, evaluate(model, tokens, 10, 1).bits, rel_tol=1e-5)


def test_a_name_costs_the_bits_of_its_letters_but_the_first(
    model: LanguageModel,
) -> None:
    words = Characters(TEXT)
    bits = measure_token_bits(model, words.encode(TEXT)[:, None], seq_len=8)[:, 0]
    found = find_returns(TEXT, {"Quor"})
    wanted = [bits[one.start + 1 : one.end].sum() for one in found]
    (near, far) = average_by_distance(
        model, words, TEXT, {"Quor"}, (0, 20, 100), seq_len=8, batch=1
    )
    assert [near.returns, far.returns] == [8, 7]
    assert math.isclose(near.bits, sum(wanted[::2]) / 8, rel_tol=1e-5)
    assert math.isclose(far.bits, sum(wanted[1::2]) / 7, rel_tol=1e-5)
