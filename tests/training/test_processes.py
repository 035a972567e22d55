"""Several processes do together what one does alone, and end together."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
import torch

from labml_txl.cli import main
from labml_txl.training.runs.checkpoint import load_checkpoint
from labml_txl.training.runs.curve import read_curve
from labml_txl.training.runs.processes import ALONE
from labml_txl.training.text.files import SettingError
from tests.training.small import small, small_text, small_trainer
from tests.training.together import (
    RUNS,
    STEPS,
    WAYS,
    folder_of,
    part_way,
    scores,
    settings,
    sweep,
    trainer,
)

# The last bits of a sum depend on its order, and AdamW, which divides by the size of a
# gradient, turns them into changes of elements whose gradient is nearly 0. Muon of
# PyTorch computes with 16 bits, which makes such a difference larger.
LOSS, LOSS_OF_MUON = 1e-5, 5e-3
ROUNDING = {"model": 5e-3, "reconstruction": 5e-3, "memory": 1e-4}


def torchrun(processes: int, *words: str) -> list[str]:
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    launch.append("--max-restarts=1")
    return [*launch, f"--nproc-per-node={processes}", "-m", *words]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which one process, and two, have trained the same models."""
    goal = tmp_path_factory.mktemp("together")
    environment = os.environ | {"TXL_CACHE": str(goal / "cache")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TXL_CACHE", environment["TXL_CACHE"])
        small_text(goal)
        for name in RUNS:
            trainer(goal, name, settings(goal, name, {}), ALONE).run()
        part_way(trainer(goal, "begun", settings(goal, "compressive", {}), ALONE), 5)
    subprocess.run(
        torchrun(2, "tests.training.together", str(goal)),
        env=environment | {"OMP_NUM_THREADS": "1"},
        check=True,
        timeout=200,
    )
    return goal


def compare(first: Path, second: Path) -> None:
    """The last checkpoints of two runs are the same, apart from rounding."""
    wanted, got = (load_checkpoint(out, "last") for out in (first, second))
    assert got.tensors.keys() == wanted.tensors.keys()
    assert (got.step, got.position) == (wanted.step, wanted.position)
    for part, rounding in ROUNDING.items():
        for name, tensor in wanted.part(part).items():
            assert (got.part(part)[name] - tensor).abs().max() < rounding, name


@pytest.mark.parametrize(("name", "way"), WAYS, ids=map(str, range(len(WAYS))))
def test_two_processes_train_as_one_with_the_whole_batch(
    folder: Path, name: str, way: dict[str, Any]
) -> None:
    curves = [read_curve(folder / out) for out in (name, folder_of(name, way))]
    wanted, got = (
        [(p["step"], p.get("nats", p.get("validation_nats"))) for p in curve]
        for curve in curves
    )
    assert len(wanted) == STEPS + 1
    for one, other in zip(wanted, got, strict=True):
        assert other == pytest.approx(one, abs=LOSS_OF_MUON if name == "muon" else LOSS)
    if name != "muon":
        compare(folder / name, folder / folder_of(name, way))


@pytest.mark.parametrize("name", ["compressive", "through_time"])
def test_accumulated_parts_of_a_batch_are_the_whole_batch(
    folder: Path, name: str
) -> None:
    run = trainer(
        folder, f"{name}-parts", settings(folder, name, {"accumulate": 4}), ALONE
    )
    run.run()
    wanted, got = (read_curve(folder / out) for out in (name, f"{name}-parts"))
    for one, other in zip(wanted, got, strict=True):
        assert other.get("nats") == pytest.approx(one.get("nats"), abs=LOSS)
    compare(folder / name, folder / f"{name}-parts")


def test_a_run_resumes_on_another_number_of_processes(folder: Path) -> None:
    run = trainer(folder, "begun", settings(folder, "compressive", {}), ALONE)
    saved = load_checkpoint(folder / "begun", "last")
    assert saved.step == 10
    run.resume(saved)
    run.run()
    compare(folder / "compressive", folder / "begun")


def test_on_the_same_number_of_processes_a_resumed_run_is_bit_for_bit_the_same(
    folder: Path,
) -> None:
    once, twice = (load_checkpoint(folder / out, "last") for out in ("once", "twice"))
    assert once.tensors.keys() == twice.tensors.keys()
    for name, tensor in once.tensors.items():
        assert torch.equal(twice.tensors[name], tensor), name


def test_two_processes_measure_what_one_measures(folder: Path) -> None:
    found = [float(line) for line in (folder / "found").read_text().splitlines()]
    alone = scores(folder, ALONE)
    assert found[:2] == pytest.approx([score.nats for score in alone], abs=1e-6)
    assert found[2] == alone[0].tokens
    # Four steps by hand, with DistributedDataParallel and with fully_shard.
    assert found[3] == pytest.approx(found[4], abs=1e-6)


def test_two_processes_compare_lengths_of_memory_as_one_does(folder: Path) -> None:
    sweep(folder, ALONE, folder / "sweep-alone")
    got, wanted = (
        [json.loads(line) for line in (folder / name).read_text().splitlines()]
        for name in ("sweep", "sweep-alone")
    )
    assert [row["mem_len"] for row in got] == [0, 2, 5]
    for one, other in zip(got, wanted, strict=True):
        assert one["tokens"] == other["tokens"]
        assert one["nats"] == pytest.approx(other["nats"], abs=1e-4)
    assert len({row["nats"] for row in got}) == 3


def test_a_batch_that_cannot_be_divided_is_an_error_of_one_line(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"batch = 4 cannot be .* a multiple of 3"):
        small_trainer(tmp_path, accumulate=3)
    with pytest.raises(SettingError, match="shard = true is for several processes"):
        small_trainer(tmp_path, shard=True)


@contextmanager
def started(processes: int, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A run that goes on under `torchrun`, after its first steps."""
    out = Path(words[words.index("--out") + 1])
    before = len(read_curve(out))
    with (
        output_of(out).open("w") as output,
        subprocess.Popen(
            torchrun(processes, "labml_txl", *words, "--steps=100000", "--sample=0"),
            env=os.environ | {"OMP_NUM_THREADS": "1"},
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process,
    ):
        try:
            while len(read_curve(out)) < before + 3 and process.poll() is None:
                time.sleep(0.1)
            yield process
        finally:
            process.kill()


def output_of(run: Path) -> Path:
    """The file with what the last `started` run in a folder has printed."""
    return run.with_suffix(".txt")


def kill_the_second(process: subprocess.Popen[str]) -> None:
    children = psutil.Process(process.pid).children()
    (victim,) = (one for one in children if one.environ().get("RANK") == "1")
    victim.kill()
    victim.wait()


def test_processes_end_together_and_one_of_them_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    config = small(steps=6, save_interval=3)
    names = ("n_layers", "heads", "d_model", "d_ff", "mem_len", "seq_len", "batch")
    sizes = [f"--{n.replace('_', '-')}={getattr(config, n)}" for n in names]
    text = str(small_text(tmp_path))
    begin = ["train", "xl", "--text", text, "--out", str(run), *sizes, "--device=cpu"]
    often = ["--save-interval=3", "--log-interval=1", "--eval-tokens=50"]
    assert main([*begin, *often, "--steps=6", "--sample=0"]) == 0
    capsys.readouterr()
    again = ["train", "xl", "--resume", "--out", str(run), "--text", text]

    with started(2, *again, "--save-interval=1000000") as process:
        # A second run in the same folder is refused.
        assert main(again) == 1
        assert "is in use by another process" in capsys.readouterr().err
        # A process that dies ends the other one, and leaves the last good checkpoint.
        first = re.compile(r"^step +7/", re.MULTILINE)
        kill_the_second(process)
        # torchrun starts both again, and they repeat the steps since the checkpoint,
        # which may take less time than a look at the file.
        while len(first.findall(output_of(run).read_text())) < 2:
            assert process.poll() is None
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=200)
    output = output_of(run).read_text()
    (line,) = (line for line in output.splitlines() if line.startswith("txl: "))
    assert "another process of this run has ended: the last good checkpoint" in line
    assert f"of step 6, is in {run}" in line
    ((step, how),) = re.findall(r"stopped after step (\d+): continue with (.*)", output)
    assert how == f"--resume --text {text}"
    assert load_checkpoint(run, "last").step == int(step) > 6
    steps = [point["step"] for point in read_curve(run) if "nats" in point]
    assert steps == [*range(1, int(step) + 1)]

    # And one process goes on.
    more = str(int(step) + 2)
    assert main([*again, "--steps", more]) == 0
    assert load_checkpoint(run, "last").step == int(more)
