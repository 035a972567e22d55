"""How long an axis is by the expression that its comment gives."""

import pytest

from labml_txl.literate.recording.shapes import Sizes, UnknownAxisError, evaluate

SIZES: Sizes = {"heads": 11, "d_k": 2, "d_model": "heads * d_k"}


@pytest.mark.parametrize(
    ("expression", "size"),
    [
        ("3", 3),
        ("heads", 11),
        ("d_model + 1", 23),
        ("d_model // 4 - 1", 4),
        ("2 * (heads - d_k)", 18),
    ],
)
def test_an_axis_is_computed_from_the_others(expression: str, size: int) -> None:
    assert evaluate(expression, SIZES) == size


@pytest.mark.parametrize("expression", ["seq_len", "heads + seq_len", "heads ** 2"])
def test_what_nothing_gives_a_size_is_refused(expression: str) -> None:
    with pytest.raises(UnknownAxisError):
        evaluate(expression, SIZES)
