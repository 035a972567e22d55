import dataclasses
import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from labml_txl.training.runs.build import Objective
from labml_txl.training.runs.evaluation import Score
from labml_txl.training.runs.storage.checkpoint import load_checkpoint
from labml_txl.training.runs.trainer import Trainer
from labml_txl.training.text.cache import SettingError, TrainingError
from tests.training.small import small_trainer

MODELS: dict[str, dict[str, Any]] = {
    "xl": {"dropout": 0.1},
    "vanilla": {"encoding": "absolute", "mem_len": 0, "attention_dropout": 0.1},
    "compressive": {"model": "compressive", "c_mem_len": 3, "compression_rate": 2},
    "auto_encoding": {
        "model": "compressive",
        "c_mem_len": 3,
        "reconstruction": "auto_encoding",
    },
    "through_time": {
        "model": "compressive",
        "mem_len": 4,
        "c_mem_len": 3,
        "compression_rate": 2,
        "reconstruction": "none",
        "bptt": 3,
    },
}


# Before a test puts another in its place.
compile_with = torch.nn.Module.compile


def losses(folder: Path) -> list[tuple[object, ...]]:
    """The curve without the times, which differ from run to run."""
    lines = (folder / "curve.jsonl").read_text().splitlines()
    points = map(json.loads, lines)
    return [tuple(v for k, v in point.items() if k != "seconds") for point in points]


def resumed(folder: Path, **changes: Any) -> Trainer:
    trainer = small_trainer(folder, **changes)
    trainer.resume(load_checkpoint(folder, "last"))
    return trainer


