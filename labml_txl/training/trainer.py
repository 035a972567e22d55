r"""# The trainer

One loop: read a segment, predict it, move the parameters, remember. Every so often it
looks at the validation part, and writes a checkpoint from which it could go on.

**Nothing is lost.** A checkpoint holds all that the next step depends on: parameters,
the optimizer's averages, the memory of every reader, their position in the text, and
the state of the random generator. A run that was stopped and resumed is, on a CPU, bit
for bit the run that was not stopped. Control-C and SIGTERM end the step, write a
checkpoint and stop; a killed process loses at most `save_interval` steps.
"""

import contextlib
import math
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from labml_txl.training.config import Config
from labml_txl.training.evaluation import Score, evaluate
from labml_txl.training.objective import Memory, Objective, build, make_optimizer
from labml_txl.training.runs.checkpoint import (
    PROGRESS,
    Checkpoint,
    load_checkpoint,
    load_optimizer,
    load_parameters,
    memory_of,
    memory_tensors,
    optimizer_state,
    prefixed,
    save_checkpoint,
)
from labml_txl.training.runs.curve import (
    Point,
    add_point,
    draw_curve,
    read_curve,
    told,
    write_curve,
)
from labml_txl.training.runs.machine import (
    Machine,
    as_written,
    compile_layers,
    translating,
)
from labml_txl.training.streams import Streams
from labml_txl.training.text.corpora import Corpus
from labml_txl.training.text.files import TrainingError

Report = Callable[[str], None]


@dataclass(frozen=True)
class Outcome:
    r"""How a run ended: after which step, with which losses, and whether by a signal.

    `best` is the least validation loss that was met, in nats a token.
    """

    step: int
    best: float
    seconds: float
    signal: int | None = None


