import pytest
import torch

from labml_txl.training.generation import Sampling, continue_text
from labml_txl.training.objective import build
from tests.models.small import random_parameters
from tests.training.small import small

PROMPT = torch.tensor([1, 5, 3, 8, 2, 7, 7, 0])
KINDS = {
    "xl": {},
    "compressive": {"model": "compressive", "c_mem_len": 3, "compression_rate": 2},
    "vanilla": {"encoding": "absolute", "mem_len": 0},
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_writes_the_same_text(kind: str) -> None:
    model = build(small(**KINDS[kind]), 9).eval()
    texts = [
        list(continue_text(model, PROMPT, 30, Sampling(seed=seed), 6))
        for seed in (4, 4, 5)
    ]
    assert texts[0] == texts[1] != texts[2]
    assert len(texts[0]) == 30
    assert all(0 <= token < 9 for token in texts[0])


@pytest.mark.parametrize("kind", ["xl", "compressive"])
def test_a_prompt_in_one_piece_continues_as_the_model_itself_would(kind: str) -> None:
    model = build(small(**KINDS[kind]), 9).eval()
    random_parameters(model, std=0.5)  # so that every token of the prompt matters
    wanted = model.generate(PROMPT[:, None], 40, seed=3)
    got = list(continue_text(model, PROMPT, 40, Sampling(seed=3), 100))
    assert got == wanted[:, 0].tolist()


def test_a_vanilla_model_sees_its_window_and_no_more() -> None:
    model = build(small(**KINDS["vanilla"]), 9).eval()
    random_parameters(model, std=0.5)
    text = PROMPT.tolist()
    for token in continue_text(model, PROMPT, 10, Sampling(temperature=0), 6):
        logits, _ = model(torch.tensor(text[-6:])[:, None])
        assert token == int(logits[-1].argmax())
        text.append(token)
