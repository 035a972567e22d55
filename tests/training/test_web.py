"""What a page says of a model is measured, and what it cannot run is refused."""

import pytest
import torch

from labml_txl.training.config import configure
from labml_txl.training.objective import build
from labml_txl.training.runs.web import FAR, kinds, measure_habits

SMALL = {"n_layers": 2, "heads": 2, "d_model": 16, "d_ff": 32}


def test_habits_of_a_head_are_those_of_its_weights() -> None:
    """The first is told by its distances; the second treats all keys alike."""
    model = build(configure(SMALL, {"mem_len": 40}), 5).eval()
    for core in model.transformer.cores():
        attention = core.self_attn
        with torch.no_grad():
            for weight in (attention.query, attention.distances.projection):
                weight.weight.zero_()
            attention.content_bias.zero_()
            attention.distances.position_bias.zero_()
            # The fastest sine and cosine, turned to where distance 1 is highest.
            R = torch.tensor([1.0]).sin(), torch.tensor([1.0]).cos()
            attention.distances.projection.weight[0, 0] = 400 * R[0]
            attention.distances.projection.weight[0, 8] = 400 * R[1]
            attention.distances.position_bias[0, 0] = 1.0
    tokens = torch.arange(2000) % 5
    told = measure_habits(model, tokens, 20)
    assert [(one.layer, one.head) for one in told] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    for one in told:
        if one.head == 0:
            assert one.previous > 0.3
        else:
            # Of 41 to 60 keys, one in five holds the same token, itself not counted.
            assert one.previous == pytest.approx(1 / 50, abs=0.005)
            assert one.induction == pytest.approx(0.18, abs=0.02)
            assert one.same == pytest.approx(0.18, abs=0.02)
            assert one.far == pytest.approx(0.35, abs=0.05)


def test_kinds_of_keys_are_those_of_their_definitions() -> None:
    """In three loops; the first keys are slots of a compressed memory."""
    torch.manual_seed(0)
    n_slots, n_tokens, seq_len = 3, 50, 7
    past = torch.randint(4, (n_tokens, 2))
    k_len = n_slots + n_tokens
    found = [one.expand(2, 1, seq_len, k_len) for one in kinds(past, seq_len, k_len)]
    for b in range(2):
        for i in range(n_tokens - seq_len, n_tokens):
            for key in range(k_len):
                j, token = key - n_slots, int(past[i, b])
                expected = (
                    0 < j < i and int(past[j - 1, b]) == token,
                    j == i - 1,
                    0 <= j < i and int(past[j, b]) == token,
                    i - j > FAR,
                )
                place = (b, 0, i - (n_tokens - seq_len), key)
                assert tuple(bool(one[place]) for one in found) == expected
