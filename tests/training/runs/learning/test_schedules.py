"""Each schedule is held, at every step, to arithmetic that is written here anew."""

import math
from collections.abc import Callable

import pytest

from labml_txl.training.runs.config import CHOICES, Config, configure
from labml_txl.training.runs.learning.schedules import SCHEDULES
from labml_txl.training.text.cache import SettingError

HIGH, LOW, WARMUP, STEPS = 0.5, 0.125, 8, 72


def plain_cosine(n: int) -> float:
    # n steps after the warm-up, of 64: the angle goes from 0 to pi.
    return LOW + (HIGH - LOW) * (math.cos(n / 64 * math.pi) + 1) * 0.5


def plain_linear(n: int) -> float:
    # 64 equal parts of the way from 0.5 down to 0.125.
    return 0.5 - n * 0.375 / 64


def plain_root(n: int) -> float:
    # The step is counted from 1: at the 32nd it is half the highest rate.
    return max(LOW, HIGH / math.exp(0.5 * math.log((n + WARMUP + 1) / WARMUP)))


PLAIN: dict[str, Callable[[int], float]] = {
    "cosine": plain_cosine,
    "linear": plain_linear,
    "constant": lambda n: HIGH,
    "inverse_square_root": plain_root,
}


def config_with(schedule: str, **more: object) -> Config:
    lowest = {} if schedule == "constant" else {"min_learning_rate": LOW}
    values = {"schedule": schedule, "learning_rate": HIGH, "warmup": WARMUP}
    return configure(values, {"steps": STEPS}, lowest, more)


def test_there_are_these_schedules_and_no_others() -> None:
    assert {*SCHEDULES} == {*PLAIN} == {*CHOICES["schedule"]}
    assert Config().schedule == "cosine"


@pytest.mark.parametrize("schedule", PLAIN)
def test_a_schedule_is_its_formula_at_every_step(schedule: str) -> None:
    config = config_with(schedule)
    for step in range(WARMUP):
        assert config.rate_at(step) == pytest.approx(HIGH * (step + 1) / WARMUP)
    for step in range(WARMUP, STEPS + 1):
        plain = PLAIN[schedule](step - WARMUP)
        assert config.rate_at(step) == pytest.approx(plain, rel=1e-12), step


def test_the_inverse_square_root_halves_in_four_times_the_steps() -> None:
    config = config_with("inverse_square_root", min_learning_rate=0.0)
    # The rate of the 8th step, of the 32nd and of the 128th.
    assert [config.rate_at(n - 1) for n in (8, 32, 128)] == [0.5, 0.25, 0.125]


@pytest.mark.parametrize("schedule", PLAIN)
def test_without_a_warm_up_the_first_rate_is_the_highest(schedule: str) -> None:
    assert config_with(schedule, warmup=0).rate_at(0) == HIGH


def test_a_lowest_rate_of_a_schedule_that_does_not_fall_is_refused() -> None:
    with pytest.raises(SettingError, match=r"min_learning_rate = 0\.125 has no effect"):
        config_with("constant", min_learning_rate=LOW)
    # The default is no word of the user's, and may lie above the rate.
    assert config_with("constant", learning_rate=1e-5).rate_at(50) == 1e-5
