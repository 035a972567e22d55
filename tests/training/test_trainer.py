"""A run learns, ends when it is asked to, and goes on as if nothing had happened."""

import dataclasses
import json
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch

from labml_txl.training.runs.checkpoint import load_checkpoint
from labml_txl.training.runs.machine import allow_compiling
from labml_txl.training.text.files import TrainingError
from labml_txl.training.trainer import Trainer
from tests.training.small import small_trainer

COMPRESSIVE = {"model": "compressive", "c_mem_len": 3, "compression_rate": 2}
MODELS: dict[str, dict[str, Any]] = {
    "xl": {"dropout": 0.1, "attention_dropout": 0.1, "schedule": "linear"},
    "muon": {"dropout": 0.1, "optimizer": "muon"},
    "vanilla": {"encoding": "absolute", "mem_len": 0, "attention_dropout": 0.1},
    "compressive": COMPRESSIVE,
    "auto_encoding": COMPRESSIVE | {"reconstruction": "auto_encoding"},
    "through_time": COMPRESSIVE | {"mem_len": 4, "reconstruction": "none", "bptt": 3},
}

# Before a test puts another in its place.
compile_with = torch.nn.Module.compile


def losses(folder: Path) -> list[tuple[object, ...]]:
    """The curve without the times, which differ from run to run."""
    lines = (folder / "curve.jsonl").read_text().splitlines()
    points = map(json.loads, lines)
    return [tuple(v for k, v in point.items() if k != "seconds") for point in points]


def resumed(folder: Path, name: str = "last", **changes: Any) -> Trainer:
    trainer = small_trainer(folder, **changes)
    trainer.resume(load_checkpoint(folder, name))
    return trainer


def after(trainer: Trainer, step: int, act: Callable[[], object]) -> Trainer:
    """The same run, which does something right after a step."""
    update = trainer.update

    def watched() -> float:
        nats = update()
        if trainer.step == step:
            act()
        return nats

    trainer.update = watched  # type: ignore[method-assign]
    return trainer


def kill(trainer: Trainer) -> None:
    """Let a run end after step 6, without a word."""

    def end() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        after(trainer, 6, end).run()


def terminate() -> None:
    signal.raise_signal(signal.SIGTERM)


def spoil(trainer: Trainer) -> None:
    with torch.no_grad():
        trainer.model.head.bias.fill_(torch.nan)


