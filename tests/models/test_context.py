"""How far the committed models see is what a measurement gives today."""

import json

import pytest
import torch

from labml_txl.training.context import at_positions
from tests.observed.context import GOAL, LENGTHS, POSITIONS, RATIO, group


def test_the_figure_on_context_shows_what_the_models_compute() -> None:
    data = json.loads(GOAL.read_text(encoding="utf-8"))
    models, told, tokens, config = group()
    settings = (data["positions"], data["ratio"], data["lengths"], data["segment"])
    assert settings == (POSITIONS, RATIO, [*LENGTHS], config.seq_len)
    # With the shortest context, at every position: all contexts take minutes.
    chosen = torch.linspace(max(LENGTHS), len(tokens) - 1, POSITIONS).long()
    for model, known, one in zip(models, data["models"], told, strict=True):
        assert known.items() >= one.items()
        found = at_positions(model, tokens, chosen, LENGTHS[0], config.seq_len)
        assert float(found.mean()) == pytest.approx(known["nats"][0], abs=1e-3)
