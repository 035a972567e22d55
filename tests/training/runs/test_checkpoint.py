import json
import math
from pathlib import Path

import pytest
import torch

from labml_txl.training.runs.checkpoint import (
    Checkpoint,
    load_checkpoint,
    save_checkpoint,
)
from labml_txl.training.text.files import TrainingError
from labml_txl.training.text.vocabulary import Characters
from tests.training.small import small

TENSORS = {"model.a": torch.arange(6.0).view(2, 3), "random.cpu": torch.ones(3)}


def checkpoint(step: int = 3) -> Checkpoint:
    words = Characters("ab\n€")
    return Checkpoint(small(), words, dict(TENSORS), step, 18, {"best": 0.1 + 0.2})


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "last.json"
    save_checkpoint(checkpoint(), path)
    read = load_checkpoint(path)
    assert (read.config, read.step, read.position) == (small(), 3, 18)
    assert read.progress == {"best": 0.1 + 0.2}
    assert read.words.symbols == "\nab€"
    assert read.tensors.keys() == TENSORS.keys()
    assert all(torch.equal(read.tensors[name], TENSORS[name]) for name in TENSORS)
    assert read.part("random").keys() == {"cpu"}


def test_only_the_newest_tensors_are_kept(tmp_path: Path) -> None:
    for step in (3, 4):
        save_checkpoint(checkpoint(step), tmp_path / "last.json")
    save_checkpoint(checkpoint(3), tmp_path / "best.json")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {
        *("last.json", "last-4.safetensors"),
        *("best.json", "best-3.safetensors"),
    }
    assert load_checkpoint(tmp_path).step == 3
    assert load_checkpoint(tmp_path, "last").step == 4


def test_a_checkpoint_that_was_interrupted_is_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_checkpoint(checkpoint(3), tmp_path / "last.json")

    def interrupted(*_: object, **__: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("labml_txl.training.runs.checkpoint.json.dumps", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save_checkpoint(checkpoint(4), tmp_path / "last.json")
    assert load_checkpoint(tmp_path, "last").step == 3


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "truncated, or no checkpoint"),
        ('{"format": ', "truncated, or no checkpoint"),
        ("[" * 100_000, "truncated, or no checkpoint"),
        ("9" * 5_000, "truncated, or no checkpoint"),
        ("[1, 2]", "no checkpoint of labml_txl"),
        ('{"model": "gpt"}', "no checkpoint of labml_txl"),
        ('{"format": "labml_txl checkpoint 1"}', "is damaged: there is no tensors, no"),
        *(
            ({place: value}, f"is damaged: there is no {place}{more} that")
            for place, value, more in (
                ("tensors", 5, ""),
                ("tensors", "../last-3.safetensors", ""),
                ("tensors", "last.json", ""),
                ("tensors", "", ""),
                ("tensors", "\ud800.safetensors", ""),
                ("tensors", "x" * 5000, ""),
                ("tensors", "a\n.safetensors", ""),
                ("text", None, ""),
                ("step", -1, ""),
                ("position", 1.5, ""),
                ("position", 10**30, ""),
                ("progress", {"best": math.nan}, ".best"),
                ("progress", {"scaler": 1}, ".scaler"),
                ("config", "xl", ""),
                ("vocabulary", {"kind": 1, "symbols": ""}, ".kind"),
            )
        ),
        ({"config": {"batch": "8"}}, "damaged: batch = '8' is not of the type int"),
        ({"config": {"model": "gpt"}}, "damaged: model = 'gpt' is not one of xl"),
        ({"vocabulary": {"kind": "characters", "symbols": ""}}, "at least one char"),
        ({"vocabulary": {"kind": "runes", "symbols": "a", "x": 1}}, "is not a voc"),
    ],
)
def test_a_file_that_is_not_what_it_should_be_is_one_line(
    tmp_path: Path, content: str | dict[str, object], said: str
) -> None:
    path = tmp_path / "last.json"
    save_checkpoint(checkpoint(), path)
    if isinstance(content, dict):
        content = json.dumps(json.loads(path.read_text()) | content)
    path.write_text(content)
    with pytest.raises(TrainingError) as caught:
        load_checkpoint(path)
    line = str(caught.value)
    assert line.startswith(f"{path} is ")
    assert said in line
    assert "\n" not in line
    assert caught.value.status == 1


def test_a_checkpoint_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=f"no checkpoint in {tmp_path}"):
        load_checkpoint(tmp_path)
    with pytest.raises(TrainingError, match="no checkpoint no-such"):
        load_checkpoint(Path("no-such.json"))
    save_checkpoint(checkpoint(), tmp_path / "last.json")
    tmp_path.joinpath("last-3.safetensors").unlink()
    with pytest.raises(TrainingError, match="there is no file"):
        load_checkpoint(tmp_path)


def test_tensors_that_are_cut_off_are_one_line(
    tmp_path: Path,
) -> None:
    save_checkpoint(checkpoint(), tmp_path / "last.json")
    path = tmp_path / "last-3.safetensors"
    whole = path.read_bytes()
    for content in (b"", whole[:4], whole[:100], whole[:-1]):
        path.write_bytes(content)
        with pytest.raises(TrainingError, match="truncated or damaged") as caught:
            load_checkpoint(tmp_path)
        assert "\n" not in str(caught.value)
