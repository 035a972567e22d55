import pytest
import torch

from labml_txl.training.generation import Sampling, continue_text
from labml_txl.training.objective import build
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
    # Weights as large as after training, so that every token of the prompt matters.
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.5)
    wanted = model.generate(PROMPT[:, None], 40, seed=3)
    got = list(continue_text(model, PROMPT, 40, Sampling(seed=3), 100))
    assert got == wanted[:, 0].tolist()


def test_a_vanilla_model_sees_its_window_and_no_more() -> None:
    model = build(small(**KINDS["vanilla"]), 9).eval()
    long = torch.cat((torch.tensor([4, 4, 4]), PROMPT))
    texts = [
        list(continue_text(model, prompt, 10, Sampling(temperature=0), 6))
        for prompt in (PROMPT, long)
    ]
    assert texts[0] == texts[1]
    logits, _ = model(PROMPT[-6:, None])
    assert texts[0][0] == int(logits[-1].argmax())
