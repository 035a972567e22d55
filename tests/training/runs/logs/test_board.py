"""TensorBoard reads what a run has logged, and a missing package is one line."""

import sys
import warnings
from pathlib import Path

import pytest

from labml_txl.training.runs.logs.board import Board
from labml_txl.training.text.cache import TrainingError
from tests.training.commands.test_commands import SIZES, txl
from tests.training.small import small_text


def logged(folder: Path, name: str) -> list[tuple[int, float]]:
    """The scalars of that name, as TensorBoard reads them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from tensorboard.backend.event_processing import event_accumulator
    events = event_accumulator.EventAccumulator(str(folder / "tensorboard"))
    events.Reload()
    return [(event.step, event.value) for event in events.Scalars(name)]


def test_the_curve_is_logged_once_even_if_a_run_goes_on(tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ["--tensorboard", "--sample=0", f"--out={run}"]
    text = f"--text={small_text(tmp_path)}"
    assert txl("train", "xl", *SIZES, text, "--steps=4", *words) == 0
    assert txl("train", "xl", "--resume", "--steps=8", *words) == 0
    assert [step for step, _ in logged(run, "loss/training")] == [2, 4, 6, 8]
    assert [step for step, _ in logged(run, "loss/validation")] == [4, 8]
    assert len(logged(run, "learning rate")) == 4


def test_steps_that_are_made_again_are_logged_anew(tmp_path: Path) -> None:
    for values, step in (((5.0, 4.0, 3.0), 0), ((2.0,), 2)):
        board = Board(tmp_path, step)
        for number, nats in enumerate(values, start=step + 1):
            board.add({"step": number, "nats": nats})
        board.close()
    assert logged(tmp_path, "loss/training") == [(1, 5.0), (2, 4.0), (3, 2.0)]


def test_a_sample_is_shown_as_it_was_written(tmp_path: Path) -> None:
    board = Board(tmp_path)
    board.add({"step": 3, "sample": "# to be\nor *not*"})
    board.close()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from tensorboard.backend.event_processing import event_accumulator
    events = event_accumulator.EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    (event,) = events.Tensors("sample/text_summary")
    assert event.step == 3
    # Four blanks before a line: Markdown shows it as it is.
    (text,) = event.tensor_proto.string_val
    assert text.decode() == "    # to be\n    or *not*\n"


def test_without_the_package_there_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(TrainingError, match=r"pip install .*\[tensorboard\]"):
        Board(tmp_path)