@pytest.mark.parametrize("kind", MODELS)
def test_a_resumed_run_is_bit_for_bit_the_run_that_was_not_stopped(
    tmp_path: Path, kind: str
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    small_trainer(whole, **MODELS[kind]).run()

    # Stopped by a signal after step 3, killed after step 6 without a checkpoint.
    first = after(small_trainer(parts, **MODELS[kind]), 3, terminate)
    assert first.run().signal == signal.SIGTERM
    second = resumed(parts, **MODELS[kind])
    segments = 3 * MODELS[kind].get("bptt", 1)
    assert (second.step, second.position) == (3, 6 * segments)
    kill(second)
    third = resumed(parts, **MODELS[kind])
    assert third.step == 4
    third.run()

    assert losses(parts) == losses(whole)
    wanted, got = (load_checkpoint(folder, "last") for folder in (whole, parts))
    assert wanted.progress["best"] == got.progress["best"]
    assert wanted.tensors.keys() == got.tensors.keys()
    for name, tensor in wanted.tensors.items():
        assert torch.equal(tensor, got.tensors[name]), name


@pytest.mark.parametrize("kind", MODELS)
def test_a_model_learns(tmp_path: Path, kind: str) -> None:
    settings = MODELS[kind] | {"dropout": 0.0, "attention_dropout": 0.0}
    trainer = small_trainer(tmp_path, **settings, steps=40, save_interval=40)
    outcome = trainer.run()
    nats = [p["nats"] for p in trainer.curve if "nats" in p]
    assert nats[-1] < nats[0] - 0.1
    validated = [p["validation_nats"] for p in trainer.curve if "validation_nats" in p]
    assert (outcome.step, outcome.best) == (40, min(validated))


def test_a_compiled_model_learns_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # This backend translates forward and backward pass, and leaves out what takes the
    # longest: making machine code of them.
    def compiled(module: torch.nn.Module, dynamic: bool) -> None:
        compile_with(module, backend="aot_eager", dynamic=dynamic)

    monkeypatch.setattr(torch.nn.Module, "compile", compiled)
    nats = []
    for flag in (False, True):
        trainer = small_trainer(tmp_path, **COMPRESSIVE, compile=flag)
        with allow_compiling(trainer.config):
            nats.append([trainer.update() for _ in range(4)])
    assert nats[1] == pytest.approx(nats[0], abs=1e-5)


@pytest.mark.parametrize(
    ("step", "line"),
    [
        (1, "the loss became nan at step 2: there is no checkpoint in"),
        (5, "the loss became nan at step 6: the last good checkpoint, of step 4"),
        # What a step leaves behind: the loss and the gradient were still numbers.
        (
            8,
            "the sum of all parameters became nan at step 8: the last good checkpoint",
        ),
    ],
)
def test_a_nan_loss_stops_a_run_and_is_never_saved(
    tmp_path: Path, step: int, line: str
) -> None:
    trainer = small_trainer(tmp_path)
    after(trainer, step, lambda: spoil(trainer))
    with pytest.raises(TrainingError) as caught:
        trainer.run()
    assert str(caught.value).startswith(line)
    for path in tmp_path.glob("*.safetensors"):
        saved = load_checkpoint(path)
        assert saved.step == 4
        assert all(tensor.isfinite().all() for tensor in saved.part("model").values())
    assert "NaN" not in (tmp_path / "curve.jsonl").read_text()
    if step > 4:
        assert resumed(tmp_path, learning_rate=0.001).run().step == 8


@pytest.mark.parametrize("part", ["memory", "optimizer"])
def test_a_state_that_is_not_finite_is_never_saved(tmp_path: Path, part: str) -> None:
    trainer = small_trainer(tmp_path)

    def spoil_state() -> None:
        states = trainer.optimizer.state.values()
        kept = [state["exp_avg"] for state in states] + [*(trainer.memories[0] or ())]
        kept[-1 if part == "memory" else 0].fill_(torch.nan)

    after(trainer, 8, spoil_state)
    with pytest.raises(TrainingError) as caught:
        trainer.run()
    line = str(caught.value)
    assert line.startswith(f"{part}.")
    assert (
        "contains nan or infinity at step 8: the last good checkpoint, of step 4"
        in line
    )
    assert resumed(tmp_path).run().step == 8


@pytest.mark.parametrize("clip", [1.0, 0.0])
def test_a_nan_gradient_is_found_before_the_step(tmp_path: Path, clip: float) -> None:
    trainer = small_trainer(tmp_path, clip=clip)

    def spoiled(gradient: torch.Tensor) -> torch.Tensor:
        return gradient * torch.nan if trainer.step == 5 else gradient

    trainer.model.head.bias.register_hook(spoiled)
    with pytest.raises(TrainingError) as caught:
        trainer.run()
    line = str(caught.value)
    assert line.startswith(
        "the gradient became nan at step 6: the last good checkpoint, of "
    )
    assert "continue with --resume, perhaps with another --learning-rate" in line
    assert trainer.step == 5
    assert all(p.isfinite().all() for p in trainer.model.parameters())


def test_without_a_loss_of_its_own_the_compression_learns_through_time(
    tmp_path: Path,
) -> None:
    trainer = small_trainer(tmp_path, **MODELS["through_time"] | {"bptt": 2})
    tokens, targets = trainer.streams.segment(0)
    assert len(tokens) == 2 * trainer.config.seq_len

    # By hand: the loss of two segments, whose memory is never detached.
    nats, memory = [], None
    transformer: Any = trainer.model.transformer
    for part in (slice(0, 6), slice(6, 12)):
        x = trainer.model.embed(tokens[part])
        y, memory = transformer.advance(x, memory, trainer.model.lengths, True)
        logits = trainer.model.head(y)
        nats.append(
            torch.nn.functional.cross_entropy(
                logits.flatten(0, 1), targets[part].flatten()
            )
        )
    weight = transformer.layers[0].compress.conv.weight
    (wanted,) = torch.autograd.grad((nats[0] + nats[1]) / 2, weight)
    loss, _, memory = trainer.objective(tokens, targets, None)
    (got,) = torch.autograd.grad(loss, weight)
    assert torch.equal(got, wanted)
    assert got.abs().max() > 0
    # The graph ends with the step: the next one begins with values.
    assert all(not state.requires_grad for states in memory for state in states)


def test_every_model_trains_with_deterministic_operations_alone(tmp_path: Path) -> None:
    """Without this mode, an operation that may vary is not refused."""
    try:
        for kind, settings in MODELS.items():
            trainer = small_trainer(tmp_path / kind, **settings, deterministic=True)
            trainer.update()
            trainer.update()
            assert torch.are_deterministic_algorithms_enabled()
    finally:
        torch.use_deterministic_algorithms(False)


def test_a_run_that_cannot_be_resumed_is_an_error_of_one_line(tmp_path: Path) -> None:
    small_trainer(tmp_path / "a", steps=1).run()
    saved = load_checkpoint(tmp_path / "a", "last")
    for changes, line in (
        ({"d_model": 18}, r"is \[2, 8\] in the checkpoint"),
        ({"n_layers": 1}, "for a different model: transformer"),
    ):
        with pytest.raises(TrainingError, match=line):
            small_trainer(tmp_path / "b", **changes).resume(saved)
    ones = torch.ones(1)
    name = "optimizer.model.transformer.norm.weight"
    memory, mean = saved.tensors["memory.mem.0"], saved.tensors[f"{name}:exp_avg"]
    less = dict(saved.tensors)
    del less[f"{name}:exp_avg_sq"]
    one_layer = dict(saved.tensors)
    del one_layer["memory.mem.1"]
    for tensors, line in (
        ({"model.a": ones}, "no training state to resume from"),
        (saved.tensors | {"memory.mem.0": ones}, r"memory.mem.0 is \[1\]"),
        (saved.tensors | {"memory.mem.0": memory.to(torch.complex64)}, "be resumed"),
        (one_layer, "memory.mem has 1 layers"),
        # PyTorch's own step reads beyond a mean that is too short.
        (saved.tensors | {"optimizer.x:step": ones}, "unexpected tensor optimizer.x"),
        (
            saved.tensors | {f"{name}:exp_avg": torch.ones(())},
            f"unexpected tensor {name}",
        ),
        (saved.tensors | {f"{name}:exp_avg": mean.long()}, f"unexpected tensor {name}"),
        (saved.tensors | {f"{name}:step": torch.ones(3)}, f"unexpected tensor {name}"),
        (less, f"unexpected tensor {name}"),
    ):
        other = dataclasses.replace(saved, tensors=tensors)
        with pytest.raises(TrainingError, match=line):
            small_trainer(tmp_path / "a").resume(other)
    with pytest.raises(TrainingError, match="precision = 'float16' needs a GPU"):
        small_trainer(tmp_path, precision="float16")


def test_a_run_in_another_thread_leaves_signals_alone(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    trainer = small_trainer(tmp_path)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(trainer.run).result().step == 8
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_slow_steps_are_reported_between_the_points_of_the_curve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("labml_txl.training.trainer.QUIET_STEPS", 0.0)
    trainer, lines = small_trainer(tmp_path, log_interval=4), list[str]()
    trainer.report = lines.append
    trainer.run()
    assert [int(line.split("/")[0][5:]) for line in lines] == [
        *range(1, 5),
        *range(4, 9),
        8,
    ]
    assert [step for step, *_ in losses(tmp_path)] == [4, 4, 8, 8]


def test_the_first_signal_asks_for_the_end_and_the_second_ends(tmp_path: Path) -> None:
    ended = []
    before = signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    try:
        trainer = small_trainer(tmp_path)
        with trainer.catch_signals():
            terminate()
            assert (trainer.caught, ended) == (signal.SIGTERM, [])
            terminate()
        terminate()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert len(ended) == 2