@pytest.mark.parametrize("kind", MODELS)
def test_a_resumed_run_is_bit_for_bit_the_run_that_was_not_stopped(
    tmp_path: Path, kind: str
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    settings = {"accumulate": 2} | MODELS[kind]
    small_trainer(whole, **settings).run()

    # Stopped by a signal after step 3, killed after step 6 without a checkpoint.
    first = small_trainer(parts, **settings)
    stop_after(first, 3, lambda: signal.raise_signal(signal.SIGTERM))
    assert first.run().signal == signal.SIGTERM
    second = resumed(parts, **settings)
    segments = 3 * MODELS[kind].get("bptt", 1)
    assert (second.step, second.position) == (3, 6 * segments)
    stop_after(second, 6, abort)
    with pytest.raises(ZeroDivisionError):
        second.run()
    third = resumed(parts, **settings)
    assert third.step == 4
    third.run()

    assert losses(parts) == losses(whole)
    last = [load_checkpoint(folder, "last").tensors for folder in (whole, parts)]
    assert last[0].keys() == last[1].keys()
    for name, tensor in last[0].items():
        assert torch.equal(tensor, last[1][name]), name


def stop_after(trainer: Trainer, step: int, act: Any) -> None:
    """Do something right after a step."""
    update = trainer.update

    def watched() -> tuple[float, bool]:
        result = update()
        if trainer.step == step:
            act()
            return result[0], trainer.caught is not None
        return result

    trainer.update = watched  # type: ignore[method-assign]


def abort() -> None:
    raise ZeroDivisionError


@pytest.mark.parametrize("kind", MODELS)
def test_a_model_learns(tmp_path: Path, kind: str) -> None:
    trainer = small_trainer(tmp_path, steps=40, log_interval=5, **MODELS[kind])
    outcome = trainer.run()
    first, *_, last = (p["nats"] for p in trainer.curve if "nats" in p)
    assert last < first - 0.1
    assert outcome.step == 40
    assert outcome.best == min(
        p["validation_nats"] for p in trainer.curve if "validation_nats" in p
    )
    names = {path.name.partition("-")[0] for path in tmp_path.iterdir()}
    assert names >= {"best.json", "last.json", "curve.jsonl", "curve.png", "curve.svg"}


def test_memory_is_the_true_past(tmp_path: Path) -> None:
    trainer = small_trainer(tmp_path, mem_len=12)
    for _ in range(3):
        trainer.update()
    # The memory of the lowest layer holds embeddings: those of the last tokens read.
    tokens = torch.cat([trainer.streams[0].segment(at)[0] for at in (6, 12)])
    remembered = trainer.memories[0][0]
    assert remembered.shape == (12, 4, 16)
    nearest = torch.cdist(remembered.flatten(0, 1), embedded(trainer)).argmin(-1)
    assert torch.equal(nearest, tokens.flatten())


def embedded(trainer: Trainer) -> torch.Tensor:
    """The embedding of the whole vocabulary, `[n_vocab, d_model]`."""
    tokens = torch.arange(len(trainer.corpus.vocabulary))
    with torch.no_grad():
        rows: torch.Tensor = trainer.model.embed(tokens[:, None])
    return rows[:, 0]


def test_parts_of_a_batch_give_the_gradient_of_the_whole(tmp_path: Path) -> None:
    curves = []
    for accumulate in (1, 2, 4):
        folder = tmp_path / str(accumulate)
        small_trainer(folder, accumulate=accumulate, steps=5).run()
        curves.append([line[1] for line in losses(folder)])
    assert curves[1] == pytest.approx(curves[0], abs=1e-5)
    assert curves[2] == pytest.approx(curves[0], abs=1e-5)


def test_a_loss_that_is_no_number_stops_the_run(tmp_path: Path) -> None:
    trainer = small_trainer(tmp_path)
    stop_after(trainer, 5, lambda: spoil(trainer))
    with pytest.raises(TrainingError) as caught:
        trainer.run()
    assert str(caught.value).startswith("the loss became nan at step 6: the checkpoint")
    assert "step 4" in str(caught.value)
    saved = load_checkpoint(tmp_path, "last")
    assert saved.step == 4
    assert all(tensor.isfinite().all() for tensor in saved.part("model").values())


def spoil(trainer: Trainer) -> None:
    with torch.no_grad():
        trainer.model.head.bias.fill_(torch.nan)


@pytest.mark.parametrize("clip", [1.0, 0.0])
def test_a_gradient_that_is_no_number_is_found_before_anything_moves(
    tmp_path: Path, clip: float
) -> None:
    trainer = small_trainer(tmp_path, clip=clip)
    accumulate = trainer.accumulate

    def spoiled(part: int) -> float:
        nats = accumulate(part)
        if trainer.step == 5:
            bias = trainer.model.head.bias.grad
            assert bias is not None
            bias[0] = torch.nan
        return nats

    trainer.accumulate = spoiled  # type: ignore[method-assign]
    with pytest.raises(TrainingError) as caught:
        trainer.run()
    line = str(caught.value)
    assert line.startswith(
        "the gradient became nan at step 6: the checkpoint of step 4"
    )
    assert "--resume goes on from it, with another --learning-rate" in line
    assert trainer.step == 5
    assert all(p.isfinite().all() for p in trainer.model.parameters())


def test_parameters_that_are_no_numbers_are_never_saved(tmp_path: Path) -> None:
    trainer = small_trainer(tmp_path)
    # What a step leaves behind: the loss and the gradient were still numbers.
    stop_after(trainer, 8, lambda: spoil(trainer))
    with pytest.raises(TrainingError, match="sum of all parameters became nan at step"):
        trainer.run()
    for name in ("last", "best"):
        saved = load_checkpoint(tmp_path, name)
        assert saved.step == 4
        assert all(tensor.isfinite().all() for tensor in saved.part("model").values())
    assert "NaN" not in "".join(f.read_text() for f in tmp_path.glob("*.json*"))
    again = resumed(tmp_path, learning_rate=0.001)
    assert again.run().step == 8


def test_a_full_disk_is_told_with_the_file_the_step_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = small_trainer(tmp_path)

    def full() -> None:
        error = OSError(errno.ENOSPC, "No space left on device")
        monkeypatch.setattr("os.fsync", lambda number: (_ for _ in ()).throw(error))

    stop_after(trainer, 6, full)
    with pytest.raises(TrainingError) as caught:
        trainer.run()
    line = str(caught.value)
    file = tmp_path / "best-8.safetensors"
    assert line.startswith(f"{file}: No space left on device at step 8: the checkpoint")
    assert "step 4" in line
    assert "--resume goes on from it, when the disk takes files again" in line
    assert load_checkpoint(tmp_path, "last").step == 4


def test_a_model_that_cannot_be_translated_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def backend(graph: object, inputs: object) -> None:
        raise RuntimeError("no compiler found\nand a hundred lines more")

    def compiled(module: torch.nn.Module, dynamic: bool) -> None:
        compile_with(module, backend=backend, dynamic=dynamic)

    monkeypatch.setattr(torch.nn.Module, "compile", compiled)
    with pytest.raises(TrainingError, match="install a C\\+\\+ compiler, or") as caught:
        small_trainer(tmp_path, compile=True).run()
    line = str(caught.value)
    assert line.startswith("the model could not be compiled (backend")
    assert "\n" not in line


def test_before_the_first_checkpoint_nothing_is_promised(tmp_path: Path) -> None:
    trainer = small_trainer(tmp_path)
    stop_after(trainer, 1, lambda: spoil(trainer))
    with pytest.raises(TrainingError, match="at step 2: there is no checkpoint yet"):
        trainer.run()


def test_the_best_state_can_be_resumed_as_the_last_one_can(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    small_trainer(whole, steps=8).run()
    # Something makes the second half worse, so the best is that of step 4.
    trainer = small_trainer(tmp_path / "run", steps=8)
    stop_after(trainer, 5, lambda: shake(trainer))
    trainer.run()
    best = load_checkpoint(tmp_path / "run", "best")
    assert (best.step, load_checkpoint(tmp_path / "run", "last").step) == (4, 8)
    again = small_trainer(tmp_path / "run", steps=8)
    again.resume(best)
    again.run()
    assert losses(tmp_path / "run") == losses(whole)


def shake(trainer: Trainer) -> None:
    with torch.no_grad():
        for parameter in trainer.model.parameters():
            parameter.add_(3 * torch.randn_like(parameter))


def test_a_new_run_begins_a_new_curve_whatever_a_dead_one_left(tmp_path: Path) -> None:
    dead = small_trainer(tmp_path)
    stop_after(dead, 3, abort)
    with pytest.raises(ZeroDivisionError):
        dead.run()
    assert [point[0] for point in losses(tmp_path)] == [1, 2]

    # The next one is stopped after a checkpoint, and goes on exactly at its step.
    second = small_trainer(tmp_path)
    stop_after(second, 6, abort)
    with pytest.raises(ZeroDivisionError):
        second.run()
    resumed(tmp_path).run()
    assert [point[0] for point in losses(tmp_path)] == [1, 2, 3, 4, 4, 5, 6, 7, 8, 8]


def test_the_reconstruction_loss_moves_only_the_compression(tmp_path: Path) -> None:
    gradients = []
    for reconstruction in ("attention", "auto_encoding"):
        trainer = small_trainer(
            tmp_path,
            model="compressive",
            c_mem_len=3,
            compression_rate=2,
            reconstruction=reconstruction,
        )
        for _ in range(2):
            trainer.accumulate(0)
        gradients.append(
            {
                name: p.grad.clone()
                for name, p in trainer.model.named_parameters()
                if p.grad is not None and "compress" not in name
            }
        )
    assert gradients[0].keys() == gradients[1].keys()
    for name, gradient in gradients[0].items():
        assert torch.equal(gradient, gradients[1][name]), name


def test_the_compression_learns_from_the_reconstruction_loss(tmp_path: Path) -> None:
    trainer = small_trainer(tmp_path, model="compressive", c_mem_len=3)
    trainer.accumulate(0)
    compression = {
        name: parameter
        for name, parameter in trainer.model.named_parameters()
        if "compress" in name
    }
    assert compression
    assert all(parameter.grad is None for parameter in compression.values())
    trainer.accumulate(0)
    for name, parameter in compression.items():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().max() > 0, name


def test_without_a_loss_of_its_own_the_compression_learns_through_time(
    tmp_path: Path,
) -> None:
    trainer = small_trainer(tmp_path, **MODELS["through_time"])
    compression = {
        name: parameter
        for name, parameter in trainer.model.named_parameters()
        if "compress" in name
    }
    # The third segment reads what was compressed behind the first two.
    trainer.accumulate(0)
    for name, parameter in compression.items():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().max() > 0, name

    # The graph ends with the step: the next one begins with values.
    memory = trainer.memories[0]
    assert all(not state.requires_grad for states in memory for state in states)


def test_a_gradient_passes_through_the_chosen_number_of_segments(
    tmp_path: Path,
) -> None:
    settings = MODELS["through_time"] | {"bptt": 2}
    trainer = small_trainer(tmp_path, **settings)
    objective = trainer.objective
    tokens, targets = trainer.streams[0].segment(0)
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
    loss, _, _ = objective(tokens, targets, None)
    (got,) = torch.autograd.grad(loss, weight)
    assert torch.equal(got, wanted)


# The compiler makes an object of a class of which it says that nobody should.
@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")
@pytest.mark.parametrize("kind", MODELS)
def test_a_compiled_model_learns_the_same(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # This backend translates forward and backward pass, and leaves out what takes the
    # longest: making machine code of them.
    def compiled(module: torch.nn.Module, dynamic: bool) -> None:
        compile_with(module, backend="aot_eager", dynamic=dynamic)

    monkeypatch.setattr(torch.nn.Module, "compile", compiled)
    settings = MODELS[kind] | {"dropout": 0.0, "attention_dropout": 0.0, "steps": 5}
    curves = []
    for name in ("eager", "compiled"):
        folder = tmp_path / name
        small_trainer(folder, **settings, compile=name == "compiled").run()
        curves.append([line[1] for line in losses(folder)])
    assert curves[1] == pytest.approx(curves[0], abs=1e-5)


@pytest.mark.parametrize("kind", ["xl", "compressive"])
def test_half_the_bits_give_nearly_the_same_losses(tmp_path: Path, kind: str) -> None:
    curves = []
    for precision in ("float32", "bfloat16"):
        folder = tmp_path / precision
        settings = MODELS[kind] | {"dropout": 0.0, "precision": precision}
        small_trainer(folder, **settings).run()
        curves.append([line[1] for line in losses(folder)])
    assert curves[1] != curves[0]
    assert curves[1] == pytest.approx(curves[0], abs=0.02)


@pytest.mark.parametrize("kind", MODELS)
def test_every_model_trains_with_deterministic_operations_alone(
    tmp_path: Path, kind: str
) -> None:
    """Without this mode, an operation that may vary is not refused."""
    try:
        small_trainer(tmp_path, **MODELS[kind], deterministic=True).run()
        assert torch.are_deterministic_algorithms_enabled()
    finally:
        torch.use_deterministic_algorithms(False)
    small_trainer(tmp_path / "free")
    assert not torch.are_deterministic_algorithms_enabled()


def test_float16_without_a_gpu_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="precision = 'float16' needs a GPU"):
        small_trainer(tmp_path, precision="float16")


def test_shared_parameters_need_several_processes(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="start them with torchrun") as raised:
        small_trainer(tmp_path, fsdp=True)
    assert raised.value.status == 2


def test_decay_pulls_at_matrices_only(tmp_path: Path) -> None:
    trainer = small_trainer(tmp_path, model="compressive", c_mem_len=2)
    decayed, others = trainer.optimizer.param_groups
    assert decayed["weight_decay"] == trainer.config.weight_decay
    assert others["weight_decay"] == 0
    assert {p.ndim for p in others["params"]} == {1}
    assert len(decayed["params"]) + len(others["params"]) == len(
        list(Objective(trainer.model, trainer.config).parameters())
    )


def test_a_checkpoint_of_another_model_is_one_line(tmp_path: Path) -> None:
    small_trainer(tmp_path / "a", steps=1).run()
    saved = load_checkpoint(tmp_path / "a", "last")
    with pytest.raises(TrainingError, match=r"is \[2, 8\] in the checkpoint"):
        small_trainer(tmp_path / "b", d_model=18).resume(saved)
    with pytest.raises(TrainingError, match="of another model: transformer"):
        small_trainer(tmp_path / "b", n_layers=1).resume(saved)
    used = dataclasses.replace(saved, tensors={"model.a": torch.ones(1)})
    with pytest.raises(TrainingError, match="can be used, but not resumed"):
        small_trainer(tmp_path / "a").resume(used)


def test_a_killed_process_loses_one_interval_at_most(tmp_path: Path) -> None:
    code = (
        "import pathlib, sys, torch\n"
        "torch.set_num_threads(1)\n"
        "from tests.training.small import small_trainer\n"
        "small_trainer(pathlib.Path(sys.argv[1]), steps=100_000).run()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], cwd=Path(__file__).parents[3]
    )
    try:
        while not (tmp_path / "last.json").exists():
            assert process.poll() is None
            time.sleep(0.02)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    curve = losses(tmp_path)
    saved = load_checkpoint(tmp_path, "last")
    assert saved.step >= max(int(str(point[0])) for point in curve) - 5
    trainer = resumed(tmp_path, steps=saved.step + 2)
    assert trainer.run().step == saved.step + 2


def test_a_resumed_run_keeps_the_best_model_of_before(tmp_path: Path) -> None:
    first = small_trainer(tmp_path, steps=4)
    best = first.run().best
    second = resumed(tmp_path)
    # From here on the model is worse than it was, and it is never taken for the best.
    second.score = lambda limit=0: Score(best + 1, 100, 1.0)  # type: ignore[method-assign]
    outcome = second.run()
    assert (outcome.step, outcome.best) == (8, best)
    saved = load_checkpoint(tmp_path, "best")
    assert (saved.step, saved.progress["best"]) == (4, best)
    assert load_checkpoint(tmp_path, "last").progress["best"] == best