class Trainer:
    r"""A run: a model that learns, and the folder that it is written to."""

    def __init__(
        self,
        config: Config,
        corpus: Corpus,
        folder: Path,
        machine: Machine,
        report: Report = lambda line: None,
    ) -> None:
        self.config = config
        self.corpus = corpus
        self.folder = folder
        self.machine = machine
        self.report = report
        torch.use_deterministic_algorithms(config.deterministic)
        torch.manual_seed(config.seed)
        self.model = build(config, len(corpus.vocabulary)).to(machine.device)
        self.objective = Objective(self.model, config).to(machine.device)
        if config.compile:
            compile_layers(self.objective)
        torch.manual_seed(config.seed)
        self.optimizer = make_optimizer(self.objective, config)
        self.scaler = torch.amp.GradScaler(
            machine.device.type, enabled=machine.dtype == torch.float16
        )
        self.streams = Streams(corpus.train, config.batch, config.seq_len * config.bptt)
        self.memory: Memory = None
        self.step = 0
        self.position = 0
        self.best = math.inf
        self.seconds = 0.0
        self.curve: list[Point] = []
        self.caught: int | None = None

    def run(self) -> Outcome:
        r"""Train until the last step, or until a signal comes.

        Raises `TrainingError` if the loss, a gradient or a parameter is no finite
        number any more. Nothing of that is saved: the checkpoints stay.
        """
        self.model.train()
        start = time.perf_counter() - self.seconds
        with self.signals_caught(), self.disk_told(), translating(self.config):
            # A run that died before its first checkpoint may have left its own.
            write_curve(self.folder, self.curve)
            while not self.is_over():
                nats = self.update()
                self.seconds = time.perf_counter() - start
                if self.is_due(self.config.log_interval):
                    self.note(
                        {"nats": nats, "rate": self.config.rate_at(self.step - 1)}
                    )
                if self.is_due(self.config.save_interval):
                    self.save(best=self.validate())
                elif self.is_over():
                    self.check_parameters()
                    self.save()
        return Outcome(self.step, self.best, self.seconds, self.caught)

    def is_over(self) -> bool:
        r"""Whether the last step was made, or a signal has come."""
        return self.caught is not None or self.step == self.config.steps

    def is_due(self, interval: int) -> bool:
        r"""Whether to do something now: every `interval` steps, and at the end."""
        return self.step == self.config.steps or self.step % interval == 0

    def update(self) -> float:
        r"""One step: the loss in nats a token."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.rate_at(self.step)
        self.optimizer.zero_grad(set_to_none=True)
        tokens, targets = (
            side.to(self.machine.device) for side in self.streams.segment(self.position)
        )
        with self.machine.autocast():
            loss, nats, self.memory = self.objective(tokens, targets, self.memory)
        self.check_finite("loss", float(nats), self.step + 1)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        norm = nn.utils.clip_grad_norm_(
            self.objective.parameters(), self.config.clip or math.inf
        )
        if not self.scaler.is_enabled():
            # With 16 bits, the scaler leaves such a step out and scales less.
            self.check_finite("gradient", float(norm), self.step + 1)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.step += 1
        self.position += self.streams.seq_len
        return float(nats)

    def check_finite(self, what: str, value: float, step: int) -> None:
        r"""Raise `TrainingError`, with what to do, for what is no finite number."""
        if not math.isfinite(value):
            way_on = self.way_on("with another --learning-rate if you like")
            raise TrainingError(f"the {what} became {value} at step {step}: {way_on}")

    def check_parameters(self) -> None:
        r"""Raise `TrainingError` if a parameter is no finite number any more."""
        sums = [p.detach().double().sum() for p in self.objective.parameters()]
        total = float(torch.stack(sums).sum())
        self.check_finite("sum of all parameters", total, self.step)

    def validate(self) -> bool:
        r"""Measure the loss on the validation part: is it the least so far?"""
        self.check_parameters()
        nats = self.score(self.config.eval_tokens).nats
        self.check_finite("validation loss", nats, self.step)
        self.note({"validation_nats": nats})
        better = nats < self.best
        self.best = min(nats, self.best)
        return better

    def score(self, limit: int = 0) -> Score:
        r"""The loss on the first `limit` tokens of the validation part; 0 is all."""
        text = self.corpus.validation[: limit or None]
        with as_written(), self.machine.autocast():
            return evaluate(self.model, text, self.config.seq_len, cached=True)

    def note(self, values: Point) -> None:
        r"""Add a line to the curve, and report it."""
        point = {"step": self.step, **values, "seconds": round(self.seconds, 2)}
        self.curve.append(point)
        add_point(self.folder, point)
        self.report(told(point, self.config, self.seconds))

    def save(self, best: bool = False) -> None:
        r"""Write the newest checkpoint, also as the best one, and plot the curve."""
        random = {"cpu": torch.get_rng_state()}
        if self.machine.device.type == "cuda":
            random["cuda"] = torch.cuda.get_rng_state()
        tensors = {
            **prefixed("model", dict(self.model.named_parameters())),
            **prefixed("reconstruction", dict(self.decoders().named_parameters())),
            **optimizer_state(self.objective, self.optimizer),
            **prefixed("memory", memory_tensors(self.memory)),
            **prefixed("random", random),
        }
        progress = {
            "best": self.best if math.isfinite(self.best) else None,
            "seconds": self.seconds,
            "scaler": self.scaler.state_dict(),
        }
        checkpoint = Checkpoint(
            self.config,
            self.corpus.vocabulary,
            tensors,
            self.step,
            self.position,
            progress,
            self.corpus.digest,
        )
        # The newest comes last: what it says of the best is true by then.
        names = ["best", "last"] if best else ["last"]
        save_checkpoint(checkpoint, *(self.folder / f"{name}.json" for name in names))
        draw_curve(self.curve, self.folder)

    def resume(self, checkpoint: Checkpoint) -> None:
        r"""Go on from a checkpoint, as if nothing had happened."""
        random, progress = checkpoint.part("random"), checkpoint.progress
        if "cpu" not in random or not progress.keys() >= PROGRESS.keys():
            raise TrainingError("this checkpoint can be used, but not resumed")
        device = self.machine.device
        load_parameters(self.model, checkpoint.part("model"))
        load_parameters(self.decoders(), checkpoint.part("reconstruction"))
        load_optimizer(self.objective, self.optimizer, checkpoint.part("optimizer"))
        try:
            self.memory = memory_of(checkpoint.part("memory"), self.config, device)
            self.scaler.load_state_dict(progress["scaler"])
            torch.set_rng_state(random["cpu"])
            if "cuda" in random and device.type == "cuda":
                torch.cuda.set_rng_state(random["cuda"])
        except (KeyError, RuntimeError, TypeError, ValueError) as error:
            raise TrainingError(f"this checkpoint cannot be resumed: {error}") from None
        self.step, self.position = checkpoint.step, checkpoint.position
        self.best = math.inf if progress.get("best") is None else progress["best"]
        self.seconds = progress["seconds"]

        # The curve as it was then: lines of steps that are made again are dropped.
        curve = read_curve(self.folder)
        self.curve = [point for point in curve if point["step"] <= self.step]

    def decoders(self) -> nn.Module:
        r"""What the reconstruction loss learns for itself, if anything."""
        loss = self.objective.reconstruction
        return loss if isinstance(loss, nn.Module) else nn.Module()

    def way_on(self, how: str) -> str:
        r"""What can be done when a run has failed."""
        try:
            saved = load_checkpoint(self.folder, "last").step
        except TrainingError:
            return f"there is no checkpoint yet: begin again, {how}"
        return (
            f"the checkpoint of step {saved} in {self.folder} is the last good one: "
            f"--resume goes on from it, {how}"
        )

    @contextlib.contextmanager
    def disk_told(self) -> Iterator[None]:
        r"""Say at which step a file could not be written, and what can be done."""
        try:
            yield
        except OSError as error:
            where = error.filename or self.folder
            way_on = self.way_on("when the disk takes files again")
            raise TrainingError(
                f"{where}: {error.strerror or error} at step {self.step}: {way_on}"
            ) from None

    @contextlib.contextmanager
    def signals_caught(self) -> Iterator[None]:
        r"""Let Control-C and SIGTERM ask for the end of the run.

        A second one ends the process as usual.
        """

        def catch(number: int, frame: object) -> None:
            self.caught = number
            signal.signal(number, before[number])

        before: dict[int, Any] = {}
        for number in (int(signal.SIGINT), int(signal.SIGTERM)):
            before[number] = signal.signal(number, catch)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
