import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors import safe_open

from labml_txl.training.runs.checkpoint import (
    Checkpoint,
    load_checkpoint,
    save_checkpoint,
    serialize,
)
from labml_txl.training.text.files import TrainingError
from labml_txl.training.text.vocabulary import Characters
from tests.training.small import rewritten, small

TENSORS = {"model.a": torch.arange(6.0).view(2, 3), "random.cpu": torch.ones(3)}


def checkpoint(step: int = 3) -> Checkpoint:
    words = Characters("ab\n€")
    return Checkpoint(small(), words, dict(TENSORS), step, 18, {"best": 0.1 + 0.2})


def test_a_saved_checkpoint_is_read_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "last.safetensors"
    save_checkpoint(checkpoint(), path)
    read = load_checkpoint(path)
    assert (read.config, read.step, read.position) == (small(), 3, 18)
    assert read.progress == {"best": 0.1 + 0.2}
    assert read.words.symbols == "\nab€"
    assert read.tensors.keys() == TENSORS.keys()
    assert all(torch.equal(read.tensors[name], TENSORS[name]) for name in TENSORS)
    assert read.part("random").keys() == {"cpu"}


def test_of_a_folder_the_best_or_the_named_checkpoint_is_read(tmp_path: Path) -> None:
    save_checkpoint(checkpoint(4), tmp_path / "last.safetensors")
    assert load_checkpoint(tmp_path).step == 4
    save_checkpoint(checkpoint(3), tmp_path / "best.safetensors")
    assert load_checkpoint(tmp_path).step == 3
    assert load_checkpoint(tmp_path, "last").step == 4


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": "labml_txl 8 bits 1"}, "does not have the format"),
        ({"step": -1}, "damaged (step -1 of"),
        ({"step": "x"}, "damaged (invalid literal"),
        ({"step": "9" * 5000}, "damaged (Exceeds the limit"),
        ({"position": 1.5}, "damaged (invalid literal"),
        ({"position": 10**30}, "damaged (position 1"),
        ({"step": 2**62}, "damaged (step 4611686018427387904 of"),
        ({"position": 2**63 - 1}, "damaged (position 9223372036854775807 at step 3"),
        ({"progress": "["}, "damaged (Expecting value"),
        ({"progress": "[1]"}, "damaged ("),
        ({"progress": "[" * 100_000}, "damaged ("),
        ({"progress": {"best": math.nan}}, "damaged (progress)"),
        ({"progress": {"best": "x"}}, "damaged (progress)"),
        ({"progress": {"seconds": None}}, "damaged (progress)"),
        ({"config": "5"}, "damaged ("),
        ({"config": {"batch": "8"}}, "damaged: batch = '8' is not of the type int"),
        ({"config": {"model": "gpt"}}, "damaged: model = 'gpt' is not one of xl"),
        ({"vocabulary": "[1]"}, "damaged ("),
        ({"vocabulary": {"kind": 1}}, "damaged: 1 is not a vocabulary"),
        ({"vocabulary": {"symbols": ""}}, "at least one character"),
        ({"vocabulary": {"symbols": 5}}, "damaged ("),
        ({"vocabulary": {"kind": "words", "symbols": ["a"]}}, "damaged ("),
        ({"vocabulary": {"x": 1}}, "damaged ("),
    ],
)
def test_an_invalid_checkpoint_is_an_error_of_one_line(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    path = tmp_path / "last.safetensors"
    save_checkpoint(checkpoint(), path)
    rewritten(path, **changes)
    with pytest.raises(TrainingError) as caught:
        load_checkpoint(path)
    line = str(caught.value)
    assert line.startswith(f"{path} ")
    assert said in line
    assert "\n" not in line
    assert caught.value.status == 1


def test_a_checkpoint_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=f"no checkpoint in {tmp_path}"):
        load_checkpoint(tmp_path)
    with pytest.raises(TrainingError, match="no checkpoint no-such"):
        load_checkpoint(Path("no-such.json"))


def test_a_truncated_checkpoint_is_an_error_of_one_line(tmp_path: Path) -> None:
    path = tmp_path / "last.safetensors"
    save_checkpoint(checkpoint(), path)
    whole = path.read_bytes()
    for content in (b"", whole[:4], whole[:100], whole[:-1]):
        path.write_bytes(content)
        with pytest.raises(TrainingError, match="truncated or damaged") as caught:
            load_checkpoint(tmp_path)
        assert "\n" not in str(caught.value)


def test_a_file_of_which_a_bit_has_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "last.safetensors"
    save_checkpoint(checkpoint(), path)
    whole = path.read_bytes()
    # The keys of the metadata are in another order in each file, so the name of the
    # digest is tried by itself.
    name = whole.index(b'"digest":"')
    places = [*range(name, name + 10), *range(len(whole) - 40, len(whole))]
    for place in [*places, *range(8, len(whole), 37)]:
        for bit in (0, 6):
            changed = bytearray(whole)
            changed[place] ^= 1 << bit
            path.write_bytes(changed)
            with pytest.raises(TrainingError, match=r"damaged|not have the format"):
                load_checkpoint(path)
    path.write_bytes(whole)
    assert load_checkpoint(path).step == 3


def test_numbers_that_are_not_finite_are_neither_written_nor_read(
    tmp_path: Path,
) -> None:
    path = tmp_path / "last.safetensors"
    save_checkpoint(checkpoint(), path)
    whole = path.read_bytes()
    for value in (math.nan, math.inf):
        broken = replace(checkpoint(), tensors={"model.a": torch.tensor([1.0, value])})
        with pytest.raises(TrainingError, match=r"model\.a contains nan or infinity"):
            save_checkpoint(broken, path)
        assert path.read_bytes() == whole
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata()
        del metadata["digest"]
        other = tmp_path / "other.safetensors"
        other.write_bytes(serialize(broken.tensors, metadata))
        with pytest.raises(TrainingError, match=r"damaged: model\.a contains nan"):
            load_checkpoint(other)
