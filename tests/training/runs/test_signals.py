"""How a run is asked to end."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.training.small import small_trainer


class Ended(Exception):  # noqa: N818
    """What a signal does as usual, here."""


@pytest.fixture
def as_usual() -> Iterator[None]:
    def end(number: int, frame: object) -> None:
        raise Ended

    before = signal.signal(signal.SIGTERM, end)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("as_usual")
def test_the_first_signal_asks_for_the_end_and_the_second_ends(tmp_path: Path) -> None:
    trainer = small_trainer(tmp_path)
    with trainer.signals_caught():
        signal.raise_signal(signal.SIGTERM)
        assert trainer.caught == signal.SIGTERM
        with pytest.raises(Ended):
            signal.raise_signal(signal.SIGTERM)
    with pytest.raises(Ended):
        signal.raise_signal(signal.SIGTERM)
