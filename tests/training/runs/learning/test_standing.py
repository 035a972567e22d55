"""The best states and the end of patience, held to a plain look at all losses."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labml_txl.training.runs.evaluation import Score
from labml_txl.training.runs.learning.standing import Standing, standing_of
from labml_txl.training.runs.storage.checkpoint import load_checkpoint
from labml_txl.training.runs.trainer import Trainer
from tests.training.small import small_trainer


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes longer than training here."""
    where = "labml_txl.training.runs.trainer.draw_curve"
    monkeypatch.setattr(where, lambda points, folder: None)


LOSSES = st.lists(st.sampled_from((1.0, 1.5, 2.0, 2.5, 3.0)), max_size=12)


@given(LOSSES, st.integers(0, 4))
def test_a_standing_is_what_a_look_at_all_losses_gives(
    losses: list[float], keep: int
) -> None:
    standing = Standing()
    for step, nats in enumerate(losses, 1):
        standing = standing.after(step, nats, keep)
    if not losses:
        assert standing == Standing()
        return
    first_best = losses.index(min(losses))
    assert standing.best == losses[first_best]
    assert standing.waited == len(losses) - 1 - first_best
    by_loss = sorted(range(len(losses)), key=lambda n: losses[n])
    assert standing.kept == {n + 1: losses[n] for n in by_loss[:keep]}
    assert standing_of(json.loads(json.dumps(standing.progress()))) == standing


def test_a_run_that_was_never_validated_stands_nowhere() -> None:
    assert standing_of(Standing().progress()) == Standing()
    assert standing_of({"best": 2.0}) == Standing(2.0)
    assert not Standing().is_over(0)
    assert not Standing(1.0, 100).is_over(0)
    assert [Standing(1.0, n).is_over(3) for n in (2, 3, 4)] == [False, True, True]


# The loss of each step, as validation would find it: the three least are those of the
# steps 4, 7 and 2, and after step 7 there is no gain any more.
FOUND = dict(enumerate((5.0, 3.0, 4.0, 2.0, 3.5, 3.1, 1.0, 6.0, 3.2, 3.3, 3.4, 3.6), 1))
WATCHED: dict[str, Any] = {
    "steps": 12,
    "eval_interval": 1,
    "save_interval": 5,
    "keep_best": 3,
}


def scripted(folder: Path, **changes: Any) -> Trainer:
    """A run whose validation finds the losses above."""
    trainer = small_trainer(folder, **WATCHED | changes)

    def score(limit: int = 0) -> Score:
        return Score(FOUND[trainer.step], 100, 1.0)

    trainer.score = score  # type: ignore[method-assign]
    return trainer


def kept(folder: Path) -> list[int]:
    """The steps of the states that are kept, each of which can be read."""
    files = {path.stem for path in folder.glob("kept-*")}
    assert files == {path.stem for path in folder.glob("kept-*.json")}
    return sorted(load_checkpoint(folder / f"{name}.json").step for name in files)


def test_the_best_states_are_kept_and_no_others(tmp_path: Path) -> None:
    scripted(tmp_path).run()
    assert kept(tmp_path) == [2, 4, 7]
    assert load_checkpoint(tmp_path, "best").step == 7
    assert load_checkpoint(tmp_path, "last").step == 12
    # The best one lies on the disk once, under two names.
    best, same = (tmp_path / f"{name}-7.safetensors" for name in ("best", "kept"))
    assert best.samefile(same)


def test_without_the_option_none_is_kept(tmp_path: Path) -> None:
    scripted(tmp_path, keep_best=0).run()
    assert kept(tmp_path) == []


@pytest.mark.parametrize(
    ("patience", "end"), [(1, 3), (2, 6), (3, 10), (6, 12), (0, 12)]
)
def test_a_run_ends_when_validation_finds_no_gain(
    tmp_path: Path, patience: int, end: int
) -> None:
    seldom = {"save_interval": 100, "keep_best": 0}
    outcome = scripted(tmp_path, patience=patience, **seldom).run()
    assert outcome.step == end
    # It can be resumed, and has nothing more to do.
    saved = load_checkpoint(tmp_path, "last")
    assert saved.step == end
    again = scripted(tmp_path, patience=patience)
    again.resume(saved)
    assert again.run().step == end
    # With more patience it goes on.
    more = scripted(tmp_path)
    more.resume(saved)
    assert more.run().step == 12


