"""What each of several processes does in the test of processes: see `test_processes`.

`torchrun` runs this module in every process. Without it, there is only one.
"""

import contextlib
import io
import sys
from pathlib import Path
from typing import Any

import torch
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

from labml_txl.training.commands import evaluate as evaluate_command
from labml_txl.training.config import Config
from labml_txl.training.corpora import open_corpus
from labml_txl.training.evaluation import Score, evaluate
from labml_txl.training.objective import Objective, build
from labml_txl.training.runs.checkpoint import load_checkpoint
from labml_txl.training.runs.machine import find_machine
from labml_txl.training.runs.processes import Processes, join_processes
from labml_txl.training.trainer import Trainer
from tests.training.small import small

COMPRESSIVE = {"model": "compressive", "c_mem_len": 3, "compression_rate": 2}

# The settings of runs, whose results do not depend on the number of processes.
RUNS: dict[str, dict[str, Any]] = {
    "xl": {},
    "compressive": COMPRESSIVE,
    "auto_encoding": COMPRESSIVE | {"reconstruction": "auto_encoding"},
    "through_time": COMPRESSIVE | {"mem_len": 4, "reconstruction": "none", "bptt": 2},
    "muon": COMPRESSIVE | {"optimizer": "muon"},
    # Documents end in some parts of the batch and not in others.
    "documents": COMPRESSIVE | {"documents": " "},
}

# The ways in which several processes take part in these runs.
WAYS: list[tuple[str, dict[str, Any]]] = [
    ("xl", {}),
    ("xl", {"shard": True, "accumulate": 2}),
    ("compressive", {"accumulate": 2}),
    ("auto_encoding", {"shard": True}),
    ("muon", {}),
    ("documents", {"accumulate": 2}),
]
STEPS = 15


def settings(folder: Path, name: str, way: dict[str, Any]) -> Config:
    text = str(folder / "text.txt")
    lengths = {"steps": STEPS, "save_interval": STEPS}
    # Each of these norms of the gradient occurs, so that some steps are clipped.
    return small(text=text, clip=0.5, **lengths, **RUNS[name], **way)


def trainer(folder: Path, out: str, config: Config, processes: Processes) -> Trainer:
    goal = folder / out
    goal.mkdir(exist_ok=True)
    corpus = open_corpus(config.text, documents=config.documents)
    return Trainer(config, corpus, goal, find_machine(config), processes=processes)


def folder_of(name: str, way: dict[str, Any]) -> str:
    return "-".join((name, *way)) + "-together"


def part_way(run: Trainer, end: int) -> None:
    """Train until a step, and write a checkpoint."""
    run.model.train()
    while run.step < end:
        run.update()
    run.save()


def scores(folder: Path, processes: Processes) -> list[Score]:
    """The loss on a text, with cache and without, for two lengths of memory."""
    torch.manual_seed(1)
    config = small(**COMPRESSIVE)
    corpus = open_corpus(str(folder / "text.txt"))
    model = build(config, len(corpus.vocabulary))
    return [
        evaluate(model, corpus.train, 6, batch=4, cached=cached, processes=processes)
        for cached in (True, False)
    ]


def sweep(folder: Path, processes: Processes, goal: Path) -> None:
    """What `txl evaluate --sweep-memory` prints, in a file that one process writes."""
    options = evaluate_command.Options(
        (folder / "compressive",),
        text=str(folder / "text.txt"),
        part="train",
        batch=4,
        sweep_memory=(0, 2, 5),
        json=True,
        device="cpu",
    )
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        evaluate_command.measure(options, processes)
    if printed.getvalue():
        with goal.open("x") as file:
            file.write(printed.getvalue())


def step_by_hand(processes: Processes, shard: bool) -> float:
    """Two steps with PyTorch's own wrappers, as somebody without our trainer does."""
    torch.manual_seed(1)
    objective = Objective(build(small(**COMPRESSIVE), 11), small(**COMPRESSIVE))
    if shard:
        for layer in objective.model.transformer.layers:
            fully_shard(layer)
        fully_shard(objective)
    network = objective if shard else DistributedDataParallel(objective)
    optimizer = torch.optim.AdamW(objective.parameters(), lr=0.01)
    (columns,) = processes.columns(4)
    memory = None
    for step in range(4):
        text = (torch.arange(7)[:, None] * (step + 3) + torch.arange(4)) % 11
        loss, nats, memory = network(text[:-1, columns], text[1:, columns], memory)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return float(processes.gather(float(nats)).mean())


def main(folder: Path) -> None:
    with join_processes("cpu") as processes:
        for name, way in WAYS:
            config = settings(folder, name, way)
            trainer(folder, folder_of(name, way), config, processes).run()

        # Begun by one process, continued by these.
        config = settings(folder, "compressive", {})
        run = trainer(folder, "begun", config, processes)
        run.resume(load_checkpoint(folder / "begun", "last"))
        part_way(run, 10)

        # With dropout, each process drops elements of its own, and a run that was
        # stopped is the run that was not.
        config = settings(folder, "xl", {"dropout": 0.1})
        runs = [trainer(folder, out, config, processes) for out in ("once", "twice")]
        part_way(runs[0], 8)
        part_way(runs[1], 5)
        again = trainer(folder, "twice", config, processes)
        again.resume(load_checkpoint(folder / "twice", "last"))
        part_way(again, 8)

        sweep(folder, processes, folder / "sweep")
        results = scores(folder, processes)
        by_hand = [step_by_hand(processes, shard) for shard in (False, True)]
        if processes.first:
            found = [*(score.nats for score in results), results[0].tokens, *by_hand]
            (folder / "found").write_text("\n".join(map(str, found)))


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(Path(sys.argv[1]))
