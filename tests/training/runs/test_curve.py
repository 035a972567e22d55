"""What is said of the points of a curve."""

import math

import pytest

from labml_txl.training.config import configure
from labml_txl.training.runs.curve import Point, told

CONFIG = configure({"steps": 100, "seq_len": 8, "batch": 4})


@pytest.mark.parametrize(
    ("point", "line"),
    [
        (
            {"step": 50, "nats": 2 * math.log(2)},
            "step    50/100  training   1.3863 nats 2.0000 bits a token  "
            "20 tokens/s  1:20 left",
        ),
        (
            {"step": 100, "validation_nats": math.log(2)},
            "step   100/100  validation 0.6931 nats 1.0000 bits a token  "
            "40 tokens/s  0:00 left",
        ),
    ],
)
def test_a_point_is_a_line(point: Point, line: str) -> None:
    # 50 steps of 8 · 4 tokens in 80 seconds; the other 50 take as long again.
    assert told(point, CONFIG, 80) == line
