import dataclasses
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labml_txl.training.config import (
    CHOICES,
    FIELDS,
    SCHEDULES,
    Config,
    configure,
    read_toml,
)
from labml_txl.training.objective import STACKS
from labml_txl.training.text.files import TrainingError


def test_the_last_source_of_a_setting_wins() -> None:
    config = configure({"steps": 5, "d_ff": 7}, {"steps": 6}, {})
    assert (config.steps, config.d_ff, config.batch) == (6, 7, Config().batch)
    # Only where a fraction is wanted does a whole number become one.
    config = configure({"steps": 6, "dropout": 0})
    assert isinstance(config.steps, int)
    assert isinstance(config.dropout, float)


def test_an_unknown_setting_is_answered_with_the_nearest() -> None:
    with pytest.raises(TrainingError, match="did you mean 'mem_len'"):
        configure({"memlen": 5})


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"steps": "many"}, "steps = 'many' is not of the type int"),
        ({"steps": 0}, "steps = 0 must be more than 0"),
        ({"steps": True}, "steps = True is not of the type int"),
        ({"mem_len": -1}, "mem_len = -1 must be 0 or more"),
        ({"dropout": 1.0}, "dropout = 1.0 must be below 1"),
        ({"learning_rate": float("nan")}, "learning_rate = nan must be more than 0"),
        ({"norm": "both"}, "norm = 'both' is not one of pre, post"),
        ({"heads": 3}, "d_model=128 is not a multiple of heads=3"),
        ({"cutoffs": [*range(1, 99)]}, "cutoffs has 98 numbers: give at most 16"),
        (
            {"model": "compressive", "documents": "files", "compression": "most_used"},
            "compression = 'most_used' does not go together with documents",
        ),
        ({"model": "compressive", "encoding": "absolute"}, "absolute is not available"),
        ({"model": "compressive", "reconstruction": "none"}, "set bptt to 2 or more"),
        (
            {
                "model": "compressive",
                "compression": "max_pooling",
                "reconstruction": "auto_encoding",
            },
            "reconstruction=auto_encoding has no effect: compression=max_pooling",
        ),
        ({"learning_rate": 1e-5}, "min_learning_rate = 0.0001 is above learning_rate"),
        ({"eval_tokens": 1}, "eval_tokens = 1 leaves nothing to predict"),
        ({"new_option": 1}, "unknown setting new_option: txl train --help shows all"),
        ({"model": "compressive", "bptt": 2}, "bptt=2 needs a learned compression"),
    ],
)
def test_an_invalid_value_is_named(values: dict[str, object], said: str) -> None:
    with pytest.raises(TrainingError) as caught:
        configure(values)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.text())
def test_printed_settings_can_be_read_back(name: str) -> None:
    config = configure({"text": name.replace("\0", "").replace("\n", "") or "x"})
    try:
        again = configure(tomllib.loads(config.text_form()))
    except tomllib.TOMLDecodeError:
        # TOML wants control characters in another form; no path has them.
        assert any(ord(letter) < 32 or ord(letter) == 127 for letter in name)
        return
    assert again == config


def test_a_toml_file_is_read_and_a_broken_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text("d_model = 64\nlearning_rate = 1\n")
    config = configure(read_toml(path))
    assert (config.d_model, config.learning_rate) == (64, 1.0)
    path.write_text("d_model = \n")
    with pytest.raises(TrainingError, match=r"small\.toml is not valid TOML"):
        read_toml(path)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_learning_rate_rises_and_then_falls_to_the_lowest(schedule: str) -> None:
    config = configure({"steps": 100, "warmup": 10, "schedule": schedule})
    rates = [config.rate_at(step) for step in range(101)]
    assert rates[0] == pytest.approx(config.learning_rate / 10)
    assert max(rates) == rates[10] == pytest.approx(config.learning_rate)
    assert rates[:10] == sorted(rates[:10])
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert rates[55] < rates[30]
    assert rates[100] == pytest.approx(config.min_learning_rate)


def test_the_choices_are_those_that_the_models_have() -> None:
    assert set(CHOICES["model"]) == set(STACKS)
    assert FIELDS.keys() == dataclasses.asdict(Config()).keys()
