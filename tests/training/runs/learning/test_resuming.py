"""Whatever the run learns by, one that was stopped is bit for bit the whole one."""

import signal
from pathlib import Path
from typing import Any

import pytest
import torch

from labml_txl.training.measures.generation import sampler
from labml_txl.training.runs.learning.schedules import SCHEDULES
from labml_txl.training.runs.storage.checkpoint import load_checkpoint
from labml_txl.training.runs.trainer import Trainer
from tests.training.runs.test_trainer import abort, losses, stop_after
from tests.training.small import small_trainer


def writing(folder: Path, **changes: Any) -> Trainer:
    """A run that drops out, and lets the model write now and then."""
    trainer = small_trainer(folder, dropout=0.1, attention_dropout=0.1, **changes)
    if trainer.config.sample_interval:
        trainer.sampler = sampler(trainer.config, trainer.corpus.vocabulary, 12)
    return trainer


def resumed(folder: Path, **changes: Any) -> Trainer:
    trainer = writing(folder, **changes)
    trainer.resume(load_checkpoint(folder, "last"))
    return trainer


def assert_same(whole: Path, parts: Path) -> None:
    """Both runs have the same curve, and the same state at the end."""
    assert losses(parts) == losses(whole)
    wanted, got = (load_checkpoint(folder, "last") for folder in (whole, parts))
    assert wanted.tensors.keys() == got.tensors.keys()
    for name, tensor in wanted.tensors.items():
        assert torch.equal(tensor, got.tensors[name]), name
    for name in ("best", "waited", "kept"):
        assert wanted.progress[name] == got.progress[name]


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_stop_and_a_kill_change_nothing(
    tmp_path: Path, schedule: str, optimizer: str
) -> None:
    settings: dict[str, Any] = {
        "schedule": schedule,
        "optimizer": optimizer,
        "eval_interval": 3,
        "sample_interval": 2,
        "keep_best": 2,
        "patience": 3,
    }
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    writing(whole, **settings).run()

    first = writing(parts, **settings)
    stop_after(first, 2, lambda: signal.raise_signal(signal.SIGTERM))
    assert first.run().signal == signal.SIGTERM
    second = resumed(parts, **settings)
    assert second.step == 2
    stop_after(second, 6, abort)
    with pytest.raises(ZeroDivisionError):
        second.run()
    assert resumed(parts, **settings).run().step == 8
    assert_same(whole, parts)
    names = [{path.name for path in folder.glob("kept-*")} for folder in (whole, parts)]
    assert names[0] == names[1]
    assert len(names[0]) == 4


def test_schedules_and_optimizers_learn_each_in_a_way_of_its_own(
    tmp_path: Path,
) -> None:
    found = []
    for optimizer in ("adamw", "muon"):
        for schedule in SCHEDULES:
            folder = tmp_path / optimizer / schedule
            writing(folder, optimizer=optimizer, schedule=schedule).run()
            curve = [point for point in losses(folder) if len(point) == 3]
            # The rates stand in the curve.
            found.append((optimizer, [rate for _, _, rate in curve], curve[-1][1]))
    rates = [rates for _, rates, _ in found]
    assert rates[:4] == rates[4:]
    assert len({str(one) for one in rates}) == 4
    assert len({last for _, _, last in found}) == 8


@pytest.mark.parametrize("kind", ["xl", "compressive", "vanilla"])
def test_writing_in_between_changes_nothing_that_is_learned(
    tmp_path: Path, kind: str
) -> None:
    more: dict[str, Any] = {
        "xl": {},
        "compressive": {"model": "compressive", "c_mem_len": 3},
        "vanilla": {"encoding": "absolute", "mem_len": 0},
    }[kind]
    silent, loud = tmp_path / "silent", tmp_path / "loud"
    writing(silent, **more).run()
    trainer = writing(loud, sample_interval=3, **more)
    trainer.run()
    assert trainer.model.training
    samples = [point for point in trainer.curve if "sample" in point]
    assert [point["step"] for point in samples] == [3, 6, 8]
    assert {len(point["sample"]) for point in samples} == {13}
    assert len({point["sample"] for point in samples}) > 1
    assert losses(silent) == [
        point for point in losses(loud) if not isinstance(point[1], str)
    ]
    wanted, got = (load_checkpoint(folder, "last").tensors for folder in (silent, loud))
    for name, tensor in wanted.items():
        assert torch.equal(tensor, got[name]), name
