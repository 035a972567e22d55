import dataclasses
import inspect
import itertools
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from labml_txl.models import choose
from labml_txl.options import fields_of
from labml_txl.training.generation import continue_text, continue_texts, cut_at
from labml_txl.training.objective import build
from labml_txl.training.sampling import Choice, Sampling
from labml_txl.training.text import files
from labml_txl.training.text.files import SettingError
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
def test_a_prompt_continues_as_by_the_model_itself(kind: str) -> None:
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


def test_several_samples_at_once_are_continuations_with_and_without_memory() -> None:
    for kind in KINDS:
        model = build(small(**KINDS[kind]), 9).eval()
        sampling = Sampling(seed=4, samples=3)
        texts = continue_texts(model, PROMPT, 20, sampling, 6).t().tolist()
        assert len({*map(tuple, texts)}) == 3
        assert all(len(text) == 20 for text in texts)
        # Each of them is scored as its own text would be.
        likeliest = dataclasses.replace(sampling, temperature=0)
        (one, *others) = continue_texts(model, PROMPT, 20, likeliest, 6).t().tolist()
        alone = continue_text(model, PROMPT, 20, Sampling(temperature=0), 6)
        assert [one] * 2 == others
        assert one == list(alone)


@pytest.mark.parametrize("kind", KINDS)
def test_a_penalty_keeps_tokens_from_coming_again(kind: str) -> None:
    model = build(small(**KINDS[kind]), 9).eval()
    sampling = Sampling(temperature=0, repetition_penalty=1e9)
    prompt = torch.tensor([1, 5, 3])
    with torch.no_grad():
        model.head.bias.fill_(9.0)  # positive logits, which the penalty makes 0
    got = list(continue_text(model, prompt, 6, sampling, 6))
    assert sorted([1, 5, 3, *got]) == [*range(9)]
    if kind != "vanilla":
        again = model.generate(
            prompt[:, None], 6, temperature=0, repetition_penalty=1e9
        )
        assert again[:, 0].tolist() == got


@pytest.mark.parametrize("kind", ["xl", "compressive"])
def test_a_long_prompt_and_several_samples_report_how_far_they_are(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "QUIET", 0.0)
    model = build(small(**KINDS[kind]), 9).eval()
    lines: list[str] = []
    drawn = continue_text(model, PROMPT, 3, Sampling(), 2, lines.append)
    next(drawn)
    assert lines[0] == "prompt: 25.0%"
    lines.clear()
    continue_texts(model, PROMPT, 4, Sampling(samples=2), 8, lines.append)
    assert lines[:2] == ["prompt: 100.0%", "samples: 25.0%"]


@given(st.text("ab", max_size=20), st.text("ab", min_size=1, max_size=4), st.data())
def test_generated_text_ends_before_the_stop_string(
    text: str, stop: str, data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)))))
    pieces = [text[a:b] for a, b in itertools.pairwise([0, *cuts, len(text)])]
    assert "".join(cut_at(pieces, stop)) == text.partition(stop)[0]
    assert "".join(cut_at(pieces, None)) == text


@pytest.mark.parametrize(
    "settings", [{"min_p": 0}, {"repetition_penalty": 0}, {"samples": 0}, {"stop": ""}]
)
def test_settings_out_of_range_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingError):
        Sampling(**settings)


def test_every_setting_of_the_choice_is_an_option() -> None:
    arguments = inspect.signature(choose).parameters.keys()
    assert fields_of(Choice).keys() == arguments - {"logits", "generator"}
