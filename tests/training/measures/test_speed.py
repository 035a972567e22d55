import pytest
import torch

from labml_txl.training.measures.speed import compare_speed
from labml_txl.training.runs.build import build
from labml_txl.training.text.cache import TrainingError
from tests.training.small import small


def test_memory_is_faster_than_a_window_that_moves_by_one() -> None:
    model = build(small(), 9).eval()
    text = torch.randint(0, 9, (600,))
    speed = compare_speed(model, text, seq_len=50, attention=500)
    assert speed.times == pytest.approx(speed.by_window / speed.by_memory)
    assert speed.times > 3
    with pytest.raises(TrainingError, match="600 tokens are too few"):
        compare_speed(model, text, seq_len=50, attention=600)
