"""What is off until it is asked for: by the command line, and after a resume."""

import json
from pathlib import Path

import pytest

from labml_txl.training.commands.train import chosen_config, options_for
from labml_txl.training.runs.storage.checkpoint import load_checkpoint
from tests.training.commands.test_commands import SIZES, txl
from tests.training.small import small_text


def trained(folder: Path, *words: str) -> int:
    text = small_text(folder)
    return txl("train", "xl", *SIZES, f"--text={text}", f"--out={folder}/run", *words)


def test_a_run_that_patience_ended_says_so_and_goes_on(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    # With a rate this high, the first loss is the best.
    rate = [
        "--learning-rate=50",
        "--schedule=constant",
        "--optimizer=muon",
        "--warmup=0",
    ]
    words = [*rate, "--steps=40", "--eval-interval=1", "--patience=2", "--sample=0"]
    assert trained(tmp_path, *words) == 0
    said = capfd.readouterr()
    step = load_checkpoint(tmp_path / "run", "last").step
    assert step < 40
    assert f"ended after step {step}: no gain in 2 validations; --resume" in said.err
    assert "validation, all of it" in said.out

    more = ["--resume", f"--out={tmp_path / 'run'}", "--sample=0"]
    assert txl("train", "xl", *more) == 0
    assert load_checkpoint(tmp_path / "run", "last").step == step
    assert txl("train", "xl", *more, "--patience=0", f"--steps={step + 2}") == 0
    assert load_checkpoint(tmp_path / "run", "last").step == step + 2
    assert (
        "ended after" not in capfd.readouterr().err.partition(f"step {step + 1:>5}")[2]
    )


def test_samples_are_printed_and_stand_in_the_curve(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["--steps=6", "--sample-interval=3", "--sample=7"]
    assert trained(tmp_path, *words) == 0
    said = capfd.readouterr().err
    lines = (tmp_path / "run" / "curve.jsonl").read_text().splitlines()
    samples = [point for point in map(json.loads, lines) if "sample" in point]
    assert [point["step"] for point in samples] == [3, 6]
    for point in samples:
        assert f"step {point['step']:>5}/6  a sample:\n{point['sample']}\n" in said


def test_samples_of_no_length_are_refused_and_can_be_given_up(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert trained(tmp_path, "--steps=4", "--sample-interval=2", "--sample=0") == 2
    line = capfd.readouterr().err.splitlines()[-1]
    assert line.startswith("txl: --sample-interval has no effect with --sample 0")
    assert trained(tmp_path, "--steps=4", "--sample-interval=2", "--sample=3") == 0
    more = ["--resume", "--steps=6", "--sample=0", f"--out={tmp_path / 'run'}"]
    assert txl("train", "xl", *more) == 2
    assert txl("train", "xl", *more, "--sample-interval=0") == 0


def test_the_best_states_can_be_asked_one_by_one(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["--steps=8", "--eval-interval=2", "--keep-best=3", "--sample=0"]
    assert trained(tmp_path, *words) == 0
    kept = sorted((tmp_path / "run").glob("kept-*.json"))
    assert len(kept) == 3
    assert txl("evaluate", str(kept[0]), "--json") == 0
    # Fewer may be kept from then on.
    more = ["--resume", "--steps=10", "--keep-best=1", f"--out={tmp_path / 'run'}"]
    assert txl("train", "xl", *more, "--sample=0") == 0
    assert len([*(tmp_path / "run").glob("kept-*.json")]) == 1


def test_a_constant_rate_has_nothing_to_do_with_the_lowest_one_of_a_preset(
    capfd: pytest.CaptureFixture[str],
) -> None:
    def config_of(**given: object) -> float:
        kind = options_for(["xl"])
        options = kind(model="xl", preset="enwik8-base", **given)
        return chosen_config(options).min_learning_rate

    assert config_of() == 0.0
    assert config_of(schedule="constant") == 1e-4
    words = ["--schedule=constant", "--min-learning-rate=1e-5"]
    assert txl("train", "xl", *words) == 2
    line = capfd.readouterr().err
    assert "min_learning_rate = 1e-05 has no effect: the schedule constant" in line


def test_what_decides_how_a_run_learns_cannot_change(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert trained(tmp_path, "--steps=2", "--sample=0") == 0
    for name, value, old in (
        ("schedule", "linear", "cosine"),
        ("optimizer", "muon", "adamw"),
        ("vocabulary", "bpe", "characters"),
    ):
        words = ["--resume", f"--out={tmp_path / 'run'}", f"--{name}={value}"]
        assert txl("train", "xl", *words) == 2
        said = capfd.readouterr().err.splitlines()[-1]
        assert said == f"txl: the run has {name} = {old}: that cannot change"
