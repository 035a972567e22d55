"""A model in 8 bits predicts nearly the same, and is read as it was written."""

from pathlib import Path

import pytest
import torch

from labml_txl.training.config import configure
from labml_txl.training.objective import build
from labml_txl.training.runs.checkpoint import Checkpoint, add_prefix
from labml_txl.training.runs.eight_bits import (
    dequantize,
    load_small,
    quantize,
    save_small,
)
from labml_txl.training.text.files import TrainingError
from labml_txl.training.text.vocabulary import read_vocabulary

SMALL = {"n_layers": 2, "heads": 2, "d_model": 16, "d_ff": 32}


def test_no_weight_is_off_by_more_than_half_a_step() -> None:
    torch.manual_seed(0)
    given = {"a": torch.randn(5, 3, 4), "b": torch.randn(7), "c": torch.zeros(2, 3)}
    given["a"][1] *= 1000
    small = quantize(given)
    assert {name: tensor.dtype for name, tensor in small.items()} == {
        **{"a": torch.int8, "a:scale": torch.float32, "b": torch.float32},
        **{"c": torch.int8, "c:scale": torch.float32},
    }
    full = dequantize(small)
    assert full.keys() == given.keys()
    assert torch.equal(full["b"], given["b"])
    assert torch.equal(full["c"], given["c"])
    for row, wanted in zip(full["a"], given["a"], strict=True):
        half = wanted.abs().max() / 127 / 2
        assert (row - wanted).abs().max() <= half * (1 + 1e-5)


@pytest.mark.parametrize("model", ["xl", "compressive"])
def test_a_model_is_read_as_it_was_written(tmp_path: Path, model: str) -> None:
    torch.manual_seed(0)
    config = configure(SMALL, {"model": model, "mem_len": 8, "seed": 5})
    words = read_vocabulary("characters", "abc\n")
    network = build(config, len(words)).eval()
    given = Checkpoint(
        config,
        words,
        add_prefix("model", dict(network.named_parameters())),
        7,
        text="x",
    )
    path = tmp_path / "small.safetensors"
    save_small(given, path)
    read, known = load_small(path)
    assert (known.config, known.step, known.text) == (config, 7, "x")
    assert (known.words.kind, known.words.symbols) == ("characters", words.symbols)
    n_numbers = sum(p.numel() for p in network.parameters())
    assert path.stat().st_size < 2 * n_numbers + 8000
    tokens = torch.tensor([[0], [2], [1], [3]])
    with torch.no_grad():
        (full, _), (now, _) = network(tokens), read(tokens)
    assert (full - now).abs().max() < 0.02 * full.abs().max()

    contents = path.read_bytes()
    for damage, told in [
        (contents[:-3], "is truncated or damaged"),
        (contents.replace(b"8 bits 1", b"8 bits 2"), "does not have the format"),
        (contents.replace(b'\\"n_layers\\": 2', b'\\"n_layers\\": 3'), "is damaged"),
    ]:
        assert damage != contents
        path.write_bytes(damage)
        with pytest.raises(TrainingError, match=told) as raised:
            load_small(path)
        assert "\n" not in str(raised.value)
    with pytest.raises(TrainingError, match="there are no weights"):
        load_small(tmp_path / "none.safetensors")
