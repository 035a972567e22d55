"""How a run is asked to end."""

import signal
from pathlib import Path

import pytest

from tests.training.small import small_trainer


def test_the_first_signal_asks_for_the_end_and_the_second_ends(tmp_path: Path) -> None:
    trainer = small_trainer(tmp_path)
    with trainer.signals_caught():
        signal.raise_signal(signal.SIGINT)
        assert trainer.caught == signal.SIGINT
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
