"""W&B's own reader finds what a run has logged, and nothing is sent in these tests."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from labml_txl.training.runs.config import Config
from labml_txl.training.runs.logs.weights_and_biases import FILE, WeightsAndBiases
from labml_txl.training.text.cache import TrainingError
from tests.training.commands.test_commands import SIZES, txl
from tests.training.small import small_text


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")


def logged(folder: Path) -> list[dict[str, object]]:
    """The points of all stretches of a run, as they will be sent."""
    from wandb.proto import wandb_internal_pb2
    from wandb.sdk.internal import datastore

    # Neither of the two says what types its functions have.
    messages: Any = wandb_internal_pb2
    stores: Any = datastore
    points = []
    for file in sorted(folder.glob("wandb/offline-run-*/*.wandb")):
        store = stores.DataStore()
        store.open_for_scan(str(file))
        while (data := store.scan_data()) is not None:
            record = messages.Record()
            record.ParseFromString(data)
            if record.WhichOneof("record_type") == "history":
                values = {
                    item.key or "/".join(item.nested_key): json.loads(item.value_json)
                    for item in record.history.item
                }
                points.append({k: v for k, v in values.items() if k[0] != "_"})
                points[-1]["step"] = values["_step"]
        store.close()
    return points


def test_a_run_is_logged_and_goes_on_as_the_same_run(tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ["--wandb", "--sample=5", f"--out={run}"]
    text = f"--text={small_text(tmp_path)}"
    some = ["--steps=4", "--sample-interval=4"]
    assert txl("train", "xl", *SIZES, text, *some, *words) == 0
    name = (run / FILE).read_text()
    assert txl("train", "xl", "--resume", "--steps=8", *words) == 0
    assert (run / FILE).read_text() == name
    folders = [path.name for path in run.glob("wandb/offline-run-*")]
    assert len(folders) == 2
    # Two runs of one second are told apart by what stands behind the name.
    assert all(name in folder for folder in folders)

    points = logged(run)
    assert [point["step"] for point in points] == [2, 4, 6, 8]
    for point in points:
        assert point.keys() >= {"loss/training", "learning rate"}
        assert ("loss/validation" in point) == ("sample" in point)
    assert [len(str(p["sample"])) for p in points if "sample" in p] == [6, 6]
    # What is logged is the curve.
    lines = (run / "curve.jsonl").read_text().splitlines()
    curve = [json.loads(line) for line in lines]
    assert [point["loss/training"] for point in points] == [
        point["nats"] for point in curve if "nats" in point
    ]


def test_a_new_run_in_the_folder_is_a_new_run_there(tmp_path: Path) -> None:
    names = []
    for _ in range(2):
        WeightsAndBiases(tmp_path, Config()).close()
        names.append((tmp_path / FILE).read_text())
    assert names[0] != names[1]


def test_without_the_package_there_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(TrainingError, match=r"needs the package .*\[wandb\]"):
        WeightsAndBiases(tmp_path, Config())


def test_what_the_service_refuses_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import wandb

    def refused(**given: object) -> None:
        raise wandb.Error("no key\nand much more")

    monkeypatch.setattr("wandb.init", refused)
    with pytest.raises(TrainingError) as caught:
        WeightsAndBiases(tmp_path, Config())
    line = str(caught.value)
    assert line.startswith(
        "Weights & Biases takes nothing (no key): WANDB_MODE=offline"
    )
    assert "\n" not in line