class KilledError(Exception):
    """The process is gone."""


@pytest.mark.parametrize("killed", range(1, 12))
def test_a_killed_run_counts_and_keeps_as_one_that_was_not(
    tmp_path: Path, killed: int
) -> None:
    settings = {"patience": 5, "steps": 12}
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    scripted(whole, **settings).run()
    first = scripted(parts, **settings)
    update = first.update

    def dies() -> tuple[float, bool]:
        if first.step == killed:
            raise KilledError
        return update()

    first.update = dies  # type: ignore[method-assign]
    with pytest.raises(KilledError):
        first.run()
    second = scripted(parts, **settings)
    # The first loss is the best so far, so there is a checkpoint already.
    second.resume(load_checkpoint(parts, "last"))
    second.run()
    assert kept(parts) == kept(whole) == [2, 4, 7]
    wanted, got = (load_checkpoint(folder, "last") for folder in (whole, parts))
    for name in ("best", "waited", "kept"):
        assert got.progress[name] == wanted.progress[name]
    assert got.step == wanted.step
    for name, tensor in wanted.part("model").items():
        assert tensor.equal(got.part("model")[name]), name


def test_whatever_write_is_the_last_no_state_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two files of one checkpoint, too, the states that are kept are there."""
    from labml_txl.training.runs.storage import checkpoint

    write = checkpoint._write_document
    for number in range(1, 12):
        folder = tmp_path / str(number)
        written = [0]

        def dies(*given: Any, count: list[int] = written, last: int = number) -> None:
            count[0] += 1
            if count[0] > last:
                raise KilledError
            write(*given)

        monkeypatch.setattr(checkpoint, "_write_document", dies)
        with pytest.raises(KilledError):
            scripted(folder).run()
        monkeypatch.setattr(checkpoint, "_write_document", write)
        if not (folder / "last.json").exists():
            continue
        saved = load_checkpoint(folder, "last")
        names = [f"kept-{step}" for step in saved.progress["kept"]]
        steps = [load_checkpoint(folder / f"{name}.json").step for name in names]
        assert steps == [*map(int, saved.progress["kept"])]
        # What the newest says of the best is true.
        best = load_checkpoint(folder, "best")
        assert best.progress["best"] <= saved.progress["best"]


def test_going_back_to_the_best_forgets_what_came_after(tmp_path: Path) -> None:
    scripted(tmp_path).run()
    for path in tmp_path.glob("kept-2*"):
        path.unlink()
    again = scripted(tmp_path)
    again.resume(load_checkpoint(tmp_path, "best"))
    # One that was removed by hand is not counted as kept.
    assert sorted(again.standing.kept) == [4, 7]
    assert (again.step, again.standing.waited) == (7, 0)
    again.run()
    assert kept(tmp_path) == [4, 7, 9]


def test_validation_has_an_interval_of_its_own(tmp_path: Path) -> None:
    for name, interval in (("apart", 3), ("together", 0)):
        trainer = small_trainer(tmp_path / name, steps=8, eval_interval=interval)
        trainer.run()
        found = [p["step"] for p in trainer.curve if "validation_nats" in p]
        assert found == ([3, 6, 8] if interval else [4, 8])


@pytest.mark.parametrize(
    ("keep", "steps"),
    [(0, [1, 2, 4, 5, 7, 10, 12]), (2, [1, 2, 3, 4, 5, 7, 10, 12])],
)
def test_between_the_intervals_only_what_is_kept_is_saved(
    tmp_path: Path, keep: int, steps: list[int]
) -> None:
    """The gains, the multiples of 5 and the end; with `keep`, the second best too."""
    trainer = scripted(tmp_path, keep_best=keep)
    saved: list[int] = []
    save = trainer.save

    def watched(names: Any = ()) -> None:
        saved.append(trainer.step)
        save(names)

    trainer.save = watched  # type: ignore[method-assign]
    trainer.run()
    assert saved == steps
