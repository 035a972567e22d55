"""The figures on the page "Measured" are those of the programs that measured them."""

import json
import shlex
import statistics
from typing import Any

import pytest

from labml_txl.cli import options_of
from labml_txl.command_line import read
from labml_txl.training.commands.train import chosen_config
from labml_txl.training.runs.config import configure
from tests.benchmarks import ablation, report

PAGE = report.PAGE.read_text(encoding="utf-8")
RESULTS: dict[str, Any] = json.loads(ablation.RESULTS.read_text(encoding="utf-8"))
LOSSES = {one.name: ablation.losses(RESULTS, one) for one in ablation.VARIANTS}


def test_the_tables_are_written_from_the_results() -> None:
    assert report.fill(PAGE, ablation.parts(RESULTS)) == PAGE
    beside = json.loads(report.RESULTS.read_text(encoding="utf-8"))
    assert report.fill(PAGE, report.parts(beside)) == PAGE


@pytest.mark.parametrize("run", RESULTS["runs"], ids=lambda run: str(run["command"]))
def test_a_command_stands_for_the_settings_that_were_measured(
    run: dict[str, Any],
) -> None:
    program, name, *words = shlex.split(run["command"])
    assert (program, name) == ("txl", "train")
    config = chosen_config(read(options_of(name, words), words, name))
    assert config == configure(run["config"])
    assert "--seed" in words


def test_every_variant_was_measured_by_a_command_that_can_be_run_again() -> None:
    assert all(LOSSES.values())
    measured = {run["command"] for run in RESULTS["runs"]}
    assert measured <= {*ablation.runs(())}
    assert RESULTS["sweep"]["command"] == ablation.SWEEP
    assert f"`{ablation.SWEEP}`" in PAGE


def test_the_sweep_is_of_the_checkpoint_that_the_table_begins_with() -> None:
    swept = RESULTS["sweep"]["nats"]
    assert swept["64"] == pytest.approx(LOSSES["xl"][0], abs=5e-5)


def test_the_sentences_below_the_table_are_what_it_shows() -> None:
    mean = {name: statistics.mean(found.values()) for name, found in LOSSES.items()}
    assert mean["xl"] < mean["no-memory"]
    assert mean["absolute"] > mean["neither"]
    same = ("xl", "compressive", "most-used")
    spread = max(max(LOSSES[one].values()) - min(LOSSES[one].values()) for one in same)
    means = [mean[one] for one in same]
    assert max(means) - min(means) < spread
    swept = RESULTS["sweep"]["nats"]
    assert swept["0"] - swept["32"] > 0.9 * (swept["0"] - min(swept.values()))
